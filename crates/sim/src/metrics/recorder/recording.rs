//! The measurements of a replay.

use super::finished_jobs::JobMeasures;
use super::outages::OutageRecord;
use crate::engine::Compaction;
use crate::metrics::contention::JobContention;
use crate::metrics::cost::Cost;
use crate::metrics::dispersal::Dispersal;
use crate::metrics::fragmentation::FragmentationRecord;
use meshreplay_alloc::allocator::Rearrangement;

/// The measurements of a [`Recorder`](super::Recorder). Lists by job have the order of the jobs of the
/// replay.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// By job: the dispersal of its placement.
    pub dispersal: Vec<Dispersal>,
    /// By job: the nanoseconds of the call that placed it, or 0 if calls are not timed.
    pub allocate_ns: Vec<u64>,
    /// Allocator calls that placed a job.
    pub allocate: Cost,
    /// Allocator calls that refused a job.
    pub refused: Cost,
    /// Allocator calls that released the nodes of a job.
    pub release: Cost,
    /// Plans that moved running jobs to free nodes for others.
    pub compactions: Compactions,
    /// The estimate of contention, if requested.
    pub contention: Option<ContentionRecord>,
    /// The fragmentation of the free nodes, if requested.
    pub fragmentation: Option<FragmentationRecord>,
    /// By job: its last nodes as intervals, such as `0-3 7`. Empty unless requested.
    pub placements: Vec<String>,
    /// By job: the sides of the box that these nodes form, if any. Empty unless placements are requested.
    pub boxes: Vec<Option<[u32; 3]>>,
    /// By job: its refusals. Empty unless requested.
    pub refusals: Vec<u64>,
    /// By job: the number of its nodes that are not in its list of the log, or `None` without a list. `None`
    /// as a whole unless jobs are placed by lists.
    pub replaced: Option<Vec<Option<u32>>>,
    /// The outages of nodes, or `None` if all nodes are always up.
    pub outages: Option<OutageRecord>,
}

impl Recording {
    /// Returns the duration of the allocator's calls per started job in nanoseconds: placed and refused calls
    /// and releases, without the cost of the clock. `None` if calls were not timed, or no job started.
    pub(in crate::metrics) fn calls_ns_per_job(&self) -> Option<f64> {
        let Self { allocate, refused, release, .. } = self;
        let calls_ns = allocate.robust_total_ns() + refused.median_total_ns() + release.median_total_ns();
        (allocate.total_ns() > 0).then(|| calls_ns / allocate.calls() as f64)
    }

    /// Moves the lists by job out, without the totals. The memory for the lists of every replay then comes
    /// from [`Self::reuse`].
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

    /// Clears the lists by job, but keeps the memory of the lists of every replay.
    pub(super) fn clear_jobs(&mut self) {
        let Self { mut dispersal, mut allocate_ns, .. } = std::mem::take(self);
        dispersal.clear();
        allocate_ns.clear();
        *self = Self { dispersal, allocate_ns, ..Self::default() };
    }

    /// Takes the memory for the lists of every replay from `cleared`, for `jobs` jobs.
    pub(super) fn reuse(&mut self, cleared: Self, jobs: usize) {
        (self.dispersal, self.allocate_ns) = (cleared.dispersal, cleared.allocate_ns);
        self.dispersal.reserve(jobs);
        self.allocate_ns.reserve(jobs);
    }

    /// Appends the lists by job of `later`.
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

    /// Appends the measurements of the next finished job, and takes its placement. `has_list` is true if the
    /// job has a list of nodes.
    pub(super) fn push(&mut self, job: &mut JobMeasures, has_list: bool, placements: bool, refusals: bool) {
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

    /// Removes the entries of jobs with a false `is_kept`.
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

/// Takes all entries out of a list, with a new list of the same capacity.
fn take<T>(list: &mut Vec<T>) -> Vec<T> {
    let capacity = list.len();
    std::mem::replace(list, Vec::with_capacity(capacity))
}

/// Removes the entries of `list` with a false `is_kept`. An empty list stays empty.
pub fn retain<T>(list: &mut Vec<T>, is_kept: &[bool]) {
    let mut kept = is_kept.iter();
    list.retain(|_| kept.next().is_none_or(|&kept| kept));
}

/// The estimated contention of a replay.
#[derive(Clone, Debug, Default)]
pub struct ContentionRecord {
    /// By job: its contention at its start.
    pub jobs: Vec<JobContention>,
    /// The integral over time of the pairs of messages that share a link, in pairs times seconds.
    pub pair_seconds: f64,
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
