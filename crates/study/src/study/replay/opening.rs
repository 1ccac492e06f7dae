//! The beginning of a replay of a period: jobs from before it run on for the rest of their run times.
#![expect(clippy::cast_possible_truncation, reason = "jobs have numbers of 32 bits")]

use std::borrow::Cow;

use meshreplay_base::job::{Job, JobId, Origin, Period, Time};
use meshreplay_sim::engine::Opening;
use meshreplay_sim::metrics::FinishedJob;

/// Returns the jobs for the engine, and the jobs that run at the beginning of the period, by start. The run
/// times and estimates of the latter are reduced by the time before the period.
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
        // A shaken run time can be shorter than the job had run.
        job.run = (job.run - ran).max(Time::ZERO);
        running.push((start, id as JobId));
    }
    running.sort_unstable();
    let running = running.into_iter().map(|(_, id)| id).collect();
    (Cow::Owned(rest), Some(Opening { at: period.from, running }))
}

/// Restores what [`begin`] reduced, and counts jobs without a place at the beginning.
pub(super) struct Completion<'a> {
    period: Option<Period>,
    /// The jobs of the log from the next one on. Jobs that never ran do not finish.
    left: std::slice::Iter<'a, Job>,
    refused: u64,
    /// Node-seconds inside the period of all jobs, and of those that were refused.
    work: [f64; 2],
}

impl<'a> Completion<'a> {
    /// Creates the completion of `jobs` before the first one has finished.
    pub(super) fn new(period: Option<Period>, jobs: &'a [Job]) -> Self {
        Self { period, left: jobs.iter(), refused: 0, work: [0.0; 2] }
    }

    /// Completes the next finished job in the order of the log. A job that ran at the beginning has its
    /// recorded start.
    pub(super) fn complete(&mut self, finished: &mut FinishedJob) {
        let Some(period) = self.period else { return };
        let FinishedJob { job, record, .. } = finished;
        let is_it = |other: &&Job| (other.number, other.submit) == (job.number, job.submit);
        if let Some(original) = self.left.find(is_it) {
            *job = *original;
        }
        let node_s = period.overlap(record.start, record.end).as_seconds() * f64::from(record.allocated);
        self.work[0] += node_s;
        if period.origin(job) != Origin::Carried {
            return;
        }
        if record.start > period.from {
            self.refused += 1;
            self.work[1] += node_s;
        } else if let Some(start) = job.recorded_start() {
            (record.start, record.head) = (start, start);
        }
    }

    /// Returns the jobs that ran at the beginning and were refused then.
    pub(super) fn refused(&self) -> Refused {
        let [work, of_refused] = self.work;
        Refused { jobs: self.refused, share: if work > 0.0 { of_refused / work } else { 0.0 } }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_base::job::Logged;

    #[test]
    fn a_shaken_run_that_should_have_ended_ends_at_the_beginning() {
        let at = Time::from_seconds;
        let period: Period = "1000..2000".parse().expect("a period");
        let logged = Logged { wait: Some(at(0)), ..Logged::default() };
        let job = |run_s| Job { submit: at(0), run: at(run_s), estimate: at(1100), logged, ..Job::default() };
        // By the log the first one ran until 1,001 s.
        let jobs = [job(999), job(1050)];
        let (jobs, opening) = begin(Some(period), &jobs);
        let left: Vec<_> = jobs.iter().map(|job| (job.run, job.estimate)).collect();
        assert_eq!(left, [(Time::ZERO, at(100)), (at(50), at(100))]);
        assert_eq!(opening.map(|opening| opening.running), Some(vec![0, 1]));
    }
}
