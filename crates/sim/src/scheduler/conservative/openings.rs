//! Openings in which reservations may find room that start much later.
//!
//! There are many such reservations for some openings, and mostly the job behind an opening takes it before the others are
//! looked at. So nothing is noted with the reservations. An opening waits until the turn through the queue comes to the first
//! one, and then for the next one for which it still has room, until the turn has passed all numbers once.

use super::candidates::Area;
use super::extents::{Extent, Rooms};
use super::length_table::LengthTable;
use super::profile::Profile;
use super::reservation::Nodes;
use meshreplay_base::job::Time;

/// An opening that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) area: Area,
    /// No job for which it waits takes fewer nodes or is longer.
    narrowest: Nodes,
    longest: Time,
    /// The number after that of the reservation that left the opening; 0 if none did.
    origin: u32,
    /// The distance from there to the number of the next reservation. As numbers wrap around, it is longer for those of the
    /// next turn.
    distance: u32,
    /// Whether the numbers before `origin` are for this turn, too.
    is_last_turn: bool,
}

impl Waiting {
    /// Returns the number of the next reservation.
    fn next(&self) -> u32 {
        self.origin.wrapping_add(self.distance)
    }
}

/// The openings that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Openings {
    /// Those for which a reservation of this turn is waited for, and those that wait for the next turn.
    now: Vec<Waiting>,
    later: Vec<Waiting>,
    /// The rooms in an opening that has waited.
    rooms: Rooms,
}

impl Openings {
    /// Adds an opening if there are reservations that may find room in it. `extents` are its extents, but for those that are known
    /// to hold no such reservation. `after` is the number of the reservation that moved in this turn and left it; `None` if there
    /// is no turn now. `all` are the reservations by their numbers.
    ///
    /// It need not wait for reservations that come later. They are settled when they are made, and if they may move from then on,
    /// it is because of nodes that are given back in other openings.
    pub(super) fn add(
        &mut self,
        area: Area,
        extents: &mut Vec<Extent>,
        after: Option<u32>,
        lengths: &mut LengthTable,
    ) {
        let Some(&longest) = extents.last() else { return };
        let origin = after.map_or(0, |after| after + 1);
        let Some(distance) = lengths.nearest(extents, origin, 0) else { return };
        let (narrowest, longest) = (longest.narrower + 1, longest.length());
        let one = Waiting { area, narrowest, longest, origin, distance, is_last_turn: false };
        match after {
            Some(_) => self.wait(one),
            None => self.later.push(one),
        }
    }

    /// Lets an opening wait for its next reservation.
    fn wait(&mut self, one: Waiting) {
        let is_for_now = one.is_last_turn || one.next() >= one.origin;
        if is_for_now { &mut self.now } else { &mut self.later }.push(one);
    }

    /// Returns the first number that an opening waits for in this turn; `None` if there is none.
    pub(super) fn first(&self) -> Option<u32> {
        self.now.iter().map(Waiting::next).min()
    }

    /// Begins a turn. Returns whether an opening waits for it.
    pub(super) fn begin_turn(&mut self) -> bool {
        self.later.iter_mut().for_each(|one| one.is_last_turn = true);
        self.now.append(&mut self.later);
        !self.now.is_empty()
    }

    /// Returns an opening that waits for a reservation, and is not there any more; `None` if there is none.
    pub(super) fn take(&mut self, number: u32) -> Option<Waiting> {
        let at = self.now.iter().position(|one| one.next() == number)?;
        Some(self.now.swap_remove(at))
    }

    /// Lets an opening wait for the next reservation, if there is one for which it has room.
    pub(super) fn go_on(&mut self, one: Waiting, profile: &Profile, lengths: &mut LengthTable) {
        let Waiting { area, narrowest, longest, origin, distance, .. } = one;
        self.rooms.find(profile, (narrowest, longest), (area.time, area.step));
        if let Some(distance) = lengths.nearest(&mut self.rooms.all, origin, distance + 1) {
            self.wait(Waiting { distance, ..one });
        }
    }

    /// Tells the openings that the reservations have other numbers now. No turn goes on.
    pub(super) fn renumber(mut self) -> Self {
        self.later.iter_mut().for_each(|one| (one.origin, one.distance) = (0, 0));
        self
    }
}
