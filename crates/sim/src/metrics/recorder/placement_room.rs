//! The memory that the nodes of jobs take while they are kept. A job can have as many intervals of nodes as
//! nodes, so that the size of a log does not tell it.

use meshreplay_base::memory;

/// The memory that is taken before anybody asks how much there is.
const FIRST: u64 = 1 << 28;

/// The memory that the nodes of some jobs take.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacementRoom {
    jobs: u64,
    bytes: u64,
    /// The number of bytes at which the next question is asked.
    next: u64,
}

impl Default for PlacementRoom {
    fn default() -> Self {
        Self { jobs: 0, bytes: 0, next: FIRST }
    }
}

impl PlacementRoom {
    /// Counts the nodes of one more job. Fails with a message if the memory for as much again cannot be had:
    /// lists are copied as they grow, and once more into columns.
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

    /// Returns the message that so few bytes are free.
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
