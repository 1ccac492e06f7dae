//! EASY: backfilling that never delays the oldest waiting job.
//!
//! D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; in the form of the simulator of P. Walker, D.
//! Bunde, V. Leung, "Faster high-quality processor allocation", 2010.
//!
//! 1. Start the head of the queue while it fits.
//! 2. The head that does not fit gets a *shadow time*: the first estimated end of a running job at which
//!    enough nodes are free for it, after all jobs that are expected to end by then. The *extra nodes* are
//!    the nodes that are free at the shadow time and not needed by the head.
//! 3. Start the first job in queue order that fits now and does not delay the head. It must end, by its
//!    estimate, no later than the shadow time, or need no more nodes than the extra nodes. Repeat until there
//!    is no such job.
//!
//! The shadow time is computed anew at every pass. The authors compute it at each departure and when the head
//! changes. Both rules have the same result, because a backfilled job ends by the shadow time or takes extra
//! nodes only. A running job that has outlived its estimate is expected to end now.
//!
//! Several algorithms are called "EASY". With `pass=batch` the scheduler decides once per instant, after all
//! departures and arrivals. With `pass=per-event` it decides after every event, arrivals before departures. A
//! job may then start before another event of the same instant is seen. Only the ends of jobs whose estimates
//! run out at this instant are known in advance. This is the event order of a family of published simulators,
//! and the results equal theirs to the second.
//!
//! The scheduler counts the nodes that a job will take, not the requested processors. An allocator may round
//! up, for example to whole pages. With counts of processors the head would then wait for nodes that
//! backfilled jobs hold.
//!
//! These counts decide for allocators that never refuse a job that fits by count. Two other kinds of
//! allocators need reservations of nodes:
//!
//! * Allocators that serve a job wherever a suitable submesh is free. The shadow time is the first estimated
//!   end with a free submesh for the head. A job that outlives it is started only where it leaves such a
//!   submesh free, as in the same simulator. It goes where the allocator would put it or, if that leaves
//!   none, to the first submesh in scan order that does.
//! * Other allocators that may refuse (ANCA, frame sliding, two-dimensional buddies). They are asked for a
//!   placement at each estimated end. The nodes chosen at the first end at which they serve the head are
//!   reserved. The head gets these nodes if they are free and the allocator refuses it. This rule is not from
//!   a source.
//!
//! While nodes are down, the head may not fit even when all running jobs have ended. It then has no shadow
//! time, waits until nodes come up, and delays no other job: the next job is the head. This rule is not from
//! a source.
//!
//! Before a planned outage, a head that would run into it from now on, or from its shadow time on, waits for
//! the end of the outage. Every job that starts now ends before, by its estimate, so the next job is the
//! head. This rule is not from a source.
//!
//! `order=` sorts the queue in another order than that of arrival, see [`super::priority`]. The first job of
//! this order is the head that is never delayed, and the other jobs are tried in this order. In an order by
//! age the head can change from pass to pass.
//!
//! With `backfill=sjbf` (shortest job backfilled first) step 3 considers the jobs after the head in the order
//! of their estimates, equal estimates in queue order. The head stays the first of the queue. With predicted
//! run times (`--estimate predicted:user-last-two`) this is EASY++: D. Tsafrir, Y. Etsion, D. Feitelson,
//! "Backfilling using system-generated predictions rather than user runtime estimates", IEEE Transactions on
//! Parallel and Distributed Systems 18(6), 2007. Then the reservation of the head is only as reliable as the
//! predictions: when a running job outlives its prediction, the shadow time moves.
//!
//! A pass takes O(R + b·log Q) with R running jobs that end by the shadow time, b jobs started and Q waiting
//! jobs. Orders other than arrival add the cost given in [`super::priority`], and `backfill=sjbf` O(√Q), or
//! O(Q) in another order.
#![expect(clippy::arithmetic_side_effects, reason = "the free nodes are at most 2^24")]

use super::priority::{Candidates, Order, by_estimate};
use super::ranked::OrderedQueue;
use super::seam::{Decides, Laws, Pass, Scheduler, SchedulerEntry, View};
use super::wait_queue::{Admission, Slot, Waiting};
use meshreplay_base::job::Time;

/// The row of the registry.
pub(super) const ENTRY: SchedulerEntry = SchedulerEntry {
    name: "easy",
    summary: "backfilling with a reservation for the first waiting job, the oldest or of highest priority",
    source: "Lifka, JSSPP 1995; Walker, Bunde, Leung, 2010",
    parameters: "order=arrival (sjf, ljf, smallest, largest, ssd, wfp3, unicef, f1, f2, f3, f4), pass=batch \
         (per-event), backfill=queue (sjbf)",
    promises: "the oldest waiting job (with order=arrival) starts by the shadow time that it has as it \
         becomes the oldest, if no estimate is too short and no job is suspended",
    laws: |spec| {
        let by_arrival = spec.params.get("order").is_none_or(|order| order == "arrival");
        Laws { head_does_not_fit: by_arrival, head_in_time: by_arrival, ..Laws::default() }
    },
    build: |params| {
        let pass = params.choose("pass", &[("batch", Pass::Batch), ("per-event", Pass::PerEvent)])?;
        let is_sjbf = params.choose_unwritten("backfill", &[("queue", false), ("sjbf", true)])?;
        let shortest = is_sjbf.then(by_estimate);
        Ok(Box::new(Easy { order: Order::take(params)?, pass, shortest }))
    },
};

/// The scheduler: the order of the queue, and when it is asked for a pass.
struct Easy {
    order: Order,
    pass: Pass,
    /// The waiting jobs by estimate if the shortest is backfilled first, or `None` for queue order.
    shortest: Option<OrderedQueue>,
}

impl Easy {
    /// Steps 1 to 3. Returns true if the head has started after others were backfilled. Then there is a new
    /// head, and the pass has to begin again.
    fn round(&mut self, view: &mut dyn View) -> bool {
        let mut candidates = self.order.candidates(view.queue(), view.free(), view.now());
        let (mut head, mut is_skipped) = (candidates.head(view.queue()), false);
        let longest = view.longest();
        let may_wait = longest < Time::MAX || view.is_degraded();
        // Step 1. The loop ends at a head that does not start, because too few nodes are free or the
        // allocator refused it.
        while let Some(first) = head {
            let fits_by_count = first.nodes.least <= view.free();
            if first.estimate > longest {
                is_skipped = true;
            } else if !(fits_by_count && view.try_start(first.slot)) {
                // A head that fits by count was refused by the allocator.
                match backfill(&mut candidates, &first, fits_by_count, self.shortest.as_mut(), view) {
                    // The head does not fit without the nodes that are down, even when all running jobs have
                    // ended, or not before a planned outage. It waits for nodes, and the next job is the
                    // head.
                    Backfilled::NoShadowTime if may_wait => is_skipped = true,
                    Backfilled::NoShadowTime | Backfilled::Others => return false,
                    Backfilled::Head => return true,
                }
            }
            head = if is_skipped {
                candidates.next(view.queue(), &Admission { longest, ..Admission::ANY })
            } else {
                candidates.head(view.queue())
            };
        }
        false
    }
}

/// The result of backfilling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Backfilled {
    /// The head fits at no end of a running job before a planned outage, so nothing was backfilled.
    NoShadowTime,
    /// Jobs other than the head may have started.
    Others,
    /// The head has started after other jobs.
    Head,
}

/// Steps 2 and 3 for a head that does not start now. `refused` is true if the allocator refused it although
/// enough nodes are free. `candidates` are the jobs after it. `shortest` has the waiting jobs by estimate, if
/// the shortest comes first.
fn backfill(
    candidates: &mut Candidates<'_>,
    head: &Waiting,
    refused: bool,
    shortest: Option<&mut OrderedQueue>,
    view: &mut dyn View,
) -> Backfilled {
    let by_count = view.admission();
    let decides = view.decides();
    let Some(first) = candidates.first(view.queue(), &by_count) else {
        // No other job fits now, so no other needs the shadow time. The head may: an allocator that decides
        // by state may refuse it later, with more nodes free than expected, and then it gets its reserved
        // nodes.
        if decides == Decides::State {
            view.reserve(head.slot);
        }
        return Backfilled::Others;
    };
    let beside = match decides {
        Decides::Counts => return backfill_by_counts(candidates, head, first, refused, shortest, view),
        Decides::Submeshes => backfill_beside,
        Decides::State => backfill_and_retry,
    };
    match shortest {
        Some(shortest) => {
            let mut sorted = candidates.shortest_first(shortest, view.queue(), &by_count);
            beside(&mut sorted, head, view)
        }
        None => beside(candidates, head, view),
    }
}

/// Steps 2 and 3 for allocators that serve every job that fits by count. `first` is the slot of the first
/// candidate that fits by count. `shortest` has the waiting jobs by estimate, if the shortest comes first.
fn backfill_by_counts(
    candidates: &mut Candidates<'_>,
    head: &Waiting,
    first: Slot,
    refused: bool,
    shortest: Option<&mut OrderedQueue>,
    view: &mut dyn View,
) -> Backfilled {
    let (now, free, longest) = (view.now(), view.free(), view.longest());
    // Step 2. If the allocator refused the head although enough nodes are free, the head waits for at least
    // one node more.
    let need = if refused { free + 1 } else { head.nodes.least };
    let shadow =
        view.running().free_by(need, free, now).filter(|(shadow, _)| is_in_time(head, *shadow, view));
    let Some((shadow, free_then)) = shadow else { return Backfilled::NoShadowTime };
    candidates.skip_to(first);
    // The extra nodes: free at the shadow time beyond the head's need.
    let extra = free_then.saturating_sub(head.nodes.least);
    // The admission only becomes stricter during the pass, so it is enough to sort the jobs admitted now.
    if let Some(shortest) = shortest {
        let admission = Admission { free, extra, slack: shadow - now, longest };
        let mut sorted = candidates.shortest_first(shortest, view.queue(), &admission);
        return backfill_until(&mut sorted, shadow, free, extra, view);
    }
    backfill_until(candidates, shadow, free, extra, view)
}

/// Step 3 with the free and the extra nodes, for allocators that serve every job that fits by count.
fn backfill_until(
    candidates: &mut Candidates<'_>,
    shadow: Time,
    mut free: u32,
    mut extra: u32,
    view: &mut dyn View,
) -> Backfilled {
    let (now, longest) = (view.now(), view.longest());
    loop {
        // Step 3. The queue's index finds the first job that fits now and is short enough or narrow enough.
        let admission = Admission { free, extra, slack: shadow - now, longest };
        let Some(job) = candidates.next(view.queue(), &admission) else { return Backfilled::Others };
        if view.try_start(job.slot) {
            let taken = free.saturating_sub(view.free());
            free = view.free();
            // A job that ends by the shadow time returns its nodes in time. A longer job keeps them, so they
            // are no longer extra nodes.
            if job.estimate > admission.slack {
                extra = extra.saturating_sub(taken);
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

/// As [`backfill_beside`], for allocators that may serve the head after another job has started. The head is
/// tried again after every start. When it has started, the rest of the queue has to be considered again.
fn backfill_and_retry(candidates: &mut Candidates<'_>, head: &Waiting, view: &mut dyn View) -> Backfilled {
    let Some(shadow) = reserve(head, view) else { return Backfilled::NoShadowTime };
    while let Some(job) = candidates.next(view.queue(), &view.admission()) {
        if try_beside(&job, shadow, view) && view.try_start(head.slot) {
            return Backfilled::Head;
        }
    }
    Backfilled::Others
}

/// Starts the jobs that leave room for the head. Starts none if the head has no shadow time.
fn backfill_beside(candidates: &mut Candidates<'_>, head: &Waiting, view: &mut dyn View) -> Backfilled {
    let Some(shadow) = reserve(head, view) else { return Backfilled::NoShadowTime };
    while let Some(job) = candidates.next(view.queue(), &view.admission()) {
        try_beside(&job, shadow, view);
    }
    Backfilled::Others
}

/// Reserves nodes for the head and returns its shadow time; `None` if it does not fit before a planned
/// outage.
fn reserve(head: &Waiting, view: &mut dyn View) -> Option<Time> {
    view.reserve(head.slot).filter(|&shadow| is_in_time(head, shadow, view))
}

/// Returns whether a job that starts at `start` ends before the next planned outage, by its estimate.
fn is_in_time(job: &Waiting, start: Time, view: &dyn View) -> bool {
    let longest = view.longest();
    longest == Time::MAX || start - view.now() + job.estimate <= longest
}

/// Starts a job if it ends by the shadow time of the head or leaves room for it. Returns whether it has
/// started.
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

    /// Makes a pass of EASY.
    fn pass(fake: &mut Fake) {
        Easy { order: Order::Arrival, pass: Pass::Batch, shortest: None }.start_jobs(fake);
    }

    /// Returns the jobs that start, in order. Of 10 nodes a job holds 6 until 100 s, and a job of 8 nodes is
    /// the head. Then `candidate` arrives at 1 s.
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
    fn the_shortest_job_is_backfilled_first() {
        // The head, job 1, waits until 100 s, and two of the four free nodes are extra. Of the jobs after it,
        // the shortest comes first, and of equal ones the older.
        let jobs = [(6, 100), (8, 50), (2, 500), (3, 90), (2, 40), (2, 40), (1, 30)];
        for (shortest, expected) in [(false, vec![0, 2, 4]), (true, vec![0, 6, 4])] {
            let mut fake = Fake::new(10, &jobs);
            let shortest = shortest.then(by_estimate);
            Easy { order: Order::Arrival, pass: Pass::Batch, shortest }.start_jobs(&mut fake);
            assert_eq!(fake.started, expected);
        }
    }

    #[test]
    fn extra_nodes_are_spent_once() {
        let mut fake = Fake::new(10, &[(6, 100), (8, 50), (2, 500), (1, 500), (2, 99)]);
        pass(&mut fake);
        assert_eq!(fake.started, [0, 2, 4]);
    }
}
