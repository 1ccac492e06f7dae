//! Freed windows with room for reservations that start much later.
//!
//! Some windows suit many such reservations, but usually the first one takes the window before the others are
//! tried. So reservations are not marked individually. Instead the window waits until the pass through the
//! queue reaches the first suitable reservation, then the next one that it still suits, and so on, until the
//! pass has covered all numbers once.

use super::free_intervals::{FreeInterval, FreeRectangles, Limits};
use super::length_table::LengthTable;
use super::profile::{Profile, ProfileWindow};

/// A freed window that waits for reservations.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitingWindow {
    pub(super) window: ProfileWindow,
    /// Bounds of the jobs that it may suit.
    limits: Limits,
    /// One after the number of the reservation that left the freed window, or 0.
    origin: u32,
    /// The distance from `origin` to the number of the next reservation, modulo 2^32. Numbers below `origin`
    /// are farthest; their turn is in the next pass.
    distance: u32,
    /// Whether numbers below `origin` belong to this pass, too.
    is_last_turn: bool,
}

impl WaitingWindow {
    /// Returns the number of the next reservation.
    fn next(&self) -> u32 {
        self.origin.wrapping_add(self.distance)
    }
}

/// The freed windows that wait for reservations.
#[derive(Clone, Debug, Default)]
pub(super) struct FreedWindows {
    /// Windows waiting for a reservation of this pass, and windows waiting for the next pass.
    now: Vec<WaitingWindow>,
    later: Vec<WaitingWindow>,
    /// A buffer for the rectangles of a freed window.
    rectangles: FreeRectangles,
}

impl FreedWindows {
    /// Adds a freed window if it may suit reservations. `free_intervals` are its free intervals, except
    /// the ones that the table rules out. `after` is the number of the reservation that left the window by
    /// moving in this pass, or `None` outside of a pass.
    ///
    /// The window need not wait for later reservations. They are settled when they are made, and can only be
    /// unsettled by other freed windows.
    pub(super) fn add(
        &mut self,
        window: ProfileWindow,
        free_intervals: &mut Vec<FreeInterval>,
        after: Option<u32>,
        lengths: &mut LengthTable,
    ) {
        let Some(&longest) = free_intervals.last() else { return };
        let origin = after.map_or(0, |after| after + 1);
        let Some(distance) = lengths.nearest(free_intervals, origin, 0) else { return };
        let limits = Limits { narrowest: longest.narrower + 1, longest: longest.length() };
        let one = WaitingWindow { window, limits, origin, distance, is_last_turn: false };
        match after {
            Some(_) => self.enqueue(one),
            None => self.later.push(one),
        }
    }

    /// Queues a freed window for its next reservation.
    fn enqueue(&mut self, one: WaitingWindow) {
        let is_for_now = one.is_last_turn || one.next() >= one.origin;
        if is_for_now { &mut self.now } else { &mut self.later }.push(one);
    }

    /// Returns the first number that a freed window waits for in this pass, or `None` if there is none.
    pub(super) fn first(&self) -> Option<u32> {
        self.now.iter().map(WaitingWindow::next).min()
    }

    /// Begins a pass. Returns whether a freed window waits for it.
    pub(super) fn begin_turn(&mut self) -> bool {
        self.later.iter_mut().for_each(|one| one.is_last_turn = true);
        self.now.append(&mut self.later);
        !self.now.is_empty()
    }

    /// Removes and returns a freed window that waits for a reservation, if any.
    pub(super) fn take(&mut self, number: u32) -> Option<WaitingWindow> {
        let at = self.now.iter().position(|one| one.next() == number)?;
        Some(self.now.swap_remove(at))
    }

    /// Queues a freed window for the next reservation that it still suits, if any.
    pub(super) fn requeue(&mut self, one: WaitingWindow, profile: &Profile, lengths: &mut LengthTable) {
        let WaitingWindow { origin, distance, .. } = one;
        self.rectangles.find(profile, &one.limits, &one.window);
        if let Some(distance) = lengths.nearest(&mut self.rectangles.all, origin, distance + 1) {
            self.enqueue(WaitingWindow { distance, ..one });
        }
    }

    /// Resets the freed windows after a renumbering of the reservations, between passes.
    pub(super) fn renumber(mut self) -> Self {
        self.later.iter_mut().for_each(|one| (one.origin, one.distance) = (0, 0));
        self
    }
}
