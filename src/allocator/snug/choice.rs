//! What the nodes of a box cost, and the cheapest k of them.

use super::ROUNDING;
use super::shapes::BoxShape;
use crate::machine::{BoxCounts, Coord, Machine, Mesh, NodeId, distances_along, pairwise_along};

/// Chooses among the boxes of one machine state; keeps its memory between calls.
#[derive(Debug, Default)]
pub(super) struct Choice {
    counts: BoxCounts,
    k: u32,
    /// w·k/|F|.
    weight: f64,
    /// For each dimension and position, on a torus twice round: the sum of distances along it to the free nodes.
    far: [Vec<u64>; 3],
    /// Prefix sums of these.
    far_below: [Vec<u64>; 3],
    /// Where the smallest of these is.
    nearest: [usize; 3],
    extents: [usize; 3],
    /// Dimensions up to the last one of more than one node, at least one.
    dims: usize,
    best: Option<Best>,
    /// The nodes of the best box that are not taken, and those of the box at hand.
    left: Vec<NodeId>,
    leaving: Vec<NodeId>,
    /// Of the box at hand, per dimension and position: its free nodes, the distances to them and what a node there costs.
    within: [Along; 3],
    without: [Vec<u32>; 3],
    keys: Vec<i64>,
}

/// The cheapest set so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    cost: f64,
    shape: BoxShape,
    base: Coord,
}

#[derive(Debug, Default)]
struct Along {
    counts: Vec<u32>,
    distances: Vec<u64>,
    costs: Vec<f64>,
    wraps: bool,
}

impl Choice {
    /// Starts on a machine state.
    pub(super) fn prepare(&mut self, machine: &Machine, k: u32, weight: f64) {
        let mesh = machine.mesh();
        self.counts.rebuild(machine);
        self.k = k;
        self.weight = weight * f64::from(k) / f64::from(machine.free_count());
        self.best = None;
        let extents = mesh.extents().map(|extent| extent as usize);
        self.dims = extents.iter().rposition(|&extent| extent > 1).map_or(1, |last| last + 1);
        for along in &mut self.within {
            along.costs.clear();
            along.costs.push(0.0);
            along.counts.clear();
        }
        for (d, extent) in extents.into_iter().enumerate() {
            let (far, below) = (&mut self.far[d], &mut self.far_below[d]);
            self.counts.slices(d, [0; 3], extents, &mut self.within[d].counts);
            far.resize(extent, 0);
            self.extents[d] = extent;
            distances_along(&self.within[d].counts, mesh.is_torus(), far);
            self.nearest[d] = (0..extent).min_by_key(|&at| far[at]).unwrap_or(0);
            if mesh.is_torus() {
                far.extend_from_within(..);
            }
            below.clear();
            below.push(0);
            let mut sum = 0;
            below.extend(far.iter().map(|far| {
                sum += far;
                sum
            }));
        }
    }

    /// The free nodes of all boxes.
    pub(super) fn counts(&self) -> &BoxCounts {
        &self.counts
    }

    /// k, the number of nodes wanted.
    pub(super) fn nodes(&self) -> i32 {
        self.k as i32
    }

    /// The bases that boxes of a shape can have along each dimension, from 0 on.
    pub(super) fn places(&self, shape: BoxShape) -> [usize; 3] {
        [0, 1, 2].map(|d| {
            let (extent, side) = (self.extents[d], shape.sides[d]);
            if self.far[d].len() > extent && side < extent { extent } else { extent - side + 1 }
        })
    }

    /// Whether a set is known.
    pub(super) fn has_any(&self) -> bool {
        self.best.is_some()
    }

    /// Whether a set that costs no less than `least` could win.
    pub(super) fn may_win(&self, least: f64) -> bool {
        self.best.is_none_or(|best| least <= best.cost)
    }

    /// For the boxes of a shape, at each base along each dimension: a term of the most that the distances from k of its
    /// nodes to the free ones can weigh. All its nodes but k are taken to be the nearest to these. The largest along x.
    pub(super) fn farthest(&self, shape: BoxShape, terms: &mut [Vec<f64>; 3]) -> f64 {
        let spare = (shape.nodes - u64::from(self.k)) as f64;
        let places = self.places(shape);
        for (d, terms) in terms.iter_mut().enumerate() {
            let (far, below) = (&self.far[d], &self.far_below[d]);
            let (extent, side) = (self.extents[d], shape.sides[d]);
            let across = (shape.nodes / side as u64) as f64;
            let torus = far.len() > extent;
            // Off a torus the sums fall up to some position and rise from there.
            let lowest = self.nearest[d];
            terms.clear();
            terms.extend((0..places[d]).map(|base| {
                let nearest = if torus {
                    far[base..base + side].iter().copied().min().unwrap_or(0)
                } else {
                    far[lowest.clamp(base, base + side - 1)]
                };
                let all = (below[base + side] - below[base]) as f64;
                self.weight * (across * all - spare * nearest as f64)
            }));
        }
        terms[0].iter().copied().fold(f64::MIN, f64::max)
    }

    /// Looks at a box: whether its cheapest k nodes are cheaper than the best so far.
    pub(super) fn consider(&mut self, machine: &Machine, shape: BoxShape, base: Coord) {
        if shape.nodes == u64::from(self.k) {
            let cost = shape.pairs as f64 - self.weight * self.apart(shape, base) as f64;
            self.propose(Best { cost, shape, base }, false);
            return;
        }
        let torus = machine.mesh().is_torus();
        let mut nodes = 0;
        for d in 0..self.dims {
            let along = &mut self.within[d];
            nodes = self.counts.slices(d, base, shape.sides, &mut along.counts);
            // Within half a ring the straight way is the shortest.
            along.wraps = torus && shape.sides[d] > self.extents[d] / 2 + 1;
            if along.wraps {
                along.counts.resize(self.extents[d], 0);
            }
        }
        let spare = nodes - self.k;
        let (mut cost, size) = self.cost(nodes, base);
        if spare > 0 {
            let least = cost - f64::from(spare) * self.price(base);
            if !self.may_win(least - (size + least.abs()) * ROUNDING) {
                return;
            }
            let dearest = self.dearest(machine, shape, base, spare);
            self.leave(machine, shape, base, dearest);
            (cost, _) = self.cost(self.k, base);
        }
        self.propose(Best { cost, shape, base }, spare > 0);
    }

    /// Takes a set as the best if it is; whether nodes of its box are left.
    fn propose(&mut self, set: Best, leaves: bool) {
        let key =
            |best: &Best| (best.shape.girth, best.shape.sides, best.base[2], best.base[1], best.base[0]);
        let wins = self
            .best
            .as_ref()
            .is_none_or(|old| set.cost.total_cmp(&old.cost).then_with(|| key(&set).cmp(&key(old))).is_lt());
        if wins {
            self.best = Some(set);
            self.left.clear();
            if leaves {
                std::mem::swap(&mut self.left, &mut self.leaving);
            }
        }
    }

    /// Sum of the distances from all nodes of a box to the free ones.
    fn apart(&self, shape: BoxShape, base: Coord) -> u64 {
        let along = |d: usize| {
            let (below, side, from) = (&self.far_below[d], shape.sides[d], base[d] as usize);
            shape.nodes / side as u64 * (below[from + side] - below[from])
        };
        (0..self.dims).map(along).sum()
    }

    /// What the `nodes` nodes counted in the box at `base` cost, and the sum of the two numbers it is the difference of,
    /// which says how large its rounding can be.
    fn cost(&self, nodes: u32, base: Coord) -> (f64, f64) {
        let (mut pairs, mut apart) = (0, 0);
        for (d, along) in self.within[..self.dims].iter().enumerate() {
            pairs += pairwise_along(&along.counts, nodes, along.wraps);
            let far = &self.far[d][base[d] as usize..];
            apart += along.counts.iter().zip(far).map(|(&count, far)| u64::from(count) * far).sum::<u64>();
        }
        let (pairs, apart) = (pairs as f64, self.weight * apart as f64);
        (pairs - apart, pairs + apart)
    }

    /// Sets what a node at each position of the box costs along each dimension; at most what one costs.
    fn price(&mut self, base: Coord) -> f64 {
        let mut most = 0.0;
        for (d, along) in self.within[..self.dims].iter_mut().enumerate() {
            along.distances.resize(along.counts.len(), 0);
            distances_along(&along.counts, along.wraps, &mut along.distances);
            let far = &self.far[d][base[d] as usize..];
            along.costs.clear();
            let cost = |(&near, &far): (&u64, &u64)| near as f64 - self.weight * far as f64;
            along.costs.extend(along.distances.iter().zip(far).map(cost));
            most += along.costs.iter().copied().fold(f64::MIN, f64::max);
        }
        most
    }

    /// The least that one of the `spare` dearest free nodes of the box costs, and how many that cost just so stay.
    fn dearest(&mut self, machine: &Machine, shape: BoxShape, base: Coord, spare: u32) -> (i64, usize) {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        self.for_each_price(machine, shape, base, |_, _, key| keys.push(key));
        debug_assert_eq!(keys.len() as u32, self.k + spare, "{}", machine.mesh());
        let (cheaper, &mut least, _) = keys.select_nth_unstable(self.k as usize);
        let stay = cheaper.iter().filter(|&&key| key == least).count();
        self.keys = keys;
        (least, stay)
    }

    /// Counts the nodes that cost more than the least no more, nor those that cost just so but for the first that stay.
    fn leave(&mut self, machine: &Machine, shape: BoxShape, base: Coord, (least, mut stay): (i64, usize)) {
        let mut leaving = std::mem::take(&mut self.leaving);
        let mut counts = std::mem::take(&mut self.without);
        for (without, along) in counts.iter_mut().zip(&self.within) {
            without.clone_from(&along.counts);
        }
        leaving.clear();
        self.for_each_price(machine, shape, base, |node, at, key| {
            if key < least {
                return;
            }
            if key == least && stay > 0 {
                stay -= 1;
                return;
            }
            leaving.push(node);
            for d in 0..self.dims {
                counts[d][at[d] as usize] -= 1;
            }
        });
        for (without, along) in counts.iter_mut().zip(&mut self.within) {
            std::mem::swap(without, &mut along.counts);
        }
        self.leaving = leaving;
        self.without = counts;
    }

    /// Visits the free nodes of the box at hand: number, place in it, and what it costs as a number that sorts so.
    fn for_each_price(
        &self,
        machine: &Machine,
        shape: BoxShape,
        base: Coord,
        mut visit: impl FnMut(NodeId, [u32; 3], i64),
    ) {
        let [xs, ys, zs] = [0, 1, 2].map(|d| &self.within[d].costs[..]);
        for_each_free(machine, base, shape.sides, |node, at| {
            let [x, y, z] = at.map(|at| at as usize);
            visit(node, at, sortable(xs[x] + ys[y] + zs[z]));
        });
    }

    /// The nodes of the cheapest set, ascending.
    pub(super) fn take(&mut self, machine: &Machine) -> Option<Vec<NodeId>> {
        let best = self.best?;
        let mut nodes = Vec::with_capacity(self.k as usize + self.left.len());
        for_each_free(machine, best.base, best.shape.sides, |node, _| nodes.push(node));
        nodes.sort_unstable();
        if !self.left.is_empty() {
            self.left.sort_unstable();
            nodes.retain(|node| self.left.binary_search(node).is_err());
        }
        Some(nodes)
    }
}

/// A number that compares with others as the floating-point numbers do in their total order.
fn sortable(cost: f64) -> i64 {
    let bits = cost.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// Visits the free nodes of a box with their places in it.
fn for_each_free(machine: &Machine, base: Coord, sides: [usize; 3], mut visit: impl FnMut(NodeId, [u32; 3])) {
    let mesh: &Mesh = machine.mesh();
    let [width, length, depth] = mesh.extents();
    let [a, b, c] = sides.map(|side| side as u32);
    for z in 0..c {
        for y in 0..b {
            let row = mesh.node([0, (base[1] + y) % length, (base[2] + z) % depth]);
            let mut x = 0;
            while x < a {
                let at = (base[0] + x) % width;
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
