//! Places for a box by how much of its border is taken: what best fit, worst fit and busy list share.
//!
//! The border of a box are the nodes that share a face with it, one step outside; a position outside the machine counts
//! as taken, and positions at edges and corners do not count. Free ones are counted by prefix sums, O(1) a side.

use crate::machine::{Cuboid, Frames, FreeCounts, Machine};

/// Finds places and scores them; keeps its memory between calls.
#[derive(Debug, Default)]
pub(crate) struct BorderFit {
    frames: Frames,
    counts: FreeCounts,
}

impl BorderFit {
    /// Counts the free nodes of `machine`, for places that are looked at one by one.
    pub(crate) fn prepare(&mut self, machine: &Machine) {
        self.counts.rebuild(machine, 0);
    }

    /// Whether all nodes of a box are free.
    pub(crate) fn is_free(&self, place: Cuboid) -> bool {
        let high = [0, 1, 2].map(|d| place.base[d] + place.sizes[d]);
        self.counts.in_box(place.base, high) == place.sizes.iter().product::<u32>()
    }

    /// Of the free places of boxes of these sizes the one that `key`, of how many positions of the border are taken,
    /// makes largest; the first in scan order of equals.
    pub(crate) fn best(
        &mut self,
        machine: &Machine,
        sizes: [u32; 3],
        key: impl Fn(u32) -> i64,
    ) -> Option<(i64, Cuboid)> {
        self.frames.find(machine, sizes);
        self.frames.first()?;
        self.counts.rebuild(machine, 0);
        let mut best: Option<(i64, Cuboid)> = None;
        for base in self.frames.iter() {
            let place = Cuboid { base, sizes };
            let score = key(self.taken_border(machine, place));
            if best.is_none_or(|(other, _)| score > other) {
                best = Some((score, place));
            }
        }
        best
    }

    /// Positions of the border of a free box that are taken or outside.
    pub(crate) fn taken_border(&self, machine: &Machine, place: Cuboid) -> u32 {
        let mesh = machine.mesh();
        let low = place.base;
        let high = [0, 1, 2].map(|d| low[d] + place.sizes[d]);
        let nodes: u32 = place.sizes.iter().product();
        let mut taken = 0;
        // Along a dimension that the machine does not have there is no border.
        for d in 0..mesh.dims() {
            // The box itself is free: what else is free in it and its two faces along d is free border.
            let (mut below, mut above) = (low, high);
            below[d] = low[d].saturating_sub(1);
            above[d] = (high[d] + 1).min(mesh.extents()[d]);
            let free = self.counts.in_box(below, above) - nodes;
            taken += 2 * nodes / place.sizes[d] - free;
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The running example of algorithms.md §2, busy nodes as `#`, the lowest row last.
    const EXAMPLE: [&str; 6] = ["....##", "....##", "....##", "##....", "####..", "####.."];

    #[test]
    fn borders_of_the_running_example_come_out() -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new("6x6".parse()?);
        for (y, row) in (0..).zip(EXAMPLE.iter().rev()) {
            for (x, _) in (0..).zip(row.bytes()).filter(|(_, byte)| *byte == b'#') {
                machine.occupy(&[x + 6 * y])?;
            }
        }
        let mut fit = BorderFit::default();
        for (sizes, expected) in [
            ([3, 2, 1], vec![([0, 3], 4), ([1, 3], 3), ([0, 4], 5), ([1, 4], 5)]),
            ([2, 3, 1], vec![([4, 0], 9)]),
        ] {
            for ([x, y], taken) in expected {
                fit.frames.find(&machine, sizes);
                let base = [x, y, 0];
                assert!(fit.frames.iter().any(|place| place == base), "{base:?}");
                fit.counts.rebuild(&machine, 0);
                assert_eq!(fit.taken_border(&machine, Cuboid { base, sizes }), taken, "{base:?}, {sizes:?}");
            }
        }
        let base = |sizes| fit.best(&machine, sizes, i64::from).map(|(taken, place)| (taken, place.base));
        let found = [[3, 2, 1], [2, 2, 1], [2, 3, 1], [5, 2, 1]].map(base);
        assert_eq!(found, [Some((5, [0, 4, 0])), Some((6, [4, 0, 0])), Some((9, [4, 0, 0])), None]);
        Ok(())
    }
}
