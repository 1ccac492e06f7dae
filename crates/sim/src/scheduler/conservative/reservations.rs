//! The reservations of the waiting jobs, and the ones that may move.
//!
//! A reservation is *settled* if its job fits at no earlier start, with its own nodes counted as free from
//! its present start on. It is settled when it is made and after each look of a compression. Taking nodes out
//! of the profile keeps it settled. Giving nodes back may unsettle it: [`Reservations::note_freed`] records
//! the affected reservations and windows, and a compression looks at those alone.
//!
//! Why none is missed: let a job fit from t on, before its start s, where it did not fit at the last look. It
//! needs nodes in the *needed window* from t to the end of its time or to s, whichever comes first. Take the
//! last time that giving nodes back changed the needed window from too few free nodes to enough. Those nodes
//! came back in a freed window from a until b that meets the needed window, and at some time in it fewer
//! nodes than the job needs had been free. Since then the needed window has always had enough nodes. So it
//! was within the free interval of the job's width around the freed window, and it either reached s or was as
//! long as the job.
//!
//! * In the first case s was after a and not after the end of the free interval. `note_freed` finds the job
//!   among the ones that start there, and records the freed window for it.
//! * In the second case s was after the end of the free interval, and the job was at most as long as it. Most
//!   of these jobs find the window taken when they are looked at. In a long queue the freed window waits for
//!   them one after the other (`freed_windows`). For most windows a table shows that there is none
//!   (`length_table`).
//!
//! A search looks at the runs of steps with enough free nodes that meet the freed window. One of them
//! contains the needed window. A job that fits in a run fits at its beginning, and the earliest start is the
//! beginning of the first run in which it fits.

use std::ops::RangeInclusive;

use super::candidates::{Candidates, Windows};
use super::free_intervals::{FreeInterval, free_intervals};
use super::freed_windows::{FreedWindows, WaitingWindow};
use super::length_table::LengthTable;
use super::profile::{FreedWindow, NONE, Nodes, Profile, ProfileWindow, Reservation, Step, nodes};
use meshreplay_base::job::{JobId, Time};

/// The reservations, numbered in the order of the queue. The numbers of started jobs stay unused until a
/// renumbering.
#[derive(Clone, Debug, Default)]
pub(super) struct Reservations {
    tuning: Tuning,
    /// Removed reservations have length 0.
    all: Vec<Reservation>,
    /// The submissions of the jobs and their numbers.
    jobs: Vec<(Time, JobId)>,
    /// Number of removed reservations.
    gone: usize,
    /// The reservations that may move.
    candidates: Candidates,
    lengths: LengthTable,
    /// Freed windows that may suit reservations with a much later start.
    freed_windows: FreedWindows,
    /// Freed windows that have waited for the present reservation.
    visited: Vec<WaitingWindow>,
    /// A buffer for the free intervals of a freed window that may suit later reservations.
    free_intervals: Vec<FreeInterval>,
}

/// Queue lengths that switch algorithms, without effect on the results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tuning {
    /// Number of reservations, including removed ones, from which on freed windows wait. Half and twice this
    /// number were slower on some workloads.
    pub(super) waiting_from: usize,
    /// The excess of removed over remaining reservations that triggers a renumbering.
    pub(super) gone: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { waiting_from: 512, gone: 64 }
    }
}

impl Reservations {
    /// Creates an empty list.
    pub(super) fn new(tuning: Tuning) -> Self {
        Self { tuning, ..Self::default() }
    }

    /// Returns the queue lengths given at creation.
    pub(super) fn tuning(&self) -> Tuning {
        self.tuning
    }

    /// Returns the number of reservations.
    pub(super) fn len(&self) -> usize {
        self.all.len() - self.gone
    }

    /// Returns the reservations in the order of the queue.
    #[cfg(test)]
    pub(super) fn all(&self) -> impl Iterator<Item = &Reservation> {
        self.all.iter().filter(|one| one.length > Time::ZERO)
    }

    /// Adds a settled reservation for the last job of the queue, and takes its nodes out of the profile. Its
    /// first step is the one that contains its start.
    pub(super) fn push(&mut self, profile: &mut Profile, mut one: Reservation, submit: Time, job: JobId) {
        let number = self.all.len() as u32;
        profile.reserve(&mut one);
        self.all.push(one);
        self.jobs.push((submit, job));
        self.link(profile, number);
        self.candidates.push(Windows::default());
        self.lengths.push(&one);
    }

    /// Adds a reservation to the list of its start.
    fn link(&mut self, profile: &mut Profile, number: u32) {
        let one = &mut self.all[number as usize];
        let next = profile.enter(one.from, number, one.procs);
        (one.previous, one.next) = (NONE, next);
        if let Some(next) = self.all.get_mut(next as usize) {
            next.previous = number;
        }
    }

    /// Removes a reservation from the list of its start.
    fn unlink(&mut self, profile: &mut Profile, number: u32) {
        let Reservation { previous, next, from, .. } = self.all[number as usize];
        match self.all.get_mut(previous as usize) {
            Some(previous) => previous.next = next,
            None => profile.leave(from, next),
        }
        if let Some(next) = self.all.get_mut(next as usize) {
            next.previous = previous;
        }
    }

    /// Returns the numbers in the list that begins with `first`.
    fn starting(&self, first: u32) -> impl Iterator<Item = u32> {
        let mut next = first;
        std::iter::from_fn(move || {
            let number = next;
            next = self.all.get(number as usize)?.next;
            Some(number)
        })
    }

    /// Unsettles the last reservation: it may move anywhere.
    pub(super) fn unsettle_last(&mut self) {
        if let Some(last) = self.all.len().checked_sub(1) {
            self.candidates.add(last, ANYWHERE, |_| false);
        }
    }

    /// Begins a pass through the queue. Returns whether any reservation may move.
    pub(super) fn begin_turn(&mut self) -> bool {
        self.freed_windows.begin_turn() || self.candidates.first(0).is_some()
    }

    /// Returns the first reservation from number `from` on that may move in this pass, or `None` if there is
    /// none. O(Q / 64).
    pub(super) fn first_candidate(&self, from: usize) -> Option<usize> {
        let late = self.freed_windows.first().map(|number| number as usize);
        self.candidates.first(from).into_iter().chain(late).min()
    }

    /// Moves a reservation to the earliest start at which its job fits, if earlier than its own, and settles
    /// it.
    pub(super) fn bring_forward(&mut self, profile: &mut Profile, number: usize) {
        profile.mark();
        let one = &self.all[number];
        let windows = self.candidates.take(number);
        let mut to = windows.sorted().iter().find_map(|window| profile.earlier(one, window));
        while let Some(freed) = self.freed_windows.take(number as u32) {
            let earlier = profile.earlier(one, &freed.window);
            let earlier = earlier.filter(|_| one.length > Time::ZERO);
            to = to.into_iter().chain(earlier).min_by_key(|&to| profile.step(to).time);
            self.visited.push(freed);
        }
        windows.clear();
        if let Some(to) = to {
            let Reservation { from, until, .. } = *one;
            self.unlink(profile, number as u32);
            let freed = profile.bring_forward(&mut self.all[number], to);
            self.link(profile, number as u32);
            self.lengths.set_start(number, self.all[number].start);
            self.note_freed(profile, freed, Some(number as u32));
            profile.trim(from);
            profile.trim(until);
        }
        for freed in self.visited.drain(..) {
            self.freed_windows.requeue(freed, profile, &mut self.lengths);
        }
    }

    /// Returns the numbers of the reservations that start at `now` or before, with the submissions and
    /// numbers of their jobs, in the order of the queue.
    pub(super) fn due(&self, profile: &Profile, now: Time) -> Vec<(u32, (Time, JobId))> {
        let steps = profile.all().take_while(|(_, step)| step.time <= now);
        let mut due: Vec<u32> = steps.flat_map(|(_, step)| self.starting(step.first)).collect();
        due.sort_unstable();
        due.into_iter().map(|number| (number, self.jobs[number as usize])).collect()
    }

    /// Removes a reservation. Its nodes stay taken out of the profile.
    pub(super) fn remove(&mut self, profile: &mut Profile, number: u32) {
        self.unlink(profile, number);
        let one = &mut self.all[number as usize];
        profile.release(one);
        one.length = Time::ZERO;
        let until = one.until;
        profile.trim(until);
        self.lengths.remove(number as usize);
        self.candidates.take(number as usize).clear();
        self.gone += 1;
    }

    /// Sorts the profile in memory and renumbers the reservations, when due.
    pub(super) fn tidy(&mut self, profile: &mut Profile) {
        if let Some(places) = profile.tidy() {
            for one in self.all.iter_mut().filter(|one| one.length > Time::ZERO) {
                (one.from, one.until) = (places[one.from as usize], places[one.until as usize]);
            }
        }
        if self.gone > self.tuning.gone + self.len() {
            self.renumber(profile);
        }
    }

    /// Renumbers the reservations.
    fn renumber(&mut self, profile: &mut Profile) {
        let old = std::mem::replace(self, Self::new(self.tuning));
        for (number, one) in old.all.iter().enumerate().filter(|(_, one)| one.length > Time::ZERO) {
            profile.leave(one.from, NONE);
            self.candidates.push(old.candidates.windows(number));
            self.all.push(*one);
            self.lengths.push(one);
            self.jobs.push(old.jobs[number]);
        }
        // Later reservations are settled when they are made.
        if !self.all.is_empty() {
            self.freed_windows = old.freed_windows.renumber();
        }
        for number in 0..self.all.len() {
            self.link(profile, number as u32);
        }
        self.lengths.refresh();
    }

    /// Records the reservations that may move into a freed window. `after` is the number of the reservation
    /// that left the window by moving in a pass through the queue, or `None` outside of a pass.
    ///
    /// O(Q) at most, usually O(log Q) plus the steps close to the freed window.
    pub(super) fn note_freed(&mut self, profile: &Profile, freed: FreedWindow, after: Option<u32>) {
        if freed.window.from >= freed.window.until {
            return;
        }
        if self.lengths.is_stale(self.len()) {
            self.lengths.refresh();
        }
        let Some(limits) = self.lengths.limits() else { return };
        let window = freed.window;
        let (all, candidates) = (&self.all, &mut self.candidates);
        let (lengths, roomy) = (&self.lengths, &mut self.free_intervals);
        roomy.clear();
        // Jobs that start within the free interval of their width. Their windows may be shorter than they
        // are.
        let reached = |step: &Step, widths: RangeInclusive<Nodes>| {
            if step.narrowest > *widths.end() {
                return;
            }
            let mut number = step.first;
            while let Some(one) = all.get(number as usize) {
                if widths.contains(&nodes(one.procs)) {
                    candidates.add(number as usize, window, |window| profile.earlier(one, window).is_none());
                }
                number = one.next;
            }
        };
        // Usually no job starts later and fits for its whole time.
        free_intervals(profile, freed, &limits, reached, |interval| {
            if lengths.may_hold(&interval) {
                roomy.push(interval);
            }
        });
        if self.free_intervals.is_empty() {
            return;
        }
        // A short queue has few of them, so mark them at once.
        if all.len() < self.tuning.waiting_from {
            self.lengths.each_within(&self.free_intervals, |number| {
                let one = &all[number];
                candidates.add(number, window, |window| profile.earlier(one, window).is_none());
            });
        } else {
            self.freed_windows.add(window, &mut self.free_intervals, after, &mut self.lengths);
        }
    }
}

/// All of time.
const ANYWHERE: ProfileWindow =
    ProfileWindow { from: Time::from_micros(i64::MIN), until: Time::MAX, step: NONE };

#[cfg(test)]
impl Reservations {
    /// Unsettles all reservations.
    pub(super) fn unsettle_all(&mut self) {
        for (number, _) in self.all.iter().enumerate().filter(|(_, one)| one.length > Time::ZERO) {
            self.candidates.add(number, ANYWHERE, |_| false);
        }
    }
}
