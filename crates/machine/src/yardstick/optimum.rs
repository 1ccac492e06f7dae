//! Finds the k free nodes with the smallest pairwise sum, and proves that no set is better. This is the
//! yardstick of allocators.
//!
//! The problem is NP-hard on general graphs, so this is for small cases. The method is branch and bound,
//! which stops after a given amount of work. It starts from a good placement: the k nodes nearest to each
//! free node, then exchanges of single nodes (local search). This incumbent may already be as good as
//! [`PairwiseBound`] allows. Otherwise every set of nodes is either tried or ruled out.
//!
//! Free nodes are sorted by their distance from the median of the incumbent. The first node of a set in this
//! order is its root. The search goes through the roots. For each root it branches on one candidate at a
//! time: the one nearest to the chosen nodes either joins them or is left out.
//!
//! Let the nodes S be chosen, r more nodes be wanted, and w(c) be the sum of the distances from candidate c
//! to S. Every completion then costs at least
//!
//! * cost(S) + the r smallest w(c) + the lower bound for r nodes on this machine, and
//! * cost(S) + the r smallest values of w(c) + half the sum of the distances from c to the r − 1 candidates
//!   nearest to it.
//!
//! A candidate is left out for good if the bound is no improvement when the candidate takes the place of the
//! last of the r smallest.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_sign_loss,
    reason = "at most 1000 nodes are placed, so that their pairwise sum is below 2^45; work is counted up to \
         a limit"
)]

use super::bound::PairwiseBound;
use crate::machine::{Coord, Mesh, NodeId, NodeSet, pairwise_sum, pairwise_sum_at};

/// The most nodes of an optimum. Far more than can be proven best in practice.
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
    find_incumbent(&mut state, &free);
    if state.sum > state.least[nodes as usize] && improve(&mut state, &free).is_none() {
        return Err(OptimumError::Limit { limit, best: state.sum, least: state.least[nodes as usize] });
    }
    let found = std::mem::take(&mut state.nodes);
    Ok(finish(mesh, &found, state.steps))
}

/// The incumbent of the branch and bound, and the work spent on the search.
struct Best<'a> {
    mesh: &'a Mesh,
    /// A lower bound of the pairwise sum, in hops, for 0, 1, … k nodes.
    least: Vec<u64>,
    /// The nodes of the best placement; empty before the first.
    nodes: Vec<Coord>,
    /// The pairwise sum of the best placement, in hops; `u64::MAX` before the first.
    sum: u64,
    /// The work done, in steps.
    steps: u64,
    /// The work that is allowed, in steps.
    limit: u64,
}

impl Best<'_> {
    /// Returns the number of nodes asked for.
    fn k(&self) -> usize {
        self.least.len() - 1
    }

    /// Takes a placement with this pairwise sum if it beats the incumbent.
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

/// A node that may be chosen.
#[derive(Clone, Copy)]
struct Candidate {
    /// The index of the node among the candidates of the root.
    at: usize,
    /// The sum of the distances to the chosen nodes, in hops.
    cost: u64,
}

/// The search below one root.
struct Root<'a, 'b> {
    best: &'a mut Best<'b>,
    /// The candidates.
    nodes: Vec<Coord>,
    /// For each candidate, the sums of the distances to the nearest 0, 1, … other candidates.
    nearest: Vec<Vec<u64>>,
    /// The chosen nodes, the root first.
    chosen: Vec<Coord>,
    /// Scratch memory, kept between calls.
    scratch: Vec<u64>,
}

/// Makes `best` the optimum. Returns `None` if that takes more work than is allowed.
fn improve(best: &mut Best<'_>, free: &[Coord]) -> Option<()> {
    let (mesh, k) = (best.mesh, best.k());
    let median = [0, 1, 2].map(|d| {
        let mut positions: Vec<u32> = best.nodes.iter().map(|node| node[d]).collect();
        positions.sort_unstable();
        positions[k / 2]
    });
    let mut order = free.to_vec();
    order.sort_by_key(|&node| (mesh.l1(median, node), node));
    for (i, &root) in order.iter().enumerate() {
        let later = &order[i + 1..];
        if later.len() + 1 < k {
            break;
        }
        best.spend(later.len())?;
        let nodes = worth_trying(best, root, later)?;
        if nodes.len() + 1 >= k {
            let nearest = nearest_sums(best, &nodes)?;
            let candidates = nodes.iter().enumerate();
            let candidates = candidates
                .map(|(at, &node)| Candidate { at, cost: u64::from(mesh.l1(root, node)) })
                .collect();
            let mut search = Root { best, nodes, nearest, chosen: vec![root], scratch: Vec::new() };
            search.complete(0, candidates, k - 1)?;
        }
        if best.sum <= best.least[k] {
            break;
        }
    }
    Some(())
}

/// Returns the nodes of `later` that may be part of a better set together with `root`. Leaving out a node
/// raises the bounds of others, so this is repeated until no node is left out. `None` if the allowed work is
/// done.
fn worth_trying(best: &mut Best<'_>, root: Coord, later: &[Coord]) -> Option<Vec<Coord>> {
    let (mesh, k) = (best.mesh, best.k());
    if k < 3 {
        return Some(later.to_vec());
    }
    // First, leave out nodes by their distances from the root alone.
    let distance = |node: Coord| u64::from(mesh.l1(root, node));
    let mut near: Vec<u64> = later.iter().map(|&node| distance(node)).collect();
    let others = smallest(&mut near, k - 2).0 + best.least[k - 1];
    let mut nodes: Vec<Coord> =
        later.iter().copied().filter(|&node| distance(node) + others < best.sum).collect();
    // Then, leave out nodes by the distances of the others from the root and from the node.
    loop {
        if nodes.len() + 1 < k {
            return Some(nodes);
        }
        best.spend(nodes.len() * nodes.len())?;
        let promising = |node: Coord| {
            let from_both = |other: &Coord| distance(*other) + u64::from(mesh.l1(node, *other));
            let mut sums: Vec<u64> = nodes.iter().filter(|&&other| other != node).map(from_both).collect();
            distance(node) + smallest(&mut sums, k - 2).0 + best.least[k - 2] < best.sum
        };
        let kept: Vec<Coord> = nodes.iter().copied().filter(|&node| promising(node)).collect();
        if kept.len() == nodes.len() {
            return Some(nodes);
        }
        nodes = kept;
    }
}

/// Returns for each node the sums of the distances to its nearest 0, 1, … other nodes. `None` if the allowed
/// work is done. O(C²·log C) for C nodes.
fn nearest_sums(best: &mut Best<'_>, nodes: &[Coord]) -> Option<Vec<Vec<u64>>> {
    let (mesh, k) = (best.mesh, best.k());
    best.spend(nodes.len() * nodes.len())?;
    let of = |&node: &Coord| {
        let mut distances: Vec<u64> = nodes.iter().map(|&other| u64::from(mesh.l1(node, other))).collect();
        distances.sort_unstable();
        // The first distance is that of the node to itself, so the sums are over 0, 1, … other nodes.
        let mut sum = 0;
        distances[..distances.len().min(k)]
            .iter()
            .map(|distance| {
                sum += distance;
                sum
            })
            .collect()
    };
    Some(nodes.iter().map(of).collect())
}

impl Root<'_, '_> {
    /// Tries every way to choose `wanted` more nodes from `candidates` that may give a better set. `cost` is
    /// the pairwise sum of the chosen nodes. Returns `None` if the allowed work is done.
    fn complete(&mut self, cost: u64, mut candidates: Vec<Candidate>, wanted: usize) -> Option<()> {
        if wanted == 0 {
            self.best.offer(&self.chosen, cost);
            return Some(());
        }
        while candidates.len() >= wanted {
            self.best.spend(candidates.len())?;
            if !self.leave_out(cost, &mut candidates, wanted) {
                break;
            }
            let Some(i) = (0..candidates.len()).min_by_key(|&i| (candidates[i].cost, candidates[i].at))
            else {
                break;
            };
            // Branch: first the sets with the nearest candidate. After that it is left out, and the loop goes
            // on with the others.
            let next = candidates.remove(i);
            let node = self.nodes[next.at];
            self.chosen.push(node);
            let mesh = self.best.mesh;
            let further = |c: &Candidate| Candidate {
                at: c.at,
                cost: c.cost + u64::from(mesh.l1(node, self.nodes[c.at])),
            };
            let rest = if wanted == 1 { Vec::new() } else { candidates.iter().map(further).collect() };
            self.complete(cost + next.cost, rest, wanted - 1)?;
            self.chosen.pop();
        }
        Some(())
    }

    /// Leaves out the candidates that cannot be part of a better set. Returns false if no completion can be
    /// better.
    fn leave_out(&mut self, cost: u64, candidates: &mut Vec<Candidate>, wanted: usize) -> bool {
        let (best, nearest, scratch) = (&*self.best, &self.nearest, &mut self.scratch);
        scratch.clear();
        scratch.extend(candidates.iter().map(|c| c.cost));
        let (sum, last) = smallest(scratch, wanted);
        // The first bound of the head of this file.
        let base = cost + best.least[wanted] + sum;
        if base >= best.sum {
            return false;
        }
        candidates.retain(|c| base + c.cost.saturating_sub(last) < best.sum);
        if candidates.len() < wanted {
            return false;
        }
        // The second bound, doubled so that it stays an integer.
        let doubled = |c: &Candidate| 2 * c.cost + nearest[c.at][wanted - 1];
        scratch.clear();
        scratch.extend(candidates.iter().map(doubled));
        let (sum, last) = smallest(scratch, wanted);
        let base = 2 * cost + sum;
        if base.div_ceil(2) >= best.sum {
            return false;
        }
        candidates.retain(|c| (base + doubled(c).saturating_sub(last)).div_ceil(2) < best.sum);
        true
    }
}

/// Returns the sum of the `count` smallest values and the largest of them. If there are fewer values, it
/// takes all of them; the result is (0, 0) if there are none.
fn smallest(values: &mut [u64], count: usize) -> (u64, u64) {
    if count == 0 || values.is_empty() {
        return (0, 0);
    }
    let count = count.min(values.len());
    let (below, last, _) = values.select_nth_unstable(count - 1);
    (below.iter().sum::<u64>() + *last, *last)
}

/// Offers placements to `best` until one is as good as the lower bound allows, or half of the allowed work is
/// done. O(F²), and O(k·F) per exchange.
fn find_incumbent(best: &mut Best<'_>, free: &[Coord]) {
    around_each(best, free);
    exchange(best, free);
}

/// Returns whether the best placement meets the lower bound, or there is a placement and half of the allowed
/// work is done.
fn done(best: &Best<'_>) -> bool {
    best.sum <= best.least[best.k()] || !best.nodes.is_empty() && best.steps > best.limit / 2
}

/// Offers, for each free node, the k free nodes nearest to it.
fn around_each(best: &mut Best<'_>, free: &[Coord]) {
    let (mesh, k) = (best.mesh, best.k());
    let mut order: Vec<(u32, usize)> = Vec::with_capacity(free.len());
    for &centre in free {
        if done(best) {
            return;
        }
        best.steps += free.len() as u64;
        order.clear();
        order.extend(free.iter().enumerate().map(|(i, &node)| (mesh.l1(centre, node), i)));
        order.select_nth_unstable(k - 1);
        let nearest: Vec<Coord> = order[..k].iter().map(|&(_, i)| free[i]).collect();
        best.offer(&nearest, pairwise_sum_at(mesh, nearest.iter().copied()));
    }
}

/// Exchanges one node of the best placement for a free node, as long as that lowers the sum. It always makes
/// the exchange that lowers the sum most.
fn exchange(best: &mut Best<'_>, free: &[Coord]) {
    let (mesh, k) = (best.mesh, best.k());
    while !done(best) {
        best.steps += (free.len() * k) as u64;
        let cost = |node: Coord| -> i64 { best.nodes.iter().map(|&u| i64::from(mesh.l1(u, node))).sum() };
        // The sum of the hops from each node of the placement to the others, which an exchange saves.
        let leaving: Vec<i64> = best.nodes.iter().map(|&node| cost(node)).collect();
        let mut most = (0, 0, [0; 3]);
        for &node in free.iter().filter(|node| !best.nodes.contains(node)) {
            let entering = cost(node);
            for (u, out) in leaving.iter().enumerate() {
                // `entering` also counts the hops to the node that leaves, so they are subtracted.
                let gain = out - (entering - i64::from(mesh.l1(best.nodes[u], node)));
                if gain > most.0 {
                    most = (gain, u, node);
                }
            }
        }
        let (gain, u, node) = most;
        if gain == 0 {
            return;
        }
        best.nodes[u] = node;
        best.sum -= gain as u64;
    }
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
