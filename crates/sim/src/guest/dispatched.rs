//! A scheduler made by a guest. The guest chooses the jobs that start, and learns which of them the allocator
//! refused.

use std::collections::{BTreeMap, BTreeSet};

use crate::scheduler::{Scheduler, Slot, View, WaitQueue, Waiting};
use meshreplay_base::job::JobId;
use meshreplay_base::stop::Stop;

/// The decisions of a guest that is a scheduler.
pub trait Dispatcher: Send {
    /// Returns the waiting jobs that start now, in this order. `refused` has the jobs of this pass that the
    /// allocator has refused so far. Called only while jobs wait, and must only read from `view`.
    ///
    /// The jobs are started one by one. After a refusal the remaining jobs are not started, and the function
    /// is called again: the guest may name other jobs, as a scheduler with backfilling does, or none, as
    /// `fcfs` does. A pass ends when all named jobs have started, or with an empty list.
    ///
    /// A failing guest calls [`Stop::fail`] and returns an empty list.
    fn dispatch(&mut self, view: &dyn View, refused: &[JobId]) -> Vec<JobId>;
}

/// A scheduler driven by a [`Dispatcher`]. It is asked once for each instant with events, after all
/// departures and arrivals.
pub struct Dispatched<D> {
    guest: D,
    label: String,
    stop: Stop,
}

impl<D: Dispatcher> Dispatched<D> {
    /// Creates the scheduler of a guest that messages call `label`.
    pub fn new(guest: D, label: &str, stop: &Stop) -> Self {
        Self { guest, label: label.to_owned(), stop: stop.clone() }
    }

    /// Returns the slots of `jobs`. The replay fails if one of them does not wait, is named twice or was
    /// refused in this pass. Looks at the queue up to the last of them.
    fn slots(&self, jobs: &[JobId], queue: &WaitQueue, pass: &Pass) -> Option<Vec<Slot>> {
        let mut named = BTreeSet::new();
        let mut waiting: BTreeMap<JobId, Option<Slot>> = jobs.iter().map(|&job| (job, None)).collect();
        let mut missing = waiting.len();
        for Waiting { job, slot, .. } in queue.iter() {
            if missing == 0 {
                break;
            }
            if let Some(place) = waiting.get_mut(&job) {
                *place = Some(slot);
                missing -= 1;
            }
        }
        let mut slots = Vec::with_capacity(jobs.len());
        for job in jobs {
            let is_refused = pass.are_refused.contains(job);
            let is_named = !named.insert(*job);
            match waiting.get(job).copied().flatten() {
                Some(slot) if !is_refused && !is_named => slots.push(slot),
                _ => {
                    let problem = match (is_refused, is_named) {
                        (true, _) => "the allocator has refused at this instant already",
                        (_, true) => "its list has twice",
                        _ => "does not wait",
                    };
                    let label = &self.label;
                    self.stop.fail(format!(
                        "scheduler '{label}' starts job {job}, which {problem}; expected different jobs of \
                             the queue"
                    ));
                    return None;
                }
            }
        }
        Some(slots)
    }
}

/// The events of a pass.
#[derive(Default)]
struct Pass {
    /// The refused jobs, in this order.
    refused: Vec<JobId>,
    /// The same as a set.
    are_refused: BTreeSet<JobId>,
}

/// O(P·log N) for an answer of N jobs of which the last is at place P of the queue. A pass has R + 1
/// questions to the guest if the allocator refuses R jobs.
impl<D: Dispatcher> Scheduler for Dispatched<D> {
    fn start_jobs(&mut self, view: &mut dyn View) {
        let mut pass = Pass::default();
        while !view.queue().is_empty() && !view.stopped() {
            let jobs = self.guest.dispatch(view, &pass.refused);
            if view.stopped() {
                return;
            }
            // Slots stay valid while jobs only leave the queue.
            let Some(slots) = self.slots(&jobs, view.queue(), &pass) else { return };
            let Some(place) = slots.iter().position(|&slot| !view.try_start(slot)) else { return };
            pass.refused.push(jobs[place]);
            pass.are_refused.insert(jobs[place]);
        }
    }
}
