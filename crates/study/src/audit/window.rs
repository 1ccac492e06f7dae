//! The jobs of a schedule that wait or run at an instant.
#![expect(clippy::arithmetic_side_effects, reason = "places are those of jobs in memory")]

use std::mem;
use std::ops::Index;

use super::ScheduledJob;

/// A job that waits or runs. Jobs are ordered by their positions in the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct JobAt {
    /// Its position in the schedule, from 0.
    position: u64,
    /// Its place in the window, which is that of another job later.
    pub(super) place: usize,
}

/// The jobs that wait or run, and places of jobs that have left.
#[derive(Debug, Default)]
pub(super) struct Window {
    jobs: Vec<ScheduledJob>,
    free: Vec<usize>,
}

impl Window {
    /// Adds a job.
    pub(super) fn add(&mut self, position: u64, job: ScheduledJob) -> JobAt {
        let place = self.free.pop().unwrap_or_else(|| {
            self.jobs.push(ScheduledJob::default());
            self.jobs.len() - 1
        });
        self.jobs[place] = job;
        JobAt { position, place }
    }

    /// Takes a job out.
    pub(super) fn remove(&mut self, at: JobAt) -> ScheduledJob {
        self.free.push(at.place);
        mem::take(&mut self.jobs[at.place])
    }

    /// Returns the job in this place.
    pub(super) fn in_place(&self, place: usize) -> &ScheduledJob {
        &self.jobs[place]
    }
}

impl Index<JobAt> for Window {
    type Output = ScheduledJob;

    fn index(&self, at: JobAt) -> &ScheduledJob {
        self.in_place(at.place)
    }
}
