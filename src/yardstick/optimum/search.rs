//! The branch and bound.
//!
//! Free nodes are taken in order of their distance from the median of the best placement so far. Sets are divided by
//! the first of their nodes in that order, the root, and from there by whether they hold the candidate that is nearest
//! to the nodes chosen. With nodes S chosen and r wanted, w(c) the sum of distances of candidate c to S, every
//! completion costs at least
//!
//! * cost(S) + the r smallest w(c) + what r nodes need on this machine, and
//! * cost(S) + the r smallest of w(c) + half the sum of the distances from c to the r − 1 candidates nearest to it.
//!
//! A candidate is left out for good where the bound with it in place of the last of the r smallest is no improvement.

use super::best::Best;
use crate::machine::Coord;

/// A node that may be chosen.
#[derive(Clone, Copy)]
struct Candidate {
    /// Position among the root's candidates.
    at: usize,
    /// Sum of the distances to the nodes chosen.
    cost: u64,
}

/// The candidates of one root.
struct Root<'a, 'b> {
    best: &'a mut Best<'b>,
    nodes: Vec<Coord>,
    /// For each candidate, the sum of the distances to the 0, 1, … nearest others.
    nearest: Vec<Vec<u64>>,
    chosen: Vec<Coord>,
    /// Kept for its memory only.
    scratch: Vec<u64>,
}

/// Makes `best` the optimum; `None` if that takes more than it may.
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

/// Returns the nodes of `later` with which `root` may be part of something better. Nodes that are left out are nobody's
/// neighbours any more, which leaves out more.
fn worth_trying(best: &mut Best<'_>, root: Coord, later: &[Coord]) -> Option<Vec<Coord>> {
    let (mesh, k) = (best.mesh, best.k());
    if k < 3 {
        return Some(later.to_vec());
    }
    // First by distances from the root alone.
    let distance = |node: Coord| u64::from(mesh.l1(root, node));
    let mut near: Vec<u64> = later.iter().map(|&node| distance(node)).collect();
    let others = smallest(&mut near, k - 2).0 + best.least[k - 1];
    let mut nodes: Vec<Coord> =
        later.iter().copied().filter(|&node| distance(node) + others < best.sum).collect();
    // Then by distances from the root and the node.
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

/// For each node, the sums of the distances to the nearest of the others; O(C²·log C).
fn nearest_sums(best: &mut Best<'_>, nodes: &[Coord]) -> Option<Vec<Vec<u64>>> {
    let (mesh, k) = (best.mesh, best.k());
    best.spend(nodes.len() * nodes.len())?;
    let of = |&node: &Coord| {
        let mut distances: Vec<u64> = nodes.iter().map(|&other| u64::from(mesh.l1(node, other))).collect();
        distances.sort_unstable();
        // The first is the node itself; sums are of 0, 1, … others.
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
    /// Tries every way to choose `wanted` more nodes from `candidates`, those chosen costing `cost` among themselves.
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

    /// Leaves out candidates that cannot be part of something better; false if nothing can.
    fn leave_out(&mut self, cost: u64, candidates: &mut Vec<Candidate>, wanted: usize) -> bool {
        let (best, nearest, scratch) = (&*self.best, &self.nearest, &mut self.scratch);
        scratch.clear();
        scratch.extend(candidates.iter().map(|c| c.cost));
        let (sum, last) = smallest(scratch, wanted);
        let base = cost + best.least[wanted] + sum;
        if base >= best.sum {
            return false;
        }
        candidates.retain(|c| base + c.cost.saturating_sub(last) < best.sum);
        if candidates.len() < wanted {
            return false;
        }
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

/// Returns the sum of the `count` smallest values, and the last of them; all values if there are fewer.
fn smallest(values: &mut [u64], count: usize) -> (u64, u64) {
    if count == 0 || values.is_empty() {
        return (0, 0);
    }
    let count = count.min(values.len());
    let (below, last, _) = values.select_nth_unstable(count - 1);
    (below.iter().sum::<u64>() + *last, *last)
}
