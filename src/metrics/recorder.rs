//! The observer that measures each placement when it is made, so that placements need not be kept.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::compactions::Compactions;
use super::contention::{Contention, JobContention};
use super::cost::Cost;
use super::dispersal::{Dispersal, Meter};
use super::fragmentation::{Fragmentation, FragmentationRecord, Slices};
use super::outages::OutageRecord;
use crate::allocator::{Placement, Rearrangement};
use crate::engine::{Compaction, Observer};
use crate::job::{Job, JobId, Time};
use crate::machine::{Mesh, NodeId, NodeLists, Submesh, intervals};
use crate::stop::Stop;

/// The data that other threads share with a running replay: its progress, and the switch that stops it.
#[derive(Debug, Default)]
pub struct Monitor {
    /// The number of jobs of earlier replications.
    pub earlier: AtomicUsize,
    /// The number of jobs that have ended so far, including the jobs of earlier replications.
    pub finished: AtomicUsize,
    /// The switch that stops the replay.
    pub stop: Stop,
}

/// The measurements of a [`Recorder`]. Lists with an entry per job have the order of the jobs of the replay.
#[derive(Clone, Debug)]
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
    /// The nodes of each job as intervals, such as `0-3 7`, by job. A job that was moved has its last nodes. Empty
    /// unless placements were asked for.
    pub placements: Vec<String>,
    /// The sides of the box that these nodes form, by job; `None` where they form none. Empty unless placements were
    /// asked for.
    pub boxes: Vec<Option<[u32; 3]>>,
    /// How often the allocator refused each job, by job. Empty unless that was asked for.
    pub refusals: Vec<u64>,
    /// How many nodes of each job are not in the list of nodes that the log has for it, by job; `None` for a job without a
    /// list. All of it is `None` unless jobs are placed by such lists.
    pub replaced: Option<Vec<Option<u32>>>,
    /// The outages of nodes. `None` if all nodes are always up.
    pub outages: Option<OutageRecord>,
}

impl Recording {
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

/// The observer of a replay that measures the dispersal of placements and the cost of allocator calls.
pub struct Recorder<'a> {
    meter: Meter,
    timed: bool,
    monitor: &'a Monitor,
    mesh: &'a Mesh,
    contention: Option<Contention>,
    fragmentation: Option<Fragmentation>,
    /// Whether each job has started, by job. Empty unless contention is estimated.
    started: Vec<bool>,
    /// The jobs of the replay; empty unless outages are measured.
    jobs: &'a [Job],
    /// The nodes of each job according to the log, by job; none for a job without a list. Empty unless jobs are
    /// placed by such lists.
    lists: Vec<&'a [NodeId]>,
    recording: Recording,
}

impl<'a> Recorder<'a> {
    /// Makes the observer of a replay of `jobs` jobs on `mesh`. Durations of calls are kept if `timed`, and calls are
    /// only counted otherwise.
    pub fn new(mesh: &'a Mesh, jobs: usize, timed: bool, monitor: &'a Monitor) -> Self {
        let recording = Recording {
            dispersal: vec![Dispersal::default(); jobs],
            allocate_ns: vec![0; jobs],
            allocate: Cost::default(),
            refused: Cost::default(),
            release: Cost::default(),
            compactions: Compactions::default(),
            contention: None,
            fragmentation: None,
            placements: Vec::new(),
            boxes: Vec::new(),
            refusals: Vec::new(),
            replaced: None,
            outages: None,
        };
        Self {
            meter: Meter::new(mesh),
            timed,
            monitor,
            mesh,
            contention: None,
            fragmentation: None,
            started: Vec::new(),
            jobs: &[],
            lists: Vec::new(),
            recording,
        }
    }

    /// Makes the recorder estimate contention on `mesh` as well.
    #[must_use]
    pub fn with_contention(mut self, mesh: &Mesh) -> Self {
        self.contention = Some(Contention::new(mesh));
        let jobs = vec![JobContention::default(); self.recording.dispersal.len()];
        self.started = vec![false; jobs.len()];
        self.recording.contention = Some(ContentionRecord { jobs, pair_seconds: 0.0 });
        self
    }

    /// Makes the recorder follow the fragmentation of the free nodes of `mesh` as well, from `start` on. Its course is
    /// kept if `keeps_course`, and only its means otherwise.
    #[must_use]
    pub fn with_fragmentation(
        mut self,
        mesh: &Mesh,
        slices: &Slices,
        (start, keeps_course): (Time, bool),
    ) -> Self {
        self.fragmentation = Some(Fragmentation::new(mesh, slices, start, keeps_course));
        self
    }

    /// Makes the recorder keep the nodes of each job as well.
    #[must_use]
    pub fn with_placements(mut self) -> Self {
        let jobs = self.recording.dispersal.len();
        self.recording.placements = vec![String::new(); jobs];
        self.recording.boxes = vec![None; jobs];
        self
    }

    /// Makes the recorder count the refusals of each job as well.
    #[must_use]
    pub fn with_refusals(mut self) -> Self {
        self.recording.refusals = vec![0; self.recording.dispersal.len()];
        self
    }

    /// Makes the recorder measure the outages of the nodes of `mesh` as well. `jobs` are the jobs of the replay, and
    /// `first` is the first arrival of one of them. Single downtimes and lost runs are kept if `keeps_times`.
    #[must_use]
    pub fn with_outages(mut self, mesh: &Mesh, jobs: &'a [Job], (first, keeps_times): (Time, bool)) -> Self {
        self.recording.outages = Some(OutageRecord::new(mesh.available(), first, keeps_times));
        self.jobs = jobs;
        self
    }

    /// Makes the recorder compare the nodes of `jobs`, which are those of the replay, with `lists` as well.
    #[must_use]
    pub fn with_lists(mut self, jobs: &[Job], lists: &'a NodeLists) -> Self {
        self.lists = jobs.iter().map(|job| lists.nodes(job.logged.nodes)).collect();
        let known = |list: &&[NodeId]| (!list.is_empty()).then_some(0);
        self.recording.replaced = Some(self.lists.iter().map(known).collect());
        self
    }

    /// Returns all measurements.
    pub fn finish(mut self) -> Recording {
        if let (Some(contention), Some(record)) = (&self.contention, &mut self.recording.contention) {
            record.pair_seconds = contention.pair_seconds();
        }
        self.recording.fragmentation = self.fragmentation.map(Fragmentation::finish);
        self.recording
    }
}

/// Returns how many of `nodes` are not in `list`.
fn outside(nodes: &[NodeId], list: &[NodeId]) -> u32 {
    if nodes == list {
        return 0;
    }
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    nodes.iter().filter(|node| sorted.binary_search(node).is_err()).count() as u32
}

/// Returns the sides of the box that `nodes` form on `mesh`; `None` if they form none. A box may wrap around.
fn box_of(mesh: &Mesh, nodes: &[NodeId]) -> Option<[u32; 3]> {
    let Submesh { sizes, .. } = Submesh::around(mesh, nodes)?;
    // Nodes are distinct, so as many as the submesh around them has are all of it.
    (sizes.iter().product::<u32>() as usize == nodes.len()).then_some(sizes)
}

impl Observer for Recorder<'_> {
    fn allocated(&mut self, job: JobId, placement: Option<&Placement>, cost_ns: u64) {
        let recording = &mut self.recording;
        let cost = if let Some(placement) = placement {
            recording.dispersal[job as usize] = self.meter.measure(&placement.nodes);
            recording.allocate_ns[job as usize] = cost_ns;
            if let (Some(list), Some(replaced)) = (self.lists.get(job as usize), &mut recording.replaced) {
                let count = &mut replaced[job as usize];
                *count = count.map(|_| outside(&placement.nodes, list));
            }
            if let Some(sides) = recording.boxes.get_mut(job as usize) {
                *sides = placement.sides.or_else(|| box_of(self.mesh, &placement.nodes));
            }
            &mut recording.allocate
        } else {
            if let Some(refusals) = recording.refusals.get_mut(job as usize) {
                *refusals += 1;
            }
            &mut recording.refused
        };
        if self.timed { cost.add(cost_ns) } else { cost.count() }
    }

    fn occupied(&mut self, job: JobId, nodes: &[NodeId], now: Time) {
        if let (Some(contention), Some(record)) = (&mut self.contention, &mut self.recording.contention) {
            let found = contention.add(nodes, now);
            // The contention of a job that is moved later stays that of its start.
            if !std::mem::replace(&mut self.started[job as usize], true) {
                record.jobs[job as usize] = found;
            }
        }
        if let Some(fragmentation) = &mut self.fragmentation {
            fragmentation.take(nodes, now);
        }
        if let Some(placement) = self.recording.placements.get_mut(job as usize) {
            *placement = intervals(nodes);
        }
    }

    fn vacated(&mut self, nodes: &[NodeId], now: Time) {
        if let Some(contention) = &mut self.contention {
            contention.remove(nodes, now);
        }
        if let Some(fragmentation) = &mut self.fragmentation {
            fragmentation.free(nodes, now);
        }
    }

    fn compaction(&mut self, what: Compaction, plan: &Rearrangement) {
        self.recording.compactions.count(what, plan);
    }

    fn changed(&mut self, node: NodeId, is_down: bool, now: Time) {
        if let Some(fragmentation) = &mut self.fragmentation {
            fragmentation.change(node, is_down, now);
        }
        if let Some(outages) = &mut self.recording.outages {
            outages.change_node(node, is_down, now);
        }
    }

    fn available(&mut self, nodes: u32, now: Time) {
        if let Some(outages) = &mut self.recording.outages {
            outages.change(nodes, now);
        }
    }

    fn killed(&mut self, job: JobId, count: u32, ran: Time, now: Time) {
        // The contention of a job is that of its last run.
        if let Some(started) = self.started.get_mut(job as usize) {
            *started = false;
        }
        if let (Some(outages), Some(named)) = (&mut self.recording.outages, self.jobs.get(job as usize)) {
            // The nodes that the job has just left, if they are kept.
            let nodes = self.recording.placements.get(job as usize).map_or("", String::as_str);
            outages.kill(named, (count, nodes), ran, now);
        }
    }

    fn released(&mut self, cost_ns: u64) {
        let cost = &mut self.recording.release;
        if self.timed { cost.add(cost_ns) } else { cost.count() }
    }

    fn finished(&mut self, jobs: usize) {
        let earlier = self.monitor.earlier.load(Ordering::Relaxed);
        self.monitor.finished.store(earlier + jobs, Ordering::Relaxed);
    }
}
