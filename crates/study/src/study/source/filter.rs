//! Which jobs of a log that is read while it is replayed belong to the replay.

use std::collections::BTreeSet;

use crate::study::jobs::kind_of;
use meshreplay_alloc::allocator::Request;
use meshreplay_base::job::Job;
use meshreplay_workload::scaled_submit;

/// Selects the jobs of a replay and scales their arrivals.
pub(in crate::study) struct JobFilter {
    /// The number of the machine's available nodes. Larger jobs are left out.
    pub(super) nodes: u32,
    /// Requests that the allocator cannot serve. The set is mostly empty, so that no job is looked up.
    pub(super) refused: BTreeSet<Request>,
    /// The factor that arrival times are multiplied by.
    pub(super) arrival_scale: f64,
    /// The number of jobs that may still come, as sums are made for as many jobs as planning has counted.
    pub(super) left: u64,
}

impl JobFilter {
    /// Returns whether `job` is one of the replay, and scales its arrival if it is.
    pub(super) fn select(&self, job: &mut Job) -> bool {
        let is_refused = || !self.refused.is_empty() && self.refused.contains(&kind_of(job));
        let is_selected = job.procs <= self.nodes && !is_refused();
        if is_selected {
            job.submit = scaled_submit(job.submit, self.arrival_scale);
        }
        is_selected
    }
}
