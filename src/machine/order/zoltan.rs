//! The order of the Zoltan library's Hilbert space-filling curve, with which walker-2010 ordered its test machine.
//!
//! Zoltan stretches every dimension to the unit interval on its own, so cells of the curve have the aspect ratio of
//! the machine, and adjacent nodes can be several cells, and the curve's neighbours several hops, apart.

use super::hilbert_walk::{Pose, node, skilling, walk};
use super::{Mesh, NodeId, Sides};

/// Significant bits per dimension of a key.
const BITS_2D: u32 = 28;
const BITS_3D: u32 = 19;

/// Sorts the nodes by the Hilbert key of their stretched coordinates. Equal keys (only on sides beyond 2^19 nodes in
/// three dimensions) are taken with the longest side fastest.
pub(super) fn nodes(mesh: &Mesh) -> Vec<NodeId> {
    let sides = Sides::of(mesh);
    let Sides([long, middle, short]) = sides;
    let mut nodes = Vec::with_capacity(sides.nodes());
    if short.extent == 1 {
        let slow_first = [middle, long];
        let cells = slow_first.map(|side| cells(side.extent, BITS_2D));
        walk(cells.each_ref().map(Vec::as_slice), BITS_2D, skilling, |at| {
            nodes.push(node(&slow_first, at));
        });
    } else {
        let slow_first = [short, middle, long];
        let cells = slow_first.map(|side| cells(side.extent, BITS_3D));
        walk(cells.each_ref().map(Vec::as_slice), BITS_3D, turn, |at| {
            nodes.push(node(&slow_first, at));
        });
    }
    nodes
}

/// Continuous on lines, and on squares and cubes of side 2^n, where it is a plain Hilbert curve.
pub(super) fn is_continuous(mesh: &Mesh) -> bool {
    let sides = Sides::of(mesh);
    let long = sides.0[0].extent;
    sides.0[..sides.dims()].iter().all(|side| side.extent == long)
        && (sides.dims() == 1 || long.is_power_of_two())
}

/// Returns the cell, of 2^bits, of every coordinate of a side.
///
/// The interval from the first to the last node is made longer by 1.6·10⁻⁷ of itself at both ends, mapped to [0, 1]
/// and then to whole numbers of 32 bits by a factor of 2³² − 1, of which the upper bits are kept. The factor matters:
/// it puts the middle node of an odd side into the lower half. Zoltan computes in floating point; exact fractions
/// give the same cells unless a coordinate lies within 10⁻⁶ of a cell's 2³²-nd part.
fn cells(extent: u32, bits: u32) -> Vec<u32> {
    const SCALE: u128 = 100_000_000;
    const MARGIN: u128 = 16;
    if extent == 1 {
        return vec![0];
    }
    let last = u128::from(extent - 1);
    let length = last * (SCALE + 2 * MARGIN);
    (0..u128::from(extent))
        .map(|i| {
            let whole = (i * SCALE + last * MARGIN) * u128::from(u32::MAX) / length;
            whole as u32 >> (u32::BITS - bits)
        })
        .collect()
}

/// Zoltan's three-dimensional curve, which differs from Skilling's inside the octants: for each octant the parent's
/// axis that becomes the child's slowest, middle and fastest, and whether it is flipped.
const OCTANTS: [[(usize, bool); 3]; 8] = {
    const F: bool = false;
    const T: bool = true;
    [
        [(2, F), (1, F), (0, F)],
        [(1, F), (0, F), (2, F)],
        [(0, F), (1, F), (2, F)],
        [(1, F), (2, T), (0, T)],
        [(1, T), (2, T), (0, F)],
        [(0, F), (1, F), (2, F)],
        [(1, T), (0, T), (2, F)],
        [(2, T), (1, F), (0, T)],
    ]
};

fn turn(pose: Pose<3>, digit: usize, _half: [bool; 3]) -> Pose<3> {
    let octant = OCTANTS[digit];
    Pose {
        axes: octant.map(|(axis, _)| pose.axes[axis]),
        flipped: octant.map(|(axis, flip)| pose.flipped[axis] ^ flip),
    }
}
