//! The choice of a box: which of the idle boxes of a size a job gets.

use super::torus::{Boxes, Torus};
use crate::allocator::box_sums::Sums;
use meshreplay_machine::machine::{NodeId, NodeSet};

/// The toruses of a cluster and the weights of its nodes.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub(super) toruses: Vec<Torus>,
    /// The weight of each node; empty if all are equal.
    pub(super) weights: Vec<u32>,
    /// The idle cells of the current torus. The field exists only to reuse memory.
    idle: Sums,
}

/// The number of boxes with individual counts of the boxes that they destroy.
const FEW: usize = 256;
/// The most boxes that are counted one by one for a box.
const FEW_AT_ONCE: u32 = 32;

/// The best known box, with its sort keys.
struct Candidate {
    torus: usize,
    placement: usize,
    base: [u32; 3],
    /// The largest weight of its nodes.
    weight: u32,
    /// The number of idle boxes of the next placement that it overlaps.
    destroyed: u32,
    /// The number of idle nodes of its torus.
    idle: u32,
}

impl Cluster {
    /// Returns a cluster of these toruses, all of whose nodes have the same weight.
    pub(super) fn new(toruses: Vec<Torus>) -> Self {
        Self { toruses, weights: Vec::new(), idle: Sums::default() }
    }

    /// Returns the sizes of all boxes, ascending and without repetitions.
    pub(super) fn sizes(&self) -> Vec<u32> {
        let boxes = self.toruses.iter().flat_map(|torus| &torus.placements);
        let mut sizes: Vec<u32> = boxes.map(|boxes| boxes.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// Returns the nodes of the box of `size` nodes that a job gets if `free` are the idle nodes, ascending;
    /// `None` if no box of this size is idle.
    pub(super) fn choose(&mut self, size: u32, free: &NodeSet) -> Option<Vec<NodeId>> {
        let mut idle = std::mem::take(&mut self.idle);
        let mut best: Option<Candidate> = None;
        for torus in 0..self.toruses.len() {
            best = self.better_on(torus, size, free, &mut idle, best);
        }
        self.idle = idle;
        let Candidate { torus, placement, base, .. } = best?;
        let torus = &self.toruses[torus];
        let mut nodes: Vec<NodeId> = torus.nodes_of(base, torus.placements[placement].sides).collect();
        nodes.sort_unstable();
        Some(nodes)
    }

    /// Returns the best of `best` and the idle boxes of `size` nodes on one torus.
    fn better_on(
        &self,
        index: usize,
        size: u32,
        free: &NodeSet,
        idle: &mut Sums,
        mut best: Option<Candidate>,
    ) -> Option<Candidate> {
        let torus = &self.toruses[index];
        let placements = torus.placements.iter().enumerate().filter(|(_, boxes)| boxes.size == size);
        if placements.clone().next().is_none() {
            return best;
        }
        idle.fill(torus.dims, |at| u32::from(torus.node(at).is_some_and(|node| free.contains(node))));
        if idle.total() < size {
            return best;
        }
        for (placement, boxes) in placements {
            if self.weights.is_empty() {
                let Some((base, destroyed)) = least_destroying(torus, boxes, idle) else { continue };
                let idle = idle.total();
                let candidate = Candidate { torus: index, placement, base, weight: 0, destroyed, idle };
                if best.as_ref().is_none_or(|best| candidate.beats(best)) {
                    best = Some(candidate);
                }
                // No later placement of this torus beats a candidate of it.
                if best.as_ref().is_some_and(|best| best.torus == index) {
                    break;
                }
                continue;
            }
            let next = boxes.next.map(|next| &torus.placements[next]);
            let next = next.map(|next| (next, torus.idle_boxes(next, idle)));
            for base in boxes.bases().filter(|&base| idle.in_box(base, boxes.sides) == size) {
                let destroyed =
                    next.as_ref().map_or(0, |(next, idle)| next.overlapped(base, boxes.sides, idle));
                let nodes = torus.nodes_of(base, boxes.sides);
                let weight = nodes.map(|node| self.weights[node as usize]).max().unwrap_or(0);
                let idle = idle.total();
                let candidate = Candidate { torus: index, placement, base, weight, destroyed, idle };
                if best.as_ref().is_none_or(|best| candidate.beats(best)) {
                    best = Some(candidate);
                }
            }
        }
        best
    }
}

/// Returns the idle box of a placement that destroys the fewest boxes of the next one, the first of equals in
/// the order of the search, and their number; `None` if no box is idle. `idle` has the idle cells.
fn least_destroying(torus: &Torus, boxes: &Boxes, idle: &Sums) -> Option<([u32; 3], u32)> {
    let is_idle = |base: [u32; 3]| idle.in_box(base, boxes.sides) == boxes.size;
    let Some(next) = boxes.next.map(|next| &torus.placements[next]) else {
        return boxes.bases().find(|&base| is_idle(base)).map(|base| (base, 0));
    };
    let mut idle_ones = boxes.bases().filter(|&base| is_idle(base)).peekable();
    idle_ones.peek()?;
    // On busy machines one of the first boxes often destroys nothing, and the search ends. A box that
    // overlaps too many others for individual counts ends this attempt, because it may be the best.
    for base in idle_ones.take(FEW) {
        match torus.count_overlapped(next, base, boxes.sides, idle, FEW_AT_ONCE) {
            Some(0) => return Some((base, 0)),
            Some(_) => {}
            None => break,
        }
    }
    // Otherwise all are looked at, in the order of the memory, and the order of the search decides between
    // equals.
    let all_idle = torus.idle_boxes(next, idle);
    let [xs, ys, zs] = [0, 1, 2].map(|d| next.overlapping_along(d, &boxes.anchors[d], boxes.sides[d]));
    let mut best: Option<(u32, [usize; 3])> = None;
    for (k, &(z, (z_first, z_count))) in zs.iter().enumerate() {
        for (j, &(y, (y_first, y_count))) in ys.iter().enumerate() {
            for (i, &(x, (x_first, x_count))) in xs.iter().enumerate() {
                if !is_idle([x, y, z]) {
                    continue;
                }
                let (first, counts) = ([x_first, y_first, z_first], [x_count, y_count, z_count]);
                let destroyed = if counts.contains(&0) { 0 } else { all_idle.in_box(first, counts) };
                if best.is_none_or(|best| (destroyed, [i, j, k]) < best) {
                    best = Some((destroyed, [i, j, k]));
                }
            }
        }
    }
    best.map(|(destroyed, [i, j, k])| ([xs[i].0, ys[j].0, zs[k].0], destroyed))
}

impl Candidate {
    /// Returns whether this candidate, which comes later than `other`, is strictly better.
    fn beats(&self, other: &Self) -> bool {
        if self.weight != other.weight {
            return self.weight < other.weight;
        }
        if (self.torus, self.placement) == (other.torus, other.placement) {
            // Of one torus, so its idle nodes decide nothing more.
            return self.destroyed < other.destroyed;
        }
        self.idle < other.idle
    }
}
