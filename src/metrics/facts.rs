//! What the numbers of a summary are computed from.

use super::dispersal::Dispersal;
use super::recorder::Recording;
use crate::engine::Record;
use crate::execution::Traffic;
use crate::job::{Job, Time};
use crate::machine::Mesh;

/// The jobs that means leave out, so that an empty machine at the start and a draining one at the end do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trim {
    /// Leaves out this percentage of jobs, the first to arrive, and all jobs that start after the day (of 86,400 s,
    /// counted from time 0) of the last submission. `None` leaves out no job.
    pub percent: Option<f64>,
}

/// A replay that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'a> {
    /// The jobs that were replayed.
    pub jobs: &'a [Job],
    /// What became of each, in the same order.
    pub records: &'a [Record],
    /// What was measured on the way.
    pub recording: &'a Recording,
    /// What the jobs sent each other; `None` without a network.
    pub traffic: Option<&'a Traffic>,
    /// The machine.
    pub mesh: &'a Mesh,
    /// The jobs that means leave out.
    pub trim: Trim,
    /// Records of the log that were not replayed.
    pub skipped: u64,
    /// How many of those are jobs that the allocator never finds a place for.
    pub never_fit: u64,
    /// Wall-clock time of the replay without reading the log; 0 if not timed.
    pub wall_s: f64,
}

/// A replay that has ended, with what several numbers need.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) replay: &'a Finished<'a>,
    /// Positions of the jobs that means are over.
    pub(super) kept: Vec<usize>,
    /// Time from the first arrival to the last end.
    pub(super) makespan_s: f64,
}

const DAY_S: f64 = 86_400.0;

impl<'a> Facts<'a> {
    /// Gathers the facts: O(J), or O(J·log J) if means leave jobs out.
    pub(super) fn new(replay: &'a Finished<'a>) -> Self {
        let first = replay.jobs.iter().map(|job| job.submit).min().unwrap_or(Time::ZERO);
        let last = replay.records.iter().map(|record| record.end).max().unwrap_or(first);
        Self { replay, kept: kept(replay), makespan_s: (last - first).as_seconds() }
    }

    fn job(&self, i: usize) -> (&Job, &Record) {
        (&self.replay.jobs[i], &self.replay.records[i])
    }

    /// Returns the time from arrival to start of job `i`.
    pub(super) fn wait_s(&self, i: usize) -> f64 {
        let (job, record) = self.job(i);
        (record.start - job.submit).as_seconds()
    }

    /// Returns the time from arrival to the head of the queue.
    pub(super) fn queue_delay_s(&self, i: usize) -> f64 {
        let (job, record) = self.job(i);
        (record.head - job.submit).as_seconds()
    }

    /// Returns the time from the head of the queue to the start.
    pub(super) fn allocation_delay_s(&self, i: usize) -> f64 {
        let (_, record) = self.job(i);
        (record.start - record.head).as_seconds()
    }

    /// Returns the time from start to end.
    pub(super) fn service_s(&self, i: usize) -> f64 {
        let (_, record) = self.job(i);
        (record.end - record.start).as_seconds()
    }

    /// Returns the time from arrival to end.
    pub(super) fn turnaround_s(&self, i: usize) -> f64 {
        let (job, record) = self.job(i);
        (record.end - job.submit).as_seconds()
    }

    /// Returns the shape of the placement.
    pub(super) fn dispersal(&self, i: usize) -> &Dispersal {
        &self.replay.recording.dispersal[i]
    }

    /// Returns the node-seconds that jobs held nodes for.
    pub(super) fn busy_s(&self) -> f64 {
        let busy_s = |i: usize| self.service_s(i) * f64::from(self.replay.records[i].allocated);
        (0..self.replay.jobs.len()).map(busy_s).sum()
    }

    /// Returns the node-seconds of nodes that jobs held beyond what they asked for.
    pub(super) fn unasked_s(&self) -> f64 {
        let unasked_s = |i: usize| {
            let (job, record) = self.job(i);
            self.service_s(i) * f64::from(record.allocated - job.procs)
        };
        (0..self.replay.jobs.len()).map(unasked_s).sum()
    }

    /// Returns the positions of the jobs with at least two nodes among those that means are over.
    pub(super) fn parallel(&self) -> impl Iterator<Item = usize> {
        self.kept.iter().copied().filter(|&i| self.dispersal(i).nodes > 1)
    }

    /// Returns the mean over the jobs that means are over; `None` if there are none.
    pub(super) fn mean(&self, value: impl FnMut(usize) -> f64) -> Option<f64> {
        average(self.kept.iter().copied().map(value))
    }

    /// Returns the mean over those of them that have at least two nodes; `None` if there are none.
    pub(super) fn parallel_mean(&self, value: impl FnMut(usize) -> f64) -> Option<f64> {
        average(self.parallel().map(value))
    }
}

/// Returns `part / whole`, 0 of nothing.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Returns the arithmetic mean; `None` of nothing.
fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u64);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / count as f64)
}

/// Returns the positions of the jobs that means are over.
fn kept(replay: &Finished<'_>) -> Vec<usize> {
    let Finished { jobs, records, .. } = replay;
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    let Some(percent) = replay.trim.percent else { return order };
    order.sort_by_key(|&i| jobs[i].submit);
    let last_s = order.last().map_or(0.0, |&i| jobs[i].submit.as_seconds());
    let end_of_day_s = ((last_s / DAY_S).floor() + 1.0) * DAY_S;
    order.drain(..(jobs.len() as f64 * percent / 100.0).ceil() as usize);
    order.retain(|&i| records[i].start.as_seconds() < end_of_day_s);
    order
}
