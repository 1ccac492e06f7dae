//! The search on a machine of any size and shape.
//!
//! The sum over pairs follows from how many of the nodes lie at each position of each dimension. For all nodes of a
//! ball these counts are differences of prefix sums, so a centre costs O(rows of the ball + W + L + D), not O(F).
//! Only which nodes of the last, partly used distance are taken depends on the order of ties; a lower bound of their
//! contribution spares that work for all but the few centres that can still win.

use super::centres::Centres;
use super::ties::{Ties, floor};
use crate::allocator::nearest::carried;
use crate::machine::{Coord, Machine, NodeId, distances_along, pairwise_along, ranges};

/// The search and the memory that it keeps between calls.
#[derive(Debug, Default)]
pub(crate) struct Wide {
    kind: Centres,
    ties: Ties,
    extents: [usize; 3],
    torus: bool,
    /// `rows[(z·L + y)·(W + 1) + x]`: free nodes of row (y, z) at positions below x.
    rows: Vec<u32>,
    /// `columns[(z·W + x)·(L + 1) + y]`: free nodes of column (x, z) at positions below y.
    columns: Vec<u32>,
    /// Nodes per position of each dimension, of the ball at hand.
    counts: [Vec<u32>; 3],
    /// Sum of the distances along each dimension from each position to those nodes.
    sums: [Vec<u64>; 3],
    tied: Vec<Coord>,
    costs: Vec<u64>,
}

/// A task of the search: to find k nodes around the centres listed, of which the first of equals wins.
#[derive(Clone, Copy, Debug)]
struct Search<'a> {
    machine: &'a Machine,
    k: u32,
    centres: &'a [Coord],
}

impl Wide {
    /// Returns a search for machines of any shape.
    pub(super) fn new(kind: Centres, ties: Ties) -> Self {
        Self { kind, ties, ..Self::default() }
    }

    /// See `Nearest::choose`.
    pub(super) fn choose(&mut self, k: u32, machine: &Machine) -> Option<Vec<NodeId>> {
        let centres = self.kind.list(machine);
        let search = Search { machine, k, centres: &centres };
        self.prepare(machine);
        let floor = floor(k, self.torus);
        let mut best: Option<(u64, usize, usize)> = None;
        let mut radius = 0;
        for (i, &centre) in centres.iter().enumerate() {
            if machine.is_stopped() {
                return None;
            }
            let inner;
            (radius, inner) = self.reach(search, centre, radius)?;
            let limit = best.map_or(u64::MAX, |best| best.0);
            if let Some(sum) = self.evaluate(search, i, inner, limit) {
                best = Some((sum, i, radius));
                if sum == floor {
                    break;
                }
            }
        }
        let (_, i, radius) = best?;
        let (mut coords, tied) = split(machine, centres[i], radius);
        self.tied = tied;
        self.keep_tied(search, i, k as usize - coords.len());
        coords.append(&mut self.tied);
        Some(coords.into_iter().map(|node| machine.mesh().node(node)).collect())
    }

    /// Counts the free nodes of `machine` along rows and columns.
    fn prepare(&mut self, machine: &Machine) {
        let mesh = machine.mesh();
        self.extents = mesh.extents().map(|extent| extent as usize);
        self.torus = mesh.is_torus();
        let [width, length, depth] = self.extents;
        self.rows.resize((width + 1) * length * depth, 0);
        self.columns.resize((length + 1) * width * depth, 0);
        for d in 0..3 {
            self.counts[d].resize(self.extents[d], 0);
            self.sums[d].resize(self.extents[d], 0);
        }
        for (z, y) in (0..depth).flat_map(|z| (0..length).map(move |y| (z, y))) {
            let row = z * length + y;
            let mut before = 0;
            for x in 0..width {
                let free = u32::from(machine.free().contains((row * width + x) as NodeId));
                before += free;
                self.rows[row * (width + 1) + x + 1] = before;
                let column = (z * width + x) * (length + 1);
                self.columns[column + y + 1] = self.columns[column + y] + free;
            }
        }
    }

    /// Returns the free nodes among the positions within `radius` of `centre` on a line of prefix sums.
    fn on_line(&self, line: &[u32], centre: usize, radius: usize) -> u32 {
        let extent = line.len() - 1;
        if !self.torus {
            return line[(centre + radius + 1).min(extent)] - line[centre.saturating_sub(radius)];
        }
        let pieces = ranges(centre, radius, extent, true);
        pieces.into_iter().flatten().map(|piece| line[piece.end] - line[piece.start]).sum()
    }

    /// Returns the positions of dimension `d` within `radius` of `centre`, each with what is left of the radius.
    fn positions(
        &self,
        d: usize,
        centre: usize,
        radius: usize,
    ) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (extent, torus) = (self.extents[d], self.torus);
        let (start, count) = if !torus {
            let start = centre.saturating_sub(radius);
            (start, (centre + radius + 1).min(extent) - start)
        } else if 2 * radius + 1 >= extent {
            (0, extent)
        } else {
            ((centre + extent - radius) % extent, 2 * radius + 1)
        };
        (start..start + count).map(move |at| {
            let at = if at >= extent { at - extent } else { at };
            let straight = at.abs_diff(centre);
            (at, radius - if torus { straight.min(extent - straight) } else { straight })
        })
    }

    /// Returns the L1 distance from `centre` to its k-th nearest free node, searched from `near`, and the number of
    /// nearer ones, which are counted; those exactly so far are in `tied`.
    fn reach(&mut self, search: Search<'_>, centre: Coord, near: usize) -> Option<(usize, u32)> {
        let longest: usize = self.extents.iter().sum();
        let mut radius = near;
        let mut grows = false;
        while radius < longest {
            let inner = self.count(centre, radius.checked_sub(1));
            if inner >= search.k && !grows {
                radius -= 1;
                continue;
            }
            self.tied_at(search.machine, centre, radius);
            if inner + self.tied.len() as u32 >= search.k {
                return Some((radius, inner));
            }
            grows = true;
            radius += 1;
        }
        None
    }

    /// Sets `counts` to the free nodes within `radius` of `centre`; their number.
    fn count(&mut self, centre: Coord, radius: Option<usize>) -> u32 {
        for counts in &mut self.counts {
            counts.fill(0);
        }
        let Some(radius) = radius else { return 0 };
        let [width, length, _] = self.extents;
        let [x, y, z] = centre.map(|c| c as usize);
        let mut all = 0;
        for (z, left) in self.positions(2, z, radius) {
            let mut layer = 0;
            for (y, left) in self.positions(1, y, left) {
                let row = (z * length + y) * (width + 1);
                let free = self.on_line(&self.rows[row..=row + width], x, left);
                self.counts[1][y] += free;
                layer += free;
            }
            for (x, left) in self.positions(0, x, left) {
                let column = (z * width + x) * (length + 1);
                let free = self.on_line(&self.columns[column..=column + length], y, left);
                self.counts[0][x] += free;
            }
            self.counts[2][z] += layer;
            all += layer;
        }
        all
    }

    /// Returns the sum over the pairs of the `k` nodes counted.
    fn pairwise(&self, k: u32) -> u64 {
        self.counts.iter().map(|counts| pairwise_along(counts, k, self.torus)).sum()
    }

    /// Returns the pairwise sum of the `i`-th centre, of whose nodes `inner` are counted and the others among `tied`,
    /// if it is below `limit`.
    fn evaluate(&mut self, search: Search<'_>, i: usize, inner: u32, limit: u64) -> Option<u64> {
        let mut sum = self.pairwise(inner);
        if sum >= limit {
            return None;
        }
        let need = (search.k - inner) as usize;
        for (d, sums) in self.sums.iter_mut().enumerate() {
            distances_along(&self.counts[d], self.torus, sums);
        }
        let cost = |node: Coord| -> u64 { (0..3).map(|d| self.sums[d][node[d] as usize]).sum() };
        if self.tied.len() > need {
            self.costs.clear();
            self.costs.extend(self.tied.iter().map(|&node| cost(node)));
            self.costs.select_nth_unstable(need - 1);
            let least: u64 = self.costs[..need].iter().sum();
            // Off a torus two nodes equally far from a third are an even number of hops apart.
            let apart = if self.torus { 1 } else { 2 };
            if sum + least + apart * (need * (need - 1) / 2) as u64 >= limit {
                return None;
            }
            self.keep_tied(search, i, need);
        }
        let cost = |node: &Coord| -> u64 { (0..3).map(|d| self.sums[d][node[d] as usize]).sum() };
        sum += self.tied.iter().map(cost).sum::<u64>();
        for counts in &mut self.counts {
            counts.fill(0);
        }
        for node in &self.tied {
            for (counts, &at) in self.counts.iter_mut().zip(node) {
                counts[at as usize] += 1;
            }
        }
        sum += self.pairwise(need as u32);
        (sum < limit).then_some(sum)
    }

    /// Sets `tied` to the free nodes exactly `radius` away from `centre`, in location order.
    fn tied_at(&mut self, machine: &Machine, centre: Coord, radius: usize) {
        let mut tied = std::mem::take(&mut self.tied);
        tied.clear();
        let mesh = machine.mesh();
        let [x, y, z] = centre.map(|c| c as usize);
        let mut add = |coord: [usize; 3]| {
            let coord = coord.map(|c| c as u32);
            if machine.free().contains(mesh.node(coord)) {
                tied.push(coord);
            }
        };
        for (x, left) in self.positions(0, x, radius) {
            if self.extents[2] == 1 {
                self.at_hops(1, y, left).for_each(|y| add([x, y, z]));
                continue;
            }
            for (y, left) in self.positions(1, y, left) {
                self.at_hops(2, z, left).for_each(|z| add([x, y, z]));
            }
        }
        if self.torus {
            tied.sort_unstable();
        }
        self.tied = tied;
    }

    /// Returns the positions of dimension `d` exactly `hops` from `centre`, ascending off a torus.
    fn at_hops(&self, d: usize, centre: usize, hops: usize) -> impl Iterator<Item = usize> + use<> {
        let extent = self.extents[d];
        let (low, high) = if self.torus {
            let fits = hops <= extent / 2;
            let low = fits.then(|| (centre + extent - hops) % extent);
            (low, fits.then(|| (centre + hops) % extent).filter(|&high| Some(high) != low))
        } else {
            let high = Some(centre + hops).filter(|&high| hops > 0 && high < extent);
            (centre.checked_sub(hops), high)
        };
        low.into_iter().chain(high)
    }

    /// Keeps `need` of the nodes in `tied`.
    fn keep_tied(&mut self, search: Search<'_>, i: usize, need: usize) {
        let Search { machine, centres, .. } = search;
        match self.ties {
            Ties::Location => self.tied.truncate(need),
            Ties::Carried => {
                let previous = centres[..i].iter().rev().copied();
                carried::keep_first(&mut self.tied, need, previous, |a, b| machine.mesh().l1(a, b));
            }
        }
    }
}

/// Returns the free nodes nearer than `radius`, and those exactly `radius` away; each in location order.
fn split(machine: &Machine, centre: Coord, radius: usize) -> (Vec<Coord>, Vec<Coord>) {
    let mesh = machine.mesh();
    let mut near: Vec<Coord> = machine.free().iter().map(|node| mesh.coord(node)).collect();
    near.retain(|&node| (mesh.l1(centre, node) as usize) <= radius);
    near.sort_unstable();
    near.into_iter().partition(|&node| (mesh.l1(centre, node) as usize) < radius)
}
