//! Finds the k free nodes with the smallest pairwise sum, and proves that no set is better. This is the
//! yardstick of allocators.
//!
//! The problem is NP-hard on general graphs, so this is for small cases. The method is branch and bound,
//! which stops after a given amount of work. It starts from a good placement (see `incumbent`), which may
//! already be as good as [`PairwiseBound`] allows. Otherwise every set of nodes is either tried or ruled out
//! (see `search`).
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_sign_loss,
    reason = "at most 1000 nodes are placed, so that their pairwise sum is below 2^45; work is counted up to \
         a limit"
)]

mod incumbent;
mod search;

use super::bound::PairwiseBound;
use crate::machine::{Coord, Mesh, NodeId, NodeSet, pairwise_sum};

/// The greatest number of nodes for which an optimum is searched. It is far more than can be proven best in
/// practice.
pub const MAX_OPTIMUM_NODES: u32 = 1000;

/// A set of free nodes whose pairwise sum is proven to be the smallest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimum {
    /// The nodes, ascending. If there are several optima, it is always the same one.
    pub nodes: Vec<NodeId>,
    /// The sum of the L1 distances over all pairs of the nodes, in hops.
    pub pairwise_sum: u64,
    /// The work of the search: the number of candidates looked at, counted each time.
    pub steps: u64,
}

/// The reason why there is no optimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptimumError {
    /// More nodes are asked for than are free, or no nodes at all.
    #[error("{nodes} nodes are asked for and {free} are free; expected 1 to {free}")]
    NotFree {
        /// The number of nodes asked for.
        nodes: u32,
        /// The number of free nodes.
        free: u32,
    },
    /// More nodes are asked for than the search supports. This is the number asked for.
    #[error("{0} nodes are asked for; an optimum is searched for at most {MAX_OPTIMUM_NODES}")]
    TooMany(u32),
    /// The search used up its steps before the optimum was proven.
    #[error(
        "no optimum was proven within {limit} steps: it is {best} hops or less, and at least {least}; \
         raise the limit, or ask for fewer nodes"
    )]
    Limit {
        /// The number of steps that were allowed.
        limit: u64,
        /// The smallest pairwise sum found, in hops.
        best: u64,
        /// The lower bound of all pairwise sums, in hops.
        least: u64,
    },
}

/// Returns the `nodes` members of `free` with the smallest pairwise sum on `mesh`. The search may take about
/// `limit` steps of some nanoseconds each; after that the result is an error.
///
/// Time is O(min(limit, F^k)) for F free nodes in the worst case, memory O(F·k).
pub fn optimum(mesh: &Mesh, free: &NodeSet, nodes: u32, limit: u64) -> Result<Optimum, OptimumError> {
    let count = free.count();
    if !(1..=count).contains(&nodes) {
        return Err(OptimumError::NotFree { nodes, free: count });
    }
    if nodes == count {
        let all: Vec<Coord> = free.iter().map(|node| mesh.coord(node)).collect();
        return Ok(finish(mesh, &all, 0));
    }
    if nodes > MAX_OPTIMUM_NODES {
        return Err(OptimumError::TooMany(nodes));
    }
    let mut bound = PairwiseBound::new(mesh);
    let least: Vec<u64> = (0..=nodes).map(|n| bound.of(n)).collect();
    let free: Vec<Coord> = free.iter().map(|node| mesh.coord(node)).collect();
    let mut state = Best { mesh, least, nodes: Vec::new(), sum: u64::MAX, steps: 0, limit };
    incumbent::improve(&mut state, &free);
    if state.sum > state.least[nodes as usize] && search::improve(&mut state, &free).is_none() {
        return Err(OptimumError::Limit { limit, best: state.sum, least: state.least[nodes as usize] });
    }
    let found = std::mem::take(&mut state.nodes);
    Ok(finish(mesh, &found, state.steps))
}

/// The best placement so far, and the work spent on it.
struct Best<'a> {
    mesh: &'a Mesh,
    /// A lower bound of the pairwise sum, in hops, for 0, 1, … k nodes.
    least: Vec<u64>,
    /// The nodes of the best placement; empty before the first.
    nodes: Vec<Coord>,
    /// The pairwise sum of the best placement, in hops; `u64::MAX` before the first.
    sum: u64,
    /// The work done so far, in steps.
    steps: u64,
    /// The work that is allowed, in steps.
    limit: u64,
}

impl Best<'_> {
    /// Returns the number of nodes asked for.
    fn k(&self) -> usize {
        self.least.len() - 1
    }

    /// Takes a placement with this pairwise sum if it is better than the best so far.
    fn offer(&mut self, nodes: &[Coord], sum: u64) {
        if sum < self.sum {
            self.sum = sum;
            nodes.clone_into(&mut self.nodes);
        }
    }

    /// Adds `steps` to the work done. Returns `None` if the work exceeds what is allowed, so that `?` ends
    /// the search.
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.steps = self.steps.saturating_add(steps as u64);
        (self.steps <= self.limit).then_some(())
    }
}

/// Returns the nodes in ascending order with their pairwise sum.
fn finish(mesh: &Mesh, nodes: &[Coord], steps: u64) -> Optimum {
    let mut ids: Vec<NodeId> = nodes.iter().map(|&node| mesh.node(node)).collect();
    ids.sort_unstable();
    let sum = pairwise_sum(mesh, &ids);
    Optimum { nodes: ids, pairwise_sum: sum, steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_found_is_said() -> Result<(), Box<dyn std::error::Error>> {
        let mesh: Mesh = "40x40".parse()?;
        let mut free = NodeSet::full(1600);
        for node in (0..1600).filter(|node| node % 3 == 0 || node % 7 == 1) {
            free.remove(node);
        }
        let fails = |nodes: u32, limit: u64| optimum(&mesh, &free, nodes, limit).expect_err("no optimum");
        let few = OptimumError::NotFree { nodes: 0, free: free.count() };
        assert_eq!(fails(0, 1), few);
        assert!(matches!(fails(1600, 1), OptimumError::NotFree { nodes: 1600, .. }));
        assert!(matches!(fails(12, 100_000), OptimumError::Limit { best, least: 152, .. } if best > 152));
        Ok(())
    }

    #[test]
    fn the_worked_example_of_bender_and_others_has_its_optima() -> Result<(), Box<dyn std::error::Error>> {
        let mesh: Mesh = "5x5".parse()?;
        let mut free = NodeSet::full(25);
        for busy in [[1, 1, 0], [2, 1, 0], [3, 3, 0], [0, 4, 0], [4, 0, 0]] {
            free.remove(mesh.node(busy));
        }
        assert_eq!(optimum(&mesh, &free, 4, 1_000_000)?.pairwise_sum, 8);
        assert_eq!(optimum(&mesh, &free, 6, 1_000_000)?.pairwise_sum, 25);
        assert_eq!(optimum(&mesh, &free, 1, 1)?.nodes.len(), 1);
        Ok(())
    }
}
