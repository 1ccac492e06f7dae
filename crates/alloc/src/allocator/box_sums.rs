//! Sums over boxes of a three-dimensional grid that wraps around.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a grid has at most 2^24 cells, so that sums over them and products of sides fit 32 bits"
)]

/// A summed-area table: the sum over any box takes constant time, also if the box wraps around.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    extents: [usize; 3],
    /// At `(x, y, z)` the sum over all cells below x, y and z. Each dimension has one more entry than cells.
    below: Vec<u32>,
}

impl Sums {
    /// Returns the sums of `value`, which is called once for each cell, x fastest, then y, then z. O(cells).
    pub(super) fn new(extents: [u32; 3], value: impl FnMut([u32; 3]) -> u32) -> Self {
        let mut sums = Self::default();
        sums.fill(extents, value);
        sums
    }

    /// Recomputes the sums for `value`, as [`Self::new`] does, and reuses the memory.
    pub(super) fn fill(&mut self, extents: [u32; 3], mut value: impl FnMut([u32; 3]) -> u32) {
        let extents = extents.map(|extent| extent as usize);
        let [width, length, depth] = extents;
        let (row, layer) = (width + 1, (width + 1) * (length + 1));
        if self.extents != extents {
            self.extents = extents;
            self.below.clear();
            // Entries at position 0 along a dimension stay 0.
            self.below.resize(layer * (depth + 1), 0);
        }
        for z in 0..depth {
            for y in 0..length {
                let at = (z + 1) * layer + (y + 1) * row;
                let (before, rest) = self.below.split_at_mut(at + 1);
                let cells = &mut rest[..width];
                let mut in_row: u32 = 0;
                for (x, cell) in (0..).zip(cells.iter_mut()) {
                    in_row += value([x, y as u32, z as u32]);
                    *cell = in_row;
                }
                // Inclusion and exclusion: the row before and the layer before share the corner.
                let rows = [row, layer, row + layer].map(|back| &before[at + 1 - back..][..width]);
                let [in_front, under, both] = rows;
                for (((cell, in_front), under), both) in cells.iter_mut().zip(in_front).zip(under).zip(both) {
                    *cell = *cell + (in_front - both) + under;
                }
            }
        }
    }

    /// Returns the sum over all cells.
    pub(super) fn total(&self) -> u32 {
        self.below.last().copied().unwrap_or(0)
    }

    /// Returns the sum over the box of `sides` cells from `base` on, which wraps around where it passes the
    /// last cell. No side is longer than the grid.
    pub(super) fn in_box(&self, base: [u32; 3], sides: [u32; 3]) -> u32 {
        let end = [0, 1, 2].map(|d| (base[d] + sides[d]) as usize);
        if (0..3).all(|d| end[d] <= self.extents[d]) {
            return self.within(base.map(|at| at as usize), end);
        }
        let [xs, ys, zs] = [0, 1, 2].map(|d| self.parts(d, base[d] as usize, sides[d] as usize));
        let mut sum = 0;
        for &(z, z_end) in zs.iter().filter(|(from, to)| from < to) {
            for &(y, y_end) in ys.iter().filter(|(from, to)| from < to) {
                for &(x, x_end) in xs.iter().filter(|(from, to)| from < to) {
                    sum += self.within([x, y, z], [x_end, y_end, z_end]);
                }
            }
        }
        sum
    }

    /// Returns the sum over the cells from `low` on to before `end`, in every dimension.
    fn within(&self, [x, y, z]: [usize; 3], [x_end, y_end, z_end]: [usize; 3]) -> u32 {
        // Inclusion and exclusion. The arithmetic wraps; the result is exact because it fits.
        let column = |x: usize, y: usize| self.corner(x, y, z_end).wrapping_sub(self.corner(x, y, z));
        let row = |y: usize| column(x_end, y).wrapping_sub(column(x, y));
        row(y_end).wrapping_sub(row(y))
    }

    /// Returns the two ranges of positions of a side along dimension `d`, each as its first position and its
    /// end. The second is empty if the side does not wrap around.
    fn parts(&self, d: usize, base: usize, side: usize) -> [(usize, usize); 2] {
        let (end, extent) = (base + side, self.extents[d]);
        if end <= extent { [(base, end), (0, 0)] } else { [(base, extent), (0, end - extent)] }
    }

    /// Returns the sum over all cells below x, y and z.
    fn corner(&self, x: usize, y: usize, z: usize) -> u32 {
        let [width, length, _] = self.extents;
        self.below[x + (width + 1) * (y + (length + 1) * z)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_all_boxes_equal_plain_ones() {
        for extents in [[1, 1, 1], [5, 1, 1], [4, 3, 2], [3, 3, 5]] {
            let value = |[x, y, z]: [u32; 3]| (x * 7 + y * 5 + z * 3) % 4;
            let sums = Sums::new(extents, value);
            let [width, length, depth] = extents;
            let cells = |[width, length, depth]: [u32; 3]| {
                (0..width * length * depth).map(move |i| [i % width, i / width % length, i / width / length])
            };
            assert_eq!(sums.total(), cells(extents).map(value).sum::<u32>());
            for base in cells(extents) {
                for sides in cells(extents).map(|at| at.map(|side| side + 1)) {
                    let plain: u32 = cells(sides)
                        .map(|at| {
                            let [x, y, z] = [0, 1, 2].map(|d| base[d] + at[d]);
                            value([x % width, y % length, z % depth])
                        })
                        .sum();
                    assert_eq!(sums.in_box(base, sides), plain, "{extents:?}: {base:?} {sides:?}");
                }
            }
        }
    }
}
