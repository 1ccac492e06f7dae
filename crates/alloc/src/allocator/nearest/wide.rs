//! The search on a machine of any size and shape, one centre after another.
//!
//! The pairwise sum of a set of nodes follows from the number of its nodes at each position of each dimension. For the
//! free nodes of a ball, differences of prefix sums give these numbers. So a centre costs O(rows and
//! columns of the ball), and not O(free nodes). Ties matter only among the nodes at the largest distance. A lower bound of their share
//! of the sum spares breaking the ties for all but the few centres that can still win.

use std::ops::Range;

use super::centres::Centres;
use super::deciding::Deciding;
use super::floor::Floor;
use super::order::Order;
use super::rim::{Arc, Reach, least_sums};
use super::ties::Ties;
use crate::allocator::nearest::carried;
use meshreplay_machine::machine::{Coord, Machine, NodeId, distances_along, pairwise_along};

/// Rims with more places than this have simpler lower bounds, as theirs take time with the square of the places.
const MOST_ON_RIM: usize = if cfg!(test) { 60 } else { 8192 };

/// The search on a machine of any size, with the memory that it keeps between calls.
#[derive(Debug, Default)]
pub(crate) struct Wide {
    kind: Centres,
    ties: Ties,
    extents: [usize; 3],
    wraps: [bool; 3],
    /// For each radius lower bounds of the pairwise sums of nodes at this distance from a centre; empty if they are not known.
    rims: Vec<Vec<u64>>,
    /// The lower bound of pairwise sums, once a machine is known.
    floor: Option<Floor>,
    /// The number of sums of a row and of a column: W + 1 and L + 1. If the dimension wraps, the sums go round twice, so
    /// that a range across the end is a plain one: 2·W + 1 and 2·L + 1.
    strides: [usize; 2],
    /// `rows[(z·L + y)·strides[0] + x]` is the number of free nodes of row (y, z) at positions below x.
    rows: Vec<u32>,
    /// `columns[(z·W + x)·strides[1] + y]` is the number of free nodes of column (x, z) at positions below y.
    columns: Vec<u32>,
    /// The number of free nodes of the ball at hand at each position of each dimension.
    counts: [Vec<u32>; 3],
    /// The positions of each dimension to which the nodes of the ball and its surface belong. `counts` is 0 elsewhere.
    windows: [Window; 3],
    /// The sum of hops along each dimension from each position of its window to the nodes in `counts`.
    sums: [Vec<u64>; 3],
    /// The free nodes at the largest distance that the centre at hand needs.
    tied: Vec<Coord>,
    /// For each node in `tied` the sum of its distances to the nodes in `counts`.
    costs: Vec<u64>,
    deciding: Deciding,
}

/// The positions of one dimension that the nodes of a ball have.
#[derive(Clone, Debug, Default)]
struct Window {
    at: Range<usize>,
    /// Whether the shortest way between two of them can lead across the end of the ring. They are all positions then.
    wraps: bool,
}

/// One call of the search: the machine state, the number of nodes to find, and the centres before the one at hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search<'a> {
    pub(super) machine: &'a Machine,
    pub(super) k: u32,
    /// The order of the centres; empty if they are `listed`.
    pub(super) order: &'a Order,
    /// All centres before the one at hand. `None` if they are found by `order`, and only those that can decide are.
    pub(super) listed: Option<&'a [Coord]>,
}

impl Wide {
    /// Returns a search for machines of any shape.
    pub(super) fn new(kind: Centres, ties: Ties) -> Self {
        Self { kind, ties, ..Self::default() }
    }

    /// Returns the `k` nodes of the best centre, as `Nearest::choose` does; `None` if there is no centre or the machine
    /// was told to stop.
    pub(super) fn choose(&mut self, k: u32, machine: &Machine) -> Option<Vec<NodeId>> {
        let (centres, order) = (self.kind.list(machine), Order::default());
        let before = |i: usize| Search { machine, k, order: &order, listed: Some(&centres[..i]) };
        self.prepare(machine);
        let floor = self.floor(before(0));
        let mut best: Option<(u64, usize, usize)> = None;
        let mut radius = 0;
        for (i, &centre) in centres.iter().enumerate() {
            if machine.is_stopped() {
                return None;
            }
            let limit = best.map_or(u64::MAX, |best| best.0);
            let sum;
            (radius, sum) = self.sum_below(before(i), centre, radius, limit)?;
            if let Some(sum) = sum {
                best = Some((sum, i, radius));
                // No set has a smaller sum, so no later centre can win.
                if sum == floor {
                    break;
                }
            }
        }
        let (_, i, radius) = best?;
        Some(self.take(before(i), centres[i], radius))
    }

    /// Returns the lower bound of the pairwise sum of any k nodes.
    pub(super) fn floor(&mut self, search: Search<'_>) -> u64 {
        self.floor.get_or_insert_with(|| Floor::new(search.machine.mesh())).of(search.k)
    }

    /// Returns lower bounds of the pairwise sums of any 0, 1, … up to k nodes, see [`Floor::quick`].
    pub(super) fn floors(&mut self, search: Search<'_>) -> Vec<u64> {
        self.floor.get_or_insert_with(|| Floor::new(search.machine.mesh())).quick(search.k)
    }

    /// Returns the radius that `centre` needs, and the pairwise sum of its nodes; the sum is `None` if it is not below
    /// `limit`. All is `None` if fewer than k nodes are free. `near` is the first radius to try. Before the call,
    /// `prepare` must have been called for the same machine state.
    pub(super) fn sum_below(
        &mut self,
        search: Search<'_>,
        centre: Coord,
        near: usize,
        limit: u64,
    ) -> Option<(usize, Option<u64>)> {
        let (radius, inner) = self.reach(search, centre, near)?;
        Some((radius, self.evaluate(search, (centre, radius), inner, limit)))
    }

    /// Returns the same sum as [`Self::sum_below`], given the radius that `centre` needs and its nearer free nodes: their number at an offset
    /// along a dimension, and all of them.
    pub(super) fn sum_of(
        &mut self,
        search: Search<'_>,
        (centre, radius): (Coord, usize),
        (at_offset, inner): (impl Fn(usize, isize) -> u32, u32),
        limit: u64,
    ) -> Option<u64> {
        self.count_as(
            centre,
            radius,
            |d, offset| {
                if offset.unsigned_abs() < radius { at_offset(d, offset) } else { 0 }
            },
        );
        self.tied_at(search.machine, centre, radius);
        self.evaluate(search, (centre, radius), inner, limit)
    }

    /// Returns the pairwise sum of the `k` nodes that `centre` takes, given the radius that it needs and how many of these nodes are at an offset
    /// along a dimension.
    pub(super) fn sum_with(
        &mut self,
        k: u32,
        (centre, radius): (Coord, usize),
        at_offset: impl Fn(usize, isize) -> u32,
    ) -> u64 {
        self.count_as(centre, radius, at_offset);
        self.pairwise(k)
    }

    /// Sets `counts` for some nodes within `radius` of `centre`, given how many of them are at an offset along a dimension.
    fn count_as(&mut self, centre: Coord, radius: usize, at_offset: impl Fn(usize, isize) -> u32) {
        self.clear();
        self.windows = [0, 1, 2].map(|d| self.window(d, centre[d] as usize, radius));
        for (d, &at) in centre.iter().enumerate() {
            let Arc { start, count, below, extent, .. } = self.arc(d, at as usize, radius);
            for i in 0..count {
                let at = start + i;
                self.counts[d][if at < extent { at } else { at - extent }] =
                    at_offset(d, i as isize - below as isize);
            }
        }
    }

    /// Returns the nodes that `centre` takes, which needs this radius.
    pub(super) fn take(&mut self, search: Search<'_>, centre: Coord, radius: usize) -> Vec<NodeId> {
        let (mut coords, tied) = split(search.machine, centre, radius);
        self.tied = tied;
        self.keep_tied(search, centre, search.k as usize - coords.len());
        self.tied.sort_unstable();
        coords.append(&mut self.tied);
        coords.into_iter().map(|node| search.machine.mesh().node(node)).collect()
    }

    /// Counts the free nodes of `machine` along rows and columns.
    pub(super) fn prepare(&mut self, machine: &Machine) {
        let mesh = machine.mesh();
        let extents = mesh.extents().map(|extent| extent as usize);
        if (self.extents, self.wraps) != (extents, mesh.wrap()) {
            self.rims.clear();
        }
        (self.extents, self.wraps) = (extents, mesh.wrap());
        let [width, length, depth] = self.extents;
        self.strides =
            [0, 1].map(|d| if self.wraps[d] { 2 * self.extents[d] + 1 } else { self.extents[d] + 1 });
        let [row_stride, column_stride] = self.strides;
        self.rows.resize(row_stride * length * depth, 0);
        self.columns.resize(column_stride * width * depth, 0);
        for d in 0..3 {
            self.counts[d].clear();
            self.counts[d].resize(self.extents[d], 0);
            self.sums[d].resize(self.extents[d], 0);
            self.windows[d] = Window::default();
        }
        for (z, y) in (0..depth).flat_map(|z| (0..length).map(move |y| (z, y))) {
            let row = z * length + y;
            let mut before = 0;
            for x in 0..width {
                let free = u32::from(machine.free().contains((row * width + x) as NodeId));
                before += free;
                self.rows[row * row_stride + x + 1] = before;
                let column = (z * width + x) * column_stride;
                self.columns[column + y + 1] = self.columns[column + y] + free;
            }
        }
        second_round(&mut self.rows, row_stride, width);
        second_round(&mut self.columns, column_stride, length);
    }

    /// Returns the positions of dimension `d` within `radius` of `centre`. On a ring none is there twice.
    fn arc(&self, d: usize, centre: usize, radius: usize) -> Arc {
        let extent = self.extents[d];
        let last = extent - 1;
        let (below, above) = if self.wraps[d] {
            (radius.min(last / 2), radius.min(last.div_ceil(2)))
        } else {
            (radius.min(centre), radius.min(last - centre))
        };
        let start = if below <= centre { centre - below } else { centre + extent - below };
        Arc { start, below, count: below + above + 1, extent, radius }
    }

    /// Returns the number of free nodes within `radius` of position `centre` of a line along dimension `d`, which has
    /// prefix sums of its free nodes.
    fn on_line(&self, d: usize, line: &[u32], centre: usize, radius: usize) -> u32 {
        let Arc { start, count, .. } = self.arc(d, centre, radius);
        line[start + count] - line[start]
    }

    /// Returns the L1 distance from `centre` to its k-th nearest free node, and the number of nearer free nodes; `None`
    /// if fewer than k nodes are free. Sets `counts` for the nearer nodes, and `tied` to the free nodes at just this
    /// distance. `near` is the first distance to try: it saves time if it is near the result.
    fn reach(&mut self, search: Search<'_>, centre: Coord, near: usize) -> Option<(usize, u32)> {
        let longest: usize = self.extents.iter().sum();
        let mut radius = near;
        let mut grows = false;
        while radius < longest {
            // The radius shrinks while fewer hops suffice, and grows while it does not suffice itself.
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

    /// Sets `counts` for the free nodes within `radius` of `centre`, and returns their number. Without a radius there
    /// are none, and it returns 0.
    fn count(&mut self, centre: Coord, radius: Option<usize>) -> u32 {
        self.clear();
        let surface = radius.map_or(0, |radius| radius + 1);
        self.windows = [0, 1, 2].map(|d| self.window(d, centre[d] as usize, surface));
        let Some(radius) = radius else { return 0 };
        let [width, length, _] = self.extents;
        let [x, y, z] = centre.map(|c| c as usize);
        let mut all = 0;
        for (z, left) in self.arc(2, z, radius).each() {
            let mut layer = 0;
            for (y, left) in self.arc(1, y, left).each() {
                let row = (z * length + y) * self.strides[0];
                let free = self.on_line(0, &self.rows[row..row + self.strides[0]], x, left);
                self.counts[1][y] += free;
                layer += free;
            }
            for (x, left) in self.arc(0, x, left).each() {
                let column = (z * width + x) * self.strides[1];
                let free = self.on_line(1, &self.columns[column..column + self.strides[1]], y, left);
                self.counts[0][x] += free;
            }
            self.counts[2][z] += layer;
            all += layer;
        }
        all
    }

    /// Returns the window of the positions within `radius` of `centre`. Within half a ring the straight way is a shortest
    /// one, so that a part of a ring is like a line.
    fn window(&self, d: usize, centre: usize, radius: usize) -> Window {
        let (Arc { start, count, .. }, extent) = (self.arc(d, centre, radius), self.extents[d]);
        let is_straight = start + count <= extent && 2 * (count - 1) <= extent;
        if self.wraps[d] && !is_straight {
            Window { at: 0..extent, wraps: true }
        } else {
            Window { at: start..start + count, wraps: false }
        }
    }

    /// Sets all of `counts` to 0.
    fn clear(&mut self) {
        for (counts, window) in self.counts.iter_mut().zip(&self.windows) {
            counts[window.at.clone()].fill(0);
        }
    }

    /// Returns the pairwise sum of the `k` nodes that are in `counts`.
    fn pairwise(&self, k: u32) -> u64 {
        let along = self.counts.iter().zip(&self.windows);
        along
            .map(|(counts, window)| pairwise_along(&counts[window.at.clone()], k, window.wraps))
            .fold(0, u64::saturating_add)
    }

    /// Returns the pairwise sum of the nodes that `centre` takes; `None` if it is not below `limit`. Before
    /// the call, `counts` must have the `inner` nearest nodes, and `tied` the nodes from which the others are chosen.
    fn evaluate(
        &mut self,
        search: Search<'_>,
        (centre, radius): (Coord, usize),
        inner: u32,
        limit: u64,
    ) -> Option<u64> {
        let mut sum = self.pairwise(inner);
        if sum >= limit {
            return None;
        }
        let need = (search.k - inner) as usize;
        for ((sums, counts), window) in self.sums.iter_mut().zip(&self.counts).zip(&self.windows) {
            let at = window.at.clone();
            distances_along(&counts[at.clone()], window.wraps, &mut sums[at]);
        }
        let cost = |node: Coord| -> u64 { (0..3).map(|d| self.sums[d][node[d] as usize]).sum() };
        if self.tied.len() > need {
            self.costs.clear();
            self.costs.extend(self.tied.iter().map(|&node| cost(node)));
            // Lower bound: the `need` tied nodes that are nearest to the inner nodes, found by quickselect, at the
            // least possible distances from each other.
            self.costs.select_nth_unstable(need - 1);
            let least: u64 = self.costs[..need].iter().sum();
            if sum.saturating_add(least).saturating_add(self.least_on_rim(radius, need)) >= limit {
                return None;
            }
            self.keep_tied(search, centre, need);
        }
        let cost = |node: &Coord| -> u64 { (0..3).map(|d| self.sums[d][node[d] as usize]).sum() };
        // The sum has three parts: pairs of inner nodes, pairs of an inner and a tied node, and pairs of tied nodes.
        sum = sum.saturating_add(self.tied.iter().map(cost).sum());
        self.clear();
        for node in &self.tied {
            for (counts, &at) in self.counts.iter_mut().zip(node) {
                counts[at as usize] += 1;
            }
        }
        sum = sum.saturating_add(self.pairwise(need as u32));
        (sum < limit).then_some(sum)
    }

    /// Returns a lower bound of the pairwise sum of so many nodes at distance `radius` from a centre; 0 if there are not so many.
    pub(super) fn least_on_rim(&mut self, radius: usize, nodes: usize) -> u64 {
        let places = if self.extents.contains(&1) { 4 * radius } else { 4 * radius * radius + 2 };
        if places > MOST_ON_RIM {
            // Without a ring of odd length, two nodes that are equally far from a third one are at least 2 hops apart.
            let is_odd = (0..3).any(|d| self.wraps[d] && self.extents[d] % 2 == 1);
            let pairs = (nodes * nodes.saturating_sub(1) / 2) as u64;
            return if is_odd { pairs } else { 2 * pairs };
        }
        if self.rims.len() <= radius {
            self.rims.resize_with(radius + 1, Vec::new);
        }
        let rim = &mut self.rims[radius];
        if rim.is_empty() {
            let reaches = [0, 1, 2].map(|d| {
                let extent = self.extents[d] as i32;
                if self.wraps[d] { Reach::Ring(extent) } else { Reach::Line(extent) }
            });
            *rim = least_sums(radius, reaches);
        }
        rim.get(nodes).copied().unwrap_or(0)
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
        for (x, left) in self.arc(0, x, radius).ascending() {
            if self.extents[2] == 1 {
                self.at_hops(1, y, left).for_each(|y| add([x, y, z]));
                continue;
            }
            for (y, left) in self.arc(1, y, left).ascending() {
                self.at_hops(2, z, left).for_each(|z| add([x, y, z]));
            }
        }
        self.tied = tied;
    }

    /// Returns the positions of dimension `d` exactly `hops` from `centre`, ascending: none, one or two.
    fn at_hops(&self, d: usize, centre: usize, hops: usize) -> impl Iterator<Item = usize> + use<> {
        let extent = self.extents[d];
        let (low, high) = if self.wraps[d] {
            let (below, above) = (centre + extent - hops.min(extent), centre + hops);
            let around = |at: usize| if at < extent { at } else { at - extent };
            let (a, b) = (around(below), around(above));
            let fits = hops <= extent / 2;
            (fits.then_some(a.min(b)), (fits && a != b).then_some(a.max(b)))
        } else {
            let high = Some(centre + hops).filter(|&high| hops > 0 && high < extent);
            (centre.checked_sub(hops), high)
        };
        low.into_iter().chain(high)
    }

    /// Keeps the `need` nodes of `tied` that `centre` takes.
    fn keep_tied(&mut self, search: Search<'_>, centre: Coord, need: usize) {
        let Search { machine, order, .. } = search;
        match self.ties {
            Ties::Location => self.tied.truncate(need),
            Ties::Carried => {
                let distance = |a, b| machine.mesh().l1(a, b);
                if let Some(before) = search.listed {
                    let before = carried::Listed(before.iter().rev().copied());
                    carried::keep_first(&mut self.tied, need, before, distance);
                } else if let Some(&node) = self.tied.first() {
                    let radius = machine.mesh().l1(centre, node);
                    let deciding = self.deciding.before(order, machine, centre, radius);
                    carried::keep_first(&mut self.tied, need, deciding, distance);
                }
            }
        }
    }
}

/// Continues lines of prefix sums for a second round. Each line has `stride` sums, of which the first are those of
/// `extent` positions; there is no second round if these are all.
fn second_round(sums: &mut [u32], stride: usize, extent: usize) {
    for line in sums.chunks_exact_mut(stride) {
        let (first, second) = line.split_at_mut(extent + 1);
        let all = first[extent];
        for (cell, &sum) in second.iter_mut().zip(&first[1..]) {
            *cell = all + sum;
        }
    }
}

/// Returns two lists in location order: the free nodes nearer to `centre` than `radius`, and the free nodes at just
/// that L1 distance.
fn split(machine: &Machine, centre: Coord, radius: usize) -> (Vec<Coord>, Vec<Coord>) {
    let mesh = machine.mesh();
    let mut near: Vec<Coord> = machine.free().iter().map(|node| mesh.coord(node)).collect();
    near.retain(|&node| (mesh.l1(centre, node) as usize) <= radius);
    near.sort_unstable();
    near.into_iter().partition(|&node| (mesh.l1(centre, node) as usize) < radius)
}
