//! Conservative backfilling: every waiting job has a reservation, and nobody may delay any.
//!
//! D. Feitelson, A. Mu'alem Weil, "Utilization and predictability in scheduling the IBM SP2 with backfilling", IPPS 1998;
//! A. Mu'alem, D. Feitelson, "Utilization, predictability, workloads, and user runtime estimates in scheduling the IBM
//! SP2 with backfilling", IEEE Transactions on Parallel and Distributed Systems 12(6), 2001.
//!
//! A [`Profile`] holds how many nodes are free when, running jobs taken out until their estimated ends and waiting jobs
//! for as long as their estimates from their reserved starts on.
//!
//! 1. Jobs that ended before their estimates give back the rest. Then the reservations are *compressed*: each waiting
//!    job, in order of arrival, moves to the earliest start at which it fits for its whole estimate, with its own
//!    reservation taken out and all others kept; again from the first job until nobody moves. Nobody moves back.
//! 2. Each job that has arrived reserves the earliest start at which it fits for its whole estimate.
//! 3. Jobs whose reserved start has come start, in order of arrival.
//!
//! Repeating step 1 sees to it that each start is the end of something, so a scheduler that is asked at ends and arrivals
//! misses none.
//!
//! 4. Where that fails the plan is made anew: the profile from what runs now, reservations in order of arrival. It fails
//!    where a job outlives its estimate (it is then expected to end next), where the allocator refuses a job although
//!    enough nodes are free (it may start when the next running job is expected to end), and where an allocator gave a
//!    job more nodes than it asked for and they are missing now. Only then can a job start later than it was promised.
//!
//! Time per pass with P steps in the profile (at most two for each running and waiting job) and Q waiting jobs: if
//! nothing changes, as when a job ends by its estimate, past steps are dropped and that is all; O(P) per arrival and
//! O(P + Q) per start; O(Q·P) per repetition of step 1 and for step 4.

use std::collections::BTreeSet;

use super::profile::{Profile, TICK};
use super::{Dispatch, Entry, RunningJobs, Scheduler, WaitQueue, Waiting};
use crate::job::{JobId, Time};

pub(super) const ENTRY: Entry = Entry {
    name: "conservative",
    summary: "backfilling with a reservation for every waiting job",
    source: "Feitelson & Mu'alem Weil, IPPS 1998; Mu'alem & Feitelson, IEEE TPDS 12(6), 2001",
    parameters: "",
    promises: "no job starts later than reserved on arrival if no estimate is too short and none that fits is refused",
    build: |_| Ok(Box::new(Conservative::new())),
};

/// When a waiting job is to start.
#[derive(Clone, Copy, Debug)]
struct Reservation {
    procs: u32,
    length: Time,
    start: Time,
}

/// A running job as the profile has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Held {
    until: Time,
    estimated_end: Time,
    job: JobId,
    nodes: u32,
}

struct Conservative {
    profile: Profile,
    /// The running jobs that the profile expects to run on after the last pass.
    held: BTreeSet<Held>,
    /// One for each waiting job, in order of arrival.
    reservations: Vec<Reservation>,
    /// The earliest of their starts; if it has passed the plan is made anew.
    next_start: Time,
    /// The first job that could not start in the last pass: others may make room for it until the next one.
    refused: Option<JobId>,
}

impl Scheduler for Conservative {
    fn dispatch(&mut self, view: &mut dyn Dispatch) {
        let now = view.now();
        let refused = self.refused.take();
        let has_started = refused.is_some_and(|job| view.queue().iter().all(|waiting| waiting.job != job));
        if self.next_start < now || has_started {
            self.plan_anew(view, None);
            return;
        }
        self.profile.advance(now);
        while self.held.first().is_some_and(|held| held.until <= now) {
            self.held.pop_first();
        }
        // All that run and are expected to run on are held; whoever is held beyond them may have ended.
        let may_be_early = self.held.len() > view.running().len_after(now);
        if may_be_early && self.give_back(view.running(), now) {
            self.compress(now);
        }
        self.reserve_for_arrivals(view.queue(), now);
        if self.next_start > now {
            return;
        }
        match self.start_due(view) {
            Some(refused) => self.plan_anew(view, Some(refused)),
            None => self.note_next_start(),
        }
    }
}

impl Conservative {
    /// Without a plan: the first pass makes it.
    fn new() -> Self {
        let (profile, held, reservations) = (Profile::default(), BTreeSet::new(), Vec::new());
        Self { profile, held, reservations, next_start: Time::from_micros(i64::MIN), refused: None }
    }

    /// Gives back what jobs that have ended hold beyond `now`; whether there are any.
    fn give_back(&mut self, running: &RunningJobs, now: Time) -> bool {
        let ended = |held: &&Held| !running.contains(held.estimated_end, held.job);
        let ended: Vec<Held> = self.held.iter().filter(ended).copied().collect();
        for held in &ended {
            self.held.remove(held);
            self.profile.take(now, held.until - now, -i64::from(held.nodes));
        }
        !ended.is_empty()
    }

    /// Step 1 for those that wait.
    fn compress(&mut self, now: Time) {
        let mut moved = true;
        while moved {
            moved = false;
            for reservation in &mut self.reservations {
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
        }
        self.note_next_start();
    }

    /// Step 2.
    fn reserve_for_arrivals(&mut self, queue: &WaitQueue, now: Time) {
        let count = queue.len() - self.reservations.len();
        let arrived: Vec<Waiting> = queue.iter().rev().take(count).collect();
        for job in arrived.iter().rev() {
            self.reserve(job, now);
        }
    }

    /// Reserves the earliest start from `from` on.
    fn reserve(&mut self, job: &Waiting, from: Time) {
        let (procs, length) = (job.nodes.most, job.estimate.max(TICK));
        let start = self.profile.earliest(procs, length, from, Time::MAX);
        self.profile.take(start, length, i64::from(procs));
        self.reservations.push(Reservation { procs, length, start });
        self.next_start = self.next_start.min(start);
    }

    /// Step 3; the first job that does not start although it is time ends it, and is returned.
    fn start_due(&mut self, view: &mut dyn Dispatch) -> Option<JobId> {
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

    /// Starts a job for which the profile has `reserved` nodes already; false if it cannot be.
    fn start(&mut self, view: &mut dyn Dispatch, job: &Waiting, reserved: u32) -> bool {
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
        self.held.insert(Held {
            until: now + length,
            estimated_end: now + job.estimate,
            job: job.job,
            nodes,
        });
        true
    }

    /// Step 4. The allocator has refused `refused` in this pass already.
    fn plan_anew(&mut self, view: &mut dyn Dispatch, refused: Option<JobId>) {
        let now = view.now();
        self.profile = Profile::new(now, view.free(), view.running());
        let held = |job: &super::Running| Held {
            until: job.estimated_end.max(now + TICK),
            estimated_end: job.estimated_end,
            job: job.job,
            nodes: job.nodes,
        };
        self.held = view.running().iter().map(held).collect();
        self.reservations.clear();
        self.next_start = Time::MAX;
        let waiting: Vec<Waiting> = view.queue().iter().collect();
        for job in &waiting {
            let start = self.profile.earliest(job.nodes.most, job.estimate.max(TICK), now, Time::MAX);
            if start > now {
                self.reserve(job, start);
            } else if refused == Some(job.job) || !self.start(view, job, 0) {
                // Until something is released the allocator's answer stays the same.
                let released = view.running().iter().next().map_or(now, |running| running.estimated_end);
                self.reserve(job, released.max(now + TICK));
            }
        }
    }

    fn note_next_start(&mut self) {
        let starts = self.reservations.iter().map(|reservation| reservation.start);
        self.next_start = starts.min().unwrap_or(Time::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;

    /// 10 nodes: job 0 holds 6 until 100, job 1 needs 8 and waits for it. From 1 on, job 2 would end a second too late
    /// to go before job 1, job 3 ends in time, and job 4 is narrow enough to run beside job 1.
    fn example() -> (Fake, Conservative) {
        let (mut fake, mut scheduler) = (Fake::new(10, &[(6, 100), (8, 50)]), Conservative::new());
        scheduler.dispatch(&mut fake);
        fake.advance(1, &[(4, 100), (4, 99), (2, 500)]);
        scheduler.dispatch(&mut fake);
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
        scheduler.dispatch(&mut fake);
        assert_eq!(fake.started, [0, 3, 4], "job 4 fits beside all that is reserved");
        assert_eq!(starts_s(&scheduler), [100.0, 150.0]);
        fake.depart(20, &[3]);
        scheduler.dispatch(&mut fake);
        assert_eq!(fake.started, [0, 3, 4, 1]);
        assert_eq!(starts_s(&scheduler), [70.0]);
    }

    #[test]
    fn an_end_by_the_estimate_changes_nothing() {
        let (mut fake, mut scheduler) = example();
        let before = scheduler.profile.clone();
        fake.depart(100, &[0, 3]);
        scheduler.dispatch(&mut fake);
        assert_eq!(fake.started, [0, 3, 1, 4]);
        let mut expected = before;
        expected.advance(Time::from_seconds(100));
        assert_eq!(scheduler.profile, expected);
    }

    #[test]
    fn who_waits_for_a_job_that_outlives_its_estimate_starts_when_it_ends() {
        let (mut fake, mut scheduler) = example();
        fake.depart(100, &[3]);
        scheduler.dispatch(&mut fake);
        // Job 0 holds 6 nodes still, so job 1 waits, and nobody who would delay it starts.
        assert_eq!(fake.started, [0, 3, 4]);
        fake.depart(130, &[0]);
        scheduler.dispatch(&mut fake);
        assert_eq!(fake.started, [0, 3, 4, 1]);
        assert_eq!(starts_s(&scheduler), [180.0]);
    }
}
