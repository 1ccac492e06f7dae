//! The window of a replay: the jobs from the oldest whose record is not final to the newest that has arrived.
//!
//! Jobs arrive in the order of their submissions and leave in the order of the log. So memory holds the
//! waiting and running jobs, and the jobs that ended before an older job of the log did. It does not grow
//! with the log.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "slots are a power of two above 0 and at most 2^33, and numbers of jobs fit 32 bits"
)]

use std::ops::{Index, IndexMut};
use std::sync::Arc;

use super::ReplayError;
use super::observer::Record;
use meshreplay_alloc::allocator::Placement;
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::memory;
use meshreplay_machine::machine::Held;

/// The state of a job in the window.
#[derive(Clone, Debug)]
pub(super) struct JobState {
    pub(super) record: Record,
    /// The placement. Empty before the start and after the end.
    pub(super) placement: Placement,
    /// The nodes that the job holds, as masks of machine words. `None` while it holds none.
    pub(super) held: Option<Arc<Held>>,
    /// The current prediction, or 0 without predictions.
    pub(super) predicted: Time,
    /// The time when the job outlives its prediction, or the end of time if it does not run or will not
    /// be corrected again.
    pub(super) due: Time,
    /// Whether the record is final: the job has ended, was given up or will never start.
    pub(super) is_final: bool,
}

impl JobState {
    /// Returns the state of an arriving job.
    fn new() -> Self {
        Self {
            record: Record::default(),
            placement: Placement::default(),
            held: None,
            predicted: Time::ZERO,
            due: Time::MAX,
            is_final: false,
        }
    }
}

/// The fewest slots. A power of two, as every number of slots.
const LEAST_SLOTS: usize = 64;

/// The smallest number of slots that requires a check of the available memory.
const MANY_SLOTS: usize = 1 << 20;

/// Bytes of a waiting or running job outside its slot: its place in the queue and its measurements.
const MEASURED_BYTES: u64 = 400;

/// A ring of slots. The slot of a job is its id modulo the number of slots, so lookups need no search.
/// Indexing by a job outside the window panics.
#[derive(Debug)]
pub(super) struct JobWindow {
    /// The job that leaves next.
    first: JobId,
    /// One more than the id of the newest job.
    end: JobId,
    /// The states, `None` for empty slots.
    slots: Vec<Option<JobState>>,
    /// The jobs, undefined for empty slots. Apart from the states, so that a job is copied once and scans of
    /// the states skip no jobs.
    jobs: Vec<Job>,
}

impl Default for JobWindow {
    fn default() -> Self {
        Self { first: 0, end: 0, slots: vec![None; LEAST_SLOTS], jobs: vec![Job::default(); LEAST_SLOTS] }
    }
}

impl JobWindow {
    fn slot(&self, job: JobId) -> usize {
        job as usize & (self.slots.len() - 1)
    }

    /// Adds an arriving job. Its id must be new. Fails if the window has to grow and memory is short.
    #[inline]
    pub(super) fn add(&mut self, id: JobId, job: &Job) -> Result<(), ReplayError> {
        let end = self.end.max(id + 1);
        let span = (end - self.first) as usize;
        if span > self.slots.len() {
            self.grow(span.next_power_of_two())?;
        }
        self.end = end;
        let slot = self.slot(id);
        self.jobs[slot] = *job;
        self.slots[slot] = Some(JobState::new());
        Ok(())
    }

    /// Moves the jobs to a larger number of slots. Fails if memory is short for the slots and for the
    /// measurements of their jobs.
    fn grow(&mut self, slots: usize) -> Result<(), ReplayError> {
        let needed_bytes = slots as u64 * (size_of::<(Option<JobState>, Job)>() as u64 + MEASURED_BYTES);
        if slots >= MANY_SLOTS
            && let Some(free_bytes) = memory::lacking(needed_bytes)
        {
            return Err(ReplayError::TooManyAtOnce { jobs: self.slots.len(), needed_bytes, free_bytes });
        }
        let mut entries = std::mem::replace(&mut self.slots, vec![None; slots]);
        let jobs = std::mem::replace(&mut self.jobs, vec![Job::default(); slots]);
        for id in self.first..self.end {
            let (slot, earlier) = (self.slot(id), id as usize & (jobs.len() - 1));
            self.slots[slot] = entries[earlier].take();
            self.jobs[slot] = jobs[earlier];
        }
        Ok(())
    }

    /// Returns whether the job has left.
    pub(super) fn has_left(&self, job: JobId) -> bool {
        job < self.first
    }

    /// Returns a job. Panics as indexing does.
    pub(super) fn job(&self, job: JobId) -> &Job {
        let slot = self.slot(job);
        if self.slots[slot].is_none() || self.has_left(job) {
            absent(job)
        }
        &self.jobs[slot]
    }

    /// Returns the next job in the order of the log with its id and its record, if the record is final.
    pub(super) fn next_final(&self) -> Option<(JobId, &Job, &Record)> {
        let slot = self.slot(self.first);
        let entry = self.slots[slot].as_ref().filter(|entry| entry.is_final)?;
        Some((self.first, &self.jobs[slot], &entry.record))
    }

    /// Removes the next job in the order of the log. Its record must be final.
    #[inline]
    pub(super) fn remove_next(&mut self) {
        let slot = self.slot(self.first);
        self.slots[slot] = None;
        self.first += 1;
    }
}

impl Index<JobId> for JobWindow {
    type Output = JobState;

    fn index(&self, job: JobId) -> &JobState {
        match &self.slots[self.slot(job)] {
            Some(entry) if !self.has_left(job) => entry,
            _ => absent(job),
        }
    }
}

impl IndexMut<JobId> for JobWindow {
    fn index_mut(&mut self, job: JobId) -> &mut JobState {
        let (slot, has_left) = (self.slot(job), self.has_left(job));
        match &mut self.slots[slot] {
            Some(entry) if !has_left => entry,
            _ => absent(job),
        }
    }
}

/// Panics because a part of the replay named a job outside the window: a bug, like an index out of bounds.
#[cold]
fn absent(job: JobId) -> ! {
    unreachable!("job {job} is not in the window of the replay")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_leave_in_the_order_of_the_log_once_they_are_final() {
        let mut window = JobWindow::default();
        let mut left = Vec::new();
        // Jobs arrive in pairs, the younger one first. Every tenth waits for 200 later ones.
        for pair in 0..2_000_u32 {
            for id in [2 * pair + 1, 2 * pair] {
                window.add(id, &Job { number: i64::from(id), ..Job::default() }).expect("memory");
                window[id].is_final = id % 10 != 0;
            }
            if let Some(late) = (2 * pair).checked_sub(200).filter(|late| late % 10 == 0) {
                window[late].is_final = true;
            }
            while let Some((_, job, _)) = window.next_final() {
                left.push(job.number);
                window.remove_next();
            }
        }
        assert!(left.len() >= 3_790 && left.iter().copied().eq(0..left.len() as i64));
        assert_eq!(window.slots.len(), 256);
        assert!(window.has_left(3_000) && !window.has_left(3_999));
        assert_eq!(window.job(3_999).number, 3_999);
    }
}
