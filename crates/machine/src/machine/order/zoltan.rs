//! The order of the Hilbert space-filling curve in the Zoltan library, with which P. Walker, D. Bunde and V.
//! Leung (2010) ordered their test machine.
//!
//! Zoltan stretches every dimension to the unit interval, each by its own factor. So on the machine the cells
//! of the curve are as long and narrow as the machine itself. Neighbours on the machine may be several cells
//! apart, and neighbours on the curve several hops.

use super::hilbert::{Pose, node, skilling, walk};
use super::{Mesh, NodeId, Sides};

/// The number of bits per dimension of a Hilbert key, in two dimensions.
const BITS_2D: u32 = 28;
/// The number of bits per dimension of a Hilbert key, in three dimensions.
const BITS_3D: u32 = 19;

/// Returns the nodes sorted by the Hilbert key of their stretched coordinates. Nodes with equal keys, which
/// occur only in three dimensions with sides of more than 2^19 nodes, are sorted with the longest side
/// fastest.
pub(super) fn nodes(mesh: &Mesh) -> Vec<NodeId> {
    let sides = Sides::from_mesh(mesh);
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

/// Returns whether the curve is sure to be continuous: on lines, and on squares and cubes of side 2^n, where
/// it is a plain Hilbert curve.
pub(super) fn is_continuous(mesh: &Mesh) -> bool {
    let sides = Sides::from_mesh(mesh);
    let long = sides.0[0].extent;
    sides.0[..sides.dims()].iter().all(|side| side.extent == long)
        && (sides.dims() == 1 || long.is_power_of_two())
}

/// Returns for each coordinate of a side the number of its cell, out of 2^bits.
///
/// The interval from the first to the last node is made longer at both ends by 1.6·10⁻⁷ of its length. It is
/// mapped to [0, 1], and from there to integers of 32 bits by the factor 2³² − 1; their upper bits are the
/// cell. The −1 in the factor matters: because of it the middle node of an odd side is in the lower half.
/// Zoltan computes in floating point. The exact fractions here give the same cells, unless a coordinate that
/// is mapped to 0 … 2³² − 1 lies within 10⁻⁶ of the border of a cell.
fn cells(extent: u32, bits: u32) -> Vec<u32> {
    /// The interval is extended at each end by the share MARGIN / SCALE: 16/10⁸.
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

/// The rule of recursion of Zoltan's three-dimensional curve, which differs from that of Skilling inside the
/// octants. The octants are numbered along the curve. For each of them, the three pairs belong to the
/// slowest, the middle and the fastest axis of the curve inside the octant. A pair has the index of that axis
/// among the axes of the curve outside, and whether it is flipped.
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

/// Returns the pose of the curve in octant `digit` by the rule [`OCTANTS`].
fn turn(pose: Pose<3>, digit: usize, _half: [bool; 3]) -> Pose<3> {
    let octant = OCTANTS[digit];
    Pose {
        axes: octant.map(|(axis, _)| pose.axes[axis]),
        flipped: octant.map(|(axis, flip)| pose.flipped[axis] ^ flip),
    }
}
