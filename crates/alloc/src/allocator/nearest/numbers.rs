//! The numbers of the search: positions along one dimension, counts and costs in narrow types where these
//! suffice, as a vector register holds more of them, and sums over the lines of a run, a vector register of
//! lines at a time.
//!
//! Runs are short, often about a dozen lines. So the last lines of a run are not left to a scalar loop: the
//! tables go on behind each run, and a mask clears what does not belong to it.
#![expect(clippy::inline_always, reason = "the functions are called for a few vectors each")]

use std::fmt::Debug;
use std::ops::{Add, AddAssign, BitAnd, Mul, Neg, Sub};

use meshreplay_machine::machine::Mesh;

/// A dimension of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// The number of positions.
    pub(super) extent: i32,
    /// Whether the dimension is a ring.
    pub(super) wraps: bool,
}

/// A range of offsets from a centre, which is one of them: from `-below` to `above`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OffsetRange {
    pub(super) below: i32,
    pub(super) above: i32,
}

impl OffsetRange {
    /// Returns the offsets, ascending.
    pub(super) fn offsets(self) -> std::ops::RangeInclusive<i32> {
        -self.below..=self.above
    }

    /// Returns the number of offsets.
    pub(super) fn len(self) -> i32 {
        self.below + self.above + 1
    }
}

impl Axis {
    /// Returns the three dimensions of `mesh`.
    pub(super) fn from_mesh(mesh: &Mesh) -> [Self; 3] {
        [0, 1, 2].map(|d| Self { extent: mesh.extents()[d].cast_signed(), wraps: mesh.wraps(d) })
    }

    /// Returns the greatest distance of two positions.
    pub(super) fn longest(self) -> i32 {
        if self.wraps { self.extent / 2 } else { self.extent - 1 }
    }

    /// Returns the offsets of the positions within `radius` of the position `centre`. On a ring, each
    /// position has one offset, and the position opposite the centre has a positive one.
    pub(super) fn within(self, centre: i32, radius: i32) -> OffsetRange {
        if self.wraps {
            OffsetRange { below: radius.min((self.extent - 1) / 2), above: radius.min(self.extent / 2) }
        } else {
            OffsetRange { below: radius.min(centre), above: radius.min(self.extent - 1 - centre) }
        }
    }

    /// Returns the offsets within `radius` that some centre has.
    pub(super) fn within_any(self, radius: i32) -> OffsetRange {
        let below = if self.wraps { (self.extent - 1) / 2 } else { self.longest() };
        OffsetRange { below: radius.min(below), above: radius.min(self.longest()) }
    }

    /// Returns the offsets of the positions exactly `hops` from the position `centre`, ascending: none, one
    /// or two.
    pub(super) fn exactly(self, centre: i32, hops: i32) -> impl Iterator<Item = i32> {
        let window = self.within(centre, hops);
        let below = (hops > 0 && window.below == hops).then_some(-hops);
        below.into_iter().chain((window.above == hops).then_some(hops))
    }

    /// Returns the position at an offset from `centre`, which must be on the machine.
    pub(super) fn position(self, centre: i32, offset: i32) -> i32 {
        let at = centre + offset;
        if at < 0 {
            at + self.extent
        } else if at >= self.extent {
            at - self.extent
        } else {
            at
        }
    }

    /// Returns the distance between two offsets.
    pub(super) fn hops(self, a: i32, b: i32) -> i32 {
        let straight = (a - b).abs();
        if self.wraps { straight.min(self.extent - straight) } else { straight }
    }
}

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

/// The number of lines of a vector.
pub(super) const LANES: usize = 8;

/// Neighbouring lines that a ball meets. The difference of the i-th end and the i-th start is the number of
/// free nodes of the i-th line. The slices are longer than the run, up to a multiple of `LANES`.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineRun<'a, T> {
    /// The offset of the first line from the centre.
    pub(super) first: i32,
    /// The number of lines.
    pub(super) lines: usize,
    pub(super) ends: &'a [T],
    pub(super) starts: &'a [T],
}

impl<T: Count> LineRun<'_, T> {
    /// Adds the free nodes of all lines to the lanes of a vector, line i to lane i modulo `LANES`.
    #[inline(always)]
    pub(super) fn add_to_sums(self, sums: &mut [T; LANES]) {
        self.for_each_vector(|_, nodes| add(sums, nodes));
    }

    /// Adds the number of free nodes of the i-th line to the i-th of `counts`, which must be as long as the
    /// slices, and to `sums` as [`Self::add_to_sums`] does.
    #[inline(always)]
    pub(super) fn add_to(self, counts: &mut [T], sums: &mut [T; LANES]) {
        let (vectors, _) = counts.as_chunks_mut();
        self.for_each_vector(|i, nodes| {
            add(&mut vectors[i], nodes);
            add(sums, nodes);
        });
    }

    /// Calls `visit` with the number of each vector and the free nodes of its lines; 0 behind the last line.
    #[inline(always)]
    fn for_each_vector(self, mut visit: impl FnMut(usize, [T; LANES])) {
        let (ends, starts) = (self.ends.as_chunks().0, self.starts.as_chunks().0);
        let whole = self.lines / LANES;
        for (i, (ends, starts)) in ends.iter().zip(starts).take(whole).enumerate() {
            visit(i, difference(ends, starts, &T::MASKS[0]));
        }
        if let (Some(ends), Some(starts)) = (ends.get(whole), starts.get(whole)) {
            visit(whole, difference(ends, starts, &T::MASKS[LANES - self.lines % LANES]));
        }
    }
}

/// Returns the differences of two vectors where the mask is set, and 0 elsewhere.
#[inline]
fn difference<T: Count>(ends: &[T; LANES], starts: &[T; LANES], mask: &[T; LANES]) -> [T; LANES] {
    std::array::from_fn(|lane| (ends[lane] & mask[lane]) - (starts[lane] & mask[lane]))
}

/// Adds a vector to another one.
#[inline(always)]
fn add<T: Count>(sums: &mut [T; LANES], nodes: [T; LANES]) {
    for (sum, nodes) in sums.iter_mut().zip(nodes) {
        *sum += nodes;
    }
}

#[inline(always)]
pub(super) fn total<T: Count>(vector: [T; LANES]) -> T {
    let mut total = T::default();
    for value in vector {
        total += value;
    }
    total
}
