//! What planning knows of the jobs of a log that are too many to be kept.

use std::collections::BTreeMap;

use crate::allocator::Request;
use crate::job::{Job, Time};

/// The most jobs of a log that are kept in memory. A longer log is read again for each replay, while it runs.
pub const MOST_KEPT: usize = 1 << 19;

/// The jobs of one size and shape.
#[derive(Clone, Copy, Debug)]
pub(in crate::study) struct OfKind {
    /// How many there are.
    pub(in crate::study) count: u64,
    /// The position of the first of them in the log, and its number.
    pub(in crate::study) first: (u64, i64),
}

/// Facts about the jobs of a log, which are gathered while it is read.
#[derive(Clone, Debug)]
pub(in crate::study) struct Extent {
    /// The number of jobs.
    pub(in crate::study) jobs: u64,
    /// The jobs by what they ask for.
    pub(in crate::study) kinds: BTreeMap<Request, OfKind>,
    /// The latest arrival.
    pub(in crate::study) last: Time,
    /// The sum of all run times in microseconds. 128 bits hold any.
    pub(in crate::study) run_micros: i128,
    /// Whether jobs stand in the order of their arrival.
    pub(in crate::study) is_sorted: bool,
}

impl Extent {
    /// Returns the facts about these jobs.
    pub(in crate::study) fn of(jobs: &[Job]) -> Self {
        let last = Time::from_micros(i64::MIN);
        let mut extent = Self { jobs: 0, kinds: BTreeMap::new(), last, run_micros: 0, is_sorted: true };
        for job in jobs {
            extent.add(job);
        }
        extent
    }

    /// Adds the next job of the log.
    pub(in crate::study) fn add(&mut self, job: &Job) {
        let first = (self.jobs, job.number);
        self.kinds.entry(Request::from(job).kind()).or_insert(OfKind { count: 0, first }).count += 1;
        self.jobs += 1;
        self.run_micros += i128::from(job.run.as_micros());
        self.is_sorted &= job.submit >= self.last;
        self.last = self.last.max(job.submit);
    }
}
