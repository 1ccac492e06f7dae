//! What planning knows of the jobs of a log that are too many to be kept.

use std::collections::BTreeMap;

use super::lateness::Lateness;
use crate::allocator::Request;
use crate::job::{Job, Time};

/// The most jobs of a log that are kept in memory. A longer log is read again while replays run.
pub const MOST_KEPT: usize = 1 << 19;

/// The jobs of one size and shape.
#[derive(Clone, Copy, Debug)]
pub(in crate::study) struct OfKind {
    /// How many there are.
    pub(in crate::study) count: u64,
    /// The position of the first of them in the log, and its number.
    pub(in crate::study) first: (u64, i64),
    /// The earliest arrival of one of them.
    pub(in crate::study) arrives: Time,
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
    /// How far jobs stand behind their place in the order of arrival.
    pub(in crate::study) lateness: Lateness,
}

impl Extent {
    /// Returns the facts about these jobs.
    pub(in crate::study) fn of(jobs: &[Job]) -> Self {
        let last = Time::from_micros(i64::MIN);
        let (kinds, lateness) = (BTreeMap::new(), Lateness::default());
        let mut extent = Self { jobs: 0, kinds, last, run_micros: 0, lateness };
        for job in jobs {
            extent.add(job);
        }
        extent
    }

    /// Adds the next job of the log.
    pub(in crate::study) fn add(&mut self, job: &Job) {
        let first = (self.jobs, job.number);
        let new = OfKind { count: 0, first, arrives: job.submit };
        let of_kind = self.kinds.entry(Request::from(job).kind()).or_insert(new);
        of_kind.count += 1;
        of_kind.arrives = of_kind.arrives.min(job.submit);
        self.jobs += 1;
        self.run_micros += i128::from(job.run.as_micros());
        self.lateness.add(job.submit);
        self.last = self.last.max(job.submit);
    }
    /// Returns the facts with times that count from `origin`.
    pub(in crate::study) fn since(mut self, origin: Time) -> Self {
        self.last = self.last - origin;
        self.kinds.values_mut().for_each(|of_kind| of_kind.arrives = of_kind.arrives - origin);
        self
    }
}
