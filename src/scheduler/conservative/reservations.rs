//! The reservations of the waiting jobs, and which of them may move.
//!
//! A reservation is *settled* if there is no earlier start at which its job fits, with its own nodes counted as free from
//! its present start on. It is settled when it is made and whenever it has been looked at. Nodes that are taken out of the
//! profile leave it settled. Only nodes that are given back can change that, and [`Reservations::offer`] notes for whom and
//! where, so that a compression looks at nobody else and nowhere else.
//!
//! Why nothing is missed: let a job fit from t on, before its start s, where it did not fit when it was last looked at. It needs
//! nodes in the *window* from t to the end of its time or to s, whichever comes first. Take the last time that nodes were
//! given back with which this window changed from too few free nodes to enough. They were given back in an opening from a
//! until b that meets the window, and at some time in it fewer nodes than the job needs had been free. Nodes have not been
//! short in the window since. Thus the whole window lay within the extent of the job's width around the opening, which
//! bounds where so many nodes were free at once then, and it either reached s or was as long as the job: so s is not behind
//! the end of the extent, or the job is not longer than the extent. Moreover t is before b, and not before the beginning of the
//! extent, nor earlier than a by more than the length of the job; and s is after a. These conditions are those of `offer`, and
//! the times between the bounds of t are the area that it notes. The start of a job does not change until it is looked at,
//! so the areas stay valid until then.

use super::by_width::ByWidth;
use super::candidates::{Areas, Candidates};
use super::profile::{Extent, Opening, Profile};
use super::reservation::Reservation;
use crate::job::Time;

/// The start of a reservation.
#[derive(Clone, Copy, Debug)]
struct Start {
    time: Time,
    procs: u32,
    /// The number of the reservation.
    number: u32,
}

/// The reservations, numbered in the order of the queue.
#[derive(Clone, Debug, Default)]
pub(super) struct Reservations {
    all: Vec<Reservation>,
    /// Those that may move.
    candidates: Candidates,
    /// The starts, the earliest first.
    by_start: Vec<Start>,
    by_width: ByWidth,
    /// Room for the extents of an opening.
    extents: Vec<Extent>,
}

impl Reservations {
    /// Returns the reservations in the order of the queue.
    pub(super) fn all(&self) -> &[Reservation] {
        &self.all
    }

    /// Adds a settled reservation, for the last job of the queue. O(Q) for Q reservations, but O(log Q) if few start later.
    pub(super) fn push(&mut self, reservation: Reservation) {
        let number = self.all.len() as u32;
        self.all.push(reservation);
        self.candidates.push();
        self.by_width.push(reservation, number);
        let Reservation { procs, start, .. } = reservation;
        let at = self.by_start.partition_point(|other| other.time <= start);
        self.by_start.insert(at, Start { time: start, procs, number });
    }

    /// Declares that the last reservation is not settled: it may move anywhere.
    pub(super) fn unsettle_last(&mut self) {
        if let Some(last) = self.all.len().checked_sub(1) {
            self.candidates.add(last, (Time::from_micros(i64::MIN), Time::MAX));
        }
    }

    /// Returns the earliest start; the end of time if there is none.
    pub(super) fn first_start(&self) -> Time {
        self.by_start.first().map_or(Time::MAX, |start| start.time)
    }

    /// Returns the earliest start after `time`; the end of time if there is none. O(log Q).
    pub(super) fn first_start_after(&self, time: Time) -> Time {
        let at = self.by_start.partition_point(|start| start.time <= time);
        self.by_start.get(at).map_or(Time::MAX, |start| start.time)
    }

    /// Returns the first reservation from number `from` on that may move; `None` if there is none. O(Q / 64).
    pub(super) fn first_candidate(&self, from: usize) -> Option<usize> {
        self.candidates.first(from)
    }

    /// Returns where a reservation may move. It is settled from now on if it moves to the earliest start there.
    pub(super) fn settle(&mut self, number: usize) -> Areas {
        self.candidates.take(number)
    }

    /// Gives a reservation an earlier start. O(log Q + E) if E others start between the two.
    pub(super) fn bring_forward(&mut self, number: usize, earlier: Time) {
        let reservation = &mut self.all[number];
        reservation.start = earlier;
        let moved = Start { time: earlier, procs: reservation.procs, number: number as u32 };
        let to = self.by_start.partition_point(|other| other.time < earlier);
        let between = self.by_start[to..].iter().take_while(|other| other.number != moved.number);
        let from = to + between.count();
        self.by_start.copy_within(to..from, to + 1);
        self.by_start[to] = moved;
    }

    /// Removes the reservations that start at `now` or before. The others close up. O(Q log D) for D that leave.
    pub(super) fn remove_due(&mut self, now: Time) {
        let due = self.by_start.partition_point(|start| start.time <= now);
        let mut gone: Vec<u32> = self.by_start.drain(..due).map(|start| start.number).collect();
        if gone.is_empty() {
            return;
        }
        // Mostly there is one, for which shifts in memory and a loop without branches do.
        if let [one] = gone[..] {
            self.all.remove(one as usize);
            for start in &mut self.by_start {
                start.number -= u32::from(start.number > one);
            }
            self.by_width.remove(one);
            self.candidates.remove(1, |number| number == one as usize);
            return;
        }
        gone.sort_unstable();
        // A reservation gives up as many numbers as have gone before it.
        let renumbered = |number: u32| match gone.binary_search(&number) {
            Ok(_) => None,
            Err(before) => Some(number - before as u32),
        };
        self.all.retain(|reservation| reservation.start > now);
        for start in &mut self.by_start {
            start.number = renumbered(start.number).unwrap_or(start.number);
        }
        self.by_width.renumber(renumbered);
        self.candidates.remove(gone.len(), |number| renumbered(number as u32).is_none());
    }

    /// Notes which reservations may move because nodes have become free in an opening, and where. O(Q) at most. Mostly it
    /// is O(log P + log Q + Q / 256) for P steps of the profile, and what there is close to the opening.
    pub(super) fn offer(&mut self, profile: &Profile, opening: Opening) {
        self.by_width.refresh(&self.all);
        let Some((narrowest, longest)) = self.by_width.limits() else { return };
        profile.extents(opening, narrowest, longest, &mut self.extents);
        let Some(longest) = self.extents.first() else { return };
        let ((from, before), all, candidates) = (opening.time, &self.all, &mut self.candidates);
        // Jobs that start within the extent of their width, so that their windows need not be as long as they are.
        let begin = self.by_start.partition_point(|start| start.time <= from);
        for start in self.by_start[begin..].iter().take_while(|start| start.time <= longest.until) {
            let extent = self.extents.iter().find(|extent| extent.widest >= i64::from(start.procs));
            let reached = |extent: &&Extent| extent.is_for(start.procs) && start.time <= extent.until;
            if let Some(extent) = extent.filter(reached) {
                let length = all[start.number as usize].length;
                candidates.add(start.number as usize, (extent.from.max(from - length), before));
            }
        }
        // Jobs that start later and find room for their whole time.
        self.by_width.each_within(&self.extents, from, |number, extent| {
            let Reservation { length, start, .. } = all[number as usize];
            if start > extent.until {
                candidates.add(number as usize, (extent.from.max(from - length), before));
            }
        });
    }
}

#[cfg(test)]
impl Reservations {
    /// Declares that no reservation is settled.
    pub(super) fn unsettle_all(&mut self) {
        for number in 0..self.all.len() {
            self.candidates.add(number, (Time::from_micros(i64::MIN), Time::MAX));
        }
    }
}
