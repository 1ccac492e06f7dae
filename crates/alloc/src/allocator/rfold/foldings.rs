//! Foldings: other boxes of as many nodes that a torus of a job's shape can be laid into, as RFold defines
//! them.
//!
//! S. S. Chen et al., "Toward Co-adapting Machine Learning Job Shape and Cluster Topology", arXiv 2510.03891,
//! 2025, and its simulator (github.com/shuoshuc/RFold).
//!
//! A folding of a shape has the same volume, at least as many sides above 1, and is one of these. R is the
//! side of the blocks of the machine; only sides that are multiples of R have links that wrap around.
//!
//! 1. As many sides above 1, two or three, with R = 4: a side of 2 becomes 4, and another, even side is
//!    halved. A shape with the sides 2 and 4 is a folding of itself in this sense.
//! 2. From two sides A, B above 1 to three: {A/2, B, 2} or {A, B/2, 2}; with R = 4 also {A/4, B, 4}, {A/2,
//!    B/2, 4} or {A, B/4, 4}. All divisions must leave no remainder.
//!
//! RFold keeps foldings in a Python set, and of equally good foldings takes the first in the order of the
//! set, which the policy leaves open. Here it is the folding with the most sides above 1, and then the one
//! with the smallest sides, shortest first. On all shapes of the test data that choice is the same as in
//! RFold.

use crate::allocator::contiguous::orientations::distinct;
use meshreplay_machine::machine::Mesh;

/// Returns the orientations of the shape `[a, b, c]`, each once: (a, b, c), (a, c, b), (b, a, c), (b, c, a),
/// (c, a, b) and (c, b, a). That is the order of Python's `itertools.permutations`.
pub(super) fn turns([a, b, c]: [u32; 3]) -> Vec<[u32; 3]> {
    distinct([[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]])
}

/// Returns the orientations of a shape that fit `mesh`; empty if none fits.
pub(super) fn turns_on(shape: [u32; 3], mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut turns = turns(shape);
    turns.retain(|&sizes| mesh.fits(sizes));
    turns
}

/// Returns the number of sides above 1.
pub(super) fn rank(shape: [u32; 3]) -> usize {
    shape.iter().filter(|&&side| side > 1).count()
}

/// Returns the foldings of `shape` on blocks of side `block`, with sides in ascending order, the preferred
/// ones of equally good foldings first. Sides whose product exceeds 32 bits have none. O(1).
pub(super) fn foldings(shape: [u32; 3], block: u32) -> Vec<[u32; 3]> {
    let Some(nodes) = volume(shape) else { return Vec::new() };
    let shape = sorted(shape);
    let mut foldings = match rank(shape) {
        2 => folded_in_place(shape, block).chain(folded_into_three(shape, block)).collect(),
        3 => folded_in_place(shape, block).collect(),
        _ => Vec::new(),
    };
    foldings.retain(|&folded| volume(folded) == Some(nodes) && rank(folded) >= rank(shape));
    preferred_first(&mut foldings);
    foldings
}

/// Returns all boxes of `nodes` nodes with no side above `longest`, in the order of [`foldings`]. O(√nodes ·
/// nodes^⅓).
pub(super) fn boxes(nodes: u32, longest: u32) -> Vec<[u32; 3]> {
    let mut boxes = Vec::new();
    for a in (1..=longest).take_while(|&a| a.saturating_mul(a).saturating_mul(a) <= nodes) {
        let rest = nodes / a;
        let fits = |&b: &u32| rest.is_multiple_of(b) && rest / b <= longest;
        if nodes.is_multiple_of(a) {
            boxes.extend((a..=rest.isqrt()).filter(fits).map(|b| [a, b, rest / b]));
        }
    }
    preferred_first(&mut boxes);
    boxes
}

/// Sorts boxes by the number of sides above 1, descending, then by sides, ascending, and removes duplicates.
fn preferred_first(boxes: &mut Vec<[u32; 3]>) {
    boxes.sort_unstable_by_key(|&folded| (std::cmp::Reverse(rank(folded)), folded));
    boxes.dedup();
}

/// Returns the foldings that turn a side of 2 into 4 and halve another, even side.
fn folded_in_place(shape: [u32; 3], block: u32) -> impl Iterator<Item = [u32; 3]> {
    let pairs = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
    pairs.filter_map(move |(i, j)| {
        if block != 4 || i == j || shape[i] != 2 || !shape[j].is_multiple_of(2) {
            return None;
        }
        let mut folded = shape;
        (folded[i], folded[j]) = (4, shape[j] / 2);
        Some(sorted(folded)).filter(|&folded| rank(folded) == rank(shape))
    })
}

/// Returns the foldings of a shape of two sides above 1 into three. Those whose divisions leave a remainder
/// have another volume.
fn folded_into_three(shape: [u32; 3], block: u32) -> impl Iterator<Item = [u32; 3]> {
    let [_, a, b] = shape;
    let once = [[a / 2, b, 2], [a, b / 2, 2]];
    let twice = [[a / 4, b, 4], [a / 2, b / 2, 4], [a, b / 4, 4]];
    once.into_iter()
        .chain(twice.into_iter().filter(move |_| block == 4))
        .map(sorted)
        .filter(|&s| rank(s) == 3)
}

/// Returns the number of nodes of a box; `None` if it exceeds 32 bits.
fn volume(shape: [u32; 3]) -> Option<u32> {
    shape.into_iter().try_fold(1_u32, u32::checked_mul)
}

/// Returns the sides in ascending order.
fn sorted(mut shape: [u32; 3]) -> [u32; 3] {
    shape.sort_unstable();
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_orientation_comes_once() -> Result<(), meshreplay_machine::machine::mesh::MeshError> {
        assert_eq!(turns([1, 2, 3]), [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]]);
        assert_eq!(turns([2, 1, 2]), [[2, 1, 2], [2, 2, 1], [1, 2, 2]]);
        assert_eq!(turns([2, 2, 2]), [[2, 2, 2]]);
        assert_eq!(turns_on([1, 2, 3], &"3x2".parse()?), [[3, 2, 1]]);
        Ok(())
    }

    #[test]
    fn flat_shapes_are_folded_into_three_dimensions() {
        assert_eq!(foldings([1, 6, 8], 8), [[2, 3, 8], [2, 4, 6]]);
        assert_eq!(foldings([8, 1, 6], 4), [[2, 3, 8], [2, 4, 6], [3, 4, 4]]);
        assert_eq!(foldings([1, 3, 3], 4), <[[u32; 3]; 0]>::default());
        // {1, 2, 8} becomes {2, 4, 2}, or stays flat.
        assert_eq!(foldings([1, 2, 8], 4), [[2, 2, 4], [1, 4, 4]]);
    }

    #[test]
    fn only_a_side_of_two_is_folded_in_place_and_only_with_blocks_of_four() {
        assert_eq!(foldings([2, 2, 8], 4), [[2, 4, 4]]);
        assert_eq!(foldings([2, 2, 8], 8), <[[u32; 3]; 0]>::default());
        assert_eq!(foldings([4, 2, 2], 4), [[2, 2, 4]]);
        assert_eq!(foldings([2, 6, 8], 4), [[3, 4, 8], [4, 4, 6]]);
        assert_eq!(foldings([4, 4, 8], 4), <[[u32; 3]; 0]>::default());
        assert_eq!(foldings([1 << 20, 1 << 20, 2], 4), <[[u32; 3]; 0]>::default());
    }

    #[test]
    fn rows_and_single_nodes_have_no_foldings_but_boxes() {
        assert!(foldings([1, 1, 8], 4).is_empty() && foldings([1, 1, 1], 4).is_empty());
        assert_eq!(boxes(16, 8), [[2, 2, 4], [1, 2, 8], [1, 4, 4]]);
        assert_eq!(boxes(1, 8), [[1, 1, 1]]);
        assert_eq!(boxes(13, 8), <[[u32; 3]; 0]>::default());
        for nodes in 1..300 {
            let mut plain = Vec::new();
            for a in 1..=20 {
                for b in a..=20 {
                    plain.extend((b..=20).filter(|c| a * b * c == nodes).map(|c| [a, b, c]));
                }
            }
            let mut found = boxes(nodes, 20);
            found.sort_unstable();
            assert_eq!(found, plain, "{nodes}");
        }
    }
}
