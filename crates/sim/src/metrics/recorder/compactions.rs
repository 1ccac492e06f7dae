//! Counts of compaction plans, which move running jobs to free nodes for another job.

use crate::engine::Compaction;
use meshreplay_alloc::allocator::Rearrangement;

/// The compaction plans of a replay: begun, carried out and aborted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compactions {
    /// Plans that the allocator began to decide on. Each is later carried out or aborted.
    pub begun: u64,
    /// Plans that were carried out, each followed by the start of the waiting job.
    pub carried_out: u64,
    /// Plans dropped because a job to be moved ended before the decision was ready.
    pub aborted: u64,
    /// Plans carried out with a job that was suspended for a while without moving.
    pub delayed: u64,
    /// Plans carried out that still moved jobs when the new job could already start.
    pub overrun: u64,
}

impl Compactions {
    /// Counts an event of `plan`.
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
