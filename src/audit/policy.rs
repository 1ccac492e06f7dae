//! Whether a schedule keeps what a policy promises, with the queue in order of arrival.
//!
//! *FCFS*: when a job has started, no job that arrived before it waits; and once all that starts at an instant has
//! started, the head of the queue asks for more processors than are free. Jobs that arrive at once may start in any order.
//!
//! *EASY*: the same of the head; jobs behind it may start before it, but not to its cost. When a job becomes the head and
//! has to wait, it is promised its *shadow time*: the first expected end (start and estimate) of a running job at which, with
//! all jobs that are expected to end until then gone, as many processors are free as it asks for. It has to start by then.
//! The promise is made once everything of that instant has happened, and not renewed: a scheduler may look again at every
//! instant, which never makes the shadow time later. A job that runs longer than estimated voids promises that are open while
//! it does so. Of jobs that arrive at once the first in the file comes first.
//!
//! Both are promises about numbers of processors. Where an allocator may refuse a job although enough are free, only the
//! order of FCFS is left of them.

use std::collections::BTreeSet;

use super::ScheduledJob;
use super::checks::{Checked, State, Violation};
use crate::job::Time;

/// What a schedule is checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// First come, first served.
    Fcfs {
        /// Whether every job that finds enough processors free can start.
        counts_decide: bool,
    },
    /// Backfilling that never delays the oldest waiting job.
    Easy,
}

/// A policy and the queue that it sees.
pub(super) struct Rules {
    policy: Policy,
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

impl Rules {
    pub(super) fn new(policy: Policy, jobs: &[ScheduledJob]) -> Self {
        let tie = |job: &ScheduledJob| if policy == Policy::Easy { job.submit } else { job.start };
        let keys = jobs.iter().enumerate().map(|(i, job)| (job.submit, tie(job), i)).collect();
        Self { policy, queue: BTreeSet::new(), keys, promise: None }
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
        }
        let Some(&(submit, _, head)) = self.queue.first() else {
            self.promise = None;
            return Ok(());
        };
        let (waiting, now) = (&state.jobs[head], state.now);
        let overtakes = |&&i: &&usize| state.jobs[i].submit > submit;
        if let (Policy::Fcfs { .. }, Some(&i)) = (self.policy, started.iter().find(overtakes)) {
            let expected = format!("job {} first, which arrived at {submit} and waits", waiting.number);
            return Err(Violation::of(&state.jobs[i], now, "starts".to_owned(), expected));
        }
        if self.policy == (Policy::Fcfs { counts_decide: false }) {
            checked.decisions += 1;
            return Ok(());
        }
        if waiting.procs <= state.free {
            let (free, procs) = (state.free, waiting.procs);
            let what =
                format!("heads the queue and waits until {}, {free} processors being free", waiting.start);
            return Err(Violation::of(waiting, now, what, format!("a start now, as it asks for {procs}")));
        }
        checked.decisions += 1;
        if self.policy == Policy::Easy && self.promise.as_ref().is_none_or(|promise| promise.job != head) {
            checked.promises += 1;
            let by = shadow(state, waiting.procs);
            self.promise = Some(Promise { job: head, made: now, by, void: false });
        }
        Ok(())
    }
}

/// The first expected end of a running job by which `need` processors are free.
fn shadow(state: &State<'_>, need: u32) -> Time {
    let mut free = state.free;
    for &(expected, i) in &state.running {
        free += state.jobs[i].allocated;
        if free >= need {
            return expected.max(state.now);
        }
    }
    Time::MAX
}

#[cfg(test)]
mod tests {
    use super::super::checks::audit;
    use super::super::fixture::job;
    use super::super::{Schedule, ScheduledJob};
    use super::*;

    const FCFS: Policy = Policy::Fcfs { counts_decide: true };

    fn check(policy: Policy, jobs: &[ScheduledJob]) -> Result<Checked, String> {
        let schedule = Schedule { jobs: jobs.to_vec(), left_out: 0 };
        audit(&schedule, 10, Some(policy)).map_err(|violation| violation.to_string())
    }

    #[test]
    fn fcfs_lets_nobody_overtake_and_nobody_wait_in_vain() -> Result<(), String> {
        let clean = [job(1, [0, 0, 100], 6), job(2, [0, 100, 150], 8), job(3, [0, 100, 105], 2)];
        assert_eq!(check(FCFS, &clean)?.decisions, 1);
        // The third is submitted later now, and started first.
        let overtaken = [job(1, [0, 0, 100], 6), job(2, [0, 100, 150], 8), job(3, [1, 1, 5], 2)];
        let found = check(FCFS, &overtaken).expect_err("overtaken");
        assert_eq!(
            found,
            "at 1 s, job 3 (row 3) starts; expected job 2 first, which arrived at 0 s and waits"
        );
        let late = [job(1, [0, 0, 100], 6), job(2, [0, 120, 150], 8)];
        let found = check(FCFS, &late).expect_err("late");
        let expected = "at 100 s, job 2 (row 2) heads the queue and waits until 120 s, 10 processors being free; expected a \
                        start now, as it asks for 8";
        assert_eq!(found, expected);
        assert_eq!(check(Policy::Fcfs { counts_decide: false }, &late)?.decisions, 2);
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
    fn a_job_that_outlives_its_estimate_voids_the_promise() -> Result<(), String> {
        let long = ScheduledJob { estimate: Time::from_seconds(50), ..job(1, [0, 0, 100], 6) };
        let checked = check(Policy::Easy, &[long, job(2, [1, 100, 150], 8)])?;
        assert_eq!((checked.promises, checked.void), (1, 1));
        Ok(())
    }
}
