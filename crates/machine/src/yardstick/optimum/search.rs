//! The branch and bound.
//!
//! Free nodes are taken in the order of their distance from the median of the best placement so far. The
//! first node of a set in this order is its root. The search goes through the roots. For each root it
//! branches on one candidate at a time: the one nearest to the chosen nodes either joins them or is left out.
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

use super::Best;
use crate::machine::Coord;

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
    /// The nodes chosen so far, the root first.
    chosen: Vec<Coord>,
    /// Scratch memory, kept between calls.
    scratch: Vec<u64>,
}

/// Makes `best` the optimum. Returns `None` if that takes more work than is allowed.
pub(super) fn improve(best: &mut Best<'_>, free: &[Coord]) -> Option<()> {
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
