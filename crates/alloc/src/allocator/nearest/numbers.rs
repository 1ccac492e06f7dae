//! Number types of the search. Narrow types are used where they suffice, because a vector register holds more
//! of them.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, BitAnd, Mul, Neg, Sub};

use super::axis::Axis;
use super::lanes::LANES;
use meshreplay_machine::machine::Mesh;

/// Returns the masks of vectors of a type.
macro_rules! masks {
    ($number:ty) => {{
        let mut masks = [[<$number>::MAX; LANES]; LANES];
        let mut cleared = 0;
        while cleared < LANES {
            let mut lane = LANES - cleared;
            while lane < LANES {
                masks[cleared][lane] = 0;
                lane += 1;
            }
            cleared += 1;
        }
        masks
    }};
}

/// A number of nodes: of a part of a line, or of a ball at one position of a dimension.
pub(super) trait Count:
    Copy + Debug + Default + From<bool> + Into<u32> + AddAssign + Sub<Output = Self> + BitAnd<Output = Self>
{
    /// Masks of a vector: the n-th one clears the last n lanes.
    const MASKS: [[Self; LANES]; LANES];
}

impl Count for u16 {
    const MASKS: [[Self; LANES]; LANES] = masks!(Self);
}

impl Count for u32 {
    const MASKS: [[Self; LANES]; LANES] = masks!(Self);
}

/// A sum of distances from one node to others. It is negative where nodes are removed.
pub(super) trait Cost:
    Copy
    + Debug
    + Ord
    + From<i32>
    + From<Self::Count>
    + Into<i64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
{
    /// The numbers of nodes that belong to it.
    type Count: Count;
    /// The cost of a place outside the machine. It is above all others, and three of them can be added.
    const FAR: Self;
}

impl Cost for i32 {
    type Count = u16;
    const FAR: Self = Self::MAX / 4;
}

impl Cost for i64 {
    type Count = u32;
    const FAR: Self = Self::MAX / 4;
}

/// Returns whether costs of 32 bits and counts of 16 bits suffice on machines of the shape `mesh`.
pub(super) fn are_narrow(mesh: &Mesh) -> bool {
    let (axes, nodes) = (Axis::from_mesh(mesh), i64::from(mesh.nodes()));
    let farthest: i64 = axes.iter().map(|axis| i64::from(axis.longest())).sum();
    let largest_plane = axes.iter().map(|axis| nodes / i64::from(axis.extent)).max();
    // Prefix sums go twice around a ring. A ring has less than 2^15 positions here, as half their square is
    // below FAR.
    nodes * farthest < i64::from(i32::FAR) && largest_plane.is_some_and(|plane| plane <= i64::from(u16::MAX))
}
