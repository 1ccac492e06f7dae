//! Conservative backfilling: every waiting job has a reservation, and nobody may delay any.
//!
//! D. Feitelson, A. Mu'alem Weil, "Utilization and predictability in scheduling the IBM SP2 with backfilling", IPPS
//! 1998; A. Mu'alem, D. Feitelson, "Utilization, predictability, workloads, and user runtime estimates in scheduling
//! the IBM SP2 with backfilling", IEEE Transactions on Parallel and Distributed Systems 12(6), 2001.
//!
//! A [`Profile`] holds how many nodes are free when, running jobs taken out until their estimated ends and waiting jobs
//! for as long as their estimates from their reserved starts on. What is counted are the nodes that a job will take.
//!
//! 1. A job that has ended before its estimate gives back the rest. Then the reservations are *compressed*: each
//!    waiting job, in order of arrival, moves to the earliest start at which it fits for its whole estimate, with its
//!    own reservation taken out and all others kept. Nobody moves back.
//! 2. A job that has arrived reserves the earliest start at which it fits for its whole estimate.
//! 3. Jobs whose reserved start has come start, in order of arrival.
//!
//! The sources leave open what happens first if several jobs end and arrive at one instant, and how often step 1
//! looks at everybody; on real logs the starts of a quarter of the jobs depend on it. So variants have names:
//!
//! * `pass=batch`: all ends of the instant give back, then one compression, then the arrivals one after the other.
//!   `ends-first`: a compression after each end, in the order in which they have started, then the arrivals.
//!   `per-event`: the arrivals, then a compression after each end.
//! * `compress=repeat`: a compression goes through the queue again until nobody moves. `once`: it goes through once,
//!   at every end, also of jobs that give nothing back.
//!
//! `pass=per-event,compress=once` is a public simulator, pyss, of the group that published the scheduler.
//!
//! With `repeat` each start is the end of something. With `once` a start can come when nothing else happens, and the
//! scheduler asks to be woken.
//!
//! 4. Where a start that has come is impossible the plan is made anew: the profile from what runs now, reservations in
//!    order of arrival. That happens where a job outlives its estimate (it is then expected to end next), and where the
//!    allocator refuses a job although enough nodes are free (it may start when the next running job is expected to
//!    end). Only then can a job start later than it was promised.
//!
//! Time per pass with P steps in the profile (at most two for each running and waiting job) and Q waiting jobs: if
//! nothing changes, past steps are dropped and that is all; O(P) per arrival and O(P + Q) per start; O(Q·P) for each
//! time that a compression goes through the queue, and for step 4.

use std::collections::BTreeSet;

use super::profile::{Profile, TICK};
use super::running_jobs::RunningJobs;
use super::seam::{Entry, Laws, Scheduler, View};
use super::wait_queue::{WaitQueue, Waiting};
use crate::job::{JobId, Time};

pub(super) const ENTRY: Entry = Entry {
    name: "conservative",
    summary: "backfilling with a reservation for every waiting job",
    source: "Feitelson & Mu'alem Weil, IPPS 1998; Mu'alem & Feitelson, IEEE TPDS 12(6), 2001",
    parameters: "pass=batch (ends-first, per-event), compress=repeat (once)",
    promises: "no job starts later than reserved on arrival if no estimate is too short and none that fits is refused",
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

/// In which order the events of one instant count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventOrder {
    Batch,
    EndsFirst,
    PerEvent,
}

/// When a waiting job is to start.
#[derive(Clone, Copy, Debug)]
struct Reservation {
    procs: u32,
    length: Time,
    start: Time,
}

/// The nodes of a running job, as the profile has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Occupation {
    until: Time,
    estimated_end: Time,
    job: JobId,
    nodes: u32,
    start: Time,
}

struct Conservative {
    order: EventOrder,
    /// Whether a compression goes on until nobody moves.
    repeat: bool,
    profile: Profile,
    /// The running jobs that the profile expects to run on after the last pass.
    held: BTreeSet<Occupation>,
    /// One for each waiting job, in order of arrival.
    reservations: Vec<Reservation>,
    /// The earliest of their starts; if it has passed the plan is made anew.
    next_start: Time,
    /// The earliest of their starts that is more than a tick away, at which the scheduler asks to be woken; the end
    /// of time if there is none.
    next_wake: Time,
    /// Whether the plan rests on the ends of jobs that have outlived their estimates; those are events.
    overdue: bool,
    /// The first job that could not start in the last pass: others may make room for it until the next one.
    refused: Option<JobId>,
}

/// A job that has ended, as the profile has it.
#[derive(Clone, Copy, Debug)]
struct Ended {
    held: Occupation,
    /// Whether it ended before its estimate, so that the profile holds nodes for it still.
    early: bool,
}

impl Scheduler for Conservative {
    fn start_jobs(&mut self, view: &mut dyn View) {
        let now = view.now();
        let refused = self.refused.take();
        let has_started = refused.is_some_and(|job| view.queue().iter().all(|waiting| waiting.job != job));
        if self.next_start < now || has_started {
            self.plan_anew(view, None);
            return;
        }
        self.profile.advance(now);
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

    fn wakes(&self) -> Option<Time> {
        Some(self.next_wake).filter(|&wake| !self.repeat && !self.overdue && wake < Time::MAX)
    }
}

impl Conservative {
    /// Returns a scheduler without a plan: the first pass makes it.
    fn new(order: EventOrder, repeat: bool) -> Self {
        let (profile, held, reservations) = (Profile::default(), BTreeSet::new(), Vec::new());
        let (next_start, next_wake) = (Time::from_micros(i64::MIN), Time::MAX);
        Self {
            order,
            repeat,
            profile,
            held,
            reservations,
            next_start,
            next_wake,
            overdue: false,
            refused: None,
        }
    }

    /// Returns the jobs that have ended since the last pass, in the order in which they have started. They are no
    /// longer held; the profile is not changed.
    fn ended(&mut self, running: &RunningJobs, now: Time) -> Vec<Ended> {
        let runs = |held: &Occupation| running.contains(held.estimated_end, held.job);
        let mut ended = Vec::new();
        while let Some(&held) = self.held.first().filter(|held| held.until <= now) {
            self.held.pop_first();
            if !runs(&held) {
                ended.push(Ended { held, early: false });
            }
        }
        // All that run and are expected to run on are held; whoever is held beyond them may have ended.
        if self.held.len() > running.len_after(now) {
            let early: Vec<Occupation> = self.held.iter().filter(|held| !runs(held)).copied().collect();
            for held in early {
                self.held.remove(&held);
                ended.push(Ended { held, early: true });
            }
        }
        ended.sort_unstable_by_key(|ended| (ended.held.start, ended.held.job));
        ended
    }

    /// Does step 1 for jobs that have ended.
    fn end(&mut self, ended: &[Ended], view: &dyn View) {
        let (now, mut early) = (view.now(), false);
        for Ended { held, .. } in ended.iter().filter(|ended| ended.early) {
            self.profile.take(now, held.until - now, -i64::from(held.nodes));
            early = true;
        }
        // After a compression that went on until nobody moved, nobody moves before something is given back.
        if early || !self.repeat && !ended.is_empty() {
            self.compress(view);
        }
    }

    /// Moves those that wait to earlier starts. If the replay is stopped, the rest stays where it is.
    fn compress(&mut self, view: &dyn View) {
        let now = view.now();
        loop {
            let mut moved = false;
            for reservation in &mut self.reservations {
                if view.stopped() {
                    return;
                }
                let Reservation { procs, length, start } = *reservation;
                // From its start on its own nodes are there, whatever else is.
                let earlier = self.profile.earliest(procs, length, now, start);
                if earlier < start {
                    self.profile.take(start, length, -i64::from(procs));
                    self.profile.take(earlier, length, i64::from(procs));
                    reservation.start = earlier;
                    moved = true;
                }
            }
            if !(moved && self.repeat) {
                break;
            }
        }
        self.note_next_start(now);
    }

    /// Does step 2: reserves for the jobs that have arrived.
    fn reserve_for_arrivals(&mut self, queue: &WaitQueue, now: Time) {
        let count = queue.len() - self.reservations.len();
        let arrived: Vec<Waiting> = queue.iter().rev().take(count).collect();
        for job in arrived.iter().rev() {
            self.reserve(job, now, now);
        }
    }

    /// Reserves the earliest start from `from` on.
    fn reserve(&mut self, job: &Waiting, from: Time, now: Time) {
        let (procs, length) = (job.nodes.most, job.estimate.max(TICK));
        let start = self.profile.earliest(procs, length, from, Time::MAX);
        self.profile.take(start, length, i64::from(procs));
        self.reservations.push(Reservation { procs, length, start });
        self.next_start = self.next_start.min(start);
        if start > now + TICK {
            self.next_wake = self.next_wake.min(start);
        }
    }

    /// Does step 3: starts the jobs whose time has come. Returns the first that does not start although it is time,
    /// which ends the step; `None` if all start.
    fn start_due(&mut self, view: &mut dyn View) -> Option<JobId> {
        let now = view.now();
        let all = view.queue().iter().zip(&self.reservations);
        let due: Vec<Waiting> =
            all.filter(|(_, reservation)| reservation.start <= now).map(|(job, _)| job).collect();
        for job in &due {
            if !self.start(view, job, job.nodes.most) {
                return Some(job.job);
            }
        }
        self.reservations.retain(|reservation| reservation.start > now);
        None
    }

    /// Starts a job for which the profile has `reserved` nodes already. Returns false if it cannot start.
    fn start(&mut self, view: &mut dyn View, job: &Waiting, reserved: u32) -> bool {
        let (now, free) = (view.now(), view.free());
        if job.nodes.most > free {
            return false;
        }
        if !view.try_start(job.slot) {
            self.refused.get_or_insert(job.job);
            return false;
        }
        let (nodes, length) = (free - view.free(), job.estimate.max(TICK));
        self.profile.take(now, length, i64::from(nodes) - i64::from(reserved));
        self.held.insert(Occupation {
            until: now + length,
            estimated_end: now + job.estimate,
            job: job.job,
            nodes,
            start: now,
        });
        true
    }

    /// Does step 4: makes the plan anew. The allocator has refused `refused` in this pass already.
    fn plan_anew(&mut self, view: &mut dyn View, refused: Option<JobId>) {
        let now = view.now();
        self.profile = Profile::new(now, view.free(), view.running());
        let held = |job: &super::Running| Occupation {
            until: job.estimated_end.max(now + TICK),
            estimated_end: job.estimated_end,
            job: job.job,
            nodes: job.nodes,
            start: job.start,
        };
        self.held = view.running().iter().map(held).collect();
        self.overdue = view.running().len_after(now) < view.running().len();
        self.reservations.clear();
        (self.next_start, self.next_wake) = (Time::MAX, Time::MAX);
        let waiting: Vec<Waiting> = view.queue().iter().collect();
        for job in &waiting {
            if view.stopped() {
                return;
            }
            let start = self.profile.earliest(job.nodes.most, job.estimate.max(TICK), now, Time::MAX);
            if start > now {
                self.reserve(job, start, now);
            } else if refused == Some(job.job) || !self.start(view, job, 0) {
                // Until something is released the allocator's answer stays the same.
                let released = view.running().iter().next().map_or(now, |running| running.estimated_end);
                self.reserve(job, released.max(now + TICK), now);
            }
        }
    }

    fn note_next_start(&mut self, now: Time) {
        let starts = || self.reservations.iter().map(|reservation| reservation.start);
        self.next_start = starts().min().unwrap_or(Time::MAX);
        // A start one tick from now waits for a job that outlives its estimate, whose end is an event.
        self.next_wake = starts().filter(|&start| start > now + TICK).min().unwrap_or(Time::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;

    /// 10 nodes: job 0 holds 6 until 100, job 1 needs 8 and waits for it. From 1 on, job 2 would end a second too late
    /// to go before job 1, job 3 ends in time, and job 4 is narrow enough to run beside job 1.
    fn example() -> (Fake, Conservative) {
        let (mut fake, mut scheduler) =
            (Fake::new(10, &[(6, 100), (8, 50)]), Conservative::new(EventOrder::Batch, true));
        scheduler.start_jobs(&mut fake);
        fake.advance(1, &[(4, 100), (4, 99), (2, 500)]);
        scheduler.start_jobs(&mut fake);
        (fake, scheduler)
    }

    fn starts_s(scheduler: &Conservative) -> Vec<f64> {
        scheduler.reservations.iter().map(|reservation| reservation.start.as_seconds()).collect()
    }

    #[test]
    fn everybody_has_a_reservation_that_the_later_ones_keep() {
        let (fake, scheduler) = example();
        assert_eq!(fake.started, [0, 3]);
        // EASY starts job 4 at 100 too, and knows nothing of job 2, which here waits for job 1 to end.
        assert_eq!(starts_s(&scheduler), [100.0, 150.0, 100.0]);
    }

    #[test]
    fn reservations_move_forward_when_a_job_ends_early() {
        let (mut fake, mut scheduler) = example();
        fake.depart(10, &[0]);
        scheduler.start_jobs(&mut fake);
        assert_eq!(fake.started, [0, 3, 4], "job 4 fits beside all that is reserved");
        assert_eq!(starts_s(&scheduler), [100.0, 150.0]);
        fake.depart(20, &[3]);
        scheduler.start_jobs(&mut fake);
        assert_eq!(fake.started, [0, 3, 4, 1]);
        assert_eq!(starts_s(&scheduler), [70.0]);
    }

    #[test]
    fn an_end_by_the_estimate_changes_nothing() {
        let (mut fake, mut scheduler) = example();
        let before = scheduler.profile.clone();
        fake.depart(100, &[0, 3]);
        scheduler.start_jobs(&mut fake);
        assert_eq!(fake.started, [0, 3, 1, 4]);
        let mut expected = before;
        expected.advance(Time::from_seconds(100));
        assert_eq!(scheduler.profile, expected);
    }

    #[test]
    fn who_waits_for_a_job_that_outlives_its_estimate_starts_when_it_ends() {
        let (mut fake, mut scheduler) = example();
        fake.depart(100, &[3]);
        scheduler.start_jobs(&mut fake);
        // Job 0 holds 6 nodes still, so job 1 waits, and nobody who would delay it starts.
        assert_eq!(fake.started, [0, 3, 4]);
        fake.depart(130, &[0]);
        scheduler.start_jobs(&mut fake);
        assert_eq!(fake.started, [0, 3, 4, 1]);
        assert_eq!(starts_s(&scheduler), [180.0]);
    }
}
