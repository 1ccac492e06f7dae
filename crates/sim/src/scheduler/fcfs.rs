//! First come, first served.
//!
//! 1. Start the oldest waiting job while it fits. Never consider another one.

use super::seam::{Laws, Scheduler, SchedulerEntry, View};

/// The row of the registry.
pub(super) const ENTRY: SchedulerEntry = SchedulerEntry {
    name: "fcfs",
    summary: "first come, first served; the oldest waiting job blocks all others",
    source: "the baseline of Chang & Mohapatra, 1998, and Walker, Bunde, Leung, 2010",
    parameters: "",
    promises: "jobs start in order of arrival",
    laws: |_| Laws { in_order: true, head_does_not_fit: true, ..Laws::default() },
    build: |_| Ok(Box::new(Fcfs)),
};

/// The scheduler.
struct Fcfs;

impl Scheduler for Fcfs {
    fn start_jobs(&mut self, view: &mut dyn View) {
        while let Some(head) = view.queue().head() {
            if !(view.fits(&head) && view.try_start(head.slot)) {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;

    #[test]
    fn the_head_blocks_the_queue() {
        let mut fake = Fake::new(10, &[(6, 100), (8, 50), (2, 5)]);
        Fcfs.start_jobs(&mut fake);
        assert_eq!(fake.started, [0]);
    }
}
