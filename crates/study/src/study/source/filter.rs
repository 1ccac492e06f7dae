//! Which jobs of a log that is read while it is replayed belong to a replay.

use std::collections::BTreeSet;

use crate::study::jobs::kind_of;
use meshreplay_alloc::allocator::Request;
use meshreplay_base::job::Job;
use meshreplay_workload::scaled_submit;

/// Selects the jobs of one replay and scales their arrivals. Each replay has its own filter, as replays on different
/// machines and with different arrival scales share batches.
pub(in crate::study) struct JobFilter {
    /// The number of the machine's available nodes. Larger jobs are left out.
    pub(super) nodes: u32,
    /// What the allocator cannot serve. It is mostly empty, so that nothing is looked up.
    pub(super) refused: BTreeSet<Request>,
    /// The factor that arrival times are multiplied by.
    pub(super) arrival_scale: f64,
    /// The number of jobs that may still come, as sums are made for as many jobs as there were.
    pub(super) left: u64,
    /// The message about a log that has more.
    pub(super) changed: String,
}

impl JobFilter {
    /// Returns the job with the arrival time that it has in the replay, or nothing if the replay does not have it. Fails, in
    /// words, if there are more jobs than when the replay was planned.
    pub(super) fn select(&mut self, mut job: Job) -> Result<Option<Job>, String> {
        let is_refused = || !self.refused.is_empty() && self.refused.contains(&kind_of(&job));
        if job.procs > self.nodes || is_refused() {
            return Ok(None);
        }
        self.left = self.left.checked_sub(1).ok_or_else(|| self.changed.clone())?;
        job.submit = scaled_submit(job.submit, self.arrival_scale);
        Ok(Some(job))
    }
}
