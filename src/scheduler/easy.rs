//! EASY: backfilling that never delays the oldest waiting job.
//!
//! D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; the form of the simulator of P. Walker, D. Bunde,
//! V. Leung, "Faster high-quality processor allocation", 2010.
//!
//! 1. Start the head of the queue while it fits.
//! 2. The blocked head's *shadow time* is the first estimated end of a running job at which, with all jobs that end
//!    until then gone, enough nodes are free. Its *extra* nodes are those free then beyond the head's need.
//! 3. Start the first job in queue order that fits now and either ends, by its estimate, at the shadow time at the
//!    latest, or needs no more than the extra nodes; repeat until there is none.
//!
//! The shadow time is computed anew at every pass. That equals the authors' rule (at each departure, and when the head
//! changes), because a backfilled job gives its nodes back by the shadow time or lives on extra nodes. A running job
//! that outlives its estimate is expected to end now.
//!
//! "EASY" names many algorithms. `pass=batch` decides once per instant, when all its departures and arrivals have been
//! applied. `pass=per-event` decides after every event, arrivals before departures, so a job may start before another
//! event of the same instant is seen; only the ends of jobs whose estimates run out then are foreseen. The second is
//! the event order of a family of published simulators: it equals their results to the second. What is counted are
//! the nodes that a job will take, not the processors that it asks for: with an allocator that rounds up, as to whole
//! pages, the head would else wait for nodes that backfilled jobs hold.
//!
//! Counts decide for allocators that never refuse a job that fits by count. Where the allocator places jobs as
//! submeshes, wherever one is free, places decide as in the same simulator: the shadow time is the first estimated
//! end at which there is a place for the head's submesh, and a job that lives longer is started only where it leaves
//! one. It goes where the allocator would put it or, if that leaves none, to the first place in scan order that does.
//! Other allocators that may refuse (ANCA, frame sliding, two-dimensional buddies) are asked what they would do at
//! each estimated end; the nodes that they would choose at the first end at which they serve the head are reserved,
//! and the head gets them if the allocator refuses it when they are free. This last rule is ours.
//!
//! With `order=` the queue is in another order than that of arrival, see [`super::priority`]: its first job is the
//! head that is never delayed, and the rest is tried in that order. An order by age can change its head from pass to
//! pass.
//!
//! Time per pass O(R + b·log Q): R running jobs that end by the shadow time, b jobs started, Q waiting jobs. Orders
//! other than arrival add O(Q·log Q) where anybody fits.

use super::priority::{Candidates, Order};
use super::seam::{Decides, Entry, Laws, Pass, Scheduler, View};
use super::wait_queue::{Admission, Slot, Waiting};
use crate::job::Time;

pub(super) const ENTRY: Entry = Entry {
    name: "easy",
    summary: "backfilling with a reservation for the first waiting job, the oldest or of highest priority",
    source: "Lifka, JSSPP 1995; Walker, Bunde, Leung, 2010",
    parameters: "order=arrival (sjf, ljf, smallest, largest, ssd, wfp3, unicef, f1, f2, f3, f4), pass=batch (per-event)",
    promises: "the oldest waiting job (with order=arrival) starts by the shadow time that it has as it becomes the oldest, if \
               no estimate is too short and no job is suspended",
    laws: |spec| {
        let by_arrival = spec.params.get("order").is_none_or(|order| order == "arrival");
        Laws { head_does_not_fit: by_arrival, head_in_time: by_arrival, ..Laws::default() }
    },
    build: |params| {
        let pass = params.choose("pass", &[("batch", Pass::Batch), ("per-event", Pass::PerEvent)])?;
        Ok(Box::new(Easy { order: Order::take(params)?, pass }))
    },
};

struct Easy {
    order: Order,
    pass: Pass,
}

impl Easy {
    /// Steps 1 to 3. Returns whether the head has started while others were backfilled, so that there is a new head
    /// to begin with.
    fn round(&self, view: &mut dyn View) -> bool {
        let mut candidates = self.order.candidates(view.queue(), view.free(), view.now());
        let (head, refused) = loop {
            let Some(head) = candidates.head(view.queue()) else { return false };
            if head.nodes.least > view.free() {
                break (head, false);
            }
            if !view.try_start(head.slot) {
                break (head, true);
            }
        };
        // Nobody fits: spare the walk over the running jobs.
        if !candidates.any(view.queue(), &Admission::by_count(view.free())) {
            return false;
        }
        match view.decides() {
            Decides::Counts => {}
            Decides::Submeshes => {
                backfill_beside(&mut candidates, head.slot, view);
                return false;
            }
            Decides::State => return backfill_and_retry(&mut candidates, head.slot, view),
        }
        let (now, mut free) = (view.now(), view.free());
        let need = if refused { free + 1 } else { head.nodes.least };
        let Some((shadow, free_then)) = view.running().free_by(need, free, now) else { return false };
        let mut extra = free_then.saturating_sub(head.nodes.least);
        loop {
            let admission = Admission { free, extra, slack: shadow - now };
            let Some(job) = candidates.next(view.queue(), &admission) else { return false };
            if view.try_start(job.slot) {
                let taken = free.saturating_sub(view.free());
                free = view.free();
                if job.estimate > admission.slack {
                    extra = extra.saturating_sub(taken);
                }
            }
        }
    }
}

impl Scheduler for Easy {
    fn start_jobs(&mut self, view: &mut dyn View) {
        while self.round(view) {}
    }

    fn pass(&self) -> Pass {
        self.pass
    }
}

/// As [`backfill_beside`], for allocators that may serve the head once others have started, so that it is tried again
/// after every start. Returns whether it has started, and the rest of the queue is to be looked at anew.
fn backfill_and_retry(candidates: &mut Candidates, head: Slot, view: &mut dyn View) -> bool {
    let Some(shadow) = view.reserve(head) else { return false };
    while let Some(job) = candidates.next(view.queue(), &Admission::by_count(view.free())) {
        if try_beside(&job, shadow, view) && view.try_start(head) {
            return true;
        }
    }
    false
}

/// Starts the jobs that leave a place for the head.
fn backfill_beside(candidates: &mut Candidates, head: Slot, view: &mut dyn View) {
    let Some(shadow) = view.reserve(head) else { return };
    while let Some(job) = candidates.next(view.queue(), &Admission::by_count(view.free())) {
        try_beside(&job, shadow, view);
    }
}

/// Starts a job if it ends by the shadow time of the head or leaves a place for it. Returns whether it has started.
fn try_beside(job: &Waiting, shadow: Time, view: &mut dyn View) -> bool {
    if view.now() + job.estimate <= shadow {
        view.try_start(job.slot)
    } else {
        view.try_start_beside(job.slot)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;

    /// One pass of EASY.
    fn pass(fake: &mut Fake) {
        Easy { order: Order::Arrival, pass: Pass::Batch }.start_jobs(fake);
    }

    /// 10 nodes, a job of 6 runs until 100, one of 8 is blocked at time 1.
    fn started_beside(candidate: (u32, i64)) -> Vec<u32> {
        let mut fake = Fake::new(10, &[(6, 100), (8, 50)]);
        pass(&mut fake);
        assert_eq!(fake.started, [0]);
        fake.advance(1, &[candidate]);
        pass(&mut fake);
        fake.started
    }

    #[test]
    fn a_job_that_ends_by_the_shadow_time_is_backfilled() {
        assert_eq!(started_beside((4, 99)), [0, 2]);
    }

    #[test]
    fn a_job_that_would_delay_the_head_is_not() {
        assert_eq!(started_beside((4, 100)), [0]);
    }

    #[test]
    fn a_job_on_extra_nodes_is_backfilled() {
        assert_eq!(started_beside((2, 500)), [0, 2]);
    }

    #[test]
    fn extra_nodes_are_spent_once() {
        let mut fake = Fake::new(10, &[(6, 100), (8, 50), (2, 500), (1, 500), (2, 99)]);
        pass(&mut fake);
        assert_eq!(fake.started, [0, 2, 4]);
    }
}
