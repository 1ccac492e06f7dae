//! Finished jobs of a replay: their measurements, and their batches for the sink.

use std::collections::VecDeque;
use std::sync::Arc;

use super::recording::Recording;
use crate::engine::Record;
use crate::metrics::contention::JobContention;
use crate::metrics::dispersal::{Dispersal, Meter};
use meshreplay_base::job::{Job, JobId};
use meshreplay_base::memory;
use meshreplay_machine::machine::Held;

/// The measurements of a job that is not final.
#[derive(Clone, Debug, Default)]
pub(super) struct JobMeasures {
    pub(super) dispersal: Dispersal,
    /// Its nodes, if the sink measures them.
    pub(super) held: Option<Arc<Held>>,
    pub(super) allocate_ns: u64,
    pub(super) placement: String,
    pub(super) sides: Option<[u32; 3]>,
    pub(super) refusals: u64,
    /// How many of its nodes are not in its list. `None` without a list or before the first placement.
    pub(super) replaced: Option<u32>,
    pub(super) contention: JobContention,
    pub(super) has_started: bool,
}

/// Finished jobs with their records and measurements. The recording has no totals, and no dispersal before
/// [`Self::measure`].
#[derive(Clone, Debug, Default)]
pub struct FinishedJobs {
    /// The jobs in the order of the log.
    pub jobs: Vec<Job>,
    /// Their records.
    pub records: Vec<Record>,
    /// Their measurements.
    pub recording: Recording,
    /// The nodes of the jobs whose dispersal is measured by the sink. They stay here until the replay gets
    /// the batch back: freeing memory on another thread than the allocating one makes that thread wait.
    pub(super) held: Vec<Option<Arc<Held>>>,
}

impl FinishedJobs {
    /// Removes the jobs, but keeps the memory of the lists that every replay has.
    pub fn clear(&mut self) {
        self.jobs.clear();
        self.records.clear();
        self.recording.clear_jobs();
    }

    /// Prepares a cleared batch for `jobs` jobs, and frees the nodes of the old ones.
    pub(super) fn reserve(&mut self, jobs: usize) {
        self.held.clear();
        self.jobs.reserve(jobs);
        self.records.reserve(jobs);
        self.held.reserve(jobs);
    }

    /// Measures the dispersal of the jobs.
    pub fn measure(&mut self, meter: &mut Meter) {
        for (held, dispersal) in self.held.iter().zip(&mut self.recording.dispersal) {
            if let Some(held) = held {
                *dispersal = meter.measure_held(held);
            }
        }
    }

    /// Appends the jobs of `later`, which have been measured.
    pub fn append(&mut self, later: &mut Self) {
        self.jobs.append(&mut later.jobs);
        self.records.append(&mut later.records);
        self.recording.append_jobs(&mut later.recording);
    }
}

/// Receives finished jobs, always the same number except in the last call. Returns no jobs, but possibly the
/// memory of an earlier batch for reuse.
pub type FinishedSink<'a> = &'a mut dyn FnMut(FinishedJobs) -> FinishedJobs;

/// The sink of finished jobs with the current batch.
pub(super) struct Batches<'a> {
    pub(super) batch: FinishedJobs,
    /// Jobs per batch.
    pub(super) size: usize,
    /// Finished jobs whose nodes may be in memory at once.
    pub(super) kept: usize,
    /// Finished jobs since the memory of nodes was last counted from 0.
    pub(super) counted: usize,
    pub(super) sink: FinishedSink<'a>,
}

/// The measurements of the jobs that are not final, by job.
#[derive(Debug, Default)]
pub(super) struct UnfinishedJobs {
    first: JobId,
    jobs: VecDeque<JobMeasures>,
}

impl UnfinishedJobs {
    /// Returns the number of jobs from the oldest that is not final to the newest that was measured.
    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Returns the measurements of a job that is not final.
    pub(super) fn measures(&mut self, job: JobId) -> &mut JobMeasures {
        let at = (job - self.first) as usize;
        if at >= self.jobs.len() {
            self.jobs.resize_with(at + 1, JobMeasures::default);
        }
        &mut self.jobs[at]
    }

    /// Returns the oldest job with its measurements.
    pub(super) fn next(&mut self) -> (JobId, &mut JobMeasures) {
        let job = self.first;
        (job, self.measures(job))
    }

    /// Removes the oldest job.
    pub(super) fn remove_next(&mut self) {
        self.first += 1;
        self.jobs.pop_front();
    }
}

/// Bytes that are taken without checking the available memory.
const FIRST: u64 = 1 << 28;

/// The memory of the nodes of some jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacementMemory {
    jobs: u64,
    bytes: u64,
    /// The size in bytes that triggers the next check.
    next: u64,
}

impl Default for PlacementMemory {
    fn default() -> Self {
        Self { jobs: 0, bytes: 0, next: FIRST }
    }
}

impl PlacementMemory {
    /// Adds the nodes of a job. Fails with a message if the same amount of memory is not available once more,
    /// because growing lists are copied, and again into columns.
    pub(super) fn add(&mut self, placement: &str) -> Result<(), String> {
        self.jobs += 1;
        self.bytes = self.bytes.saturating_add((placement.len() + size_of::<String>()) as u64);
        if self.bytes < self.next {
            return Ok(());
        }
        self.next = self.bytes.saturating_mul(2);
        match memory::lacking(self.bytes) {
            None => Ok(()),
            Some(free) => Err(self.problem(free)),
        }
    }

    /// Returns the message about `free` available bytes.
    fn problem(self, free: u64) -> String {
        format!(
            "the nodes of {} jobs take {} MB of memory, and for the rest {} MB are left; leave out \
             --placements, or replay fewer jobs: `meshreplay trace cut` makes shorter logs",
            self.jobs,
            self.bytes / 1_000_000,
            free / 1_000_000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_asked_for_at_each_doubling_and_what_lacks_is_said() {
        let mut memory = PlacementMemory { next: 1000, ..PlacementMemory::default() };
        let text = "0 2 4 6".repeat(20);
        for _ in 0..100 {
            assert_eq!(memory.add(&text), Ok(()));
            assert!(memory.bytes < memory.next);
        }
        // No machine has that much left.
        memory.bytes = u64::MAX / 2;
        if memory::free_bytes().is_some() {
            let message = memory.add(&text).err().unwrap_or_default();
            assert!(message.starts_with("the nodes of 101 jobs take 9223372036854 MB"), "{message}");
        }
    }
}
