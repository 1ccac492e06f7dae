//! The best placement that a search has found so far, and the work that it has done.

use crate::machine::{Coord, Mesh};

/// The best placement so far, and what was spent on it.
pub(super) struct Best<'a> {
    pub(super) mesh: &'a Mesh,
    /// For 0, 1, … k nodes a number that no pairwise sum is below.
    pub(super) least: Vec<u64>,
    pub(super) nodes: Vec<Coord>,
    pub(super) sum: u64,
    pub(super) steps: u64,
    pub(super) limit: u64,
}

impl Best<'_> {
    /// Returns the number of nodes asked for.
    pub(super) fn k(&self) -> usize {
        self.least.len() - 1
    }

    /// Takes a placement if it is better.
    pub(super) fn offer(&mut self, nodes: &[Coord], sum: u64) {
        if sum < self.sum {
            self.sum = sum;
            nodes.clone_into(&mut self.nodes);
        }
    }

    /// Adds to the work done; `None` if that is more than is allowed, so that `?` ends the search.
    pub(super) fn spend(&mut self, steps: usize) -> Option<()> {
        self.steps = self.steps.saturating_add(steps as u64);
        (self.steps <= self.limit).then_some(())
    }
}
