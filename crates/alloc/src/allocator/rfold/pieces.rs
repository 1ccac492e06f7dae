//! Cuts a box into the parts that come from different cubes.

/// The parts of a box that have the same sizes. Each of them comes from a cube of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartKind {
    /// For each dimension, whether the parts have the rest of the box's side that is shorter than a cube.
    pub(super) rest: [bool; 3],
    /// The sizes of a part along x, y and z.
    pub(super) sizes: [u32; 3],
    /// The numbers of parts along x, y and z.
    pub(super) along: [u32; 3],
}

/// The kinds of parts in the order of placement: per dimension, whether a part has the rest of the side.
const RESTS: [[bool; 3]; 8] = [
    [false, false, false],
    [false, false, true],
    [false, true, false],
    [true, false, false],
    [false, true, true],
    [true, false, true],
    [true, true, false],
    [true, true, true],
];

impl PartKind {
    /// Returns the number of parts, which is the number of cubes that they need.
    pub(super) fn count(&self) -> u32 {
        self.along.iter().product()
    }

    /// Returns whether the parts are entire cubes.
    pub(super) fn is_entire(&self) -> bool {
        self.rest == [false; 3]
    }
}

/// Returns the kinds of parts of a box with these sides, for cubes with sides `cube`. A side s = f · cube + p
/// gives f parts of a cube's side, and one of side p unless p is 0. Kinds without parts are left out. The box
/// has fewer than 2^32 nodes.
pub(super) fn kinds(shape: [u32; 3], cube: [u32; 3]) -> impl Iterator<Item = PartKind> {
    RESTS.into_iter().filter_map(move |rest| {
        let left = |d: usize| shape[d] % cube[d];
        let sizes = [0, 1, 2].map(|d| if rest[d] { left(d) } else { cube[d] });
        let along = [0, 1, 2].map(|d| if rest[d] { u32::from(left(d) > 0) } else { shape[d] / cube[d] });
        Some(PartKind { rest, sizes, along }).filter(|kind| kind.count() > 0)
    })
}

/// Returns the number of cubes that a box with these sides needs.
pub(super) fn cubes_for(shape: [u32; 3], cube: [u32; 3]) -> u32 {
    kinds(shape, cube).map(|kind| kind.count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_up_the_box() {
        for (shape, cubes) in
            [([4, 4, 8], 2), ([1, 1, 1], 1), ([5, 6, 7], 8), ([8, 8, 6], 8), ([4, 4, 4], 1), ([9, 4, 3], 3)]
        {
            let found: Vec<PartKind> = kinds(shape, [4; 3]).collect();
            let nodes: u32 = found.iter().map(|kind| kind.count() * kind.sizes.iter().product::<u32>()).sum();
            assert_eq!(nodes, shape.iter().product::<u32>(), "{shape:?}");
            assert_eq!(cubes_for(shape, [4; 3]), cubes);
            assert!(found.iter().all(|kind| kind.is_entire() == (kind.sizes == [4; 3])));
        }
        let sizes: Vec<[u32; 3]> = kinds([5, 6, 7], [4; 3]).map(|kind| kind.sizes).collect();
        assert_eq!(
            sizes,
            [[4, 4, 4], [4, 4, 3], [4, 2, 4], [1, 4, 4], [4, 2, 3], [1, 4, 3], [1, 2, 4], [1, 2, 3]]
        );
    }
}
