//! Counts the plans of compactions, by which running jobs are moved to make room for another job.

use crate::engine::Compaction;
use meshreplay_alloc::allocator::Rearrangement;

/// The numbers of compaction plans of one replay that began, were carried out and were aborted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compactions {
    /// Plans on which the allocator began to decide. Each is then carried out or aborted.
    pub begun: u64,
    /// Plans that were carried out. The job that needed room started after each.
    pub carried_out: u64,
    /// Plans that were dropped because a job that would have moved ended before the decision was ready.
    pub aborted: u64,
    /// Plans among those carried out in which a job was suspended for a while without being moved.
    pub delayed: u64,
    /// Plans among those carried out that still moved jobs when the new job could already start.
    pub overrun: u64,
}

impl Compactions {
    /// Counts one more event of `plan`.
    pub(super) fn count(&mut self, what: Compaction, plan: &Rearrangement) {
        match what {
            Compaction::Begun => self.begun += 1,
            Compaction::Aborted => self.aborted += 1,
            Compaction::CarriedOut => {
                self.carried_out += 1;
                self.delayed += u64::from(plan.delays);
                self.overrun += u64::from(plan.overruns);
            }
        }
    }
}
