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
    /// For each dimension and position: the sum of distances along it to the free nodes.
    far: [Vec<u64>; 3],
    /// Prefix sums of these.
    far_below: [Vec<u64>; 3],
    best: Option<Best>,
    /// The nodes of the best box that are not taken.
    left: Vec<NodeId>,
    /// Of the box at hand, per dimension and position: its free nodes, the distances to them and what a node there costs.
    within: [Along; 3],
    cells: Vec<Cell>,
}

/// The cheapest set so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    cost: f64,
    shape: u32,
    sides: [usize; 3],
    base: Coord,
}

#[derive(Debug, Default)]
struct Along {
    counts: Vec<u32>,
    distances: Vec<u64>,
    costs: Vec<f64>,
    wraps: bool,
}

/// A free node of a box: what it costs there, its number, where it lies in the box.
type Cell = (f64, NodeId, [u32; 3]);

impl Choice {
    /// Starts on a machine state.
    pub(super) fn prepare(&mut self, machine: &Machine, k: u32, weight: f64) {
        let mesh = machine.mesh();
        self.counts.rebuild(machine);
        self.k = k;
        self.weight = weight * f64::from(k) / f64::from(machine.free_count());
        self.best = None;
        let extents = mesh.extents().map(|extent| extent as usize);
        for d in 0..3 {
            self.counts.slices(d, [0; 3], extents, &mut self.within[d].counts);
            self.far[d].resize(extents[d], 0);
            distances_along(&self.within[d].counts, mesh.is_torus(), &mut self.far[d]);
            let mut sum = 0;
            self.far_below[d].clear();
            self.far_below[d].push(0);
            let rounds = if mesh.is_torus() { 2 } else { 1 };
            for _ in 0..rounds {
                self.far_below[d].extend(self.far[d].iter().map(|far| {
                    sum += far;
                    sum
                }));
            }
        }
    }

    /// The free nodes of all boxes.
    pub(super) fn counts(&self) -> &BoxCounts {
        &self.counts
    }

    /// Whether a set that costs no less than `least` could win.
    pub(super) fn may_win(&self, least: f64) -> bool {
        self.best.is_none_or(|best| least <= best.cost)
    }

    /// For the boxes of a shape, at each base along each dimension: a term of the most that the distances from k of its
    /// nodes to the free ones can weigh. All its nodes but k are taken to be the nearest to these.
    pub(super) fn farthest(&self, shape: BoxShape, k: u32, terms: &mut [Vec<f64>; 3]) {
        let spare = (shape.nodes - u64::from(k)) as f64;
        for (d, terms) in terms.iter_mut().enumerate() {
            let (far, below) = (&self.far[d], &self.far_below[d]);
            let (extent, side) = (far.len(), shape.sides[d]);
            let across = (shape.nodes / side as u64) as f64;
            let torus = below.len() > extent + 1;
            let places = if torus && side < extent { extent } else { extent - side + 1 };
            // Off a torus the sums fall up to some position and rise from there.
            let lowest = (0..extent).min_by_key(|&at| far[at]).unwrap_or(0);
            terms.clear();
            terms.extend((0..places).map(|base| {
                let nearest = if torus {
                    (base..base + side).map(|at| far[at % extent]).min().unwrap_or(0)
                } else {
                    far[lowest.clamp(base, base + side - 1)]
                };
                let all = (below[base + side] - below[base]) as f64;
                self.weight * (across * all - spare * nearest as f64)
            }));
        }
    }

    /// Looks at a box: whether its cheapest k nodes are cheaper than the best so far.
    pub(super) fn consider(&mut self, machine: &Machine, place: u32, shape: BoxShape, base: Coord) {
        let mesh = machine.mesh();
        let mut nodes = 0;
        for d in 0..3 {
            let extent = mesh.extents()[d] as usize;
            let along = &mut self.within[d];
            self.counts.slices(d, base, shape.sides, &mut along.counts);
            // Within half a ring the straight way is the shortest.
            along.wraps = mesh.is_torus() && shape.sides[d] > extent / 2 + 1;
            if along.wraps {
                along.counts.resize(extent, 0);
            }
            nodes = along.counts.iter().sum();
        }
        let spare = nodes - self.k;
        let mut cost = self.cost(nodes, base);
        if spare > 0 {
            let most = self.price(base);
            let least = cost - f64::from(spare) * most;
            if !self.may_win(least - (cost.abs() + least.abs()) * ROUNDING) {
                return;
            }
            self.leave_dearest(machine, shape, base, spare);
            cost = self.cost(self.k, base);
        }
        let best = Best { cost, shape: place, sides: shape.sides, base };
        let key = |best: &Best| (best.shape, best.base[2], best.base[1], best.base[0]);
        let wins = self
            .best
            .as_ref()
            .is_none_or(|old| cost.total_cmp(&old.cost).then_with(|| key(&best).cmp(&key(old))).is_lt());
        if wins {
            self.best = Some(best);
            self.left.clear();
            let left = if spare > 0 { &self.cells[self.k as usize..] } else { &[] };
            self.left.extend(left.iter().map(|&(_, node, _)| node));
        }
    }

    /// What the `nodes` nodes counted in the box at `base` cost.
    fn cost(&self, nodes: u32, base: Coord) -> f64 {
        let (mut pairs, mut apart) = (0, 0);
        for (d, along) in self.within.iter().enumerate() {
            pairs += pairwise_along(&along.counts, nodes, along.wraps);
            let far = self.far[d].iter().cycle().skip(base[d] as usize);
            apart += along.counts.iter().zip(far).map(|(&count, far)| u64::from(count) * far).sum::<u64>();
        }
        pairs as f64 - self.weight * apart as f64
    }

    /// Sets what a node at each position of the box costs along each dimension; at most what one costs.
    fn price(&mut self, base: Coord) -> f64 {
        let mut most = 0.0;
        for (d, along) in self.within.iter_mut().enumerate() {
            along.distances.resize(along.counts.len(), 0);
            distances_along(&along.counts, along.wraps, &mut along.distances);
            let far = self.far[d].iter().cycle().skip(base[d] as usize);
            along.costs.clear();
            let cost = |(&near, &far): (&u64, &u64)| near as f64 - self.weight * far as f64;
            along.costs.extend(along.distances.iter().zip(far).map(cost));
            most += along.costs.iter().copied().fold(f64::MIN, f64::max);
        }
        most
    }

    /// Sorts the free nodes of the box so that the `spare` dearest come last, and counts them no more.
    fn leave_dearest(&mut self, machine: &Machine, shape: BoxShape, base: Coord, spare: u32) {
        let mesh = machine.mesh();
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        for_each_free(machine, base, shape.sides, |node, at| {
            let [x, y, z] = [0, 1, 2].map(|d| self.within[d].costs[at[d] as usize]);
            cells.push((x + y + z, node, at));
        });
        debug_assert_eq!(cells.len() as u32, self.k + spare, "{mesh}");
        let first = self.k as usize;
        cells.select_nth_unstable_by(first, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for &(_, _, at) in &cells[first..] {
            for (along, at) in self.within.iter_mut().zip(at) {
                along.counts[at as usize] -= 1;
            }
        }
        self.cells = cells;
    }

    /// The nodes of the cheapest set, ascending.
    pub(super) fn take(&mut self, machine: &Machine) -> Option<Vec<NodeId>> {
        let best = self.best?;
        let mut nodes = Vec::with_capacity(self.k as usize + self.left.len());
        for_each_free(machine, best.base, best.sides, |node, _| nodes.push(node));
        nodes.sort_unstable();
        if !self.left.is_empty() {
            self.left.sort_unstable();
            nodes.retain(|node| self.left.binary_search(node).is_err());
        }
        Some(nodes)
    }
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
