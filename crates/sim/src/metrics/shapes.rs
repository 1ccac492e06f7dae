//! Counts of the jobs of each shape: how many there are, how often they are refused, and how long they wait.

use std::collections::BTreeMap;

use crate::engine::Record;
use meshreplay_base::job::{Job, Shape, Time};

/// The jobs that ask for one shape and hold one number of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShapeCount {
    /// The nodes that the jobs hold. Of jobs for which the allocator finds no nodes even on the idle machine
    /// it is the number of processors that they ask for.
    pub nodes: u32,
    /// The shape that they ask for.
    pub shape: Shape,
    /// The number of jobs that were replayed.
    pub jobs: u64,
    /// The number of jobs for which the allocator finds no nodes even on the idle machine.
    pub never_fit: u64,
    /// The number of replayed jobs that the allocator refused at least once.
    pub refused_jobs: u64,
    /// The number of calls in which it refused a replayed job.
    pub refusals: u64,
    /// The sum of the waits of the replayed jobs in microseconds, which no number of jobs makes too large.
    wait_us: i128,
}

impl ShapeCount {
    /// Returns the mean wait of the replayed jobs in seconds; `None` if there are none.
    pub fn wait_s_mean(&self) -> Option<f64> {
        const SECOND: f64 = 1e6;
        (self.jobs > 0).then(|| self.wait_us as f64 / SECOND / self.jobs as f64)
    }
}

/// Counts `jobs` and `never_fit` by shape and number of nodes, in ascending order of nodes. `records` and
/// `refusals`, how often a job was refused, have the order of `jobs`.
pub fn count_by_shape(
    jobs: &[Job],
    records: &[Record],
    refusals: &[u64],
    never_fit: &[Job],
) -> Vec<ShapeCount> {
    let mut found: BTreeMap<(u32, Shape), ShapeCount> = BTreeMap::new();
    let mut count = |nodes: u32, shape: Shape, add: &dyn Fn(&mut ShapeCount)| {
        add(found.entry((nodes, shape)).or_insert(ShapeCount { nodes, shape, ..ShapeCount::default() }));
    };
    for ((job, record), &refusals) in jobs.iter().zip(records).zip(refusals) {
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
    found.into_values().collect()
}
