//! What the last searches on a small machine have found.
//!
//! A machine comes back to the same free nodes now and then, with a job of the same size: one search in seven on
//! KTH-SP2, of those that look at more than a few centres. The result depends on nothing else.

use crate::machine::Mask;

/// The number of results that are kept, a power of two: some 64 KB.
const SLOTS: usize = 1024;

/// The results of earlier searches. Each has one place, where a later one replaces it.
#[derive(Debug)]
pub(super) struct Known {
    slots: Vec<Slot>,
}

/// A search and its result. An empty slot has `k` = 0.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    free: Mask,
    k: u32,
    found: [Mask; 2],
}

impl Known {
    /// Returns a memory without any result.
    pub(super) fn new() -> Self {
        Self { slots: vec![Slot::default(); SLOTS] }
    }

    /// Returns the result of the search for `k` of the nodes in `free`; `None` if it is not known.
    pub(super) fn get(&self, free: Mask, k: u32) -> Option<[Mask; 2]> {
        let slot = &self.slots[place(free, k)];
        (slot.free == free && slot.k == k).then_some(slot.found)
    }

    /// Keeps the result of a search for at least one node.
    pub(super) fn keep(&mut self, free: Mask, k: u32, found: [Mask; 2]) {
        self.slots[place(free, k)] = Slot { free, k, found };
    }
}

/// Returns the slot of a search, by a multiplicative hash.
fn place(free: Mask, k: u32) -> usize {
    let mixed = (free as u64 ^ u64::from(k)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (free >> 64) as u64;
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_found_only_for_its_own_search() {
        let mut known = Known::new();
        assert_eq!(known.get(0, 1), None);
        for i in 1..5000_u32 {
            known.keep(Mask::from(i) << (i % 100), i % 7 + 1, [Mask::from(i), 1]);
        }
        let mut found = 0;
        for i in 1..5000_u32 {
            let result = known.get(Mask::from(i) << (i % 100), i % 7 + 1);
            assert!(result.is_none_or(|result| result == [Mask::from(i), 1]));
            assert_eq!(known.get(Mask::from(i) << (i % 100), i % 7 + 10), None);
            found += usize::from(result.is_some());
        }
        assert!((500..=SLOTS).contains(&found), "{found}");
    }
}
