//! The measurements of a replay.

use super::compactions::Compactions;
use super::measured::Measured;
use super::outages::OutageRecord;
use crate::metrics::contention::JobContention;
use crate::metrics::cost::Cost;
use crate::metrics::dispersal::Dispersal;
use crate::metrics::fragmentation::FragmentationRecord;

/// The measurements of a [`Recorder`](super::Recorder). Lists with an entry per job have the order of the
/// jobs of the replay.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The dispersal of each job's placement, by job.
    pub dispersal: Vec<Dispersal>,
    /// The duration of the call that placed each job in nanoseconds, by job. 0 if calls are not timed.
    pub allocate_ns: Vec<u64>,
    /// The calls of the allocator that placed a job.
    pub allocate: Cost,
    /// The calls in which the allocator refused a job.
    pub refused: Cost,
    /// The calls that released the nodes of a job.
    pub release: Cost,
    /// The plans by which running jobs were moved to make room for others.
    pub compactions: Compactions,
    /// The estimate of contention. `None` unless it was asked for.
    pub contention: Option<ContentionRecord>,
    /// The fragmentation of the free nodes. `None` unless it was asked for.
    pub fragmentation: Option<FragmentationRecord>,
    /// The nodes of each job as intervals, such as `0-3 7`, by job. A job that was moved has its last nodes.
    /// Empty unless placements were asked for.
    pub placements: Vec<String>,
    /// The sides of the box that these nodes form, by job; `None` where they form none. Empty unless
    /// placements were asked for.
    pub boxes: Vec<Option<[u32; 3]>>,
    /// How often the allocator refused each job, by job. Empty unless that was asked for.
    pub refusals: Vec<u64>,
    /// How many nodes of each job are not in the list of nodes that the log has for it, by job; `None` for a
    /// job without a list. All of it is `None` unless jobs are placed by such lists.
    pub replaced: Option<Vec<Option<u32>>>,
    /// The outages of nodes. `None` if all nodes are always up.
    pub outages: Option<OutageRecord>,
}

impl Recording {
    /// Takes the entries of single jobs out, and leaves the totals. Entries that every replay has are then to
    /// be kept in the memory that [`Self::reuse`] is given.
    pub(super) fn take_jobs(&mut self) -> Self {
        let contention = self.contention.as_mut();
        Self {
            dispersal: std::mem::take(&mut self.dispersal),
            allocate_ns: std::mem::take(&mut self.allocate_ns),
            placements: take(&mut self.placements),
            boxes: take(&mut self.boxes),
            refusals: take(&mut self.refusals),
            replaced: self.replaced.as_mut().map(take),
            contention: contention
                .map(|all| ContentionRecord { jobs: take(&mut all.jobs), pair_seconds: 0.0 }),
            ..Self::default()
        }
    }

    /// Forgets the entries of single jobs, but keeps the memory of those that every replay has.
    pub(super) fn clear_jobs(&mut self) {
        let Self { mut dispersal, mut allocate_ns, .. } = std::mem::take(self);
        dispersal.clear();
        allocate_ns.clear();
        *self = Self { dispersal, allocate_ns, ..Self::default() };
    }

    /// Takes the memory for those entries of `jobs` jobs that every replay has from `cleared`, which has no
    /// jobs.
    pub(super) fn reuse(&mut self, cleared: Self, jobs: usize) {
        (self.dispersal, self.allocate_ns) = (cleared.dispersal, cleared.allocate_ns);
        self.dispersal.reserve(jobs);
        self.allocate_ns.reserve(jobs);
    }

    /// Takes the entries of jobs that left later.
    pub(super) fn append_jobs(&mut self, later: &mut Self) {
        self.dispersal.append(&mut later.dispersal);
        self.allocate_ns.append(&mut later.allocate_ns);
        self.placements.append(&mut later.placements);
        self.boxes.append(&mut later.boxes);
        self.refusals.append(&mut later.refusals);
        if let Some(replaced) = &mut later.replaced {
            self.replaced.get_or_insert_default().append(replaced);
        }
        if let Some(contention) = &mut later.contention {
            self.contention.get_or_insert_default().jobs.append(&mut contention.jobs);
        }
    }

    /// Adds what was measured of the job that leaves next, and takes its placement. `has_list` says whether
    /// it has a list of nodes.
    pub(super) fn push(&mut self, job: &mut Measured, has_list: bool, placements: bool, refusals: bool) {
        self.dispersal.push(job.dispersal);
        self.allocate_ns.push(job.allocate_ns);
        if placements {
            self.placements.push(std::mem::take(&mut job.placement));
            self.boxes.push(job.sides);
        }
        if refusals {
            self.refusals.push(job.refusals);
        }
        if let Some(replaced) = &mut self.replaced {
            replaced.push(has_list.then(|| job.replaced.unwrap_or(0)));
        }
        if let Some(contention) = &mut self.contention {
            contention.jobs.push(job.contention);
        }
    }

    /// Removes the entries of the jobs for which `is_kept` is false.
    pub fn keep(&mut self, is_kept: &[bool]) {
        retain(&mut self.dispersal, is_kept);
        retain(&mut self.allocate_ns, is_kept);
        retain(&mut self.placements, is_kept);
        retain(&mut self.boxes, is_kept);
        retain(&mut self.refusals, is_kept);
        if let Some(replaced) = &mut self.replaced {
            retain(replaced, is_kept);
        }
        if let Some(contention) = &mut self.contention {
            retain(&mut contention.jobs, is_kept);
        }
    }
}

/// Takes all entries out of a list, and leaves room for as many.
fn take<T>(list: &mut Vec<T>) -> Vec<T> {
    let room = list.len();
    std::mem::replace(list, Vec::with_capacity(room))
}

/// Removes the entries of `list` for which `is_kept` is false. A list that is empty stays so.
pub fn retain<T>(list: &mut Vec<T>, is_kept: &[bool]) {
    let mut kept = is_kept.iter();
    list.retain(|_| kept.next().is_none_or(|&kept| kept));
}

/// The estimated contention of a replay.
#[derive(Clone, Debug, Default)]
pub struct ContentionRecord {
    /// The contention of each job at its start, by job.
    pub jobs: Vec<JobContention>,
    /// The integral over time of the number of pairs of messages that share a link, in pairs times seconds.
    pub pair_seconds: f64,
}
