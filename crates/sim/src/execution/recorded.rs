//! The execution model of recorded run times: each job runs as long as in the log.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Execution, NetworkEntry, Next, Started};
use meshreplay_base::job::{JobId, Time};
use meshreplay_base::stop::Stop;

/// The row of the registry.
pub(super) const ENTRY: NetworkEntry = NetworkEntry {
    name: "recorded",
    summary: "jobs run as long as the log says",
    source: "as the log has it",
    parameters: "",
    build: |_, _| Ok(Box::new(RecordedRunTimes::default())),
};

/// Recorded run times, with a heap of ends. Jobs with the same end finish in the order of their starts.
#[derive(Debug, Default)]
pub struct RecordedRunTimes {
    ends: BinaryHeap<Reverse<(Time, u64, JobId)>>,
    started: u64,
}

impl Execution for RecordedRunTimes {
    fn start(&mut self, started: Started<'_>) {
        self.ends.push(Reverse((started.now + started.job.run, self.started, started.id)));
        self.started += 1;
    }

    /// Delays the end of each job. O(running jobs).
    fn postpone(&mut self, jobs: &[(JobId, Time)]) {
        let mut ends = std::mem::take(&mut self.ends).into_vec();
        for Reverse((end, _, job)) in &mut ends {
            if let Some((_, by)) = jobs.iter().find(|(other, _)| other == job) {
                *end = *end + *by;
            }
        }
        self.ends = ends.into();
    }

    fn postpones(&self) -> bool {
        true
    }

    /// Removes the end of the job. O(running jobs).
    fn cancel(&mut self, job: JobId) {
        self.ends.retain(|Reverse((.., other))| *other != job);
    }

    fn cancels(&self) -> bool {
        true
    }

    fn end_of(&self, job: JobId) -> Option<Time> {
        self.ends.iter().find(|Reverse((.., other))| *other == job).map(|Reverse((end, ..))| *end)
    }

    fn next_completion(&mut self, _until: Time, _stop: &Stop) -> Next {
        self.ends.peek().map_or(Next::Idle, |Reverse((end, ..))| Next::At(*end))
    }

    fn advance(&mut self, until: Time, done: &mut Vec<JobId>) {
        while let Some(&Reverse((end, _, job))) = self.ends.peek() {
            if end > until {
                break;
            }
            self.ends.pop();
            done.push(job);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_base::job::{Job, Shape};

    fn start(model: &mut RecordedRunTimes, id: JobId, now_s: i64, run_s: i64) {
        let [now, run] = [now_s, run_s].map(Time::from_seconds);
        let job = Job {
            number: 0,
            submit: now,
            run,
            estimate: run,
            procs: 1,
            shape: Shape::NearSquare,
            ..Job::default()
        };
        model.start(Started { id, job: &job, nodes: &[0], now });
    }

    #[test]
    fn jobs_that_stand_still_end_later() {
        let mut model = RecordedRunTimes::default();
        let at = Time::from_seconds;
        start(&mut model, 0, 0, 10);
        start(&mut model, 1, 0, 20);
        model.postpone(&[(0, at(15)), (7, at(1))]);
        assert_eq!([0, 1, 7].map(|job| model.end_of(job)), [Some(at(25)), Some(at(20)), None]);
        assert_eq!(model.next_completion(Time::MAX, &Stop::default()), Next::At(at(20)));
        let mut done = Vec::new();
        model.advance(at(25), &mut done);
        assert_eq!(done, [1, 0]);
    }

    #[test]
    fn jobs_that_are_killed_do_not_end() {
        let mut model = RecordedRunTimes::default();
        start(&mut model, 0, 0, 10);
        start(&mut model, 1, 0, 20);
        model.cancel(0);
        start(&mut model, 0, 15, 10);
        let mut done = Vec::new();
        model.advance(Time::from_seconds(24), &mut done);
        assert_eq!((done, model.end_of(0)), (vec![1], Some(Time::from_seconds(25))));
    }

    #[test]
    fn jobs_end_by_time_then_by_start() {
        let mut model = RecordedRunTimes::default();
        let at = Time::from_seconds;
        start(&mut model, 5, 0, 10);
        start(&mut model, 3, 4, 6);
        start(&mut model, 9, 4, 1);
        let mut done = Vec::new();
        assert_eq!(model.next_completion(Time::MAX, &Stop::default()), Next::At(at(5)));
        model.advance(at(10), &mut done);
        assert_eq!((done, model.next_completion(Time::MAX, &Stop::default())), (vec![9, 5, 3], Next::Idle));
    }
}
