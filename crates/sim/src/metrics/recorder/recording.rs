//! The measurements of a replay that do not belong to single jobs.

use super::outages::OutageRecord;
use crate::engine::Compaction;
use crate::metrics::cost::Cost;
use crate::metrics::fragmentation::FragmentationRecord;
use crate::metrics::why::WhyShares;
use meshreplay_alloc::allocator::Rearrangement;

/// The measurements of a [`Recorder`](super::Recorder) that do not belong to single jobs.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Allocator calls that placed a job.
    pub allocate: Cost,
    /// Allocator calls that refused a job.
    pub refused: Cost,
    /// Allocator calls that released the nodes of a job.
    pub release: Cost,
    /// Plans that moved running jobs to free nodes for others.
    pub compactions: Compactions,
    /// The estimated contention: the integral over time of the pairs of messages that share a link, in pairs
    /// times seconds. `None` unless requested.
    pub pair_seconds: Option<f64>,
    /// The fragmentation of the free nodes, if requested.
    pub fragmentation: Option<FragmentationRecord>,
    /// The shares of waiting and of starts, if causes of waiting are found.
    pub why: Option<WhyShares>,
    /// The same on a machine with only as many nodes as were in use at most within 3 hours, if the size of
    /// the machine is not known.
    pub why_of_peak: Option<WhyShares>,
    /// The reasons of the log's scheduler with shares of the time in which jobs were free to start, the
    /// largest share first. The numbers are those of [`Logged::reason`](meshreplay_base::job::Logged).
    pub free_by_reason: Vec<(i64, f64)>,
    /// The outages of nodes, or `None` if all nodes are always up.
    pub outages: Option<OutageRecord>,
}

impl Recording {
    /// Returns a share of the causes of waiting by its name in the summary, which only replays on request
    /// have.
    pub fn share_of_waits(&self, name: &str) -> Option<f64> {
        match name {
            "wait_free_share" => Some(self.why?.free),
            "wait_free_share_peak" => Some(self.why_of_peak?.free),
            "overtaking_share" => Some(self.why?.overtaking),
            _ => None,
        }
    }

    /// Returns the duration of the allocator's calls per started job in nanoseconds: placed and refused calls
    /// and releases, without the cost of the clock. `None` if calls were not timed, or no job started.
    pub(in crate::metrics) fn calls_ns_per_job(&self) -> Option<f64> {
        let Self { allocate, refused, release, .. } = self;
        let calls_ns = allocate.robust_total_ns() + refused.median_total_ns() + release.median_total_ns();
        (allocate.total_ns() > 0).then(|| calls_ns / allocate.calls() as f64)
    }
}

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
