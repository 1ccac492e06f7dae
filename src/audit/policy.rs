//! Whether a schedule keeps what a policy promises, with the queue in order of arrival.
//!
//! *FCFS*: when a job has started, no job that arrived before it waits; and once all that starts at an instant has
//! started, the head of the queue asks for more processors than are free. Jobs that arrive at once may start in any
//! order.
//!
//! *EASY*: the same of the head; jobs behind it may start before it, but not to its cost. When a job becomes the head and
//! has to wait, it is promised its *shadow time*: the first expected end (start and estimate) of a running job at
//! which, with all jobs that are expected to end until then gone, as many processors are free as it asks for. It has to
//! start by then. The promise is made once everything of that instant has happened, and not renewed: a scheduler may
//! look again at every instant, which never makes the shadow time later. A job that runs longer than estimated voids
//! promises that are open while it does so. Of jobs that arrive at once the first in the file comes first.
//!
//! What "is free" means depends on the allocator, see [`Fits`]: so many nodes as the job takes, or a place for it.
//! Where nobody can tell, only the order of FCFS is left.

use std::collections::BTreeSet;

use super::ScheduledJob;
use super::state::{Checked, State, Violation};
use crate::job::Time;
use crate::machine::Machine;

/// What a schedule is checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// First come, first served.
    Fcfs,
    /// Backfilling that never delays the oldest waiting job.
    Easy,
}

/// Says whether a job has a place on a machine in this state; `None` if that cannot be told.
pub type HasPlace<'a> = &'a mut dyn FnMut(&ScheduledJob, &Machine) -> Option<bool>;

/// What decides whether a job can start.
pub enum Fits<'a> {
    /// It can if as many nodes are free as it takes.
    Counts,
    /// It can if it has a place; the machine is idle at first.
    Places(Machine, HasPlace<'a>),
    /// Nobody knows, so that a job that waits is never a violation.
    Unknown,
}

/// A policy, and what decides whether a job can start.
pub struct Promised<'a> {
    /// The policy.
    pub policy: Policy,
    /// What decides.
    pub fits: Fits<'a>,
}

impl Fits<'_> {
    /// Returns whether a job can start now.
    fn now(&mut self, state: &State<'_>, job: &ScheduledJob) -> Option<bool> {
        match self {
            Self::Counts => Some(job.allocated <= state.free),
            Self::Places(machine, has_place) => has_place(job, machine),
            Self::Unknown => None,
        }
    }

    /// Returns the first expected end of a running job by which a job can start; the end of time if there is none.
    fn shadow(&mut self, state: &State<'_>, job: &ScheduledJob) -> Time {
        let mut free = state.free;
        let mut then = match self {
            Self::Places(machine, _) => Some(machine.clone()),
            _ => None,
        };
        let mut ends = state.running.iter().peekable();
        while let Some(&(expected, i)) = ends.next() {
            let expected = expected.max(state.now);
            free += state.jobs[i].allocated;
            if let Some(then) = &mut then {
                then.vacate(&state.jobs[i].each_node().collect::<Vec<_>>());
            }
            if ends.peek().is_some_and(|next| next.0.max(state.now) == expected) {
                continue;
            }
            let fits = match (&mut *self, &then) {
                (Self::Places(_, has_place), Some(then)) => has_place(job, then) == Some(true),
                _ => free >= job.allocated,
            };
            if fits {
                return expected;
            }
        }
        Time::MAX
    }
}

/// A policy and the queue that it sees.
pub(super) struct Rules<'a> {
    policy: Policy,
    fits: Fits<'a>,
    /// Waiting jobs: arrival, what decides among jobs that arrive at once, position.
    queue: BTreeSet<(Time, Time, usize)>,
    keys: Vec<(Time, Time, usize)>,
    promise: Option<Promise>,
}

/// When the head of the queue has to start.
struct Promise {
    job: usize,
    made: Time,
    by: Time,
    void: bool,
}

impl<'a> Rules<'a> {
    pub(super) fn new(Promised { policy, fits }: Promised<'a>, jobs: &[ScheduledJob]) -> Self {
        let tie = |job: &ScheduledJob| if policy == Policy::Easy { job.submit } else { job.start };
        let keys = jobs.iter().enumerate().map(|(i, job)| (job.submit, tie(job), i)).collect();
        Self { policy, fits, queue: BTreeSet::new(), keys, promise: None }
    }

    /// What must have happened before this instant.
    pub(super) fn before(&mut self, state: &State<'_>, checked: &mut Checked) -> Result<(), Violation> {
        let Some(promise) = self.promise.take_if(|promise| promise.by < state.now) else { return Ok(()) };
        let overdue = state.running.first().is_some_and(|&(expected, _)| expected < state.now);
        if promise.void || overdue {
            checked.void += 1;
            // It stays the head, and is promised nothing more.
            self.promise = Some(Promise { by: Time::MAX, ..promise });
            return Ok(());
        }
        let job = &state.jobs[promise.job];
        Err(Violation::of(
            job,
            promise.by,
            format!("heads the queue and waits until {}", job.start),
            format!("a start by now, its shadow time when it became the head at {}", promise.made),
        ))
    }

    pub(super) fn ended(&mut self, job: &ScheduledJob) {
        if let Fits::Places(machine, _) = &mut self.fits {
            machine.vacate(&job.each_node().collect::<Vec<_>>());
        }
        if let Some(promise) = &mut self.promise {
            promise.void |= job.end > job.expected_end();
        }
    }

    pub(super) fn arrived(&mut self, i: usize) {
        self.queue.insert(self.keys[i]);
    }

    /// What must hold once everything of this instant has happened.
    pub(super) fn after(
        &mut self,
        state: &State<'_>,
        started: &[usize],
        checked: &mut Checked,
    ) -> Result<(), Violation> {
        for &i in started {
            self.queue.remove(&self.keys[i]);
            let job = &state.jobs[i];
            if let Fits::Places(machine, _) = &mut self.fits
                && job.end > job.start
            {
                // The same was checked of the owners of nodes.
                let _ = machine.occupy(&job.each_node().collect::<Vec<_>>());
            }
        }
        let Some(&(submit, _, head)) = self.queue.first() else {
            self.promise = None;
            return Ok(());
        };
        let (waiting, now) = (&state.jobs[head], state.now);
        let overtakes = |&&i: &&usize| state.jobs[i].submit > submit;
        if let (Policy::Fcfs, Some(&i)) = (self.policy, started.iter().find(overtakes)) {
            let expected = format!("job {} first, which arrived at {submit} and waits", waiting.number);
            return Err(Violation::of(&state.jobs[i], now, "starts".to_owned(), expected));
        }
        checked.decisions += 1;
        let Some(can_start) = self.fits.now(state, waiting) else { return Ok(()) };
        if can_start {
            let (free, takes) = (state.free, waiting.allocated);
            let what =
                format!("heads the queue and waits until {}, {free} processors being free", waiting.start);
            let expected = match self.fits {
                Fits::Places(..) => format!("a start now, as there is a place for the {takes} that it takes"),
                _ => format!("a start now, as it takes {takes}"),
            };
            return Err(Violation::of(waiting, now, what, expected));
        }
        if self.policy == Policy::Easy && self.promise.as_ref().is_none_or(|promise| promise.job != head) {
            checked.promises += 1;
            let by = self.fits.shadow(state, waiting);
            self.promise = Some(Promise { job: head, made: now, by, void: false });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::checks::audit;
    use super::super::fixture::job;
    use super::super::{Schedule, ScheduledJob};
    use super::*;

    fn check(policy: Policy, jobs: &[ScheduledJob]) -> Result<Checked, String> {
        let schedule = Schedule { jobs: jobs.to_vec(), left_out: 0 };
        audit(&schedule, 10, Some(Promised { policy, fits: Fits::Counts }))
            .map_err(|violation| violation.to_string())
    }

    #[test]
    fn fcfs_lets_nobody_overtake_and_nobody_wait_in_vain() -> Result<(), String> {
        let clean = [job(1, [0, 0, 100], 6), job(2, [0, 100, 150], 8), job(3, [0, 100, 105], 2)];
        assert_eq!(check(Policy::Fcfs, &clean)?.decisions, 1);
        // The third is submitted later now, and started first.
        let overtaken = [job(1, [0, 0, 100], 6), job(2, [0, 100, 150], 8), job(3, [1, 1, 5], 2)];
        let found = check(Policy::Fcfs, &overtaken).expect_err("overtaken");
        assert_eq!(
            found,
            "at 1 s, job 3 (row 3) starts; expected job 2 first, which arrived at 0 s and waits"
        );
        let late = [job(1, [0, 0, 100], 6), job(2, [0, 120, 150], 8)];
        let found = check(Policy::Fcfs, &late).expect_err("late");
        let expected = "at 100 s, job 2 (row 2) heads the queue and waits until 120 s, 10 processors being free; expected a \
                        start now, as it takes 8";
        assert_eq!(found, expected);
        let schedule = Schedule { jobs: late.to_vec(), left_out: 0 };
        let promised = Promised { policy: Policy::Fcfs, fits: Fits::Unknown };
        let checked = audit(&schedule, 10, Some(promised)).map_err(|violation| violation.to_string())?;
        assert_eq!(checked.decisions, 2);
        Ok(())
    }

    #[test]
    fn easy_does_not_delay_the_head() -> Result<(), String> {
        let head = |start: i64| [job(1, [0, 0, 100], 6), job(2, [1, start, start + 50], 8)];
        let [one, two] = head(100);
        // One that ends in time, one beside the head.
        let clean = [one.clone(), two.clone(), job(3, [2, 2, 100], 2), job(4, [3, 3, 500], 2)];
        let checked = check(Policy::Easy, &clean)?;
        assert_eq!((checked.promises, checked.void), (1, 0));
        // One that is in the way.
        let [one, two] = head(102);
        let found = check(Policy::Easy, &[one, two, job(3, [2, 2, 102], 4)]).expect_err("delayed");
        let expected = "at 100 s, job 2 (row 2) heads the queue and waits until 102 s; expected a start by now, its shadow \
                        time when it became the head at 1 s";
        assert_eq!(found, expected);
        let found = check(Policy::Easy, &head(101)).expect_err("it would fit");
        assert!(
            found.starts_with("at 100 s, job 2 (row 2) heads the queue and waits until 101 s, 10"),
            "{found}"
        );
        Ok(())
    }

    #[test]
    fn places_decide_where_counts_do_not() -> Result<(), Box<dyn std::error::Error>> {
        let on = |first: u32, last: u32, job: ScheduledJob| ScheduledJob {
            nodes: Some(vec![(first, last)]),
            ..job
        };
        // Nodes 0 to 3 are taken until 100 and 6 to 9 until 50: a row of five is free from 50 on, not before.
        let schedule = |start: i64| Schedule {
            jobs: vec![
                on(0, 3, job(1, [0, 0, 100], 4)),
                on(6, 6, job(2, [0, 0, 50], 1)),
                on(5, 9, job(3, [1, start, start + 10], 5)),
            ],
            left_out: 0,
        };
        let mut row = |job: &ScheduledJob, machine: &Machine| {
            let free: Vec<bool> = (0..10).map(|node| machine.free().contains(node)).collect();
            Some(free.windows(job.procs as usize).any(|window| window.iter().all(|&free| free)))
        };
        let mesh: crate::machine::Mesh = "10".parse()?;
        let mut check = |start| {
            let fits = Fits::Places(Machine::new(mesh.clone()), &mut row);
            let promised = Promised { policy: Policy::Easy, fits };
            audit(&schedule(start), 10, Some(promised)).map_err(|violation| violation.to_string())
        };
        let checked = check(50)?;
        assert_eq!((checked.promises, checked.void), (1, 0));
        let late = check(60).expect_err("late");
        assert_eq!(
            late,
            "at 50 s, job 3 (row 3) heads the queue and waits until 60 s, 6 processors being free; expected a start now, as \
             there is a place for the 5 that it takes"
        );
        Ok(())
    }

    #[test]
    fn a_job_that_outlives_its_estimate_voids_the_promise() -> Result<(), String> {
        let long = ScheduledJob { estimate: Time::from_seconds(50), ..job(1, [0, 0, 100], 6) };
        let checked = check(Policy::Easy, &[long, job(2, [1, 100, 150], 8)])?;
        assert_eq!((checked.promises, checked.void), (1, 1));
        Ok(())
    }
}
