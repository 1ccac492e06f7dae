//! The border of a submesh. Best fit, worst fit and busy list score a free submesh by the number of border
//! positions that are taken.
//!
//! The border consists of the positions one step outside that share a face with the submesh. Positions
//! outside the machine count as taken; in a dimension that wraps around there are none. Positions that touch
//! the submesh only at an edge or a corner do not belong to the border. Free border nodes are counted by
//! prefix sums, in O(1) for each side.

use super::best_place::Score;
use meshreplay_machine::machine::{FreeCounts, Machine, Submesh};

/// Counts the taken border positions of submeshes, in the state of the machine at the last call of
/// [`Self::prepare`].
#[derive(Debug, Default)]
pub(crate) struct Border {
    counts: FreeCounts,
    /// Scratch memory of the counts.
    line: Vec<i32>,
    /// Free nodes in and next to the submeshes of a row, along one dimension.
    free: Vec<i32>,
    /// The taken border positions of the submeshes of a row.
    taken: Vec<i32>,
}

impl Border {
    /// Counts the free nodes of `machine`. The other functions then answer for this state of the machine, and
    /// those for rows are fast for submeshes of widths up to `widest`.
    pub(crate) fn prepare(&mut self, machine: &Machine, widest: u32) {
        self.counts.rebuild(machine, widest as usize + 1);
    }

    /// Returns, for each x, what [`Self::taken`] returns for the free submesh of `sizes` at (x, y, z). At all
    /// other bases of the row the numbers have no meaning.
    pub(crate) fn taken_in_row(&mut self, machine: &Machine, [y, z]: [u32; 2], sizes: [u32; 3]) -> &[i32] {
        let mesh = machine.mesh();
        let [width, ..] = mesh.extents();
        self.free.resize(width as usize, 0);
        self.taken.clear();
        self.taken.resize(width as usize, 0);
        let nodes: u32 = sizes.iter().product();
        for d in 0..mesh.dims() {
            let (extent, size, mut grown) = (mesh.extents()[d], sizes[d], [0; 3]);
            grown[d] = 1;
            let layers = if mesh.wraps(d) { (size + 2).min(extent) - size } else { 2 };
            let most = (layers * (nodes / size) + nodes) as i32;
            let row = [y, z].map(|at| at as usize);
            self.counts.grown_row(row, sizes, grown, &mut self.line, &mut self.free);
            for (taken, free) in self.taken.iter_mut().zip(&self.free) {
                *taken += most - free;
            }
        }
        &self.taken
    }

    /// Returns how many border positions of a free submesh are taken or lie outside the machine.
    pub(crate) fn taken(&self, machine: &Machine, place: Submesh) -> u32 {
        let mesh = machine.mesh();
        let nodes: u32 = place.sizes.iter().product();
        let mut taken = 0;
        // Along a dimension that the machine does not have there is no border.
        for d in 0..mesh.dims() {
            // The submesh itself is free. All other free nodes in the submesh extended by one step along d
            // are free border nodes.
            let (extent, size, mut wider) = (mesh.extents()[d], place.sizes[d], place);
            let layers = if mesh.wraps(d) {
                // One node between the two ends of the submesh is one border position, not two.
                wider.base[d] = if place.base[d] == 0 { extent - 1 } else { place.base[d] - 1 };
                wider.sizes[d] = (size + 2).min(extent);
                wider.sizes[d] - size
            } else {
                wider.base[d] = place.base[d].saturating_sub(1);
                wider.sizes[d] = (place.base[d] + size + 1).min(extent) - wider.base[d];
                2
            };
            let free = self.counts.in_place(wider) - nodes;
            taken += layers * (nodes / size) - free;
        }
        taken
    }
}

/// Scores a submesh by the number of its border positions that are taken.
#[derive(Debug)]
pub(crate) struct BorderScore {
    border: Border,
    /// 1 if more taken positions are better, −1 if fewer are better.
    sign: i64,
}

impl BorderScore {
    /// Returns the score that prefers submeshes with most border positions taken.
    pub(crate) fn most() -> Self {
        Self { border: Border::default(), sign: 1 }
    }

    /// Returns the score that prefers submeshes with fewest border positions taken.
    pub(crate) fn least() -> Self {
        Self { border: Border::default(), sign: -1 }
    }
}

impl Score for BorderScore {
    fn prepare(&mut self, machine: &Machine, sizes: [u32; 3]) {
        self.border.prepare(machine, sizes[0]);
    }

    fn score(&self, machine: &Machine, place: Submesh) -> i64 {
        self.sign * i64::from(self.border.taken(machine, place))
    }

    fn score_row(&mut self, machine: &Machine, row: [u32; 2], sizes: [u32; 3], scores: &mut Vec<i64>) {
        scores.clear();
        let taken = self.border.taken_in_row(machine, row, sizes);
        scores.extend(taken.iter().map(|&taken| self.sign * i64::from(taken)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::best_place::{BestPlace, Orientations};
    use super::super::orientations::Turn;
    use super::*;
    use crate::allocator::seam::{Allocator, Request};
    use meshreplay_machine::machine::FreeSubmeshes;

    /// The busy nodes (`#`) of the example in tests/laws/contiguous.rs. The last string is the lowest row.
    const EXAMPLE: [&str; 6] = ["....##", "....##", "....##", "##....", "####..", "####.."];

    #[test]
    fn borders_of_the_running_example_come_out() -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new("6x6".parse()?);
        for (y, row) in (0..).zip(EXAMPLE.iter().rev()) {
            for (x, _) in (0..).zip(row.bytes()).filter(|(_, byte)| *byte == b'#') {
                machine.occupy(&[x + 6 * y])?;
            }
        }
        let (mut free_submeshes, mut border) = (FreeSubmeshes::default(), Border::default());
        border.prepare(&machine, 3);
        for (sizes, expected) in [
            ([3, 2, 1], vec![([0, 3], 4), ([1, 3], 3), ([0, 4], 5), ([1, 4], 5)]),
            ([2, 3, 1], vec![([4, 0], 9)]),
        ] {
            for ([x, y], taken) in expected {
                free_submeshes.find(&machine, sizes);
                let base = [x, y, 0];
                assert!(free_submeshes.iter().any(|place| place == base), "{base:?}");
                assert_eq!(border.taken(&machine, Submesh { base, sizes }), taken, "{base:?}, {sizes:?}");
                assert_eq!(border.taken_in_row(&machine, [y, 0], sizes)[x as usize], taken as i32);
            }
        }
        for (sizes, expected) in [
            ([3, 2, 1], Some([0, 4])),
            ([2, 2, 1], Some([4, 0])),
            ([2, 3, 1], Some([4, 0])),
            ([5, 2, 1], None),
        ] {
            let mut best_fit =
                BestPlace::new(Turn::No.submeshes(), Orientations::OneByOne, BorderScore::most());
            let found =
                best_fit.propose(&Request::sides(sizes), &machine).map(|placement| placement.nodes[0]);
            assert_eq!(found, expected.map(|[x, y]: [u32; 2]| x + 6 * y), "{sizes:?}");
        }
        Ok(())
    }

    #[test]
    fn rows_of_borders_equal_single_ones() -> Result<(), Box<dyn std::error::Error>> {
        for text in [
            "9",
            "7x5",
            "70x3",
            "5x4x3",
            "torus:9",
            "torus:7x5",
            "torus:66x4",
            "torus:5x4x3",
            "6x5x4:wrap=xz",
        ] {
            for step in [3, 7, 20] {
                let mut machine = Machine::new(text.parse()?);
                let busy: Vec<u32> = (0..machine.mesh().nodes()).filter(|n| n * 7 % step == 1).collect();
                machine.occupy(&busy)?;
                for sizes in
                    [[1, 1, 1], [2, 1, 1], [5, 1, 1], [8, 1, 1], [2, 3, 1], [6, 1, 2], [5, 4, 1], [4, 2, 3]]
                {
                    let (mut free_submeshes, mut border) = (FreeSubmeshes::default(), Border::default());
                    free_submeshes.find(&machine, sizes);
                    // The prepared widths change the way, but not the result.
                    for widest in [0, sizes[0]] {
                        border.prepare(&machine, widest);
                        for base in free_submeshes.iter() {
                            let one = border.taken(&machine, Submesh { base, sizes });
                            let row = border.taken_in_row(&machine, [base[1], base[2]], sizes);
                            assert_eq!(row[base[0] as usize], one as i32, "{text}: {sizes:?} at {base:?}");
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
