//! The profile of free nodes: how many nodes will be free at each future time, according to estimates and
//! reservations.

use std::cell::Cell;

use super::super::running_jobs::RunningJobs;
use super::reservation::{NONE, Nodes, Reservation, StepId, nodes};
use meshreplay_base::job::Time;

/// The shortest length of time, one microsecond.
pub(super) const TICK: Time = Time::from_micros(1);

/// The time of a step that there is no more.
const GONE: Time = Time::from_micros(i64::MIN);

/// The number of steps from one mark to the next.
const MARK: usize = 16;

/// A window of time, from `from` on, before `until`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    pub(super) from: Time,
    pub(super) until: Time,
    /// The step that began with it when it was noted.
    pub(super) step: StepId,
}

/// A window in which nodes have become free.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreedWindow {
    pub(super) window: Window,
    /// How many have become free.
    pub(super) nodes: Nodes,
}

/// A time, with the step of the profile that it belongs to, or a guess of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) time: Time,
    pub(super) step: StepId,
}

/// A step: from `time` on, `free` nodes are free, until the next step begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) time: Time,
    pub(super) free: Nodes,
    pub(super) previous: StepId,
    pub(super) next: StepId,
    /// The number of reservations that begin here, and of those that end here.
    held: u32,
    /// No reservation that begins here takes fewer nodes; the greatest number if none begins here.
    pub(super) narrowest: Nodes,
    /// One of the reservations that begin here, the head of their list; `NONE` if there is none.
    pub(super) first: u32,
}

/// A step function of time, as a list of steps that are linked to their neighbours. The last step lasts for
/// ever.
///
/// There is a step wherever the number of free nodes changes, and wherever a reservation begins or ends. So a
/// reservation knows the steps of its beginning and its end, and a move that is short is a matter of a few
/// steps there.
///
/// A count can fall below 0 if an allocator took more nodes than were reserved. No job fits there.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile {
    steps: Vec<Step>,
    /// Places for new steps.
    unused: Vec<StepId>,
    /// The first step.
    head: StepId,
    /// Some of the steps, the earliest first, with their times. Those of which the time has changed are void.
    marks: Vec<(Time, StepId)>,
    /// The number of steps that searches by time have passed since the marks were made.
    passed: Cell<usize>,
    /// The number of steps that have been inserted since the profile was tidied up.
    inserted: usize,
}

impl Profile {
    /// Returns the profile with `free` nodes free now and the nodes of each running job free from its
    /// estimated end on. Jobs that have outlived their estimates are expected to end one tick from now.
    pub(super) fn new(now: Time, free: u32, running: &RunningJobs) -> Self {
        let mut profile = Self::default();
        let mut free = nodes(free);
        let mut last = profile.insert_after(NONE, now, free);
        for job in running.iter() {
            let end = job.estimated_end.max(now + TICK);
            free += nodes(job.nodes);
            // Jobs that end together share one step.
            if profile.steps[last as usize].time < end {
                last = profile.insert_after(last, end, free);
            }
            profile.steps[last as usize].free = free;
        }
        profile
    }

    /// Returns a step.
    pub(super) fn step(&self, id: StepId) -> &Step {
        &self.steps[id as usize]
    }

    /// Returns a step; `None` if there is none at this place.
    pub(super) fn get(&self, id: StepId) -> Option<&Step> {
        self.steps.get(id as usize)
    }

    /// Returns the step after a given one; `None` if it begins after `time`, or there is none.
    fn next_by(&self, id: StepId, time: Time) -> Option<StepId> {
        let next = self.step(id).next;
        self.steps.get(next as usize).is_some_and(|next| next.time <= time).then_some(next)
    }

    fn step_mut(&mut self, id: StepId) -> &mut Step {
        &mut self.steps[id as usize]
    }

    /// Makes a reservation with a number, which takes `procs` nodes, the first one in the list of those that
    /// begin at a step. Returns the one that was the first; `NONE` if there was none.
    pub(super) fn enter(&mut self, id: StepId, number: u32, procs: u32) -> u32 {
        let step = self.step_mut(id);
        step.narrowest = step.narrowest.min(nodes(procs));
        std::mem::replace(&mut step.first, number)
    }

    /// Makes a reservation that is in the list of those that begin at a step the first one. Those before it
    /// have gone, all of them if it is `NONE`.
    pub(super) fn leave(&mut self, id: StepId, number: u32) {
        let step = self.step_mut(id);
        step.first = number;
        if number == NONE {
            step.narrowest = Nodes::MAX;
        }
    }

    /// Returns the steps from a given one on.
    pub(super) fn from(&self, id: StepId) -> impl Iterator<Item = (StepId, &Step)> {
        let mut next = id;
        std::iter::from_fn(move || {
            let (id, step) = (next, self.steps.get(next as usize)?);
            next = step.next;
            Some((id, step))
        })
    }

    /// Returns all steps, the earliest first.
    pub(super) fn all(&self) -> impl Iterator<Item = (StepId, &Step)> {
        self.from(self.head)
    }

    /// Returns the number of steps.
    pub(super) fn len(&self) -> usize {
        self.steps.len() - self.unused.len()
    }

    /// Inserts a step behind another one, or as the only one, and returns it.
    fn insert_after(&mut self, before: StepId, time: Time, free: Nodes) -> StepId {
        let next = self.steps.get(before as usize).map_or(NONE, |before| before.next);
        let step = Step { time, free, previous: before, next, held: 0, narrowest: Nodes::MAX, first: NONE };
        let id = self.unused.pop().unwrap_or(self.steps.len() as StepId);
        match self.steps.get_mut(id as usize) {
            Some(place) => *place = step,
            None => self.steps.push(step),
        }
        if let Some(before) = self.steps.get_mut(before as usize) {
            before.next = id;
        }
        if let Some(next) = self.steps.get_mut(next as usize) {
            next.previous = id;
        }
        self.inserted += 1;
        id
    }

    /// Removes a step. The one before it lasts until the next one.
    fn remove(&mut self, id: StepId) {
        let Step { previous, next, .. } = *self.step(id);
        if let Some(before) = self.steps.get_mut(previous as usize) {
            before.next = next;
        }
        if let Some(behind) = self.steps.get_mut(next as usize) {
            behind.previous = previous;
        }
        self.step_mut(id).time = GONE;
        self.unused.push(id);
    }

    /// Removes a step at which the number of free nodes does not change and no reservation begins or ends,
    /// unless it has gone already. O(1).
    pub(super) fn trim(&mut self, id: StepId) {
        let Step { time, free, held, previous, .. } = *self.step(id);
        if held == 0
            && time > GONE
            && self.steps.get(previous as usize).is_some_and(|before| before.free == free)
        {
            self.remove(id);
        }
    }

    /// Removes the part of the profile before `now`. Nothing may be reserved there.
    pub(super) fn advance(&mut self, now: Time) {
        while let Some(next) = self.next_by(self.head, now) {
            let past = std::mem::replace(&mut self.head, next);
            self.remove(past);
        }
        let head = self.head;
        let first = self.step_mut(head);
        first.time = first.time.max(now);
    }

    /// Makes the marks anew if searches by time have passed many steps.
    pub(super) fn mark(&mut self) {
        if self.passed.get() > 2 * self.len() {
            self.passed.set(0);
            let marks = self.all().step_by(MARK).map(|(id, step)| (step.time, id)).collect();
            self.marks = marks;
        }
    }

    /// Returns the step at `time`, the last one that does not begin later. A time before the first step
    /// belongs to the first step. O(log P) and the steps since the nearest mark.
    pub(super) fn at(&self, time: Time) -> StepId {
        let behind = self.marks.partition_point(|mark| mark.0 <= time);
        let valid = self.marks[..behind].iter().rev().find(|mark| self.step(mark.1).time == mark.0);
        let mut at = valid.map_or(self.head, |mark| mark.1);
        let mut passed = 0;
        while let Some(next) = self.next_by(at, time) {
            at = next;
            passed += 1;
        }
        self.passed.set(self.passed.get() + passed);
        at
    }

    /// Returns the step at `time`, a good guess of which is known.
    pub(super) fn at_or(&self, guess: StepId, time: Time) -> StepId {
        match self.steps.get(guess as usize) {
            Some(step) if step.time == time => guess,
            _ => self.at(time),
        }
    }

    /// Returns the step that begins at `time`, inserting one if there is none. `before` is one that does not
    /// begin later.
    fn begin(&mut self, before: StepId, time: Time) -> StepId {
        let mut at = before;
        while let Some(next) = self.next_by(at, time) {
            at = next;
        }
        let Step { time: since, free, .. } = *self.step(at);
        if since < time { self.insert_after(at, time, free) } else { at }
    }

    /// Takes `nodes` nodes out of the profile from the beginning of a step until `end`, which may not be
    /// before it. A negative number gives nodes back. Returns the step that begins at `end`.
    fn change(&mut self, first: StepId, end: Time, nodes: Nodes) -> StepId {
        let mut at = first;
        loop {
            let Step { time, free, next, .. } = *self.step(at);
            if time >= end {
                return at;
            }
            self.step_mut(at).free = free - nodes;
            if self.steps.get(next as usize).is_none_or(|next| next.time > end) {
                return self.insert_after(at, end, free);
            }
            at = next;
        }
    }

    /// Takes `nodes` nodes out of the profile from `start` on for a time of `length`. A negative number gives
    /// nodes back.
    pub(super) fn take(&mut self, start: Time, length: Time, nodes: Nodes) {
        let end = start + length;
        if nodes == 0 || start >= end {
            return;
        }
        let near = self.at(start);
        let first = self.begin(near, start);
        let last = self.change(first, end, nodes);
        self.trim(last);
        self.trim(first);
    }

    /// Returns the first time from `from` on at which `procs` nodes are free for a time of `length`, and the
    /// step that it belongs to. If there is none, this is the end of time and the last step. O(P) with P
    /// steps.
    pub(super) fn earliest(&self, procs: u32, length: Time, from: Moment) -> Moment {
        let procs = nodes(procs);
        // `found` is the beginning of the current run of steps with enough free nodes, and `end` the time up
        // to which it has to last; `None` within a step with too few.
        let mut found: Option<Moment> = None;
        let (mut end, mut last) = (Time::MAX, self.at_or(from.step, from.time));
        for (at, step) in self.from(last) {
            match found {
                Some(found) if step.time >= end => return found,
                _ => last = at,
            }
            if step.free < procs {
                found = None;
            } else if found.is_none() {
                let start = step.time.max(from.time);
                found = Some(Moment { time: start, step: at });
                end = start + length;
            }
        }
        found.unwrap_or(Moment { time: Time::MAX, step: last })
    }

    /// Takes the nodes of a new reservation out of the profile, and gives it its steps. In place of the first
    /// one it has the step that its start belongs to.
    pub(super) fn reserve(&mut self, reservation: &mut Reservation) {
        let Reservation { procs, start, length, from, .. } = *reservation;
        reservation.from = self.begin(from, start);
        reservation.until = self.change(reservation.from, start + length, nodes(procs));
        self.hold(reservation);
    }

    /// Counts the reservation at its steps.
    fn hold(&mut self, reservation: &Reservation) {
        self.step_mut(reservation.from).held += 1;
        self.step_mut(reservation.until).held += 1;
    }

    /// Counts the reservation at its steps no more. They stay until they are trimmed.
    pub(super) fn let_go(&mut self, reservation: &Reservation) {
        self.step_mut(reservation.from).held -= 1;
        self.step_mut(reservation.until).held -= 1;
    }

    /// Returns the first step in a window at which an earlier start than the present one is possible for a
    /// reservation; `None` if there is none.
    ///
    /// The time of the job would contain a part of the window. It may begin earlier, and it may end later.
    /// The nodes that the reservation has count as free.
    pub(super) fn earlier(&self, reservation: &Reservation, window: &Window) -> Option<StepId> {
        let Reservation { procs, start, length, .. } = *reservation;
        let procs = nodes(procs);
        let before = window.until.min(start);
        let mut at = self.at_or(window.step, window.from);
        let (steps, mut first) = (&self.steps[..], at);
        let step = |id: StepId| &steps[id as usize];
        let is_free = |id: StepId| steps.get(id as usize).is_some_and(|step| step.free >= procs);
        // A job that fits in a run of steps with enough free nodes fits at the beginning of the run.
        while is_free(at) && is_free(step(first).previous) {
            first = step(first).previous;
        }
        loop {
            while !is_free(at) {
                at = step(at).next;
                if steps.get(at as usize).is_none_or(|step| step.time >= before) {
                    return None;
                }
                first = at;
            }
            let end = start.min(step(first).time + length);
            while is_free(at) && step(at).time < end {
                at = step(at).next;
            }
            match steps.get(at as usize) {
                Some(step) if step.time < end => {}
                _ => return Some(first).filter(|&first| step(first).time < start),
            }
            if step(at).time >= before {
                return None;
            }
        }
    }

    /// Moves a reservation to an earlier start, the beginning of a step, and returns the time that it no
    /// longer takes. The time that it takes before and after the move is left as it is, which is most of it
    /// if the move is short.
    ///
    /// The steps of its old start and end stay until they are trimmed.
    pub(super) fn bring_forward(&mut self, reservation: &mut Reservation, to: StepId) -> FreedWindow {
        let Reservation { from, until, start, length, .. } = *reservation;
        let procs = nodes(reservation.procs);
        let (end, new_start) = (self.step(until).time, self.step(to).time);
        let new_end = new_start + length;
        self.let_go(reservation);
        (reservation.start, reservation.from) = (new_start, to);
        let freed = if new_end <= start {
            reservation.until = self.change(to, new_end, procs);
            self.change(from, end, -procs);
            FreedWindow { window: Window { from: start, until: end, step: from }, nodes: procs }
        } else {
            self.change(to, start, procs);
            reservation.until = self.give_back(until, new_end, procs);
            FreedWindow {
                window: Window { from: new_end, until: end, step: reservation.until },
                nodes: procs,
            }
        };
        self.hold(reservation);
        freed
    }

    /// Gives back nodes from `start` on until a step begins. Returns the step that begins at `start`.
    fn give_back(&mut self, until: StepId, start: Time, nodes: Nodes) -> StepId {
        let mut at = until;
        loop {
            if self.step(at).time <= start {
                return at;
            }
            let previous = self.step(at).previous;
            let before = self.step_mut(previous);
            if before.time < start {
                let free = before.free + nodes;
                return self.insert_after(previous, start, free);
            }
            before.free += nodes;
            at = previous;
        }
    }

    /// Brings the steps into the order of time in memory if many have been inserted, and returns the new
    /// places by the old ones; `None` if nothing has changed.
    pub(super) fn tidy(&mut self) -> Option<Vec<StepId>> {
        if self.inserted <= self.len() {
            return None;
        }
        let mut places = vec![NONE; self.steps.len()];
        let mut steps: Vec<Step> = Vec::with_capacity(2 * self.len());
        for (place, (id, step)) in (0..).zip(self.all()) {
            places[id as usize] = place;
            steps.push(Step { previous: place.wrapping_sub(1), next: place + 1, ..*step });
        }
        if let Some(last) = steps.last_mut() {
            last.next = NONE;
        }
        self.marks = (0..).zip(&steps).step_by(MARK).map(|(id, step)| (step.time, id)).collect();
        self.unused.clear();
        (self.steps, self.head, self.inserted) = (steps, 0, 0);
        self.passed.set(0);
        Some(places)
    }
}

#[cfg(test)]
impl Profile {
    /// Returns the times at which the number of free nodes changes, with the numbers from then on.
    pub(super) fn changes(&self) -> Vec<(Time, Nodes)> {
        let mut changes: Vec<(Time, Nodes)> = self.all().map(|(_, step)| (step.time, step.free)).collect();
        changes.dedup_by_key(|change| change.1);
        changes
    }
}
