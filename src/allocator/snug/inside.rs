//! The free nodes of one submesh: what they cost, and those that cost most.

use super::far::Far;
use super::shapes::SubmeshShape;
use super::submesh_counts::{Count, SubmeshCounts};
use crate::machine::{Coord, Machine, NodeId, distances_along, pairwise_along};

/// The free nodes of the submesh at hand; keeps its memory between submeshes.
#[derive(Debug, Default)]
pub(super) struct Inside {
    along: [Along; 3],
    /// Dimensions up to the last one of more than one node, at least one.
    dims: usize,
    /// W of the definition.
    weight: f64,
    /// Its dearest nodes, the cheapest of these first.
    dearest: Vec<Priced>,
    /// What they cost, as numbers that sort so.
    keys: Vec<i64>,
}

/// Free nodes by their position in the submesh along one dimension.
#[derive(Debug, Default)]
struct Along {
    counts: Vec<u32>,
    costs: Vec<f64>,
    /// Whether the short way between two of them can be round the torus.
    wraps: bool,
    distances: Vec<u64>,
}

/// The cost of a node.
#[derive(Clone, Copy, Debug)]
struct Priced {
    cost: f64,
    node: NodeId,
    /// In the submesh.
    at: [u32; 3],
}

/// Up to so many dearest nodes are kept in order; of more, all nodes of the submesh are parted.
const FEW: usize = 12;

impl Inside {
    /// Starts on a machine state.
    pub(super) fn start(&mut self, far: &Far, weight: f64) {
        self.dims = far.extents.iter().rposition(|&extent| extent > 1).map_or(1, |last| last + 1);
        self.weight = weight;
        for along in &mut self.along[self.dims..] {
            // One position, which costs nothing.
            along.costs.clear();
            along.costs.push(0.0);
        }
    }

    /// Counts the free nodes of a submesh.
    pub(super) fn count<C: Count>(
        &mut self,
        counts: &SubmeshCounts<C>,
        far: &Far,
        shape: &SubmeshShape,
        base: Coord,
    ) {
        for (d, along) in self.along[..self.dims].iter_mut().enumerate() {
            counts.slices(d, base, shape.sides, &mut along.counts);
            // Within half a ring the straight way is the shortest.
            along.wraps = far.torus && shape.sides[d] > far.extents[d] / 2 + 1;
            if along.wraps {
                along.counts.resize(far.extents[d], 0);
            }
        }
    }

    /// Returns how many were counted.
    pub(super) fn nodes(&self) -> u32 {
        self.along[0].counts.iter().sum()
    }

    /// What the nodes counted, `nodes` of them, cost, and the sum of the two numbers it is the difference of, which
    /// says how large its rounding can be.
    pub(super) fn cost(&self, far: &Far, base: Coord, nodes: u32) -> (f64, f64) {
        let (mut pairs, mut apart) = (0, 0);
        for (d, along) in self.along[..self.dims].iter().enumerate() {
            let mut below = 0;
            for (&count, far) in along.counts.iter().zip(far.along(d, base[d])) {
                let count = u64::from(count);
                below += count;
                apart += count * *far as u64;
                pairs += below * (u64::from(nodes) - below);
            }
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

    /// Sets what a node at each position of the submesh costs along each dimension; at most what one of the `nodes`
    /// costs.
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

    /// Takes the `spare` dearest nodes out of the counts, the later ones of equals.
    pub(super) fn leave(&mut self, machine: &Machine, shape: &SubmeshShape, base: Coord, spare: usize) {
        let mut dearest = std::mem::take(&mut self.dearest);
        dearest.clear();
        if spare <= FEW {
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
            // The least that one of them costs, and how many that cost just so stay.
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

    /// Returns the nodes taken out last.
    pub(super) fn left(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.dearest.iter().map(|priced| priced.node)
    }

    /// Visits the free nodes of the submesh at hand.
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

/// Returns a number that compares with others as the floating-point numbers do in their total order.
fn sortable(cost: f64) -> i64 {
    let bits = cost.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// Visits the free nodes of a submesh with their places in it.
pub(super) fn for_each_free(
    machine: &Machine,
    base: Coord,
    sides: [usize; 3],
    mut visit: impl FnMut(NodeId, [u32; 3]),
) {
    let mesh = machine.mesh();
    let [width, length, depth] = mesh.extents();
    let [a, b, c] = sides.map(|side| side as u32);
    // A submesh is no longer than the machine.
    let around = |at: u32, extent: u32| if at < extent { at } else { at - extent };
    for z in 0..c {
        for y in 0..b {
            let row = mesh.node([0, around(base[1] + y, length), around(base[2] + z, depth)]);
            let mut x = 0;
            while x < a {
                let at = around(base[0] + x, width);
                let chunk = (a - x).min(width - at).min(64);
                let mut bits = machine.free().bits((row + at) as usize, chunk as usize);
                while bits != 0 {
                    let bit = bits.trailing_zeros();
                    bits &= bits - 1;
                    visit(row + at + bit, [x + bit, y, z]);
                }
                x += chunk;
            }
        }
    }
}
