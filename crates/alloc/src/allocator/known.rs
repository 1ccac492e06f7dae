//! What the last searches on a small machine have found.
//!
//! A machine comes back to the same free nodes now and then, with a job of the same size: one search in six
//! on KTH-SP2. Allocators whose choice depends on nothing else need not search again.
#![expect(clippy::cast_possible_truncation, reason = "the hash takes each half of the 128 bits on its own")]

use meshreplay_machine::machine::{Machine, Mask};

/// The number of results that are kept.
const SLOTS: usize = 1024;

/// The results of earlier searches on one machine. Each has one place, where a later one replaces it.
#[derive(Debug)]
pub(super) struct Known<T> {
    slots: Vec<Option<(Search, T)>>,
}

/// What a result depends on: the free nodes, one bit each in any order, and the number of nodes to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Search {
    free: Mask,
    k: u32,
}

impl Search {
    /// Returns the search for `k` of the nodes in `free`.
    pub(super) fn new(free: Mask, k: u32) -> Self {
        Self { free, k }
    }

    /// Returns the search for `k` free nodes of `machine`; `None` if it has more than 128 nodes.
    pub(super) fn on(machine: &Machine, k: u32) -> Option<Self> {
        let free = match *machine.free().words() {
            [low] => Mask::from(low),
            [low, high] => Mask::from(low) | Mask::from(high) << 64,
            _ => return None,
        };
        Some(Self::new(free, k))
    }

    /// Returns the place of the result, by a multiplicative hash.
    fn place(self) -> usize {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let low = (self.free as u64 ^ u64::from(self.k)).wrapping_mul(FACTOR);
        ((low ^ (self.free >> 64) as u64).wrapping_mul(FACTOR) >> 32) as usize % SLOTS
    }
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self { slots: Vec::new() }
    }
}

impl<T> Known<T> {
    /// Returns the result of a search; `None` if it is not known.
    pub(super) fn get(&self, search: Search) -> Option<&T> {
        let (of, found) = self.slots.get(search.place())?.as_ref()?;
        (*of == search).then_some(found)
    }

    /// Keeps the result of a search.
    pub(super) fn keep(&mut self, search: Search, found: T) {
        if self.slots.is_empty() {
            self.slots.resize_with(SLOTS, || None);
        }
        self.slots[search.place()] = Some((search, found));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_found_only_for_its_own_search() {
        let mut known = Known::default();
        // Different for each i, as the factor is odd.
        let free = |i: u32| Mask::from(i).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        assert_eq!(known.get(Search::new(0, 0)), None);
        for i in 1..5000_u32 {
            known.keep(Search::new(free(i), i % 7), i);
        }
        let mut found = 0;
        for i in 1..5000_u32 {
            let result = known.get(Search::new(free(i), i % 7));
            assert!(result.is_none_or(|&result| result == i));
            assert_eq!(known.get(Search::new(free(i), i % 7 + 10)), None);
            found += usize::from(result.is_some());
        }
        assert!((500..=SLOTS).contains(&found), "{found}");
    }

    #[test]
    fn searches_differ_by_any_free_node() -> Result<(), Box<dyn std::error::Error>> {
        for (text, is_small) in [("7", true), ("8x8", true), ("13x5", true), ("16x8", true), ("43x3", false)]
        {
            let mut machine = Machine::new(text.parse()?);
            let mut searches = vec![Search::on(&machine, 3)];
            for node in 0..machine.mesh().nodes() {
                machine.occupy(&[node])?;
                searches.push(Search::on(&machine, 3));
            }
            assert_eq!(searches.iter().all(Option::is_some), is_small, "{text}");
            let is_new = |i: usize| !searches[..i].contains(&searches[i]);
            assert!(!is_small || (0..searches.len()).all(is_new), "{text}");
        }
        Ok(())
    }
}
