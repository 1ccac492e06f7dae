//! Prefix sums of the free nodes of parallel lines, stored along diagonals.
//!
//! A ball in L1 meets each plane in a diamond. From one line of the plane to the next, the ends of the
//! diamond move by one position. So the prefix sums at its ends are on diagonals. Tables that store diagonals
//! contiguously give the free nodes of all lines of a half diamond as the difference of two slices:
//!
//! ```text
//! prefix[y][p]      free nodes of line y at positions below p
//! falling[s][y]  =  prefix[y][s − y]
//! rising[t][y]   =  prefix[y][t + y]
//!
//! line y + j of a diamond of radius q around (x, y) has the positions from x − (q − j) to x + (q − j):
//!    prefix[y + j][x + q − j + 1] − prefix[y + j][x − q + j]
//! =  falling[x + y + q + 1][y + j] − rising[x − y − q][y + j]
//! ```
//!
//! Below the centre, the two tables change places. Indices beyond a line are clamped. A ring is unrolled by
//! half its length on either side; lines entirely inside the diamond are read from their totals. Lines come
//! in tiles of up to 64, each with tables of its own, so that the tables of a machine of any shape have
//! O(nodes) entries.
#![expect(clippy::inline_always, reason = "the callers visit a few short runs each")]

use std::iter::{repeat, repeat_n};
use std::ops::Range;

use super::numbers::{Axis, Count, LANES, LineRun, OffsetRange};
use meshreplay_machine::machine::{Coord, Machine, NodeId};

/// The prefix sums of the lines along x or y of all planes of a machine.
#[derive(Debug)]
pub(super) struct SkewedSums<T> {
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
pub(super) struct Diamond {
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
