//! A scheduler that a guest makes: it is asked which jobs start, and a job that the allocator refuses is reported to it.

use std::collections::BTreeMap;

use crate::job::JobId;
use crate::scheduler::{Scheduler, Slot, View};
use crate::stop::Stop;

/// The decisions of a guest's scheduler.
pub trait Dispatcher: Send {
    /// Returns the waiting jobs that start now, in this order; an empty list if none does. `refused` are the jobs that were
    /// named earlier in this pass and that the allocator has refused; it is empty at first. The function is called only
    /// while jobs wait, and only reads from `view`.
    ///
    /// The jobs are started one by one. If the allocator refuses one, the jobs after it are not started, and the function
    /// is called again: the guest may then name others, as a scheduler that backfills does, or none, as `fcfs` does. A
    /// pass ends when all jobs of a list have started, or with an empty list.
    ///
    /// A guest that fails calls [`Stop::fail`] and returns an empty list.
    fn dispatch(&mut self, view: &dyn View, refused: &[JobId]) -> Vec<JobId>;
}

/// A scheduler that does what a [`Dispatcher`] says. It is asked once for each instant with events, after all departures
/// and arrivals.
pub struct Dispatched<D> {
    guest: D,
    label: String,
    stop: Stop,
}

impl<D: Dispatcher> Dispatched<D> {
    /// Returns the scheduler of a guest that messages call `label`.
    pub fn new(guest: D, label: &str, stop: &Stop) -> Self {
        Self { guest, label: label.to_owned(), stop: stop.clone() }
    }

    /// Returns the slots of `jobs`. If one of them does not wait, is named twice or was refused in this pass, the replay
    /// fails.
    fn slots(&self, jobs: &[JobId], view: &dyn View, refused: &[JobId]) -> Option<Vec<Slot>> {
        let mut waiting: BTreeMap<JobId, Slot> =
            view.queue().iter().map(|waiting| (waiting.job, waiting.slot)).collect();
        let mut slots = Vec::with_capacity(jobs.len());
        for job in jobs {
            let slot = waiting.remove(job).filter(|_| !refused.contains(job));
            let Some(slot) = slot else {
                let problem = if refused.contains(job) {
                    "the allocator has refused at this instant already"
                } else if slots.len() < jobs.len() && jobs.iter().filter(|other| *other == job).count() > 1 {
                    "its list has twice"
                } else {
                    "does not wait"
                };
                let label = &self.label;
                self.stop.fail(format!(
                    "scheduler '{label}' starts job {job}, which {problem}; expected different jobs of the queue"
                ));
                return None;
            };
            slots.push(slot);
        }
        Some(slots)
    }
}

impl<D: Dispatcher> Scheduler for Dispatched<D> {
    fn start_jobs(&mut self, view: &mut dyn View) {
        let mut refused = Vec::new();
        while !view.queue().is_empty() && !view.stopped() {
            let jobs = self.guest.dispatch(view, &refused);
            if view.stopped() {
                return;
            }
            let Some(slots) = self.slots(&jobs, view, &refused) else { return };
            // Slots stay valid while jobs leave the queue and none arrives.
            match slots.iter().position(|&slot| !view.try_start(slot)) {
                Some(place) => refused.push(jobs[place]),
                None => return,
            }
        }
    }
}
