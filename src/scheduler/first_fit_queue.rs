//! First fit on the queue: aggressive, without protection for anybody.
//!
//! 1. Try every waiting job in order of arrival and start each that fits.
//!
//! A large job can wait for ever behind small ones. O(log queue) per start.

use super::{Backfill, Dispatch, Entry, Scheduler};

pub(super) const ENTRY: Entry = Entry {
    name: "first-fit-queue",
    summary: "every waiting job that fits starts, in order of arrival, without reservations",
    source: "the aggressive scheduler of the simulator of Walker, Bunde, Leung, 2010",
    parameters: "",
    promises: "no waiting job fits",
    build: |_| Ok(Box::new(FirstFitQueue)),
};

struct FirstFitQueue;

impl Scheduler for FirstFitQueue {
    fn dispatch(&mut self, view: &mut dyn Dispatch) {
        let mut from = 0;
        while let Some(slot) = view.queue().first(from, &Backfill::count(view.free())) {
            view.try_start(slot);
            from = slot + 1;
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
        FirstFitQueue.dispatch(&mut fake);
        assert_eq!(fake.started, [0, 2, 4]);
    }
}
