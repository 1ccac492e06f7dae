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
//!   them one after the other (`FreedWindows`). For most windows a table shows that there is none
//!   (`length_table`).
//!
//! A search looks at the runs of steps with enough free nodes that meet the freed window. One of them
//! contains the needed window. A job that fits in a run fits at its beginning, and the earliest start is the
//! beginning of the first run in which it fits.

use std::ops::RangeInclusive;

use super::free_intervals::{FreeInterval, FreeRectangles, Limits, free_intervals};
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

// The candidates of a compression: reservations that may move, and the windows where they may have gained
// room.
//
// A long queue has few of them, so a compression finds them by a bit set.

/// The most separate windows of a reservation.
const APART: usize = 2;

/// The windows of one reservation, possibly overlapping.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Windows {
    count: usize,
    windows: [ProfileWindow; APART],
}

impl Windows {
    /// Adds a window. `is_full` tests whether a window has no room left.
    #[inline]
    fn add(&mut self, window: ProfileWindow, is_full: impl Fn(&ProfileWindow) -> bool) {
        if self.count > 0 {
            self.add_another(window, is_full);
            return;
        }
        // Field by field, in the order of the earlier writes, which is faster than as a whole.
        let first = &mut self.windows[0];
        first.from = window.from;
        first.until = window.until;
        first.step = window.step;
        self.count = 1;
    }

    /// Adds a window. An overlapping window is extended by it. Without space for another window, full windows
    /// are dropped, and if none is full, the last window is extended to cover both.
    fn add_another(&mut self, window: ProfileWindow, is_full: impl Fn(&ProfileWindow) -> bool) {
        let meets = |other: &ProfileWindow| window.from < other.until && other.from < window.until;
        let met = self.windows[..self.count].iter().position(meets);
        if met.is_none() && self.count == APART {
            let mut kept = 0;
            for at in 0..APART {
                self.windows[kept] = self.windows[at];
                kept += usize::from(!is_full(&self.windows[at]));
            }
            self.count = kept;
        }
        let met = met.unwrap_or(self.count.min(APART - 1));
        if let Some(old) = self.windows[..self.count].get_mut(met) {
            let first = if old.from <= window.from { *old } else { window };
            *old = ProfileWindow { until: old.until.max(window.until), ..first };
        } else {
            self.windows[met] = window;
            self.count += 1;
        }
    }

    /// Removes all windows.
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Returns the windows, the earliest first.
    pub(super) fn sorted(&mut self) -> &[ProfileWindow] {
        let windows = &mut self.windows[..self.count];
        if windows.len() > 1 {
            windows.sort_unstable_by_key(|window| (window.from, window.until));
        }
        windows
    }
}

/// The windows of all reservations by number. A reservation without a window cannot move.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    windows: Vec<Windows>,
    /// One bit per reservation, set if it has a window. Scanned 64 at a time.
    bits: Vec<u64>,
}

impl Candidates {
    /// Adds `windows` for the reservation with the next number.
    pub(super) fn push(&mut self, windows: Windows) {
        let at = self.windows.len();
        self.windows.push(windows);
        self.bits.resize(self.windows.len().div_ceil(64), 0);
        self.bits[at / 64] |= u64::from(windows.count > 0) << (at % 64);
    }

    /// Adds a window of reservation `at`. `is_full` tests whether a window has no room left.
    #[inline]
    pub(super) fn add(&mut self, at: usize, window: ProfileWindow, is_full: impl Fn(&ProfileWindow) -> bool) {
        self.windows[at].add(window, is_full);
        self.bits[at / 64] |= 1 << (at % 64);
    }

    /// Returns the first reservation with a window, from number `from` on. O(Q / 64).
    pub(super) fn first(&self, from: usize) -> Option<usize> {
        let word = from / 64;
        let begun = self.bits.get(word)? & (u64::MAX << (from % 64));
        let later = self.bits.iter().copied().enumerate().skip(word + 1);
        let (word, bits) = [(word, begun)].into_iter().chain(later).find(|&(_, bits)| bits != 0)?;
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    pub(super) fn windows(&self, at: usize) -> Windows {
        self.windows[at]
    }

    /// Takes reservation `at` off the candidates and returns its windows in place, for the caller to clear.
    pub(super) fn take(&mut self, at: usize) -> &mut Windows {
        self.bits[at / 64] &= !(1 << (at % 64));
        &mut self.windows[at]
    }
}

// Freed windows with room for reservations that start much later.
//
// Some windows suit many such reservations, but usually the first one takes the window before the others are
// tried. So reservations are not marked individually. Instead the window waits until the pass through the
// queue reaches the first suitable reservation, then the next one that it still suits, and so on, until the
// pass has covered all numbers once.

/// A freed window that waits for reservations.
#[derive(Clone, Copy, Debug)]
struct WaitingWindow {
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
struct FreedWindows {
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
    fn requeue(&mut self, one: WaitingWindow, profile: &Profile, lengths: &mut LengthTable) {
        let WaitingWindow { origin, distance, .. } = one;
        self.rectangles.find(profile, &one.limits, &one.window);
        if let Some(distance) = lengths.nearest(&mut self.rectangles.all, origin, distance + 1) {
            self.enqueue(WaitingWindow { distance, ..one });
        }
    }

    /// Resets the freed windows after a renumbering of the reservations, between passes.
    fn renumber(mut self) -> Self {
        self.later.iter_mut().for_each(|one| (one.origin, one.distance) = (0, 0));
        self
    }
}
