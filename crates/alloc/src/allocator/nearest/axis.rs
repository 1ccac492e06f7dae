//! One dimension of the machine, a line or a ring, with positions relative to a centre.

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
pub(super) struct Window {
    pub(super) below: i32,
    pub(super) above: i32,
}

impl Window {
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
    pub(super) fn within(self, centre: i32, radius: i32) -> Window {
        if self.wraps {
            Window { below: radius.min((self.extent - 1) / 2), above: radius.min(self.extent / 2) }
        } else {
            Window { below: radius.min(centre), above: radius.min(self.extent - 1 - centre) }
        }
    }

    /// Returns the offsets within `radius` that some centre has.
    pub(super) fn within_any(self, radius: i32) -> Window {
        let below = if self.wraps { (self.extent - 1) / 2 } else { self.longest() };
        Window { below: radius.min(below), above: radius.min(self.longest()) }
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
