//! Jobs run as long as the log says.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Execution;
use crate::job::{JobId, Time};

/// Recorded run times: a heap of ends. Jobs that end together do so in the order in which they started.
#[derive(Debug, Default)]
pub struct RecordedRunTimes {
    ends: BinaryHeap<Reverse<(Time, u64, JobId)>>,
    started: u64,
}

impl Execution for RecordedRunTimes {
    fn start(&mut self, job: JobId, now: Time, run: Time) {
        self.ends.push(Reverse((now + run, self.started, job)));
        self.started += 1;
    }

    fn next_completion(&self) -> Option<Time> {
        self.ends.peek().map(|Reverse((end, ..))| *end)
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

    #[test]
    fn jobs_end_by_time_then_by_start() {
        let mut model = RecordedRunTimes::default();
        let at = Time::from_seconds;
        model.start(5, at(0), at(10));
        model.start(3, at(4), at(6));
        model.start(9, at(4), at(1));
        let mut done = Vec::new();
        assert_eq!(model.next_completion(), Some(at(5)));
        model.advance(at(10), &mut done);
        assert_eq!((done, model.next_completion()), (vec![9, 5, 3], None));
    }
}
