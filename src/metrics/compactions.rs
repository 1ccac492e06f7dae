//! Counts of plans by which running jobs make room for another one.

use crate::allocator::Rearrangement;
use crate::engine::Compaction;

/// The plans of one replay, counted by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compactions {
    /// Plans that the allocator has begun to decide on; each is carried out or aborted.
    pub begun: u64,
    /// Jobs that started because others had moved.
    pub carried_out: u64,
    /// Plans that were void because a job that would have moved ended first.
    pub aborted: u64,
    /// Of those carried out: plans in which a job stood still for a while without moving.
    pub delayed: u64,
    /// Of those carried out: plans that went on when the new job could start.
    pub overrun: u64,
}

impl Compactions {
    /// Counts one more event.
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
