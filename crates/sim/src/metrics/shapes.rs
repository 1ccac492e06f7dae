//! Job counts by shape: how many, how often refused, and their waits.

use std::collections::BTreeMap;

use super::finished_job::FinishedJob;
use meshreplay_base::job::{Job, Shape, Time};

/// The jobs with one shape and one number of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShapeCount {
    /// Nodes held. For jobs without any possible placement on the idle machine: processors requested.
    pub nodes: u32,
    /// Requested shape.
    pub shape: Shape,
    /// Replayed jobs.
    pub jobs: u64,
    /// Jobs without any possible placement on the idle machine.
    pub never_fit: u64,
    /// Replayed jobs that the allocator refused at least once.
    pub refused_jobs: u64,
    /// Allocator calls that refused a replayed job.
    pub refusals: u64,
    /// Sum of the waits of the replayed jobs in microseconds, wide enough for any number of jobs.
    wait_us: i128,
}

impl ShapeCount {
    /// Returns the mean wait of the replayed jobs in seconds, or `None` if there are none.
    pub fn wait_s_mean(&self) -> Option<f64> {
        const SECOND: f64 = 1e6;
        (self.jobs > 0).then(|| self.wait_us as f64 / SECOND / self.jobs as f64)
    }
}

/// Counts `jobs` and `never_fit` by number of nodes and shape, in this order.
pub fn count_by_shape(jobs: &[FinishedJob], never_fit: &[Job]) -> Vec<ShapeCount> {
    let mut counts: BTreeMap<(u32, Shape), ShapeCount> = BTreeMap::new();
    let mut count = |nodes: u32, shape: Shape, add: &dyn Fn(&mut ShapeCount)| {
        add(counts.entry((nodes, shape)).or_insert(ShapeCount { nodes, shape, ..ShapeCount::default() }));
    };
    for FinishedJob { job, record, measures } in jobs {
        let refusals = measures.more().refusals;
        let wait: Time = record.start - job.submit;
        count(record.allocated, job.shape, &|count| {
            count.jobs += 1;
            count.refused_jobs += u64::from(refusals > 0);
            count.refusals += refusals;
            count.wait_us += i128::from(wait.as_micros());
        });
    }
    for job in never_fit {
        count(job.procs, job.shape, &|count| count.never_fit += 1);
    }
    counts.into_values().collect()
}
