//! The memory of the kept nodes of jobs. A job can have as many intervals as nodes, so the size of the log
//! does not bound it.

use meshreplay_base::memory;

/// Bytes that are taken without checking the available memory.
const FIRST: u64 = 1 << 28;

/// The memory of the nodes of some jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacementRoom {
    jobs: u64,
    bytes: u64,
    /// The size in bytes that triggers the next check.
    next: u64,
}

impl Default for PlacementRoom {
    fn default() -> Self {
        Self { jobs: 0, bytes: 0, next: FIRST }
    }
}

impl PlacementRoom {
    /// Adds the nodes of a job. Fails with a message if the same amount of memory is not available once more,
    /// because lists are copied as they grow, and again into columns.
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
        let mut room = PlacementRoom { next: 1000, ..PlacementRoom::default() };
        let text = "0 2 4 6".repeat(20);
        for _ in 0..100 {
            assert_eq!(room.add(&text), Ok(()));
            assert!(room.bytes < room.next);
        }
        // No machine has that much left.
        room.bytes = u64::MAX / 2;
        if memory::free_bytes().is_some() {
            let said = room.add(&text).err().unwrap_or_default();
            assert!(said.starts_with("the nodes of 101 jobs take 9223372036854 MB"), "{said}");
        }
    }
}
