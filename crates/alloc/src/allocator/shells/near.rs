//! The greedy choice of MC1x1 among the nodes near a centre of a machine of two dimensions, as fast as a
//! small machine.
//!
//! The nodes taken lie within the shell of the k-th nearest free node or a little beyond it. So the sums of
//! distances are kept for the nodes of a cube around the centre only, each as a 16-bit number: its sum less
//! the smallest one at the start. Taking a node adds one number to each of them, which is a pass of vector
//! instructions, and the next node is that of the smallest number. Numbers that grow too large stop at the
//! limit of the type (saturating arithmetic), and stand for nodes that are not to be taken.
//!
//! A choice holds for the whole machine if its sum is below that of every node outside the cube. Along each
//! dimension sums are smallest somewhere in the cube and grow beyond its ends: on a line because they are
//! convex; on a ring because they are concave on the arc outside, so that they are smallest at its two ends,
//! if the cube with these ends is no longer than half the ring. So the sums at the positions just outside
//! bound those of all nodes outside. Where a choice does not hold, the search of `greedy` goes on.

use std::ops::Range;

use super::greedy::{Greedy, window};
use meshreplay_machine::machine::{Coord, Mesh, bits_of_word};

/// The number of 16-bit numbers of which a pass handles a group at once.
const LANES: usize = 8;
/// The number of positions of the cube along a dimension is at most this, as a row is one word of bits.
const MOST: usize = 63;
/// Numbers from here on are not exact.
const EXACT: i64 = 16_000;
/// The number of a node that is not to be taken.
const GONE: i16 = i16::MAX;

/// The nodes of a cube around a centre. Memory is kept between fills.
#[derive(Debug, Default)]
pub(super) struct Near {
    centre: Coord,
    /// The positions on either side of the centre along each dimension; 0 where the machine has one.
    reach: [usize; 3],
    /// The number of nodes taken at each position of each dimension, when a fill begins. Scratch memory.
    counts: [Vec<i64>; 3],
    /// The sums along each dimension, from one position before the cube to one behind it.
    sums: [Vec<i64>; 3],
    /// The numbers of the nodes, row by row. Each row is padded to whole groups.
    numbers: Vec<i16>,
    /// The length of a row of numbers.
    stride: usize,
    /// The sum for which the number 0 stands.
    base: i64,
    /// What a step along x adds to the numbers of a row. Scratch memory.
    steps: Vec<i16>,
    /// The parts of the rows of numbers that have all nodes to be taken.
    parts: Vec<Part>,
}

/// A part of a row of numbers, in whole groups.
#[derive(Clone, Debug)]
struct Part {
    /// The indices of the numbers.
    at: Range<usize>,
    /// The places in the cube that the first of the numbers has.
    place: [usize; 3],
}

impl Near {
    /// Starts a fill around `centre`: takes all free nodes nearer to it than `shell`, and then `picks`.
    /// Returns the number of nodes taken; `None` if the cube would be too large for the machine or for this
    /// search.
    pub(super) fn start(
        &mut self,
        greedy: &Greedy,
        mesh: &Mesh,
        centre: Coord,
        shell: usize,
        picks: &[Coord],
    ) -> Option<u32> {
        let extents = mesh.extents().map(|extent| extent as usize);
        // In three dimensions `cube` is faster.
        if extents.iter().all(|&extent| extent > 1) {
            return None;
        }
        let reach = shell + 3;
        let suits = |d: usize| !mesh.wraps(d) || 4 * (reach + 1) <= extents[d] || extents[d] == 1;
        if 2 * reach + 1 > MOST || !(0..3).all(suits) {
            return None;
        }
        self.centre = centre;
        self.reach = extents.map(|extent| if extent > 1 { reach } else { 0 });
        let sides = self.reach.map(|reach| 2 * reach + 1);
        self.stride = sides[0].next_multiple_of(LANES);
        self.list_parts(sides, shell);
        for (counts, side) in self.counts.iter_mut().zip(sides) {
            counts.clear();
            counts.resize(side, 0);
        }
        let mut taken = 0;
        self.numbers.clear();
        self.numbers.resize(self.stride * sides[1] * sides[2], GONE);
        let inner = |d: usize, i: usize| i.abs_diff(self.reach[d]) < shell;
        // The bits of the nodes that are nearer than the shell along x.
        let near = (0..sides[0]).filter(|&i| inner(0, i)).fold(0, |bits, i| bits | 1_u64 << i);
        for (k, j) in (0..sides[2]).flat_map(|k| (0..sides[1]).map(move |j| (k, j))) {
            let free = self.free_in_row(greedy, mesh, j, k);
            let whole = if inner(1, j) && inner(2, k) { free & near } else { 0 };
            taken += whole.count_ones();
            self.counts[1][j] += i64::from(whole.count_ones());
            self.counts[2][k] += i64::from(whole.count_ones());
            bits_of_word(whole).for_each(|i| self.counts[0][i as usize] += 1);
            let row = &mut self.numbers[(k * sides[1] + j) * self.stride..];
            bits_of_word(free & !whole).for_each(|i| row[i as usize] = 0);
        }
        for &pick in picks {
            let [i, j, k] = self.place(mesh, pick)?;
            self.numbers[(k * sides[1] + j) * self.stride + i] = GONE;
            for (counts, at) in self.counts.iter_mut().zip([i, j, k]) {
                counts[at] += 1;
            }
        }
        for (sums, counts) in self.sums.iter_mut().zip(&self.counts) {
            // One sweep: with each step one farther from the nodes passed, and one nearer to all others.
            let all: i64 = counts.iter().sum();
            let mut sum: i64 = counts.iter().zip(1..).map(|(count, at)| count * at).sum();
            let mut passed = 0;
            sums.clear();
            sums.push(sum);
            for count in counts.iter().copied().chain([0]) {
                sum += 2 * passed - all;
                passed += count;
                sums.push(sum);
            }
        }
        self.number();
        Some(taken + picks.len() as u32)
    }

    /// Turns the sums into numbers of the free nodes.
    fn number(&mut self) {
        let [xs, ys, zs] = self.sums.each_ref().map(|sums| &sums[1..sums.len() - 1]);
        let least = |sums: &[i64]| sums.iter().copied().min().unwrap_or(0);
        let base = least(xs) + least(ys) + least(zs);
        self.base = base;
        let rows = self.numbers.chunks_exact_mut(self.stride);
        let across = zs.iter().flat_map(|z| ys.iter().map(move |y| y + z - base));
        for (row, across) in rows.zip(across) {
            for (number, x) in row.iter_mut().zip(xs) {
                if *number == 0 {
                    *number = (x + across).min(EXACT) as i16;
                }
            }
        }
    }

    /// Returns the free nodes of a row of the cube, one bit each.
    fn free_in_row(&self, greedy: &Greedy, mesh: &Mesh, j: usize, k: usize) -> u64 {
        let at = |d: usize, i: usize| position(mesh, d, self.centre[d], i, self.reach[d]);
        let (Some(y), Some(z)) = (at(1, j), at(2, k)) else { return 0 };
        let (width, row) = (mesh.extents()[0] as usize, greedy.row(y as usize, z as usize));
        let first = i64::from(self.centre[0]) - self.reach[0] as i64;
        window(row, width, first, 2 * self.reach[0] + 1, mesh.wraps(0))
    }

    /// Returns where a node of the machine lies in the cube; `None` if it lies outside.
    fn place(&self, mesh: &Mesh, node: Coord) -> Option<[usize; 3]> {
        let mut place = [0; 3];
        for d in 0..3 {
            let (extent, reach) = (mesh.extents()[d], self.reach[d] as u32);
            let first = self.centre[d] + if mesh.wraps(d) { extent } else { 0 };
            let ahead = if mesh.wraps(d) {
                (node[d] + 2 * extent + reach - first) % extent
            } else {
                (node[d] + reach).checked_sub(first)?
            };
            place[d] = Some(ahead as usize).filter(|&ahead| ahead <= 2 * self.reach[d])?;
        }
        Some(place)
    }

    /// Returns the free node to take next; `None` if the nodes of the cube do not tell.
    pub(super) fn next(&self, mesh: &Mesh) -> Option<Coord> {
        let mut least = [GONE; LANES];
        for part in &self.parts {
            let (groups, _) = self.numbers[part.at.clone()].as_chunks::<LANES>();
            for group in groups {
                for (least, number) in least.iter_mut().zip(group) {
                    *least = (*least).min(*number);
                }
            }
        }
        let least = least.into_iter().min().filter(|&least| i64::from(least) < EXACT)?;
        if self.base + i64::from(least) >= self.outside(mesh) {
            return None;
        }
        let mut best: Option<(u32, Coord)> = None;
        for Part { at, place: [first, y, z] } in &self.parts {
            let (groups, _) = self.numbers[at.clone()].as_chunks::<LANES>();
            for (group, from) in groups.iter().zip((*first..).step_by(LANES)) {
                if group.iter().fold(0, |found, number| found | u8::from(*number == least)) == 0 {
                    continue;
                }
                for (i, _) in group.iter().enumerate().filter(|(_, number)| **number == least) {
                    let place = [from + i, *y, *z];
                    let at = |d: usize| position(mesh, d, self.centre[d], place[d], self.reach[d]);
                    let node = [at(0)?, at(1)?, at(2)?];
                    let far = (0..3).map(|d| place[d].abs_diff(self.reach[d]) as u32).sum();
                    if best.is_none_or(|best| (far, node) < best) {
                        best = Some((far, node));
                    }
                }
            }
        }
        best.map(|(_, node)| node)
    }

    /// Returns a lower bound of the sums of all nodes outside the cube.
    fn outside(&self, mesh: &Mesh) -> i64 {
        let least = [0, 1, 2].map(|d| self.sums[d].iter().copied().min().unwrap_or(0));
        let all: i64 = least.iter().sum();
        let beyond = |d: usize| {
            let ends = self.sums[d].first().into_iter().chain(self.sums[d].last());
            ends.map(|sum| all - least[d] + sum).min().unwrap_or(i64::MAX)
        };
        (0..3).filter(|&d| mesh.extents()[d] > 1).map(beyond).min().unwrap_or(i64::MAX)
    }

    /// Takes a node of the cube.
    pub(super) fn take(&mut self, mesh: &Mesh, node: Coord) {
        let Some([i, j, k]) = self.place(mesh, node) else { return };
        for (sums, at) in self.sums.iter_mut().zip([i, j, k]) {
            for (sum, position) in sums.iter_mut().zip(0..) {
                *sum += (at + 1).abs_diff(position) as i64;
            }
        }
        self.steps.clear();
        self.steps.extend((0..self.stride).map(|x| x.abs_diff(i) as i16));
        self.numbers[(k * (2 * self.reach[1] + 1) + j) * self.stride + i] = GONE;
        for Part { at, place: [x, y, z] } in &self.parts {
            let across = (y.abs_diff(j) + z.abs_diff(k)) as i16;
            // A plain loop over two slices, which the compiler vectorises; it does not do so with groups as
            // arrays.
            for (number, step) in self.numbers[at.clone()].iter_mut().zip(&self.steps[*x..]) {
                *number = number.saturating_add(step + across);
            }
        }
    }

    /// Sets `parts` for a cube with these sides. Nodes nearer than the shell are never to be taken, so that
    /// in the rows that come near the centre the groups between are left out.
    fn list_parts(&mut self, sides: [usize; 3], shell: usize) {
        self.parts.clear();
        let [near, ..] = self.reach;
        // The positions nearer than the shell are those from reach − shell + 1 to reach + shell − 1.
        let low = (near + 1).saturating_sub(shell).next_multiple_of(LANES);
        let high = ((near + shell) / LANES * LANES).min(self.stride);
        let is_inner = |d: usize, at: usize| at.abs_diff(self.reach[d]) < shell;
        for (z, y) in (0..sides[2]).flat_map(|z| (0..sides[1]).map(move |y| (z, y))) {
            let first = (z * sides[1] + y) * self.stride;
            let mut add = |x: usize, end: usize| {
                if x < end {
                    self.parts.push(Part { at: first + x..first + end, place: [x, y, z] });
                }
            };
            if low < high && is_inner(1, y) && is_inner(2, z) {
                add(0, low);
                add(high, self.stride);
            } else {
                add(0, self.stride);
            }
        }
    }
}

/// Returns the position on the machine of the `i`-th of the positions within `reach` of a centre along a
/// dimension; `None` if the machine ends before.
fn position(mesh: &Mesh, d: usize, centre: u32, i: usize, reach: usize) -> Option<u32> {
    let extent = i64::from(mesh.extents()[d]);
    let at = i64::from(centre) + i as i64 - reach as i64;
    let at = if mesh.wraps(d) { at.rem_euclid(extent) } else { at };
    (0..extent).contains(&at).then_some(at as u32)
}
