//! The best placement that a search has found so far, and the work of the search.

use crate::machine::{Coord, Mesh};

/// The best placement so far, and the work spent on it.
pub(super) struct Best<'a> {
    pub(super) mesh: &'a Mesh,
    /// A lower bound of the pairwise sum, in hops, for 0, 1, … k nodes.
    pub(super) least: Vec<u64>,
    /// The nodes of the best placement; empty before the first.
    pub(super) nodes: Vec<Coord>,
    /// The pairwise sum of the best placement, in hops; `u64::MAX` before the first.
    pub(super) sum: u64,
    /// The work done so far, in steps.
    pub(super) steps: u64,
    /// The work that is allowed, in steps.
    pub(super) limit: u64,
}

impl Best<'_> {
    /// Returns the number of nodes asked for.
    pub(super) fn k(&self) -> usize {
        self.least.len() - 1
    }

    /// Takes a placement with this pairwise sum if it is better than the best so far.
    pub(super) fn offer(&mut self, nodes: &[Coord], sum: u64) {
        if sum < self.sum {
            self.sum = sum;
            nodes.clone_into(&mut self.nodes);
        }
    }

    /// Adds `steps` to the work done. Returns `None` if the work exceeds what is allowed, so that `?` ends
    /// the search.
    pub(super) fn spend(&mut self, steps: usize) -> Option<()> {
        self.steps = self.steps.saturating_add(steps as u64);
        (self.steps <= self.limit).then_some(())
    }
}
