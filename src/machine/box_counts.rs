//! How many nodes are free in any box given by its base and sides, by prefix sums.

use super::{Coord, Machine};

/// Prefix sums of free nodes over a machine. On a torus they go nearly twice round, so that boxes across the border are
/// boxes like others. [`super::FreeCounts`] is the same for boxes around centres, which a mesh clips.
///
/// Memory and building (W + 1)·(L + 1)·(D + 1) numbers, W, L and D being doubled on a torus; a count is O(1), a row of
/// counts a few passes over its numbers that the compiler vectorises.
#[derive(Clone, Debug, Default)]
pub struct BoxCounts {
    /// Positions along each dimension that boxes may cover.
    spans: [usize; 3],
    /// Steps between positions along each dimension.
    strides: [usize; 3],
    /// `sums[x + y·strides[1] + z·strides[2]]`: free nodes at positions below x, y and z.
    sums: Vec<i32>,
}

impl BoxCounts {
    /// Counts the free nodes of `machine`.
    pub fn rebuild(&mut self, machine: &Machine) {
        let mesh = machine.mesh();
        let extents = mesh.extents().map(|extent| extent as usize);
        self.spans = if mesh.is_torus() { extents.map(|extent| 2 * extent - 1) } else { extents };
        let [width, length, depth] = self.spans;
        self.strides = [1, width + 1, (width + 1) * (length + 1)];
        let size = self.strides[2] * (depth + 1);
        if self.sums.len() != size {
            // What lies at position 0 along a dimension is never written again.
            self.sums = vec![0; size];
        }
        for z in 0..depth {
            for y in 0..length {
                let first = (z % extents[2] * extents[1] + y % extents[1]) * extents[0];
                self.fill_row(machine, first, extents[0], y, z);
                self.add_lower(y, z);
            }
        }
    }

    /// Writes the sums along row (y, z), whose first node is `first`, of the machine.
    fn fill_row(&mut self, machine: &Machine, first: usize, extent: usize, y: usize, z: usize) {
        let from = (z + 1) * self.strides[2] + (y + 1) * self.strides[1] + 1;
        let line = &mut self.sums[from..from + self.spans[0]];
        let mut sum = 0;
        for (chunk, cells) in line[..extent].chunks_mut(64).enumerate() {
            let mut bits = machine.free().bits(first + chunk * 64, cells.len());
            for cell in cells {
                sum += (bits & 1) as i32;
                bits >>= 1;
                *cell = sum;
            }
        }
        for x in extent..line.len() {
            line[x] = line[x - extent] + sum;
        }
    }

    /// Adds to row (y, z) what lies below it: S(y, z) = row + S(y−1, z) + S(y, z−1) − S(y−1, z−1).
    fn add_lower(&mut self, y: usize, z: usize) {
        let [_, stride, plane] = self.strides;
        let at = (z + 1) * plane + (y + 1) * stride;
        let (before, rest) = self.sums.split_at_mut(at);
        let line = &mut rest[..stride];
        for (cell, below) in line.iter_mut().zip(&before[at - stride..]) {
            *cell += below;
        }
        if z > 0 {
            let (above, corner) = (&before[at - plane..][..stride], &before[at - plane - stride..][..stride]);
            for ((cell, above), corner) in line.iter_mut().zip(above).zip(corner) {
                *cell += above - corner;
            }
        }
    }

    /// Writes into `counts` the number of free nodes in the boxes of these sides at (x, y, z), for every x from 0 on that
    /// there is a place for; `line` is scratch memory. The largest of them.
    pub fn row(&self, sides: [usize; 3], y: usize, z: usize, line: &mut Vec<i32>, counts: &mut [i32]) -> i32 {
        let [_, stride, plane] = self.strides;
        let (side, places) = (sides[0], counts.len());
        let sums = |y: usize, z: usize| &self.sums[z * plane + y * stride..][..stride];
        let (far, near) = (sums(y + sides[1], z + sides[2]), sums(y, z + sides[2]));
        let mut most = 0;
        if z == 0 {
            let low = far[..places].iter().zip(&near[..places]);
            let high = far[side..side + places].iter().zip(&near[side..side + places]);
            for ((count, low), high) in counts.iter_mut().zip(low).zip(high) {
                *count = (high.0 - high.1) - (low.0 - low.1);
                most = most.max(*count);
            }
            return most;
        }
        line.resize(stride, 0);
        let below = sums(y + sides[1], z).iter().zip(sums(y, z));
        for (((cell, far), near), below) in line.iter_mut().zip(far).zip(near).zip(below) {
            *cell = (far - near) - (below.0 - below.1);
        }
        for ((count, low), high) in counts.iter_mut().zip(line.iter()).zip(&line[side..]) {
            *count = high - low;
            most = most.max(*count);
        }
        most
    }

    /// Writes into `counts` the number of free nodes at each position of a box along dimension `d`, from its base on; the
    /// number in all of it.
    pub fn slices(&self, d: usize, base: Coord, sides: [usize; 3], counts: &mut Vec<u32>) -> u32 {
        let (e, f) = ((d + 1) % 3, (d + 2) % 3);
        let [low_e, low_f] = [e, f].map(|d| base[d] as usize * self.strides[d]);
        let (high_e, high_f) = (low_e + sides[e] * self.strides[e], low_f + sides[f] * self.strides[f]);
        let (step, from) = (self.strides[d], base[d] as usize * self.strides[d]);
        let at = |offset: usize| self.sums[from + offset..].iter().step_by(step);
        let corners =
            at(high_e + high_f).zip(at(low_e + high_f)).zip(at(high_e + low_f).zip(at(low_e + low_f)));
        let mut below = corners.map(|((a, b), (c, d))| (a - b) - (c - d));
        let first = below.next().unwrap_or(0);
        let mut last = first;
        counts.resize(sides[d], 0);
        for (count, sum) in counts.iter_mut().zip(below) {
            *count = (sum - std::mem::replace(&mut last, sum)) as u32;
        }
        (last - first) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_equal_those_of_a_walk_through_the_box() -> Result<(), Box<dyn std::error::Error>> {
        for text in ["9", "6x5", "70x3", "4x3x5", "torus:7", "torus:5x6", "torus:3x4x2", "1"] {
            let mut machine = Machine::new(text.parse()?);
            let busy: Vec<u32> = (0..machine.mesh().nodes()).filter(|n| n * 11 % 7 < 3).collect();
            machine.occupy(&busy)?;
            let extents = machine.mesh().extents();
            let mut counts = BoxCounts::default();
            counts.rebuild(&machine);
            let walk = |base: Coord, sides: [u32; 3]| {
                let mut free = Vec::new();
                for z in 0..sides[2] {
                    for y in 0..sides[1] {
                        for x in 0..sides[0] {
                            let at = [base[0] + x, base[1] + y, base[2] + z];
                            let node = machine.mesh().node([0, 1, 2].map(|d| at[d] % extents[d]));
                            free.extend(machine.free().contains(node).then_some([x, y, z]));
                        }
                    }
                }
                free
            };
            let torus = machine.mesh().is_torus();
            let places = |d: usize, side: u32| if torus { extents[d] } else { extents[d] - side + 1 };
            let (mut line, mut row, mut slices) = (Vec::new(), vec![0; extents[0] as usize], Vec::new());
            for (a, b, c) in (1..=extents[0])
                .flat_map(|a| (1..=extents[1]).flat_map(move |b| (1..=extents[2]).map(move |c| (a, b, c))))
                .step_by(3)
            {
                let sides = [a, b, c].map(|side| side as usize);
                for (y, z) in (0..places(1, b)).flat_map(|y| (0..places(2, c)).map(move |z| (y, z))) {
                    let row = &mut row[..places(0, a) as usize];
                    let most = counts.row(sides, y as usize, z as usize, &mut line, row);
                    assert_eq!(row.iter().max(), Some(&most));
                    for (x, &count) in row.iter().enumerate() {
                        let base = [x as u32, y, z];
                        let free = walk(base, [a, b, c]);
                        assert_eq!(count as usize, free.len(), "{text}: {sides:?} at {base:?}");
                        for d in 0..3 {
                            counts.slices(d, base, sides, &mut slices);
                            let at = |i: usize| free.iter().filter(|node| node[d] as usize == i).count();
                            assert!(slices.iter().enumerate().all(|(i, &n)| n as usize == at(i)), "{text}");
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
