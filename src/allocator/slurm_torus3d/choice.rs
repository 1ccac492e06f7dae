//! The choice of a box: which of the idle boxes of a size a job gets.

use super::sums::Sums;
use super::torus::Torus;
use crate::machine::{NodeId, NodeSet};

/// The toruses of a cluster and the weights of its nodes.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub(super) toruses: Vec<Torus>,
    /// The weight of each node; empty if all are equal.
    pub(super) weights: Vec<u32>,
    /// The idle cells of the torus at hand. The field exists only to reuse memory.
    idle: Sums,
}

/// The number of boxes for which those that they destroy are counted one by one.
const FEW: u32 = 256;
/// The most boxes that are counted one by one for a box.
const FEW_AT_ONCE: u32 = 32;

/// The best box so far, with what it is compared by.
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
    pub(super) fn of(toruses: Vec<Torus>) -> Self {
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

    /// Returns the nodes of the box of `size` nodes that a job gets if `free` are the idle nodes, ascending; `None` if
    /// no box of this size is idle.
    pub(super) fn choose(&mut self, size: u32, free: &NodeSet) -> Option<Vec<NodeId>> {
        let mut idle = std::mem::take(&mut self.idle);
        let mut best: Option<Candidate> = None;
        for (index, torus) in self.toruses.iter().enumerate() {
            best = self.better_on((index, torus), size, free, &mut idle, best);
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
        (index, torus): (usize, &Torus),
        size: u32,
        free: &NodeSet,
        idle: &mut Sums,
        mut best: Option<Candidate>,
    ) -> Option<Candidate> {
        let placements = torus.placements.iter().enumerate().filter(|(_, boxes)| boxes.size == size);
        if placements.clone().next().is_none() {
            return best;
        }
        idle.fill(torus.dims, |at| u32::from(torus.node(at).is_some_and(|node| free.contains(node))));
        if idle.total() < size {
            return best;
        }
        for (placement, boxes) in placements {
            let next = boxes.next.map(|next| &torus.placements[next]);
            // The idle boxes of the next placement are counted everywhere only after some were looked at one by one.
            let (mut all_idle, mut looked_at) = (None, 0);
            for base in boxes.bases().filter(|&base| idle.in_box(base, boxes.sides) == size) {
                let destroyed = next.map_or(0, |next| {
                    looked_at += 1;
                    let few = if looked_at <= FEW { FEW_AT_ONCE } else { 0 };
                    torus.count_overlapped(next, base, boxes.sides, idle, few).unwrap_or_else(|| {
                        let sums = all_idle.get_or_insert_with(|| torus.idle_boxes(next, idle));
                        next.overlapped(base, boxes.sides, sums)
                    })
                });
                let weight = self.weight_of(torus.nodes_of(base, boxes.sides));
                let found =
                    Candidate { torus: index, placement, base, weight, destroyed, idle: idle.total() };
                if best.as_ref().is_none_or(|best| found.beats(best)) {
                    // If all weights are equal, no later box beats one of this torus that destroys nothing.
                    let is_last = self.weights.is_empty() && found.destroyed == 0;
                    best = Some(found);
                    if is_last {
                        break;
                    }
                }
            }
            // If all weights are equal, no later placement of this torus beats a candidate.
            if self.weights.is_empty() && best.as_ref().is_some_and(|best| best.torus == index) {
                break;
            }
        }
        best
    }

    /// Returns the largest weight of some nodes; 0 if all weights are equal.
    fn weight_of(&self, nodes: impl Iterator<Item = NodeId>) -> u32 {
        if self.weights.is_empty() {
            return 0;
        }
        nodes.map(|node| self.weights[node as usize]).max().unwrap_or(0)
    }
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
