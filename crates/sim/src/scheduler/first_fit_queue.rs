//! First fit on the queue: aggressive backfilling that protects no job.
//!
//! 1. Try every waiting job in the order of arrival, or in the order named by `order=`. Start each job that
//!    fits.
//!
//! A large job can wait for ever while smaller ones overtake it. A pass takes O(log Q) per start with Q
//! waiting jobs. Orders other than arrival add the cost given in [`super::priority`].

use super::priority::Order;
use super::seam::{Laws, Scheduler, SchedulerEntry, View};

/// The row of the registry.
pub(super) const ENTRY: SchedulerEntry = SchedulerEntry {
    name: "first-fit-queue",
    summary: "every waiting job that fits starts, in order of arrival or priority, without reservations",
    source: "the aggressive scheduler of the simulator of Walker, Bunde, Leung, 2010",
    parameters: "order=arrival (sjf, ljf, smallest, largest, ssd, wfp3, unicef, f1, f2, f3, f4)",
    promises: "no waiting job fits",
    laws: |_| Laws { nobody_fits: true, head_does_not_fit: true, ..Laws::default() },
    build: |params| Ok(Box::new(FirstFitQueue { order: Order::take(params)? })),
};

/// The scheduler, with the order of the queue.
struct FirstFitQueue {
    order: Order,
}

impl Scheduler for FirstFitQueue {
    fn start_jobs(&mut self, view: &mut dyn View) {
        let mut candidates = self.order.candidates(view.queue(), view.free(), view.now());
        while let Some(job) = candidates.next(view.queue(), &view.admission()) {
            view.try_start(job.slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;

    #[test]
    fn all_that_fits_starts() {
        let mut fake = Fake::new(10, &[(6, 100), (8, 50), (2, 5), (3, 5), (2, 7)]);
        FirstFitQueue { order: Order::Arrival }.start_jobs(&mut fake);
        assert_eq!(fake.started, [0, 2, 4]);
    }
}
