//! Conservative backfilling: every waiting job has a reservation, and no job may delay the reservation of
//! another.
//!
//! D. Feitelson, A. Mu'alem Weil, "Utilization and predictability in scheduling the IBM SP2 with
//! backfilling", IPPS 1998; A. Mu'alem, D. Feitelson, "Utilization, predictability, workloads, and user
//! runtime estimates in scheduling the IBM SP2 with backfilling", IEEE Transactions on Parallel and
//! Distributed Systems 12(6), 2001.
//!
//! A [`Profile`] holds the number of free nodes at each future time. A running job takes its nodes out of it
//! until its estimated end. A waiting job takes its nodes out of it from its reserved start on, for as long
//! as its estimate. The counts are of the nodes that a job will take.
//!
//! 1. A job that has ended before its estimate gives back the rest of its time. Then the reservations are
//!    *compressed*: each waiting job, in the order of arrival, moves to the earliest start at which it fits
//!    for its whole estimate, with its own reservation removed and all others kept. No job moves to a later
//!    start.
//! 2. A job that has arrived reserves the earliest start at which it fits for its whole estimate.
//! 3. Jobs whose reserved start is now start, in the order of arrival.
//!
//! The sources leave two things open: the order of several ends and arrivals at one instant, and the number
//! of passes of step 1 through the queue. On real logs the starts of a quarter of the jobs depend on them. So
//! the variants have names:
//!
//! * `pass=batch`: all jobs that end at the instant give back their time, then one compression follows, then
//!   the arrivals one after the other. `ends-first`: a compression after each end, in the order of the starts
//!   of these jobs, then the arrivals. `per-event`: the arrivals, then a compression after each end.
//! * `compress=repeat`: a compression goes through the queue again until no job moves. `once`: it goes
//!   through the queue once, at every end, also of jobs that give nothing back.
//!
//! `pass=per-event,compress=once` is the rule of pyss, a public simulator of the group that published the
//! scheduler.
//!
//! With `repeat` every reserved start is the estimated end of some job. With `once` a reserved start can come
//! at a time without any event. The scheduler then asks to be woken.
//!
//! 4. If a job cannot start at its reserved start, the plan is made anew: a profile from the jobs that run
//!    now, and reservations in the order of arrival. This happens if a job outlives its estimate; it is then
//!    expected to end next. It also happens if the allocator refuses a job although enough nodes are free;
//!    the job may then start when the next running job is expected to end. And it happens when nodes go down
//!    or come up: a job that needs more nodes than are up has no reserved start then. Only in these cases can
//!    a job start later than it was promised.
//!
//! A planned outage takes all nodes out of the profile, so a job has its reservation before or after it.
//!
//! # How a compression avoids work
//!
//! ```text
//! free nodes
//!      |         a job ended early: its window is free now
//!      |            v
//!   6  |      ####..........#######       . the freed window, from a until b
//!   4  |  ....####..........#######....   . the free interval of 4 nodes around it
//!   2  |  .............................   . the free interval of 2 nodes
//!      +------------a---------b-------> time
//! ```
//!
//! Only a reservation that gains from a freed window can move, and its new place is in the free interval of
//! its width around the window ([`free_intervals`]). Two kinds of reservations can gain: reservations that
//! start within that interval, found at the steps of the profile, and later ones that are at most as long as
//! the interval. For most windows a table of the shortest lengths rules out the second kind
//! ([`length_table`]). Otherwise, in a long queue, the window waits for these reservations one after the
//! other. [`reservations`] has the proof that none is missed.
//!
//! Time per pass, with P steps in the profile (at most two for each running and waiting job) and Q waiting
//! jobs: a pass without changes drops past steps only. An arrival takes O(P + Q), a start O(P + Q), and step
//! 4 takes O(Q·P). A compression takes O(Q), and each of its moves O(P + Q) at most; in a long queue a move
//! usually takes the few steps of the profile at its old and new ends.

mod free_intervals;
mod length_table;
mod profile;
mod reservations;

use std::collections::BTreeSet;

use self::profile::{FreedWindow, Moment, NONE, Profile, ProfileWindow, Reservation, TICK, nodes};
use self::reservations::Reservations;
use super::running_jobs::RunningJobs;
use super::seam::{Laws, Scheduler, SchedulerEntry, View};
use super::wait_queue::{WaitQueue, Waiting};
use meshreplay_base::job::{JobId, Time};

/// The row of the registry.
pub(super) const ENTRY: SchedulerEntry = SchedulerEntry {
    name: "conservative",
    summary: "backfilling with a reservation for every waiting job",
    source: "Feitelson & Mu'alem Weil, IPPS 1998; Mu'alem & Feitelson, IEEE TPDS 12(6), 2001",
    parameters: "pass=batch (ends-first, per-event), compress=repeat (once)",
    promises: "no job starts later than reserved on arrival if no estimate is too short and none that fits \
         is refused",
    laws: |_| Laws::default(),
    build: |params| {
        let passes = [
            ("batch", EventOrder::Batch),
            ("ends-first", EventOrder::EndsFirst),
            ("per-event", EventOrder::PerEvent),
        ];
        let order = params.choose("pass", &passes)?;
        let repeat = params.choose("compress", &[("repeat", true), ("once", false)])?;
        Ok(Box::new(Conservative::new(order, repeat)))
    },
};

/// The order of the events of one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventOrder {
    /// One compression after all ends, then the arrivals.
    Batch,
    /// One compression after each end, then the arrivals.
    EndsFirst,
    /// The arrivals, then one compression after each end.
    PerEvent,
}

/// The nodes of a running job in the profile, in use up to `until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Occupation {
    until: Time,
    estimated_end: Time,
    job: JobId,
    nodes: u32,
    start: Time,
}

/// The earliest reserved start without a plan. It has always passed, which triggers a new plan.
const NEVER_PLANNED: Time = Time::from_micros(i64::MIN);

/// The scheduler, with its plan from the last pass.
struct Conservative {
    order: EventOrder,
    /// Whether a compression goes through the queue until no job moves.
    repeat: bool,
    profile: Profile,
    /// Running jobs with nodes in the profile beyond the last pass, the earliest end first.
    occupations: BTreeSet<Occupation>,
    /// The reservations of the waiting jobs, in the order of arrival.
    reservations: Reservations,
    /// The earliest reserved start, or the end of time. If it has passed, the plan is made anew.
    next_start: Time,
    /// The earliest reserved start more than a tick away, at which the scheduler must be woken, or the end of
    /// time.
    next_wake: Time,
    /// Whether a running job had outlived its estimate when the plan was made. Its end is an event, so no
    /// wake-up is needed.
    overdue: bool,
    /// The first job that the allocator did not start in the last pass. It may start before the next pass,
    /// after running jobs have moved.
    refused: Option<JobId>,
}

/// A job that has ended, with its nodes in the profile.
#[derive(Clone, Copy, Debug)]
struct EndedJob {
    occupation: Occupation,
    /// Whether it ended before its estimate, with nodes still in the profile.
    early: bool,
}

impl Scheduler for Conservative {
    fn start_jobs(&mut self, view: &mut dyn View) {
        let now = view.now();
        let refused = self.refused.take();
        // A refused job that is no longer in the queue has started outside the plan, after other jobs moved.
        let has_started = refused.is_some_and(|job| view.queue().iter().all(|waiting| waiting.job != job));
        if self.next_start < now || has_started {
            self.plan_anew(view, None);
            return;
        }
        self.profile.advance(now);
        self.reservations.tidy(&mut self.profile);
        let ended = self.ended(view.running(), now);
        match self.order {
            EventOrder::Batch => {
                self.end(&ended, view);
                self.reserve_for_arrivals(view.queue(), now);
            }
            EventOrder::EndsFirst => {
                ended.chunks(1).for_each(|one| self.end(one, view));
                self.reserve_for_arrivals(view.queue(), now);
            }
            EventOrder::PerEvent => {
                self.reserve_for_arrivals(view.queue(), now);
                ended.chunks(1).for_each(|one| self.end(one, view));
            }
        }
        if self.next_start > now {
            return;
        }
        match self.start_due(view) {
            Some(refused) => self.plan_anew(view, Some(refused)),
            None => self.note_next_start(now),
        }
    }

    /// Voids the plan. The next pass makes a new one.
    fn machine_changed(&mut self) {
        self.next_start = NEVER_PLANNED;
    }

    fn wakes(&self) -> Option<Time> {
        Some(self.next_wake).filter(|&wake| !self.repeat && !self.overdue && wake < Time::MAX)
    }
}

impl Conservative {
    /// Creates a scheduler that treats short queues as long ones.
    #[cfg(test)]
    fn with_tuning(order: EventOrder, repeat: bool, tuning: reservations::Tuning) -> Self {
        Self { reservations: Reservations::new(tuning), ..Self::new(order, repeat) }
    }

    /// Creates a scheduler without a plan. The first pass makes one, because `next_start` has passed.
    fn new(order: EventOrder, repeat: bool) -> Self {
        Self {
            order,
            repeat,
            profile: Profile::default(),
            occupations: BTreeSet::new(),
            reservations: Reservations::default(),
            next_start: NEVER_PLANNED,
            next_wake: Time::MAX,
            overdue: false,
            refused: None,
        }
    }

    /// Removes the jobs that have ended since the last pass from `occupations`, and returns them in the order
    /// of their starts. Does not change the profile.
    fn ended(&mut self, running: &RunningJobs, now: Time) -> Vec<EndedJob> {
        let runs = |occupation: &Occupation| running.contains(occupation.estimated_end, occupation.job);
        let mut ended = Vec::new();
        while let Some(&occupation) = self.occupations.first().filter(|occupation| occupation.until <= now) {
            self.occupations.pop_first();
            if !runs(&occupation) {
                ended.push(EndedJob { occupation, early: false });
            }
        }
        // `occupations` contains all running jobs with estimated ends after now. If it has more entries, some
        // jobs have ended early. Comparing the counts avoids a search in most passes.
        if self.occupations.len() > running.len_after(now) {
            let early: Vec<Occupation> =
                self.occupations.iter().filter(|occupation| !runs(occupation)).copied().collect();
            for occupation in early {
                self.occupations.remove(&occupation);
                ended.push(EndedJob { occupation, early: true });
            }
        }
        ended.sort_unstable_by_key(|ended| (ended.occupation.start, ended.occupation.job));
        ended
    }

    /// Step 1 for jobs that have ended.
    fn end(&mut self, ended: &[EndedJob], view: &dyn View) {
        let (now, mut early) = (view.now(), false);
        for EndedJob { occupation, .. } in ended.iter().filter(|ended| ended.early) {
            self.profile.take(now, occupation.until - now, -nodes(occupation.nodes));
            self.note_freed(now, occupation.until, occupation.nodes);
            early = true;
        }
        // With `repeat` the last compression ended when no job could move, and none can until nodes are given
        // back.
        if early || !self.repeat && !ended.is_empty() {
            self.compress(view);
        }
    }

    /// Reports `freed` more free nodes from `from` to `until`, before the profile changes again.
    fn note_freed(&mut self, from: Time, until: Time, freed: u32) {
        let window = ProfileWindow { from, until, step: self.profile.at(from) };
        let freed = FreedWindow { window, nodes: nodes(freed) };
        self.reservations.note_freed(&self.profile, freed, None);
    }

    /// Compresses the reservations: moves them to earlier starts. If the replay is stopped, the remaining
    /// ones stay in place.
    ///
    /// Only reservations that may move are looked at. Moves give nodes back, which may let others move: later
    /// ones in the same pass through the queue, and earlier ones in the next pass.
    fn compress(&mut self, view: &dyn View) {
        let now = view.now();
        let mut from = 0;
        while self.reservations.begin_turn() {
            while let Some(number) = self.reservations.first_candidate(from) {
                if view.stopped() {
                    return;
                }
                self.reservations.bring_forward(&mut self.profile, number);
                from = number + 1;
            }
            if !self.repeat {
                break;
            }
            from = 0;
        }
        self.note_next_start(now);
    }

    /// Step 2: reserves a start for each job that has arrived since the last pass, that is for the last jobs
    /// of the queue.
    fn reserve_for_arrivals(&mut self, queue: &WaitQueue, now: Time) {
        let count = queue.len() - self.reservations.len();
        let arrived: Vec<Waiting> = queue.iter().rev().take(count).collect();
        for job in arrived.iter().rev() {
            self.reserve(job, self.earliest(job, now), now);
        }
    }

    /// Returns the earliest start of a job from `from` on, with its step.
    fn earliest(&self, job: &Waiting, from: Time) -> Moment {
        let from = Moment { time: from, step: NONE };
        self.profile.earliest(job.nodes.most, job.estimate.max(TICK), from)
    }

    /// Reserves a start for a job.
    fn reserve(&mut self, job: &Waiting, start: Moment, now: Time) {
        let Moment { time: start, step: from } = start;
        let (procs, length) = (job.nodes.most, job.estimate.max(TICK));
        let (until, next, previous) = (NONE, NONE, NONE);
        let reservation = Reservation { procs, from, until, next, previous, start, length };
        self.reservations.push(&mut self.profile, reservation, job.submit, job.job);
        self.next_start = self.next_start.min(start);
        if start > now + TICK {
            self.next_wake = self.next_wake.min(start);
        }
    }

    /// Step 3: starts the jobs whose reserved start is now. Stops at the first job that cannot start and
    /// returns it, or `None` if all start.
    fn start_due(&mut self, view: &mut dyn View) -> Option<JobId> {
        let now = view.now();
        let due = self.reservations.due(&self.profile, now);
        let find = |&(_, (submit, job)): &(u32, (Time, JobId))| view.queue().find(submit, job);
        let jobs: Vec<Waiting> = due.iter().filter_map(find).collect();
        for job in &jobs {
            if !self.start(view, job, job.nodes.most) {
                return Some(job.job);
            }
        }
        for (number, _) in due {
            self.reservations.remove(&mut self.profile, number);
        }
        None
    }

    /// Starts a job with `reserved` nodes already taken out of the profile. Returns whether it has started.
    fn start(&mut self, view: &mut dyn View, job: &Waiting, reserved: u32) -> bool {
        let (now, free) = (view.now(), view.free());
        if job.nodes.most > free {
            return false;
        }
        if !view.try_start(job.slot) {
            self.refused.get_or_insert(job.job);
            return false;
        }
        let (taken, length) = (free - view.free(), job.estimate.max(TICK));
        // The allocator may have taken another number of nodes than reserved. Correct the profile by the
        // difference.
        self.profile.take(now, length, nodes(taken) - nodes(reserved));
        if taken < reserved {
            self.note_freed(now, now + length, reserved - taken);
        }
        self.occupations.insert(Occupation {
            until: now + length,
            estimated_end: now + job.estimate,
            job: job.job,
            nodes: taken,
            start: now,
        });
        true
    }

    /// Step 4: makes a new plan. `refused` is the job that the allocator has already refused in this pass, if
    /// any.
    fn plan_anew(&mut self, view: &mut dyn View, refused: Option<JobId>) {
        let now = view.now();
        self.profile = Profile::new(now, view.free(), view.running());
        let up = view.free() + view.running().iter().map(|job| job.nodes).sum::<u32>();
        for &[begin, end] in view.planned_outages().iter().filter(|[_, end]| *end > now) {
            let begin = begin.max(now);
            self.profile.take(begin, end - begin, nodes(up));
        }
        let occupation = |job: &super::Running| Occupation {
            until: job.estimated_end.max(now + TICK),
            estimated_end: job.estimated_end,
            job: job.job,
            nodes: job.nodes,
            start: job.start,
        };
        self.occupations = view.running().iter().map(occupation).collect();
        self.overdue = view.running().len_after(now) < view.running().len();
        self.reservations = Reservations::new(self.reservations.tuning());
        (self.next_start, self.next_wake) = (Time::MAX, Time::MAX);
        let waiting: Vec<Waiting> = view.queue().iter().collect();
        for job in &waiting {
            if view.stopped() {
                return;
            }
            let start = self.earliest(job, now);
            if start.time > now {
                self.reserve(job, start, now);
            } else if refused == Some(job.job) || !self.start(view, job, 0) {
                // The allocator's answer can change only after nodes are released.
                let first_end = view.running().iter().next().map(|running| running.estimated_end);
                // If nothing runs, a job refused because of nodes that are down waits for an unknown time
                // until they come up.
                let never = if view.is_degraded() { Time::MAX } else { now };
                let released = first_end.unwrap_or(never);
                self.reserve(job, self.earliest(job, released.max(now + TICK)), now);
                // This is not the earliest start by count.
                self.reservations.unsettle_last();
            }
        }
    }

    /// Computes `next_start` and `next_wake` from the reservations.
    fn note_next_start(&mut self, now: Time) {
        let mut starts = self.profile.all().filter(|(_, step)| step.first != NONE).map(|(_, step)| step.time);
        self.next_start = starts.next().unwrap_or(Time::MAX);
        // A start one tick from now depends on a job that has outlived its estimate. The end of that job is
        // an event, so no wake-up is needed.
        let mut later = Some(self.next_start).into_iter().chain(starts).filter(|&start| start > now + TICK);
        self.next_wake = later.next().unwrap_or(Time::MAX);
    }
}

#[cfg(test)]
mod profile_twin;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod twin;
