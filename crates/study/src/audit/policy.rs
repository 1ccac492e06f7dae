//! The promises of a policy, with the queue in the order of arrival.
//!
//! *FCFS*: when a job starts, no job that arrived before it waits. After all starts of an instant, the head
//! of the queue needs more nodes than are free. Jobs that arrive at the same time may start in any order.
//!
//! *EASY*: the head of the queue must not fit either. Jobs behind the head may start before it, but must not
//! delay it. A new head that has to wait is promised its *shadow time*: the first expected end (start plus
//! estimate) of a running job at which enough nodes are free for the head, after all jobs with expected ends
//! up to then have left. The head has to start by its shadow time.
//!
//! The promise is made after all events of the instant, and is not renewed. A scheduler may recompute the
//! shadow time at every instant, which never makes it later. A job that runs longer than estimated voids the
//! open promises. Of jobs that arrive at the same time, the first one in the file comes first.
//!
//! The allocator determines whether a job fits, see [`Fits`]: by the number of free nodes, or by the sets of
//! free nodes. If this is unknown, only the order of FCFS is checked.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "only jobs whose nodes were free are running, so that they and the free nodes are at most the \
              machine's; decisions are counted"
)]

use std::collections::BTreeSet;

use super::ScheduledJob;
use super::state::{AuditCounts, JobAt, State, Violation};
use meshreplay_base::job::{Period, Time};
use meshreplay_machine::machine::{Machine, Mesh};

/// The policy against which a schedule is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// First come, first served.
    Fcfs,
    /// Backfilling that never delays the oldest waiting job.
    Easy,
}

/// Returns whether the allocator could serve a job on a machine in a given state; `None` if unknown.
pub type HasPlace<'a> = &'a mut dyn FnMut(&ScheduledJob, &Machine) -> Option<bool>;

/// The rule that decides whether a job can start.
pub enum Fits<'a> {
    /// A job can start when the number of free nodes suffices.
    Counts,
    /// A job can start if the function returns `Some(true)` for the machine at that time.
    Places(HasPlace<'a>),
    /// Unknown, so a waiting job is never a violation.
    Unknown,
}

/// A policy, and the rule that decides whether a job can start.
pub struct PolicyCheck<'a> {
    /// The policy.
    pub policy: Policy,
    /// The rule that decides whether a job can start.
    pub fits: Fits<'a>,
    /// The time in which all running and waiting jobs are known; `None` for all times.
    pub known: Option<Period>,
}

/// The sort key of a waiting job: arrival, order among jobs of the same arrival, position. FCFS orders such
/// jobs by their starts, so that any order is allowed; EASY orders them by position.
type Key = (Time, Time, JobAt);

/// A policy, with the queue and the open promise.
pub(super) struct Rules<'r, 'a> {
    promised: &'r mut PolicyCheck<'a>,
    /// The machine with the running jobs; `None` unless [`Fits::Places`] needs it.
    machine: Option<Machine>,
    /// Waiting jobs.
    queue: BTreeSet<Key>,
    /// Promise to the head of the queue; `None` if there is none.
    promise: Option<Promise>,
    /// The times that are checked.
    known: Period,
}

/// The promise that the head of the queue starts by a certain time.
struct Promise {
    /// The head.
    job: JobAt,
    /// When the promise was made.
    made: Time,
    /// The shadow time.
    by: Time,
    /// Whether a job has run longer than estimated since.
    void: bool,
}

impl<'r, 'a> Rules<'r, 'a> {
    /// The rules of a schedule on `mesh`, with an empty queue.
    pub(super) fn new(promised: &'r mut PolicyCheck<'a>, mesh: &Mesh) -> Self {
        let machine = matches!(promised.fits, Fits::Places(_)).then(|| Machine::new(mesh.clone()));
        let known = promised.known.unwrap_or(Period { from: Time::from_micros(i64::MIN), to: Time::MAX });
        Self { promised, machine, queue: BTreeSet::new(), promise: None, known }
    }

    /// Returns the sort key of a job in the queue.
    fn key(&self, job: &ScheduledJob, at: JobAt) -> Key {
        (job.submit, if self.promised.policy == Policy::Easy { job.submit } else { job.start }, at)
    }

    /// Returns whether a job can start now; `None` if unknown.
    fn can_start(&mut self, state: &State, job: &ScheduledJob) -> Option<bool> {
        match (&mut self.promised.fits, &self.machine) {
            (Fits::Counts, _) => Some(job.allocated <= state.free),
            (Fits::Places(has_place), Some(machine)) => has_place(job, machine),
            _ => None,
        }
    }

    /// Returns the shadow time of a job: the first expected end of a running job after which the job can
    /// start, or the end of time without one.
    fn shadow(&mut self, state: &State, job: &ScheduledJob) -> Time {
        let mut free = state.free;
        let mut then = self.machine.clone();
        let mut ends = state.running.iter().peekable();
        while let Some(&(expected, at)) = ends.next() {
            let expected = expected.max(state.now);
            free += state.jobs[at].allocated;
            if let Some(then) = &mut then {
                then.vacate(&state.jobs[at].each_node().collect::<Vec<_>>());
            }
            // Jobs with the same expected end leave together, so only the last one counts.
            if ends.peek().is_some_and(|next| next.0.max(state.now) == expected) {
                continue;
            }
            let fits = match (&mut self.promised.fits, &then) {
                (Fits::Places(has_place), Some(then)) => has_place(job, then) == Some(true),
                _ => free >= job.allocated,
            };
            if fits {
                return expected;
            }
        }
        Time::MAX
    }

    /// Checks, before the events of an instant, that no promise is broken.
    pub(super) fn before(&mut self, state: &State, checked: &mut AuditCounts) -> Result<(), Violation> {
        let Some(promise) = self.promise.take_if(|promise| promise.by < state.now) else { return Ok(()) };
        let overdue = state.running.first().is_some_and(|&(expected, _)| expected < state.now);
        if promise.void || overdue {
            checked.void += 1;
            // The job stays the head and gets no new promise.
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

    /// Frees the nodes of a job that ends. If the job ran longer than estimated, the open promise becomes
    /// void.
    pub(super) fn ended(&mut self, job: &ScheduledJob) {
        if let Some(machine) = &mut self.machine {
            machine.vacate(&job.each_node().collect::<Vec<_>>());
        }
        if let Some(promise) = &mut self.promise {
            promise.void |= job.end > job.expected_end();
        }
    }

    /// Adds a job to the queue.
    pub(super) fn arrived(&mut self, state: &State, at: JobAt) {
        self.queue.insert(self.key(&state.jobs[at], at));
    }

    /// Checks, after all events of an instant, that the head of the queue may wait. `started` are the jobs
    /// that started at this instant. Makes a promise to a new head.
    pub(super) fn after(
        &mut self,
        state: &State,
        started: &[JobAt],
        checked: &mut AuditCounts,
    ) -> Result<(), Violation> {
        for &at in started {
            let job = &state.jobs[at];
            self.queue.remove(&self.key(job, at));
            // A started job's promise is kept.
            self.promise.take_if(|promise| promise.job == at);
            if let Some(machine) = &mut self.machine
                && job.end > job.start
            {
                // This cannot fail: `State::start` has checked that the nodes were free.
                let _ = machine.occupy(&job.each_node().collect::<Vec<_>>());
            }
        }
        // Before a period, jobs that ended then are missing.
        let head = self.queue.first().filter(|_| self.known.contains(state.now));
        let Some(&(submit, _, head)) = head else {
            self.promise = None;
            return Ok(());
        };
        let (waiting, now) = (&state.jobs[head], state.now);
        let overtakes = |&&at: &&JobAt| state.jobs[at].submit > submit;
        if let (Policy::Fcfs, Some(&at)) = (self.promised.policy, started.iter().find(overtakes)) {
            let expected = format!("job {} first, which arrived at {submit} and waits", waiting.number);
            return Err(Violation::of(&state.jobs[at], now, "starts".to_owned(), expected));
        }
        checked.decisions += 1;
        let Some(can_start) = self.can_start(state, waiting) else { return Ok(()) };
        if can_start {
            let (free, takes) = (state.free, waiting.allocated);
            let what =
                format!("heads the queue and waits until {}, {free} processors being free", waiting.start);
            let expected = match self.promised.fits {
                Fits::Places(_) => format!("a start now, as there is a place for the {takes} that it takes"),
                _ => format!("a start now, as it takes {takes}"),
            };
            return Err(Violation::of(waiting, now, what, expected));
        }
        if self.promised.policy == Policy::Easy
            && self.promise.as_ref().is_none_or(|promise| promise.job != head)
        {
            checked.promises += 1;
            let by = self.shadow(state, waiting);
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
    use meshreplay_machine::machine::Mesh;

    fn ten() -> Mesh {
        Mesh::new(&[10]).expect("a machine")
    }

    fn check(policy: Policy, jobs: &[ScheduledJob]) -> Result<AuditCounts, String> {
        let schedule = Schedule { jobs: jobs.to_vec(), left_out: 0 };
        audit(&schedule, &ten(), Some(PolicyCheck { policy, fits: Fits::Counts, known: None }))
            .map_err(|violation| violation.to_string())
    }

    #[test]
    fn fcfs_lets_nobody_overtake_and_nobody_wait_in_vain() -> Result<(), String> {
        let clean = [job(1, [0, 0, 100], 6), job(2, [0, 100, 150], 8), job(3, [0, 100, 105], 2)];
        assert_eq!(check(Policy::Fcfs, &clean)?.decisions, 1);
        // Here job 3 arrives later than job 2 and starts first.
        let overtaken = [job(1, [0, 0, 100], 6), job(2, [0, 100, 150], 8), job(3, [1, 1, 5], 2)];
        let found = check(Policy::Fcfs, &overtaken).expect_err("overtaken");
        assert_eq!(
            found,
            "at 1 s, job 3 (row 3) starts; expected job 2 first, which arrived at 0 s and waits"
        );
        let late = [job(1, [0, 0, 100], 6), job(2, [0, 120, 150], 8)];
        let found = check(Policy::Fcfs, &late).expect_err("late");
        let expected = "at 100 s, job 2 (row 2) heads the queue and waits until 120 s, 10 processors being \
             free; expected a start now, as it takes 8";
        assert_eq!(found, expected);
        let schedule = Schedule { jobs: late.to_vec(), left_out: 0 };
        let promised = PolicyCheck { policy: Policy::Fcfs, fits: Fits::Unknown, known: None };
        let checked = audit(&schedule, &ten(), Some(promised)).map_err(|violation| violation.to_string())?;
        assert_eq!(checked.decisions, 2);
        Ok(())
    }

    #[test]
    fn easy_does_not_delay_the_head() -> Result<(), String> {
        let head = |start: i64| [job(1, [0, 0, 100], 6), job(2, [1, start, start + 50], 8)];
        let [one, two] = head(100);
        // Job 3 ends by the shadow time, and job 4 takes extra nodes.
        let clean = [one.clone(), two.clone(), job(3, [2, 2, 100], 2), job(4, [3, 3, 500], 2)];
        let checked = check(Policy::Easy, &clean)?;
        assert_eq!((checked.promises, checked.void), (1, 0));
        // Job 3 delays the head.
        let [one, two] = head(102);
        let found = check(Policy::Easy, &[one, two, job(3, [2, 2, 102], 4)]).expect_err("delayed");
        let expected = "at 100 s, job 2 (row 2) heads the queue and waits until 102 s; expected a start by \
             now, its shadow time when it became the head at 1 s";
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
        let mesh = ten();
        let mut check = |start| {
            let fits = Fits::Places(&mut row);
            let promised = PolicyCheck { policy: Policy::Easy, fits, known: None };
            audit(&schedule(start), &mesh, Some(promised)).map_err(|violation| violation.to_string())
        };
        let checked = check(50)?;
        assert_eq!((checked.promises, checked.void), (1, 0));
        let late = check(60).expect_err("late");
        assert_eq!(
            late,
            "at 50 s, job 3 (row 3) heads the queue and waits until 60 s, 6 processors being free; expected \
             a start now, as there is a place for the 5 that it takes"
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
