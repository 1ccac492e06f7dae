//! The positions of an axis around a centre.

use crate::allocator::nearest::rim::Reach;

/// An axis of a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Axis {
    /// The number of positions.
    pub(super) extent: usize,
    pub(super) is_ring: bool,
}

impl Axis {
    /// Returns how far a ball reaches around a centre.
    pub(super) fn around(self) -> Reach {
        let extent = self.extent as i32;
        match self {
            Self { extent: 1, .. } => Reach::Flat,
            Self { is_ring: true, .. } => Reach::Ring(extent),
            Self { is_ring: false, .. } => Reach::Line(extent),
        }
    }

    /// Returns how many steps down and up lead to positions that are not reached in fewer steps the other way.
    pub(super) fn reach(self) -> [usize; 2] {
        if self.is_ring { [(self.extent - 1) / 2, self.extent / 2] } else { [self.extent - 1; 2] }
    }

    /// Returns the position so many steps down; `None` if a line ends before, or if the steps are more than a ring has.
    pub(super) fn down(self, from: usize, steps: usize) -> Option<usize> {
        let around = || (self.is_ring && steps <= self.extent).then(|| from + self.extent - steps);
        from.checked_sub(steps).or_else(around)
    }

    /// Returns the position so many steps up; `None` if a line ends before, or if the steps are more than a ring has.
    pub(super) fn up(self, from: usize, steps: usize) -> Option<usize> {
        let to = from + steps;
        let around = || (self.is_ring && steps <= self.extent).then(|| to - self.extent);
        if to < self.extent { Some(to) } else { around() }
    }

    /// Returns the position so many steps up, or down if there are fewer than none; `None` if the axis ends before.
    pub(super) fn place(self, from: usize, offset: isize) -> Option<usize> {
        let steps = offset.unsigned_abs();
        if offset < 0 { self.down(from, steps) } else { self.up(from, steps) }
    }

    /// Returns whether the nodes up to `radius` from a centre are so few steps apart that a ring is like a line.
    pub(super) fn is_straight(self, radius: usize) -> bool {
        !self.is_ring || 4 * radius <= self.extent
    }
}
