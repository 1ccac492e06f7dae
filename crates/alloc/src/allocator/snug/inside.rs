//! The free nodes of one submesh: their cost as a set, and the nodes of highest price, which a job leaves
//! out.
//!
//! The price of a node is the sum of distances to the other free nodes of the submesh, less W times the sum
//! of distances to all free nodes of the machine. Both sums are separable, so a price is a sum of one term
//! for each dimension.

use super::far::Far;
use super::shapes::SubmeshShape;
use super::submesh_counts::{Count, SubmeshCounts};
use meshreplay_machine::machine::{Coord, Machine, NodeId, bits_of_word, distances_along, pairwise_along};

/// The free nodes of the submesh at hand. Memory is kept between submeshes.
#[derive(Debug, Default)]
pub(super) struct Inside {
    along: [Along; 3],
    /// The number of dimensions up to the last one of more than one node; at least 1.
    dims: usize,
    /// The weight W of the definition.
    weight: f64,
    /// The nodes that the job leaves out.
    dearest: Vec<Priced>,
    /// The prices of the nodes as integers of the same order.
    keys: Vec<i64>,
}

/// Free nodes by their position in the submesh along one dimension.
#[derive(Debug, Default)]
struct Along {
    /// The number of free nodes at each position.
    counts: Vec<u32>,
    /// The term that each position adds to the price of a node.
    costs: Vec<f64>,
    /// Whether the shortest way between two of the nodes can lead across the border of the machine. `counts`
    /// then has all positions of the ring.
    wraps: bool,
    /// The sum of hops from each position to the nodes counted; only used where `wraps`.
    distances: Vec<u64>,
}

/// A free node of the submesh, with its price.
#[derive(Clone, Copy, Debug)]
struct Priced {
    cost: f64,
    node: NodeId,
    /// The position relative to the base of the submesh.
    at: [u32; 3],
}

/// The most nodes to leave out for which insertion into a short sorted list is used. For more, a selection
/// over all nodes of the submesh is faster.
const FEW: usize = 12;

impl Inside {
    /// Starts on a machine state, with the weight W of the definition.
    pub(super) fn start(&mut self, far: &Far, weight: f64) {
        self.dims = far.extents.iter().rposition(|&extent| extent > 1).map_or(1, |last| last + 1);
        self.weight = weight;
        for along in &mut self.along[self.dims..] {
            // These dimensions have one position, which adds 0 to every price.
            along.costs.clear();
            along.costs.push(0.0);
        }
    }

    /// Counts the free nodes of a submesh, which becomes the one at hand.
    pub(super) fn count<C: Count>(
        &mut self,
        counts: &SubmeshCounts<C>,
        far: &Far,
        shape: &SubmeshShape,
        base: Coord,
    ) {
        for (d, along) in self.along[..self.dims].iter_mut().enumerate() {
            counts.slices(d, base, shape.sides, &mut along.counts);
            // Within half a ring the straight way is a shortest one.
            along.wraps = far.wraps[d] && shape.sides[d] > far.extents[d] / 2 + 1;
            if along.wraps {
                along.counts.resize(far.extents[d], 0);
            }
        }
    }

    /// Returns the number of free nodes counted.
    pub(super) fn nodes(&self) -> u32 {
        self.along[0].counts.iter().sum()
    }

    /// Returns the cost of all nodes counted as a set, and the size of the numbers behind it; `nodes` is the
    /// number of nodes counted. The cost is the pairwise sum less the weighted distances to the free nodes.
    /// The size is the sum of these two numbers, by which rounding errors are bounded.
    pub(super) fn cost(&self, far: &Far, base: Coord, nodes: u32) -> (f64, f64) {
        let (mut pairs, mut apart) = (0, 0);
        for (d, along) in self.along[..self.dims].iter().enumerate() {
            // Cuts: the cut behind each position separates the nodes up to there from all later ones. The
            // distance of two nodes is the number of cuts between them.
            let mut below = 0;
            for (&count, far) in along.counts.iter().zip(far.along(d, base[d])) {
                let count = u64::from(count);
                below += count;
                apart += count * *far as u64;
                pairs += below * (u64::from(nodes) - below);
            }
            // On a ring the shorter way may lead across the border, so the straight sum is replaced.
            if along.wraps {
                let mut below = 0;
                let straight = along.counts.iter().map(|&count| {
                    below += u64::from(count);
                    below * (u64::from(nodes) - below)
                });
                pairs -= straight.sum::<u64>();
                pairs += pairwise_along(&along.counts, nodes, true);
            }
        }
        let (pairs, apart) = (pairs as f64, self.weight * apart as f64);
        (pairs - apart, pairs + apart)
    }

    /// Sets the terms of the prices for each position of the submesh along each dimension. Returns an upper
    /// bound of the price of a node, the sum of the largest terms. `nodes` is the number of nodes counted.
    pub(super) fn price(&mut self, far: &Far, base: Coord, nodes: u32) -> f64 {
        let mut most = 0.0;
        for (d, along) in self.along[..self.dims].iter_mut().enumerate() {
            let far = far.along(d, base[d]);
            along.costs.clear();
            let mut dearest = f64::MIN;
            if along.wraps {
                along.distances.resize(along.counts.len(), 0);
                distances_along(&along.counts, true, &mut along.distances);
                let costs = along.distances.iter().zip(far);
                along.costs.extend(costs.map(|(&near, &far)| near as f64 - self.weight * far as f64));
                dearest = along.costs.iter().copied().fold(dearest, f64::max);
            } else {
                // One sweep over the positions: with each step one farther from the nodes passed, and one
                // nearer to all others. `near` starts with the distances from the first position.
                let mut near: i64 =
                    along.counts.iter().zip(0..).map(|(&count, at)| i64::from(count) * at).sum();
                let mut below = 0;
                along.costs.extend(along.counts.iter().zip(far).map(|(&count, &far)| {
                    let cost = near as f64 - self.weight * far as f64;
                    below += i64::from(count);
                    near += 2 * below - i64::from(nodes);
                    if count > 0 {
                        dearest = dearest.max(cost);
                    }
                    cost
                }));
            }
            most += dearest;
        }
        most
    }

    /// Takes the `spare` nodes of highest price out of the counts; of equal prices the later nodes. Prices
    /// must be set.
    pub(super) fn leave(&mut self, machine: &Machine, shape: &SubmeshShape, base: Coord, spare: usize) {
        let mut dearest = std::mem::take(&mut self.dearest);
        dearest.clear();
        if spare <= FEW {
            // Insertion sort into a list of at most `spare` nodes, ascending by price. A node behind its
            // equals is a later one, so the first entry is the right one to drop.
            self.for_each_price(machine, shape, base, |priced| {
                if dearest.len() == spare {
                    if priced.cost < dearest[0].cost {
                        return;
                    }
                    dearest.remove(0);
                }
                let after =
                    dearest.iter().rposition(|other| other.cost <= priced.cost).map_or(0, |at| at + 1);
                dearest.insert(after, priced);
            });
        } else {
            // Quickselect finds the lowest price of a node that leaves. Of the nodes with just this price,
            // the first `stay` ones are kept.
            let mut keys = std::mem::take(&mut self.keys);
            keys.clear();
            self.for_each_price(machine, shape, base, |priced| keys.push(sortable(priced.cost)));
            let kept = keys.len() - spare;
            let (cheaper, &mut least, _) = keys.select_nth_unstable(kept);
            let mut stay = cheaper.iter().filter(|&&key| key == least).count();
            self.for_each_price(machine, shape, base, |priced| {
                let key = sortable(priced.cost);
                if key > least || (key == least && stay == 0) {
                    dearest.push(priced);
                } else if key == least {
                    stay -= 1;
                }
            });
            self.keys = keys;
        }
        for priced in &dearest {
            for (along, at) in self.along[..self.dims].iter_mut().zip(priced.at) {
                along.counts[at as usize] -= 1;
            }
        }
        self.dearest = dearest;
    }

    /// Returns the nodes that [`Inside::leave`] has taken out of the submesh at hand, in no particular order.
    pub(super) fn left(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.dearest.iter().map(|priced| priced.node)
    }

    /// Calls `visit` with each free node of the submesh at hand and its price, by z, then y, then x in the
    /// submesh.
    fn for_each_price(
        &self,
        machine: &Machine,
        shape: &SubmeshShape,
        base: Coord,
        mut visit: impl FnMut(Priced),
    ) {
        let [xs, ys, zs] = [0, 1, 2].map(|d| &self.along[d].costs[..]);
        for_each_free(machine, base, shape.sides, |node, at| {
            let [x, y, z] = at.map(|at| at as usize);
            visit(Priced { cost: xs[x] + ys[y] + zs[z], node, at });
        });
    }
}

/// Returns an integer for a floating-point number; the integers compare as the numbers do in their total
/// order.
fn sortable(cost: f64) -> i64 {
    // The bit patterns of positive numbers already have the order of integers. Those of negative ones have
    // the reverse order, so all their bits but the sign are flipped (as `f64::total_cmp` does).
    let bits = cost.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// Calls `visit` with each free node of a submesh and its position relative to the base, by z, then y, then
/// x.
pub(super) fn for_each_free(
    machine: &Machine,
    base: Coord,
    sides: [usize; 3],
    mut visit: impl FnMut(NodeId, [u32; 3]),
) {
    let mesh = machine.mesh();
    let [width, length, depth] = mesh.extents();
    let [a, b, c] = sides.map(|side| side as u32);
    // A submesh is no longer than the machine, so it goes round at most once: a subtraction replaces a
    // division.
    let around = |at: u32, extent: u32| if at < extent { at } else { at - extent };
    for z in 0..c {
        for y in 0..b {
            let row = mesh.node([0, around(base[1] + y, length), around(base[2] + z, depth)]);
            let mut x = 0;
            while x < a {
                let at = around(base[0] + x, width);
                // A chunk ends with the submesh, at the border of the machine, or after the 64 bits of a
                // register.
                let chunk = (a - x).min(width - at).min(64);
                for bit in bits_of_word(machine.free().bits((row + at) as usize, chunk as usize)) {
                    visit(row + at + bit, [x + bit, y, z]);
                }
                x += chunk;
            }
        }
    }
}
