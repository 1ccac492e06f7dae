//! The jobs of a replay that have not ended yet, and the memory of nodes that are kept.

use std::collections::VecDeque;

use crate::metrics::finished_job::Measures;
use meshreplay_base::job::JobId;
use meshreplay_base::memory;

/// The measurements of the jobs that are not final, by job.
#[derive(Debug, Default)]
pub(super) struct UnfinishedJobs {
    first: JobId,
    jobs: VecDeque<Measures>,
}

impl UnfinishedJobs {
    /// Returns the number of jobs from the oldest that is not final to the newest that was measured.
    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Returns the measurements of a job that is not final.
    pub(super) fn measures(&mut self, job: JobId) -> &mut Measures {
        let at = (job - self.first) as usize;
        if at >= self.jobs.len() {
            self.jobs.resize_with(at + 1, Measures::default);
        }
        &mut self.jobs[at]
    }

    /// Removes the oldest job, and returns it with its measurements.
    pub(super) fn take_next(&mut self) -> (JobId, Measures) {
        let job = self.first;
        self.first += 1;
        (job, self.jobs.pop_front().unwrap_or_default())
    }
}

/// Bytes that are taken without checking the available memory.
const FIRST: u64 = 1 << 28;

/// The memory of the nodes of some jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacementMemory {
    /// The most jobs in memory at once.
    kept: usize,
    /// Jobs since bytes were last counted from 0.
    jobs: usize,
    bytes: u64,
    /// The size in bytes that triggers the next check.
    next: u64,
}

impl PlacementMemory {
    /// Returns the memory of no nodes, later of the nodes of at most `kept` jobs at once.
    pub(super) fn new(kept: usize) -> Self {
        Self { kept, jobs: 0, bytes: 0, next: FIRST }
    }

    /// Adds the nodes of a job. Fails with a message if the same amount of memory is not available once more,
    /// because growing lists are copied, and again into columns.
    pub(super) fn add(&mut self, placement: &str) -> Result<(), String> {
        if self.jobs == self.kept {
            *self = Self::new(self.kept);
        }
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
        let mut memory = PlacementMemory { next: 1000, ..PlacementMemory::new(usize::MAX) };
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
