//! Freed windows in which reservations may find room that start much later.
//!
//! Some windows suit many such reservations, and mostly the next job takes the window before the others are
//! looked at. So no note is kept with the reservations. The window waits until the turn through the queue
//! comes to the first reservation that it suits, then to the next one that it still suits, until the turn has
//! passed all numbers once.

use super::free_intervals::{FreeInterval, FreeRectangles, Limits};
use super::length_table::LengthTable;
use super::profile::{Profile, Window};

/// A freed window that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitingWindow {
    pub(super) window: Window,
    /// Bounds of the jobs for which it waits.
    limits: Limits,
    /// The number after that of the reservation that left the freed window; 0 if none did.
    origin: u32,
    /// The distance from there to the number of the next reservation. As numbers wrap around, it is longer
    /// for those of the next turn.
    distance: u32,
    /// Whether the numbers before `origin` are for this turn, too.
    is_last_turn: bool,
}

impl WaitingWindow {
    /// Returns the number of the next reservation.
    fn next(&self) -> u32 {
        self.origin.wrapping_add(self.distance)
    }
}

/// The freed windows that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct FreedWindows {
    /// Those for which a reservation of this turn is waited for, and those that wait for the next turn.
    now: Vec<WaitingWindow>,
    later: Vec<WaitingWindow>,
    /// The rectangles in a freed window that has waited.
    rectangles: FreeRectangles,
}

impl FreedWindows {
    /// Adds a freed window if there are reservations that may find room in it. `free_intervals` are its free
    /// intervals, without those that hold no such reservation by the table. `after` is the number of the
    /// reservation that moved in this turn and left it; `None` if there is no turn now.
    ///
    /// It need not wait for reservations that come later. They are settled when they are made, and if they
    /// may move from then on, it is because of nodes that are given back in other freed windows.
    pub(super) fn add(
        &mut self,
        window: Window,
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
            Some(_) => self.wait(one),
            None => self.later.push(one),
        }
    }

    /// Lets a freed window wait for its next reservation.
    fn wait(&mut self, one: WaitingWindow) {
        let is_for_now = one.is_last_turn || one.next() >= one.origin;
        if is_for_now { &mut self.now } else { &mut self.later }.push(one);
    }

    /// Returns the first number that a freed window waits for in this turn; `None` if there is none.
    pub(super) fn first(&self) -> Option<u32> {
        self.now.iter().map(WaitingWindow::next).min()
    }

    /// Begins a turn. Returns whether a freed window waits for it.
    pub(super) fn begin_turn(&mut self) -> bool {
        self.later.iter_mut().for_each(|one| one.is_last_turn = true);
        self.now.append(&mut self.later);
        !self.now.is_empty()
    }

    /// Returns a freed window that waits for a reservation, and is not there any more; `None` if there is
    /// none.
    pub(super) fn take(&mut self, number: u32) -> Option<WaitingWindow> {
        let at = self.now.iter().position(|one| one.next() == number)?;
        Some(self.now.swap_remove(at))
    }

    /// Lets a freed window wait for the next reservation, if there is one for which it has room.
    pub(super) fn go_on(&mut self, one: WaitingWindow, profile: &Profile, lengths: &mut LengthTable) {
        let WaitingWindow { origin, distance, .. } = one;
        self.rectangles.find(profile, &one.limits, &one.window);
        if let Some(distance) = lengths.nearest(&mut self.rectangles.all, origin, distance + 1) {
            self.wait(WaitingWindow { distance, ..one });
        }
    }

    /// Tells the freed windows that the reservations have other numbers now. No turn goes on.
    pub(super) fn renumber(mut self) -> Self {
        self.later.iter_mut().for_each(|one| (one.origin, one.distance) = (0, 0));
        self
    }
}
