//! The free nodes of a ball in L1: their number, their pairwise sum, and the sums of distances to them.
//!
//! Distances in L1 are sums over the dimensions, so that the numbers of nodes at each position of each
//! dimension are enough. Let c[i] be these numbers for a dimension, n their sum, and X[i] the sum of the hops
//! along the dimension from position i to all n nodes. On a line, X is convex: it changes by 2·(c[0] + … +
//! c[i]) − n from i to i + 1. The pairwise sum is ½ Σ c[i]·X[i], summed over the dimensions. All arrays are
//! indexed by offsets from the centre.
#![expect(clippy::inline_always, reason = "the callers visit a few short runs each")]

use std::iter::{repeat, repeat_n};
use std::ops::Range;

use super::numbers::{Axis, Cost, Count, LANES, LineRun, OffsetRange, total};
use meshreplay_machine::machine::{Coord, Machine, NodeId, NodeSet, set_bits};

/// The free nodes of one machine state, as tables of prefix sums for counting balls.
#[derive(Debug)]
pub(super) struct FreeNodes<T> {
    pub(super) axes: [Axis; 3],
    /// The nodes that the tables count.
    counted: NodeSet,
    /// The sums along x, and along y.
    rows: SkewedSums<T>,
    columns: SkewedSums<T>,
}

impl<T: Count> FreeNodes<T> {
    /// Returns the tables of a machine without free nodes.
    pub(super) fn new(axes: [Axis; 3]) -> Self {
        let nodes = axes.iter().map(|axis| axis.extent.cast_unsigned()).product();
        let (rows, columns) = (SkewedSums::new(axes, 0), SkewedSums::new(axes, 1));
        Self { axes, counted: NodeSet::empty(nodes), rows, columns }
    }

    /// Updates the tables to the free nodes of `machine`: only lines with changed nodes are counted again.
    pub(super) fn count(&mut self, machine: &Machine) {
        let words = self.counted.words().iter().zip(machine.free().words());
        let changed: Vec<u64> = words.map(|(counted, free)| counted ^ free).collect();
        if changed.iter().any(|&word| word != 0) {
            let changed = || set_bits(&changed).map(|node| machine.mesh().coord(node));
            self.rows.count(machine, changed());
            self.columns.count(machine, changed());
            self.counted.clone_from(machine.free());
        }
    }

    /// Returns the number of free nodes within `radius` of `centre`.
    pub(super) fn within(&self, centre: [i32; 3], radius: i32) -> u32 {
        let mut nodes = 0;
        for (_, rows, _) in self.diamonds(centre, radius) {
            let mut in_plane = [T::default(); LANES];
            self.rows.for_each_run(rows, |run| run.add_to_sums(&mut in_plane));
            nodes += total(in_plane).into();
        }
        nodes
    }

    /// Returns the diamonds of a ball: the offset of the plane from the centre, and the diamond by rows and
    /// by columns.
    fn diamonds(&self, centre: [i32; 3], radius: i32) -> impl Iterator<Item = (i32, Diamond, Diamond)> {
        let ([x, y, z], axis) = (centre, self.axes[2]);
        axis.within(z, radius).offsets().map(move |offset| {
            let (plane, radius) = (axis.position(z, offset), radius - offset.abs());
            let rows = Diamond { plane, position: x, line: y, radius };
            (offset, rows, Diamond { position: y, line: x, ..rows })
        })
    }
}

/// A ball of free nodes around one centre, and the costs of places: the sums of distances to these nodes.
#[derive(Debug)]
pub(super) struct Ball<C: Cost> {
    axes: [Axis; 3],
    /// For each dimension and offset the number of nodes there. The centre is at entry `extent`.
    counts: [Vec<C::Count>; 3],
    /// For each dimension and offset the sum of hops along the dimension to the nodes; `FAR` outside the
    /// machine.
    costs: [Vec<C>; 3],
    /// For each dimension the entry of the centre in `costs`. Along x there are as many offsets as a radius
    /// may have.
    middles: [i32; 3],
    /// Per dimension and distance the lower cost of the two places at this distance from the centre. The
    /// first dimension is in descending order of distance, from `radius` hops on.
    lower: [Vec<C>; 3],
}

impl<C: Cost> Ball<C> {
    /// Returns an empty ball on a machine of these dimensions.
    pub(super) fn new(axes: [Axis; 3]) -> Self {
        let [x, y, z] = axes.map(|axis| axis.longest() + 1);
        let middles = [x + y + z, y, z];
        let mut costs = middles.map(|middle| vec![C::FAR; 2 * middle as usize + 1]);
        for d in 0..3 {
            // There are no hops along a dimension of one position.
            if axes[d].extent == 1 {
                costs[d][middles[d] as usize] = C::from(0);
            }
        }
        Self {
            axes,
            counts: axes.map(|axis| vec![C::Count::default(); 2 * axis.extent as usize + 1 + LANES]),
            costs,
            middles,
            lower: Default::default(),
        }
    }

    /// Sets this to the free nodes nearer to `centre` than `radius`, or also to those at just this distance
    /// if it `is_full`, and computes the costs of the places within `radius`. They are negative if it is
    /// full, for nodes that are removed. Returns the pairwise sum of the nodes, clamped to a quarter of its
    /// type.
    pub(super) fn measure(
        &mut self,
        free: &FreeNodes<C::Count>,
        centre: [i32; 3],
        radius: i32,
        is_full: bool,
    ) -> i64 {
        let windows = [0, 1, 2].map(|d| window(self.axes[d], centre[d], radius));
        for (d, &window) in windows.iter().enumerate() {
            self.counts_in(d, window).fill(C::Count::default());
        }
        let [xs, ys, zs] = &mut self.counts;
        let [x, y, z] = self.axes.map(|axis| axis.extent);
        let mut nodes = 0;
        for (offset, rows, columns) in free.diamonds(centre, if is_full { radius } else { radius - 1 }) {
            let mut in_plane = [C::Count::default(); LANES];
            free.rows.for_each_run(rows, |run| {
                run.add_to(&mut ys[(y + run.first) as usize..], &mut in_plane);
            });
            let mut by_columns = [C::Count::default(); LANES];
            free.columns.for_each_run(columns, |run| {
                run.add_to(&mut xs[(x + run.first) as usize..], &mut by_columns);
            });
            let in_plane = total(in_plane);
            zs[(z + offset) as usize] = in_plane;
            nodes += in_plane.into();
        }
        let mut twice = 0_i64;
        for (d, &window) in windows.iter().enumerate() {
            if self.axes[d].extent == 1 {
                continue;
            }
            twice = twice.saturating_add(self.sum_distances(d, nodes, window, radius));
            if is_full {
                self.negate_costs(d, window);
            }
        }
        (twice / 2).min(i64::MAX / 4)
    }

    /// Returns the numbers of nodes at the offsets of a window.
    fn counts_in(&mut self, d: usize, window: OffsetRange) -> &mut [C::Count] {
        let start = self.axes[d].extent - window.below;
        &mut self.counts[d][start as usize..(start + window.len()) as usize]
    }

    /// Sets the costs along dimension `d` of the offsets within `radius`. Returns the sum of the costs of all
    /// nodes.
    fn sum_distances(&mut self, d: usize, nodes: u32, window: OffsetRange, radius: i32) -> i64 {
        let OffsetRange { below, above } = window;
        let (first, end) = (self.axes[d].extent - below, self.axes[d].extent + above + 1);
        let counts = &self.counts[d][first as usize..end as usize];
        let middle = self.middles[d];
        let most = radius.min(middle);
        let [start, first, end, last] = [-most.max(below), -below, above + 1, most.max(above) + 1]
            .map(|offset| (middle + offset) as usize);
        let costs = &mut self.costs[d];
        costs[start..first].fill(C::FAR);
        costs[end..last].fill(C::FAR);
        let costs = &mut costs[first..end];
        // No node is farther from another one than there are positions.
        let most = u64::from(nodes).saturating_mul(u64::from(nodes)).saturating_mul(counts.len() as u64);
        let nodes = C::from(nodes as i32);
        if is_straight(self.axes[d], window) {
            let sum = line_costs(counts, nodes, costs);
            if most < 1 << 62 { sum } else { dot(counts, costs) }
        } else {
            ring_costs(counts, nodes, costs);
            dot(counts, costs)
        }
    }

    /// Changes the signs of the costs along dimension `d`.
    fn negate_costs(&mut self, d: usize, window: OffsetRange) {
        let start = self.middles[d] - window.below;
        for cost in &mut self.costs[d][start as usize..(start + window.len()) as usize] {
            *cost = -*cost;
        }
    }

    /// Returns the cost of the place at an offset from the centre.
    pub(super) fn cost(&self, offset: [i32; 3]) -> C {
        let [x, y, z] = [0, 1, 2].map(|d| self.costs[d][(self.middles[d] + offset[d]) as usize]);
        x + y + z
    }

    /// Returns the lowest cost of the places at distance `radius` from the centre.
    pub(super) fn lowest_cost(&mut self, radius: i32) -> C {
        for d in 0..3 {
            let middle = self.middles[d] as usize;
            // All hops along x are needed, as those along y and z decide which.
            let most = if d == 0 { radius } else { radius.min(self.axes[d].longest()) } as usize;
            let (below, above) =
                (&self.costs[d][middle - most..=middle], &self.costs[d][middle..=middle + most]);
            self.lower[d].clear();
            self.lower[d].extend(above.iter().zip(below.iter().rev()).map(|(&a, &b)| a.min(b)));
        }
        self.lower[0].reverse();
        let [xs, ys, zs] = &self.lower;
        let mut lowest = C::FAR;
        for (hops, &z) in zs.iter().enumerate() {
            // With `hops` along z and j along y, radius − hops − j are left for x.
            let mut in_plane = C::FAR;
            for (&x, &y) in xs[hops..].iter().zip(ys) {
                in_plane = in_plane.min(x + y);
            }
            lowest = lowest.min(in_plane + z);
        }
        lowest
    }
}

/// Returns the offsets that the costs within `radius` depend on. If a shortest way between two of them can
/// lead across the end of a ring, these are all offsets.
fn window(axis: Axis, centre: i32, radius: i32) -> OffsetRange {
    let window = axis.within(centre, radius);
    if is_straight(axis, window) { window } else { axis.within(centre, axis.extent) }
}

/// Returns whether the distances among some offsets are those on a line: within half a ring, the straight way
/// is a shortest one.
fn is_straight(axis: Axis, window: OffsetRange) -> bool {
    !axis.wraps || 2 * (window.len() - 1) <= axis.extent
}

/// Sets `costs` to the sums of distances from each position of a line to all nodes. Returns the sum of the
/// costs of all nodes if it fits.
///
/// Each cut between two positions separates p nodes below it from n − p above it. It adds 1 to the distances
/// of p·(n − p) pairs, which is (n² − s²) / 4 for the slope s = 2·p − n of the costs.
fn line_costs<C: Cost>(counts: &[C::Count], nodes: C, costs: &mut [C]) -> i64 {
    let (mut cost, mut above) = (C::from(0), C::from(0));
    for &count in counts[1..].iter().rev() {
        above += C::from(count);
        cost += above;
    }
    let (mut slope, mut squares) = (-nodes, 0_i64);
    for (cell, &count) in costs.iter_mut().zip(counts) {
        *cell = cost;
        slope += C::from(count) + C::from(count);
        cost += slope;
        let slope: i64 = slope.into();
        squares = squares.wrapping_add(slope.wrapping_mul(slope));
    }
    let nodes: i64 = nodes.into();
    (counts.len() as i64).wrapping_mul(nodes.wrapping_mul(nodes)).wrapping_sub(squares) / 2
}

/// Sets `costs` to the sums of distances from each position of a ring to all nodes. One step up takes one hop
/// from the nodes at the next ⌊n/2⌋ positions, and adds one hop to the nodes behind; if n is odd, the
/// position between is as far as before.
fn ring_costs<C: Cost>(counts: &[C::Count], nodes: C, costs: &mut [C]) {
    let (n, half) = (counts.len(), counts.len() / 2);
    let at = |i: usize| C::from(counts[if i < n { i } else { i - n }]);
    let (mut cost, mut ahead) = (C::from(0), C::from(0));
    for i in 0..n {
        cost += at(i) * C::from(i.min(n - i) as i32);
    }
    for i in 1..=half {
        ahead += at(i);
    }
    for (i, cell) in costs.iter_mut().enumerate() {
        *cell = cost;
        let next = at(i + half + 1);
        let between = if n % 2 == 1 { next } else { C::from(0) };
        cost = cost + (nodes - ahead - between) - ahead;
        ahead = ahead + next - at(i + 1);
    }
}

/// Returns the sum of the costs of all nodes, clamped to 64 bits.
fn dot<C: Cost>(counts: &[C::Count], costs: &[C]) -> i64 {
    let each = counts.iter().zip(costs);
    let sum: i128 = each.map(|(&count, &cost)| i128::from(count.into()) * i128::from(cost.into())).sum();
    i64::try_from(sum).unwrap_or(i64::MAX)
}

// Prefix sums of the free nodes of parallel lines, stored along diagonals.
//
// A ball in L1 meets each plane in a diamond. From one line of the plane to the next, the ends of the
// diamond move by one position. So the prefix sums at its ends are on diagonals. Tables that store diagonals
// contiguously give the free nodes of all lines of a half diamond as the difference of two slices:
//
// ```text
// prefix[y][p]      free nodes of line y at positions below p
// falling[s][y]  =  prefix[y][s − y]
// rising[t][y]   =  prefix[y][t + y]
//
// line y + j of a diamond of radius q around (x, y) has the positions from x − (q − j) to x + (q − j):
//    prefix[y + j][x + q − j + 1] − prefix[y + j][x − q + j]
// =  falling[x + y + q + 1][y + j] − rising[x − y − q][y + j]
// ```
//
// Below the centre, the two tables change places. Indices beyond a line are clamped. A ring is unrolled by
// half its length on either side; lines entirely inside the diamond are read from their totals. Lines come
// in tiles of up to 64, each with tables of its own, so that the tables of a machine of any shape have
// O(nodes) entries.

/// The prefix sums of the lines along x or y of all planes of a machine.
#[derive(Debug)]
struct SkewedSums<T> {
    /// The dimension of the lines, and the one across them.
    along: Axis,
    across: Axis,
    dimension_across: usize,
    /// The distances in node numbers of neighbours on a line, of lines, and of planes.
    strides: [usize; 3],
    /// Number of positions by which a ring is unrolled on either side; 0 for a line that does not wrap.
    unrolled: i32,
    /// A tile has 2^`tile_bits` lines.
    tile_bits: u32,
    /// The number of tiles of a plane.
    tiles: usize,
    /// The number of diagonals of a tile.
    diagonals: usize,
    falling: Vec<T>,
    rising: Vec<T>,
    /// The number of free nodes of each line.
    totals: Vec<T>,
    /// Whether nodes of a line have changed since it was counted.
    is_stale: Vec<bool>,
    /// Zeros for the lines of a tile.
    zeros: Vec<T>,
    /// The prefix sums of one line. Scratch memory.
    prefix: Vec<T>,
}

/// The nodes of a plane within `radius` of a centre.
#[derive(Clone, Copy, Debug)]
struct Diamond {
    pub(super) plane: i32,
    /// The position of the centre on its line.
    pub(super) position: i32,
    /// The line of the centre.
    pub(super) line: i32,
    pub(super) radius: i32,
}

/// How the ends of a diamond move from one line to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Not at all: the diamond has all nodes of the lines.
    Whole,
    /// Towards each other.
    Narrowing,
    /// Apart from each other.
    Widening,
}

impl<T: Count> SkewedSums<T> {
    /// Returns the sums of the lines along dimension `d`, 0 or 1, of a machine without free nodes.
    pub(super) fn new(axes: [Axis; 3], d: usize) -> Self {
        let (along, across) = (axes[d], axes[1 - d]);
        let [width, length, depth] = axes.map(|axis| axis.extent as usize);
        let [extent, lines] = [along, across].map(|axis| axis.extent as usize);
        let unrolled = if along.wraps { extent / 2 } else { 0 };
        let tile = lines.min(extent.clamp(8, 64)).next_power_of_two();
        let tiles = lines.div_ceil(tile);
        let diagonals = extent + 2 * unrolled + tile;
        let size = depth * tiles * diagonals * tile + LANES;
        Self {
            along,
            across,
            dimension_across: 1 - d,
            strides: if d == 0 { [1, width, width * length] } else { [width, 1, width * length] },
            unrolled: unrolled as i32,
            tile_bits: tile.trailing_zeros(),
            tiles,
            diagonals,
            falling: vec![T::default(); size],
            rising: vec![T::default(); size],
            is_stale: vec![false; lines * depth],
            totals: vec![T::default(); lines * depth + LANES],
            zeros: vec![T::default(); tile + LANES],
            prefix: Vec::new(),
        }
    }

    /// Counts the free nodes of the lines of `machine` with changed nodes.
    pub(super) fn count(&mut self, machine: &Machine, changed: impl Iterator<Item = Coord>) {
        for node in changed {
            let line = node[2] * self.across.extent.cast_unsigned() + node[self.dimension_across];
            self.is_stale[line as usize] = true;
        }
        for line in 0..self.is_stale.len() {
            if std::mem::take(&mut self.is_stale[line]) {
                self.count_line(machine, line);
            }
        }
    }

    /// Counts the free nodes of a line.
    fn count_line(&mut self, machine: &Machine, line: usize) {
        let (plane, across) = (line / self.across.extent as usize, line % self.across.extent as usize);
        self.sum_line(machine, plane, across);
        self.totals[line] = self.prefix[self.along.extent as usize] - self.prefix[0];
        let tile_lines = 1 << self.tile_bits;
        let (tile, i) = (across / tile_lines, across % tile_lines);
        let first = (plane * self.tiles + tile) * self.diagonals * tile_lines + i;
        let (start, end) = (self.prefix[0], self.prefix[self.prefix.len() - 1]);
        for (table, before) in [(&mut self.falling, i), (&mut self.rising, tile_lines - 1 - i)] {
            let cells = table[first..].iter_mut().step_by(tile_lines).take(self.diagonals);
            let sums = repeat_n(start, before).chain(self.prefix.iter().copied()).chain(repeat(end));
            for (cell, sum) in cells.zip(sums) {
                *cell = sum;
            }
        }
    }

    /// Sets `prefix` to the sums of a line, with a ring unrolled.
    fn sum_line(&mut self, machine: &Machine, plane: usize, line: usize) {
        let [near, next, far] = self.strides;
        let (extent, unrolled) = (self.along.extent as usize, self.unrolled as usize);
        let mut at = (extent - unrolled) % extent;
        let mut sum = T::default();
        self.prefix.clear();
        self.prefix.push(sum);
        for _ in 0..extent + 2 * unrolled {
            sum += T::from(machine.free().contains((at * near + line * next + plane * far) as NodeId));
            self.prefix.push(sum);
            at = if at + 1 == extent { 0 } else { at + 1 };
        }
    }

    /// Calls `visit` for the runs of lines of a diamond.
    #[inline(always)]
    pub(super) fn for_each_run(&self, diamond: Diamond, mut visit: impl FnMut(LineRun<'_, T>)) {
        let OffsetRange { below, above } = self.across.within(diamond.line, diamond.radius);
        // Lines up to this offset are in the diamond as a whole.
        let whole = if self.along.wraps { (diamond.radius - self.along.extent / 2).max(-1) } else { -1 };
        self.for_each_run_of(Part::Narrowing, diamond, whole + 1..above + 1, &mut visit);
        self.for_each_run_of(Part::Widening, diamond, -below..-whole.max(0), &mut visit);
        if whole >= 0 {
            let lines = -whole.min(below)..whole.min(above) + 1;
            self.for_each_run_of(Part::Whole, diamond, lines, &mut visit);
        }
    }

    /// Calls `visit` for the runs of a part of a diamond. `lines` has their offsets from the centre.
    #[inline(always)]
    fn for_each_run_of(
        &self,
        part: Part,
        diamond: Diamond,
        lines: Range<i32>,
        visit: &mut impl FnMut(LineRun<'_, T>),
    ) {
        let extent = self.across.extent;
        let shifts: &[i32] = if self.across.wraps { &[0, -extent, extent] } else { &[0] };
        for shift in shifts {
            let centre = diamond.line + shift;
            let (mut from, end) = ((centre + lines.start).max(0), (centre + lines.end).min(extent));
            while from < end {
                let tile = from >> self.tile_bits;
                let to = end.min((tile + 1) << self.tile_bits);
                visit(self.run(part, Lines { tile, from, to, centre }, diamond));
                from = to;
            }
        }
    }

    #[inline(always)]
    fn run(&self, part: Part, lines: Lines, diamond: Diamond) -> LineRun<'_, T> {
        let Diamond { plane, position, radius, .. } = diamond;
        let Lines { tile, from, to, centre } = lines;
        let (offset, lines) = (from - centre, (to - from) as usize);
        let (plane, padded) = (plane as usize, lines.next_multiple_of(LANES));
        if part == Part::Whole {
            let line = plane * self.across.extent as usize + from as usize;
            let (ends, starts) = (&self.totals[line..line + padded], &self.zeros[..padded]);
            return LineRun { first: offset, lines, ends, starts };
        }
        let first = tile << self.tile_bits;
        let table = (plane * self.tiles + tile as usize) * self.diagonals;
        let slice = |diagonal: i32| {
            let diagonal = (diagonal + self.unrolled).clamp(0, self.diagonals as i32 - 1) as usize;
            let start = ((table + diagonal) << self.tile_bits) + (from - first) as usize;
            start..start + padded
        };
        let (low, high) = (position - radius, position + radius + 1);
        let (centre, rise) = (centre - first, (1 << self.tile_bits) - 1);
        let (ends, starts) = if part == Part::Narrowing {
            (&self.falling[slice(high + centre)], &self.rising[slice(low - centre + rise)])
        } else {
            (&self.rising[slice(high - centre + rise)], &self.falling[slice(low + centre)])
        };
        LineRun { first: offset, lines, ends, starts }
    }
}

/// Neighbouring lines of one tile. On a ring, the centre may be a round below or above its line.
#[derive(Clone, Copy, Debug)]
struct Lines {
    tile: i32,
    from: i32,
    to: i32,
    centre: i32,
}
