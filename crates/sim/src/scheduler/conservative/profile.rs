//! The profile of free nodes: how many nodes will be free at each future time, by estimates and reservations.

use std::cell::Cell;

use super::super::running_jobs::RunningJobs;
use meshreplay_base::job::Time;

/// The place of a step of the profile in memory.
pub(super) type StepId = u32;

/// No step, or no reservation.
pub(super) const NONE: u32 = u32::MAX;

/// A number of nodes. Free nodes can be negative.
pub(super) type Nodes = i32;

/// Converts a number of nodes, at most 2^30, which is more than any machine has.
#[inline]
pub(super) fn nodes(nodes: u32) -> Nodes {
    nodes.min(1 << 30).cast_signed()
}

/// The reservation of a waiting job: `procs` nodes from `start` on for a time of `length`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reservation {
    pub(super) procs: u32,
    /// The step of the profile that begins at `start`.
    pub(super) from: StepId,
    /// The step that begins at its end.
    pub(super) until: StepId,
    /// Neighbours in the list of reservations with the same start, `NONE` at the ends.
    pub(super) next: u32,
    pub(super) previous: u32,
    pub(super) start: Time,
    pub(super) length: Time,
}

/// The shortest length of time, one microsecond.
pub(super) const TICK: Time = Time::from_micros(1);

/// The time of a removed step.
const GONE: Time = Time::from_micros(i64::MIN);

/// Steps between two marks.
const MARK: usize = 16;

/// A window of time, from `from` up to but excluding `until`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProfileWindow {
    pub(super) from: Time,
    pub(super) until: Time,
    /// The step at the beginning of the window when it was recorded.
    pub(super) step: StepId,
}

/// A window with freed nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreedWindow {
    pub(super) window: ProfileWindow,
    /// The number of freed nodes.
    pub(super) nodes: Nodes,
}

/// A time with its step in the profile, or a guess of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) time: Time,
    pub(super) step: StepId,
}

/// A step: `free` nodes are free from `time` until the next step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) time: Time,
    pub(super) free: Nodes,
    pub(super) previous: StepId,
    pub(super) next: StepId,
    /// The number of reservations that begin or end here.
    reservations: u32,
    /// A lower bound of the nodes of reservations that begin here, or the largest number if there are none.
    pub(super) narrowest: Nodes,
    /// The head of the list of reservations that begin here, or `NONE`.
    pub(super) first: u32,
}

/// A step function of time, as a doubly linked list of steps. The last step has no end.
///
/// There is a step wherever the number of free nodes changes, and wherever a reservation begins or ends. So a
/// reservation knows the steps of its beginning and its end, and a short move touches only a few steps there.
///
/// A count can be negative if an allocator took more nodes than reserved. No job fits there.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile {
    steps: Vec<Step>,
    /// Places for new steps.
    unused: Vec<StepId>,
    /// The first step.
    head: StepId,
    /// Some of the steps with their times, the earliest first. Marks of steps with another time are void.
    marks: Vec<(Time, StepId)>,
    /// Steps passed by searches by time since the marks were made.
    passed: Cell<usize>,
    /// Steps inserted since the profile was last tidied.
    inserted: usize,
}

impl Profile {
    /// Creates the profile with `free` nodes free now and the nodes of each running job free from its
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

    pub(super) fn step(&self, id: StepId) -> &Step {
        &self.steps[id as usize]
    }

    /// Returns a step, or `None` if there is none at this place.
    pub(super) fn get(&self, id: StepId) -> Option<&Step> {
        self.steps.get(id as usize)
    }

    /// Returns the step after `id`, or `None` if it begins after `time` or there is none.
    fn next_by(&self, id: StepId, time: Time) -> Option<StepId> {
        let next = self.step(id).next;
        self.steps.get(next as usize).is_some_and(|next| next.time <= time).then_some(next)
    }

    fn step_mut(&mut self, id: StepId) -> &mut Step {
        &mut self.steps[id as usize]
    }

    /// Makes reservation `number`, of `procs` nodes, the head of the list of reservations that begin at a
    /// step. Returns the old head, or `NONE`.
    pub(super) fn enter(&mut self, id: StepId, number: u32, procs: u32) -> u32 {
        let step = self.step_mut(id);
        step.narrowest = step.narrowest.min(nodes(procs));
        std::mem::replace(&mut step.first, number)
    }

    /// Makes reservation `number` the head of the list after its predecessors were removed. `NONE` empties
    /// the list.
    pub(super) fn leave(&mut self, id: StepId, number: u32) {
        let step = self.step_mut(id);
        step.first = number;
        if number == NONE {
            step.narrowest = Nodes::MAX;
        }
    }

    /// Returns the steps from `id` on.
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

    /// Inserts a step after `before`, or as the only one, and returns it.
    fn insert_after(&mut self, before: StepId, time: Time, free: Nodes) -> StepId {
        let next = self.steps.get(before as usize).map_or(NONE, |before| before.next);
        let step =
            Step { time, free, previous: before, next, reservations: 0, narrowest: Nodes::MAX, first: NONE };
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

    /// Removes a step. Its predecessor extends to the next one.
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

    /// Removes a step without a change of free nodes and without reservations, unless it is already removed.
    /// O(1).
    pub(super) fn trim(&mut self, id: StepId) {
        let Step { time, free, reservations, previous, .. } = *self.step(id);
        if reservations == 0
            && time > GONE
            && self.steps.get(previous as usize).is_some_and(|before| before.free == free)
        {
            self.remove(id);
        }
    }

    /// Removes the part of the profile before `now`, which must be free of reservations.
    pub(super) fn advance(&mut self, now: Time) {
        while let Some(next) = self.next_by(self.head, now) {
            let past = std::mem::replace(&mut self.head, next);
            self.remove(past);
        }
        let head = self.head;
        let first = self.step_mut(head);
        first.time = first.time.max(now);
    }

    /// Renews the marks if searches by time have passed many steps.
    pub(super) fn mark(&mut self) {
        if self.passed.get() > 2 * self.len() {
            self.passed.set(0);
            let marks = self.all().step_by(MARK).map(|(id, step)| (step.time, id)).collect();
            self.marks = marks;
        }
    }

    /// Returns the step at `time`: the last one that begins at or before it, or else the first step. O(log P)
    /// plus the steps since the nearest mark.
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

    /// Returns the step at `time`, given a good guess.
    pub(super) fn at_or(&self, guess: StepId, time: Time) -> StepId {
        match self.steps.get(guess as usize) {
            Some(step) if step.time == time => guess,
            _ => self.at(time),
        }
    }

    /// Returns the step that begins at `time`, inserted if missing. `before` is a step at or before `time`.
    fn begin(&mut self, before: StepId, time: Time) -> StepId {
        let mut at = before;
        while let Some(next) = self.next_by(at, time) {
            at = next;
        }
        let Step { time: since, free, .. } = *self.step(at);
        if since < time { self.insert_after(at, time, free) } else { at }
    }

    /// Takes `nodes` nodes out of the profile from the beginning of a step until `end`, which must not be
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

    /// Takes `nodes` nodes out of the profile for a time of `length` from `start` on. A negative number gives
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

    /// Returns the first time from `from` on at which `procs` nodes are free for a time of `length`, with its
    /// step. Without such a time: the end of time and the last step. O(P) with P steps.
    pub(super) fn earliest(&self, procs: u32, length: Time, from: Moment) -> Moment {
        let procs = nodes(procs);
        // `run` is the beginning of the current run of steps with enough free nodes, or `None` within a
        // step with too few. `end` is the time that the run must reach.
        let mut run: Option<Moment> = None;
        let (mut end, mut last) = (Time::MAX, self.at_or(from.step, from.time));
        for (at, step) in self.from(last) {
            match run {
                Some(run) if step.time >= end => return run,
                _ => last = at,
            }
            if step.free < procs {
                run = None;
            } else if run.is_none() {
                let start = step.time.max(from.time);
                run = Some(Moment { time: start, step: at });
                end = start + length;
            }
        }
        run.unwrap_or(Moment { time: Time::MAX, step: last })
    }

    /// Takes the nodes of a new reservation out of the profile, and sets its steps. Initially its first step
    /// is the one that contains its start.
    pub(super) fn reserve(&mut self, reservation: &mut Reservation) {
        let Reservation { procs, start, length, from, .. } = *reservation;
        reservation.from = self.begin(from, start);
        reservation.until = self.change(reservation.from, start + length, nodes(procs));
        self.hold(reservation);
    }

    /// Counts the reservation at its steps.
    fn hold(&mut self, reservation: &Reservation) {
        self.step_mut(reservation.from).reservations += 1;
        self.step_mut(reservation.until).reservations += 1;
    }

    /// Removes the reservation from the counts of its steps. The steps stay until they are trimmed.
    pub(super) fn release(&mut self, reservation: &Reservation) {
        self.step_mut(reservation.from).reservations -= 1;
        self.step_mut(reservation.until).reservations -= 1;
    }

    /// Returns the first step in a window at which a reservation could start earlier than now planned, or
    /// `None` if there is none.
    ///
    /// The new time of the job would overlap the window. It may begin before the window, and may end after
    /// it. The reservation's own nodes count as free.
    pub(super) fn earlier(&self, reservation: &Reservation, window: &ProfileWindow) -> Option<StepId> {
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

    /// Moves a reservation to an earlier start, the beginning of a step, and returns the freed window. Time
    /// that the reservation takes both before and after the move is not touched, which is most of it in a
    /// short move.
    ///
    /// The steps of the old start and end stay until they are trimmed.
    pub(super) fn bring_forward(&mut self, reservation: &mut Reservation, to: StepId) -> FreedWindow {
        let Reservation { from, until, start, length, .. } = *reservation;
        let procs = nodes(reservation.procs);
        let (end, new_start) = (self.step(until).time, self.step(to).time);
        let new_end = new_start + length;
        self.release(reservation);
        (reservation.start, reservation.from) = (new_start, to);
        let freed = if new_end <= start {
            reservation.until = self.change(to, new_end, procs);
            self.change(from, end, -procs);
            FreedWindow { window: ProfileWindow { from: start, until: end, step: from }, nodes: procs }
        } else {
            self.change(to, start, procs);
            reservation.until = self.give_back(until, new_end, procs);
            FreedWindow {
                window: ProfileWindow { from: new_end, until: end, step: reservation.until },
                nodes: procs,
            }
        };
        self.hold(reservation);
        freed
    }

    /// Gives nodes back from `start` until the step `until`. Returns the step that begins at `start`.
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

    /// Sorts the steps by time in memory if many have been inserted. Returns the new places by the old ones,
    /// or `None` if nothing has changed.
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
    /// Returns the times at which the number of free nodes changes, with the new numbers.
    pub(super) fn changes(&self) -> Vec<(Time, Nodes)> {
        let mut changes: Vec<(Time, Nodes)> = self.all().map(|(_, step)| (step.time, step.free)).collect();
        changes.dedup_by_key(|change| change.1);
        changes
    }
}
