//! Counts the free nodes around any centre or submesh of the machine by prefix sums.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "counts of free nodes are at most 2^24 and sums of four of them fit 32 bits with a sign; a \
         dimension is at most 2^24 long, also with its border of as much"
)]

use std::ops::Range;

use super::submesh::span;
use super::{Coord, Machine, Mesh, Submesh};

/// Prefix sums of the free nodes of a machine, padded along x. Due to the padding the counts around a whole
/// row of centres are differences of numbers in one array, without a branch and without a clamp per centre.
/// So the compiler vectorises the loops.
///
/// Memory is (W + 2·pad + 1)·L·D numbers. Building costs O(memory), and the counts of one row of centres cost
/// O(W + 2·pad).
#[derive(Clone, Debug, Default)]
pub struct FreeCounts {
    extents: [usize; 3],
    wraps: [bool; 3],
    /// The greatest x-radius that can be counted without a rebuild, which is also the width of the padding.
    pad: usize,
    /// The length of one row of sums: W + 2·pad + 1.
    stride: usize,
    /// `sums[(z·L + y)·stride + i]` is the number of free nodes in layers 0..=z and rows 0..=y at x positions
    /// below i − pad.
    sums: Vec<i32>,
    /// The nodes of one row, 1 if free. Scratch memory.
    row: Vec<u8>,
}

impl FreeCounts {
    /// Counts the free nodes of `machine` anew. The table then serves x-radii up to `radius`.
    pub fn rebuild(&mut self, machine: &Machine, radius: usize) {
        let mesh = machine.mesh();
        self.extents = mesh.extents().map(|extent| extent as usize);
        self.wraps = mesh.wrap();
        let [width, length, depth] = self.extents;
        self.pad = radius.min(widest(mesh));
        self.stride = width + 2 * self.pad + 1;
        self.sums.resize(self.stride * length * depth, 0);
        for z in 0..depth {
            for y in 0..length {
                self.fill_row(machine, y, z);
                self.add_lower(y, z);
            }
        }
    }

    /// Returns the greatest x-radius that this table serves. Counts are exact up to it.
    #[inline]
    pub fn radius(&self) -> usize {
        self.pad
    }

    /// Writes the prefix sums of row (y, z) alone. If x wraps around, the padding repeats the other end of
    /// the row.
    fn fill_row(&mut self, machine: &Machine, y: usize, z: usize) {
        let [width, length, _] = self.extents;
        let row = z * length + y;
        self.row.clear();
        let first = row * width;
        let words = machine.free().words();
        self.row.extend((first..first + width).map(|node| (words[node / 64] >> (node % 64) & 1) as u8));
        let line = &mut self.sums[row * self.stride..][..self.stride];
        let (left, rest) = line.split_at_mut(self.pad + 1);
        let (middle, right) = rest.split_at_mut(width);
        let mut sum = 0;
        // A line has no nodes beyond its ends: the sums are 0 to the left of it and do not grow to the right
        // of it.
        left.fill(0);
        if self.wraps[0] {
            for (cell, &free) in left[1..].iter_mut().zip(&self.row[width - self.pad..]) {
                sum += i32::from(free);
                *cell = sum;
            }
        }
        for (cell, &free) in middle.iter_mut().zip(&self.row) {
            sum += i32::from(free);
            *cell = sum;
        }
        right.fill(sum);
        if self.wraps[0] {
            for (cell, &free) in right.iter_mut().zip(&self.row) {
                sum += i32::from(free);
                *cell = sum;
            }
        }
    }

    /// Adds the sums of the rows below to row (y, z), by inclusion and exclusion: S(y, z) = row + S(y−1, z) +
    /// S(y, z−1) − S(y−1, z−1).
    fn add_lower(&mut self, y: usize, z: usize) {
        let length = self.extents[1];
        let stride = self.stride;
        let (before, rest) = self.sums.split_at_mut((z * length + y) * stride);
        let line = &mut rest[..stride];
        let mut add = |row: Option<usize>, sign: i32| {
            if let Some(row) = row {
                for (cell, &below) in line.iter_mut().zip(&before[row * stride..][..stride]) {
                    *cell += sign * below;
                }
            }
        };
        add(y.checked_sub(1).map(|y| z * length + y), 1);
        add(z.checked_sub(1).map(|z| z * length + y), 1);
        add(z.checked_sub(1).and_then(|z| y.checked_sub(1).map(|y| z * length + y)), -1);
    }

    /// Writes into `free` the numbers of free nodes within L∞ distance `radius` of the centres (x, y, z) of
    /// row (y, z), one number for each x. `line` is scratch memory.
    pub fn boxes(&self, y: usize, z: usize, radius: usize, line: &mut Vec<i32>, free: &mut [i32]) {
        if !self.wraps[0] && !self.wraps[1] && self.extents[2] == 1 {
            self.around_flat_row(y, radius, free);
            return;
        }
        // Beyond the padding, a line has no more nodes.
        let along_x = if self.wraps[0] { radius } else { radius.min(self.pad) };
        self.grown_row([y, z], [1; 3], [along_x, radius, radius], line, free);
    }

    /// Does the same as [`Self::boxes`] for a machine with one layer that does not wrap around: one pass over
    /// at most two rows of sums.
    fn around_flat_row(&self, y: usize, radius: usize, free: &mut [i32]) {
        let [width, length, _] = self.extents;
        let (below, above) = (y.checked_sub(radius + 1), (y + radius).min(length - 1));
        let radius = radius.min(self.pad);
        let ends = |row: usize| {
            let sums = &self.sums[row * self.stride..][..self.stride];
            (&sums[self.pad - radius..][..width], &sums[self.pad + radius + 1..][..width])
        };
        let (low, high) = ends(above);
        match below {
            None => {
                for ((cell, high), low) in free.iter_mut().zip(high).zip(low) {
                    *cell = high - low;
                }
            }
            Some(below) => {
                let (under_low, under_high) = ends(below);
                let under = under_high.iter().zip(under_low);
                for (((cell, high), low), (under_high, under_low)) in
                    free.iter_mut().zip(high).zip(low).zip(under)
                {
                    *cell = (high - low) - (under_high - under_low);
                }
            }
        }
    }

    /// Writes into `line` the prefix sums along x over rows with these y and z. The number of free nodes at x
    /// positions in `a..b` is `line[b + pad] − line[a + pad]`, for −pad ≤ a ≤ b ≤ W + pad.
    fn sum_ranges(
        &self,
        ys: &[Option<Range<usize>>; 2],
        zs: &[Option<Range<usize>>; 2],
        line: &mut Vec<i32>,
    ) {
        line.clear();
        line.resize(self.stride, 0);
        // Inclusion and exclusion: the sum over a range of rows and layers is the difference of the sums at
        // its ends.
        for zs in zs.iter().flatten() {
            for ys in ys.iter().flatten() {
                for (z, z_sign) in [(zs.end, 1), (zs.start, -1)] {
                    for (y, y_sign) in [(ys.end, 1), (ys.start, -1)] {
                        if z > 0 && y > 0 {
                            self.add_row((z - 1) * self.extents[1] + y - 1, z_sign * y_sign, line);
                        }
                    }
                }
            }
        }
    }

    /// Adds a row of sums to `line`, or subtracts it if `sign` is negative.
    fn add_row(&self, row: usize, sign: i32, line: &mut [i32]) {
        let sums = &self.sums[row * self.stride..][..self.stride];
        if sign > 0 {
            line.iter_mut().zip(sums).for_each(|(cell, sum)| *cell += sum);
        } else {
            line.iter_mut().zip(sums).for_each(|(cell, sum)| *cell -= sum);
        }
    }

    /// Returns the L∞ distance from `centre` to the k-th nearest free node; `None` if fewer than `k` nodes
    /// are free.
    pub fn reach(&self, centre: Coord, k: u32) -> Option<usize> {
        let longest = self.extents.into_iter().max()?;
        let suffices = |radius: usize| self.within(centre, radius) >= k as i32;
        // Most distances are short. A long one is bracketed by doubling it, and then found by bisection.
        let (mut low, mut high) = (0, 0);
        while !suffices(high) {
            low = high + 1;
            if low >= longest {
                return None;
            }
            high = if high < 4 { low } else { (2 * high).min(longest - 1) };
        }
        while low < high {
            let middle = low.midpoint(high);
            if suffices(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(high)
    }

    /// Returns the number of free nodes within L∞ distance `radius` of `centre`. Any radius is allowed.
    pub fn within(&self, centre: Coord, radius: usize) -> i32 {
        if self.wraps == [false; 3] {
            let (radius, mut low, mut high) = (radius as u32, centre, centre);
            for ((low, high), extent) in low.iter_mut().zip(&mut high).zip(self.extents) {
                *low = low.saturating_sub(radius);
                *high = (*high + radius + 1).min(extent as u32);
            }
            return self.in_submesh(low, high) as i32;
        }
        self.around_submesh(Submesh { base: centre, sizes: [1; 3] }, radius)
    }

    /// Returns the number of free nodes from `low` (included) to `high` (excluded). In every dimension `high`
    /// must be above `low` and at most the extent of the machine.
    pub fn in_submesh(&self, low: Coord, high: Coord) -> u32 {
        // A `map` of these arrays would often be a call.
        let [left, front, bottom] = [low[0] as usize, low[1] as usize, low[2] as usize];
        let [right, back, top] = [high[0] as usize, high[1] as usize, high[2] as usize];
        let length = self.extents[1];
        let row = |y: usize, z: usize| {
            let sums = &self.sums[((z - 1) * length + y - 1) * self.stride + self.pad..];
            sums[right] - sums[left]
        };
        // Inclusion and exclusion: everything up to `high`, minus the rows in front, minus the layers below,
        // plus what was subtracted twice.
        let mut free = row(back, top);
        if front > 0 {
            free -= row(front, top);
        }
        if bottom > 0 {
            free -= row(back, bottom);
            if front > 0 {
                free += row(front, bottom);
            }
        }
        free as u32
    }

    /// Returns the number of free nodes of the submesh `place`, which may wrap around.
    pub fn in_place(&self, place: Submesh) -> u32 {
        let end = [0, 1, 2].map(|d| place.base[d] + place.sizes[d]);
        let extents = self.extents.map(|extent| extent as u32);
        let Some(d) = (0..3).find(|&d| end[d] > extents[d]) else {
            return self.in_submesh(place.base, end);
        };
        // The part up to the end of dimension d, and the part that has gone round it.
        let (mut before, mut behind) = (place, place);
        before.sizes[d] = extents[d] - place.base[d];
        (behind.base[d], behind.sizes[d]) = (0, end[d] - extents[d]);
        self.in_place(before) + self.in_place(behind)
    }

    /// Writes into `free`, for each x of row (y, z), the number of free nodes of the submesh of `sizes` at
    /// base (x, y, z) after growing it by `grown[d]` hops in both directions of each dimension d. A border of
    /// the machine cuts it off. For bases at which the submesh itself does not fit the machine the numbers
    /// have no meaning. `line` is scratch memory. It is fast if [`Self::radius`] is at least `sizes[0] +
    /// grown[0]`.
    pub fn grown_row(
        &self,
        [y, z]: [usize; 2],
        sizes: [u32; 3],
        grown: [usize; 3],
        line: &mut Vec<i32>,
        free: &mut [i32],
    ) {
        let along =
            |d: usize, at: usize| span(at, sizes[d] as usize, grown[d], self.extents[d], self.wraps[d]);
        self.sum_ranges(&along(1, y), &along(2, z), line);
        let (width, low, high) = (self.extents[0], grown[0], sizes[0] as usize + grown[0]);
        if self.wraps[0] && low + high >= width {
            free.fill(line[self.pad + width] - line[self.pad]);
        } else if high <= self.pad + 1 {
            let (lows, highs) = (&line[self.pad - low..], &line[self.pad + high..]);
            for ((cell, high), low) in free.iter_mut().zip(highs).zip(lows) {
                *cell = high - low;
            }
        } else {
            for (x, cell) in free.iter_mut().enumerate() {
                // The end of a submesh that leaves a line lies behind it.
                let xs = span(x, sizes[0] as usize, low, width, self.wraps[0]);
                let ends = xs.into_iter().flatten();
                *cell = ends.map(|xs| line[self.pad + xs.end] - line[self.pad + xs.start]).sum();
            }
        }
    }

    /// Returns the number of free nodes within L∞ distance `radius` of the submesh `place`. Any radius is
    /// allowed.
    pub fn around_submesh(&self, place: Submesh, radius: usize) -> i32 {
        let [xs, ys, zs] = place.grown(radius, self.extents, self.wraps);
        let length = self.extents[1];
        let prefix = |y: usize, z: usize| {
            if y == 0 || z == 0 {
                return 0;
            }
            let row = &self.sums[((z - 1) * length + y - 1) * self.stride + self.pad..];
            xs.iter().flatten().map(|xs| row[xs.end] - row[xs.start]).sum()
        };
        let mut free = 0;
        for zs in zs.iter().flatten() {
            for ys in ys.iter().flatten() {
                free += prefix(ys.end, zs.end) - prefix(ys.start, zs.end);
                free += prefix(ys.start, zs.start) - prefix(ys.end, zs.start);
            }
        }
        free
    }
}

/// Returns the greatest x-radius that makes a difference on `mesh`.
#[inline]
pub fn widest(mesh: &Mesh) -> usize {
    let width = mesh.extents()[0] as usize;
    if mesh.wraps(0) { width / 2 } else { width - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_box_of_every_radius_equals_plain_counting() -> Result<(), Box<dyn std::error::Error>> {
        for text in [
            "1",
            "13",
            "7x5",
            "1x6",
            "4x3x3",
            "torus:9",
            "torus:6x5",
            "torus:4x3x5",
            "70x2",
            "6x5:wrap=x",
            "6x5:wrap=y",
            "4x3x5:wrap=xz",
            "5x3x4:wrap=y",
        ] {
            let mut machine = Machine::new(text.parse()?);
            let busy: Vec<u32> = (0..machine.mesh().nodes()).filter(|n| n * 7 % 5 < 2).collect();
            machine.occupy(&busy)?;
            let mesh = machine.mesh();
            let [width, length, depth] = mesh.extents();
            let (mut counts, mut line) = (FreeCounts::default(), Vec::new());
            counts.rebuild(&machine, widest(mesh));
            for (y, z) in (0..length).flat_map(|y| (0..depth).map(move |z| (y, z))) {
                for radius in 0..width.max(length).max(depth) {
                    let near = |x: u32, node: u32| mesh.l_inf([x, y, z], mesh.coord(node)) <= radius;
                    let mut free = vec![0; width as usize];
                    counts.boxes(y as usize, z as usize, radius as usize, &mut line, &mut free);
                    for x in 0..width {
                        let plain = machine.free().iter().filter(|&node| near(x, node)).count() as i32;
                        let centre = [x, y, z];
                        let single = counts.within(centre, radius as usize);
                        let cuboid =
                            counts.around_submesh(Submesh { base: centre, sizes: [1; 3] }, radius as usize);
                        assert_eq!(
                            (free[x as usize], single, cuboid),
                            (plain, plain, plain),
                            "{text}: {centre:?}, {radius}"
                        );
                    }
                }
            }
        }
        Ok(())
    }
}
