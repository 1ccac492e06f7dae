//! The beginning of a replay that covers a period of its log: jobs that run then have the rest of their runs.
#![expect(clippy::cast_possible_truncation, reason = "jobs have numbers of 32 bits")]

use std::borrow::Cow;

use meshreplay_base::job::{Job, JobId, Origin, Period, Time};
use meshreplay_sim::engine::{Opening, Record};

/// Returns the jobs as the engine gets them: of those that run at the beginning of the period, only the rest
/// of the run time and of the estimate is left. Returns the running jobs in the order of their starts, too.
pub(in crate::study) fn begin(period: Option<Period>, jobs: &[Job]) -> (Cow<'_, [Job]>, Option<Opening>) {
    let Some(period) = period else { return (Cow::Borrowed(jobs), None) };
    let mut rest = jobs.to_vec();
    let mut running: Vec<(Time, JobId)> = Vec::new();
    for (id, job) in carried(period, &mut rest) {
        let start = job.recorded_start().unwrap_or(job.submit);
        let ran = period.from - start;
        // A job without a time limit stays one.
        if job.known_estimate().is_some() {
            job.estimate = (job.estimate - ran).max(Time::ZERO);
        }
        job.run = job.run - ran;
        running.push((start, id as JobId));
    }
    running.sort_unstable();
    let running = running.into_iter().map(|(_, id)| id).collect();
    (Cow::Owned(rest), Some(Opening { at: period.from, running }))
}

/// Gives the jobs that were running at the beginning their recorded starts. Returns the number of those that
/// were refused then, and their share of the node-seconds inside the period.
pub(super) fn complete(period: Option<Period>, jobs: &[Job], records: &mut [Record]) -> Refused {
    let Some(period) = period else { return Refused::default() };
    let (mut refused, mut work, mut of_refused) = (Refused::default(), 0.0, 0.0);
    for (job, record) in jobs.iter().zip(records) {
        let node_s = period.overlap(record.start, record.end).as_seconds() * f64::from(record.allocated);
        work += node_s;
        if period.origin(job) != Origin::Carried {
            continue;
        }
        if record.start > period.from {
            refused.jobs += 1;
            of_refused += node_s;
        } else if let Some(start) = job.recorded_start() {
            (record.start, record.head) = (start, start);
        }
    }
    refused.share = if work > 0.0 { of_refused / work } else { 0.0 };
    refused
}

/// Jobs that ran at the beginning of the period and found no place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Refused {
    /// Their number.
    pub jobs: u64,
    /// Their share of the node-seconds inside the period, from 0 to 1.
    pub share: f64,
}

/// Returns the jobs that run at the beginning, with their positions.
fn carried(period: Period, jobs: &mut [Job]) -> impl Iterator<Item = (usize, &mut Job)> {
    jobs.iter_mut().enumerate().filter(move |(_, job)| period.origin(job) == Origin::Carried)
}
