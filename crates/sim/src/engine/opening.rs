//! The beginning of a replay with jobs that already run.

use std::collections::BTreeSet;

use super::state::ReplayState;
use crate::scheduler::Waiting;
use meshreplay_base::job::{JobId, Time};

/// The state of the machine when a replay begins. Jobs that were submitted before arrive then.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// The beginning.
    pub at: Time,
    /// The running jobs in the order of their placement, submitted before the beginning. Their run times and
    /// estimates are the rest from the beginning on. A job that the allocator refuses waits at the head of
    /// the queue.
    pub running: Vec<JobId>,
}

/// Submission of jobs at the head of the queue, before all others.
const FIRST: Time = Time::from_micros(i64::MIN);

impl ReplayState<'_> {
    /// Places the running jobs, and removes them from `arriving`. Empties `running`. O(R·log R) for R of them.
    pub(super) fn open(&mut self, running: &mut Vec<JobId>, arriving: &mut Vec<JobId>) {
        if running.is_empty() {
            return;
        }
        let set: BTreeSet<JobId> = running.iter().copied().collect();
        arriving.retain(|job| !set.contains(job));
        for job in running.drain(..) {
            let waiting = Waiting { submit: FIRST, ..self.arrival(job) };
            self.observer.queued(&waiting, self.window.job(job));
            self.queue.insert(waiting);
            if let Some(waiting) = self.queue.find(FIRST, job) {
                self.start_at(waiting.slot);
            }
        }
    }
}
