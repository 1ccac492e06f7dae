//! The observer that measures placements immediately, so that they need not be kept.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "what happens is counted one by one; 2^63 microseconds on 2^24 nodes, once for each change in \
         memory, fit 128 bits"
)]

mod finished_jobs;
mod outages;
mod recording;

pub use finished_jobs::{FinishedJobs, FinishedSink};
pub use outages::{Downtime, LostRun, OutageRecord};
pub use recording::Compactions;
pub use recording::{ContentionRecord, Recording, retain};

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::finished_jobs::{Batches, PlacementMemory, UnfinishedJobs};
use super::contention::Contention;
use super::dispersal::Meter;
use super::fragmentation::{Fragmentation, Slices};
use crate::engine::{Compaction, Observer, Placed, Record};
use meshreplay_alloc::allocator::Rearrangement;
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Mesh, NodeId, NodeLists, Submesh, intervals};

/// The most unfinished jobs whose nodes await measurement, and the most parts of such nodes. Other placements
/// are measured at once, because their nodes would take more memory than their measurements.
const MOST_OPEN: usize = 1 << 12;
const MOST_PARTS: usize = 256;

/// Data shared between a running replay and other threads: its progress, and the stop switch.
#[derive(Debug, Default)]
pub struct Monitor {
    /// Jobs of earlier replications.
    pub earlier: AtomicUsize,
    /// Jobs that have ended, including earlier replications.
    pub finished: AtomicUsize,
    /// Stops the replay.
    pub stop: Stop,
}

/// The observer of a replay that measures the dispersal of placements and the cost of allocator calls.
pub struct Recorder<'a> {
    meter: Meter,
    timed: bool,
    monitor: &'a Monitor,
    mesh: &'a Mesh,
    contention: Option<Contention>,
    fragmentation: Option<Fragmentation>,
    /// Whether the nodes of each job are kept.
    keeps_placements: bool,
    /// The memory taken by the nodes of finished jobs.
    placement_memory: PlacementMemory,
    /// Whether the refusals of each job are counted.
    counts_refusals: bool,
    unfinished: UnfinishedJobs,
    /// The sink of finished jobs, or `None` if their measurements are kept.
    batches: Option<Batches<'a>>,
    /// The jobs of the replay. Empty unless outages are measured.
    jobs: &'a [Job],
    /// The nodes of each job according to the log, empty for a job without a list. No lists unless jobs are
    /// placed by them.
    lists: Vec<&'a [NodeId]>,
    recording: Recording,
}

impl<'a> Recorder<'a> {
    /// Creates the observer of a replay of `jobs` jobs on `mesh`. With `timed`, durations of calls are kept;
    /// otherwise calls are only counted.
    pub fn new(mesh: &'a Mesh, jobs: usize, timed: bool, monitor: &'a Monitor) -> Self {
        let recording = Recording {
            dispersal: Vec::with_capacity(jobs),
            allocate_ns: Vec::with_capacity(jobs),
            ..Recording::default()
        };
        Self {
            meter: Meter::new(mesh),
            timed,
            monitor,
            mesh,
            contention: None,
            fragmentation: None,
            keeps_placements: false,
            placement_memory: PlacementMemory::default(),
            counts_refusals: false,
            unfinished: UnfinishedJobs::default(),
            batches: None,
            jobs: &[],
            lists: Vec::new(),
            recording,
        }
    }

    /// Passes finished jobs to `sink` in batches of `size` jobs instead of keeping their measurements. The
    /// sink has the nodes of at most `kept` jobs in memory.
    #[must_use]
    pub fn with_sink(mut self, size: usize, kept: usize, sink: FinishedSink<'a>) -> Self {
        self.batches = Some(Batches { batch: FinishedJobs::default(), size, kept, counted: 0, sink });
        self
    }

    /// Also estimates contention on `mesh`.
    #[must_use]
    pub fn with_contention(mut self, mesh: &Mesh) -> Self {
        self.contention = Some(Contention::new(mesh));
        self.recording.contention = Some(ContentionRecord::default());
        self
    }

    /// Also tracks the fragmentation of the free nodes of `mesh` from `start` on, with its course if
    /// `keeps_course`.
    #[must_use]
    pub fn with_fragmentation(
        mut self,
        mesh: &Mesh,
        slices: &Slices,
        start: Time,
        keeps_course: bool,
    ) -> Self {
        self.fragmentation = Some(Fragmentation::new(mesh, slices, start, keeps_course));
        self
    }

    /// Also keeps the nodes of each job.
    #[must_use]
    pub fn with_placements(mut self) -> Self {
        self.keeps_placements = true;
        self
    }

    /// Also counts the refusals of each job.
    #[must_use]
    pub fn with_refusals(mut self) -> Self {
        self.counts_refusals = true;
        self
    }

    /// Also measures the outages of the nodes of `mesh`. `jobs` are the jobs of the replay, the first of
    /// which arrives at `first`. Single downtimes and lost runs are kept if `keeps_times`.
    #[must_use]
    pub fn with_outages(mut self, mesh: &Mesh, jobs: &'a [Job], first: Time, keeps_times: bool) -> Self {
        self.recording.outages = Some(OutageRecord::new(mesh.available(), first, keeps_times));
        self.jobs = jobs;
        self
    }

    /// Also compares the nodes of `jobs`, the jobs of the replay, with `lists`.
    #[must_use]
    pub fn with_lists(mut self, jobs: &[Job], lists: &'a NodeLists) -> Self {
        self.lists = jobs.iter().map(|job| lists.nodes(job.logged.nodes)).collect();
        self.recording.replaced = Some(Vec::new());
        self
    }

    /// Returns all measurements.
    pub fn finish(mut self) -> Recording {
        self.hand_over();
        if let (Some(contention), Some(record)) = (&self.contention, &mut self.recording.contention) {
            record.pair_seconds = contention.pair_seconds();
        }
        self.recording.fragmentation = self.fragmentation.map(Fragmentation::finish);
        self.recording
    }

    /// Passes the current batch to the sink. Does nothing for an empty batch, or without a sink.
    fn hand_over(&mut self) {
        let Some(batches) = self.batches.as_mut().filter(|batches| !batches.batch.jobs.is_empty()) else {
            return;
        };
        let mut batch = std::mem::take(&mut batches.batch);
        batch.recording = self.recording.take_jobs();
        let mut cleared = (batches.sink)(batch);
        cleared.reserve(batches.size);
        self.recording.reuse(std::mem::take(&mut cleared.recording), batches.size);
        batches.batch = cleared;
    }
}

/// Counts the `nodes` that are not in `list`.
fn outside(nodes: &[NodeId], list: &[NodeId]) -> u32 {
    if nodes == list {
        return 0;
    }
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    nodes.iter().filter(|node| sorted.binary_search(node).is_err()).count() as u32
}

/// Returns the sides of the box that `nodes` form on `mesh`, possibly wrapping around, or `None` if they form
/// none.
fn box_of(mesh: &Mesh, nodes: &[NodeId]) -> Option<[u32; 3]> {
    let Submesh { sizes, .. } = Submesh::around(mesh, nodes)?;
    // Nodes are distinct, so they fill the submesh around them if their number agrees.
    (sizes.iter().product::<u32>() as usize == nodes.len()).then_some(sizes)
}

impl Observer for Recorder<'_> {
    fn allocated(&mut self, job: JobId, placed: Option<Placed<'_>>, cost_ns: u64) {
        let cost = if let Some(Placed { placement, held }) = placed {
            let defers = self.batches.is_some() && self.unfinished.len() <= MOST_OPEN;
            let measures = self.unfinished.measures(job);
            if defers && held.parts() <= MOST_PARTS {
                // The sink measures it, on another thread.
                measures.held = Some(Arc::clone(held));
            } else {
                measures.dispersal = self.meter.measure_held(held);
            }
            measures.allocate_ns = cost_ns;
            if let Some(list) = self.lists.get(job as usize).filter(|list| !list.is_empty()) {
                measures.replaced = Some(outside(&placement.nodes, list));
            }
            if self.keeps_placements {
                measures.sides = placement.sides.or_else(|| box_of(self.mesh, &placement.nodes));
            }
            &mut self.recording.allocate
        } else {
            if self.counts_refusals {
                self.unfinished.measures(job).refusals += 1;
            }
            &mut self.recording.refused
        };
        if self.timed { cost.add(cost_ns) } else { cost.count() }
    }

    fn occupied(&mut self, job: JobId, nodes: &[NodeId], now: Time) {
        if let Some(contention) = &mut self.contention {
            let (contention, measures) = (contention.add(nodes, now), self.unfinished.measures(job));
            // The contention of a job that is moved later remains that of its start.
            if !std::mem::replace(&mut measures.has_started, true) {
                measures.contention = contention;
            }
        }
        if let Some(fragmentation) = &mut self.fragmentation {
            fragmentation.take(nodes, now);
        }
        if self.keeps_placements {
            self.unfinished.measures(job).placement = intervals(nodes);
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
        let measures = self.unfinished.measures(job);
        measures.has_started = false;
        if let (Some(outages), Some(named)) = (&mut self.recording.outages, self.jobs.get(job as usize)) {
            // The nodes that the job has just vacated, if placements are kept.
            outages.kill(LostRun {
                job: *named,
                start: now - ran,
                end: now,
                allocated: count,
                nodes: measures.placement.clone(),
            });
        }
    }

    fn released(&mut self, cost_ns: u64) {
        let cost = &mut self.recording.release;
        if self.timed { cost.add(cost_ns) } else { cost.count() }
    }

    fn on_job_final(&mut self, job: &Job, record: &Record) {
        let (id, measures) = self.unfinished.next();
        let has_list = self.lists.get(id as usize).is_some_and(|list| !list.is_empty());
        if self.keeps_placements
            && let Err(problem) = self.placement_memory.add(&measures.placement)
        {
            self.monitor.stop.fail(problem);
        }
        if let Some(batches) = &mut self.batches {
            batches.batch.held.push(measures.held.take());
        }
        self.recording.push(measures, has_list, self.keeps_placements, self.counts_refusals);
        self.unfinished.remove_next();
        let Some(batches) = &mut self.batches else { return };
        batches.batch.jobs.push(*job);
        batches.batch.records.push(*record);
        batches.counted += 1;
        if batches.counted == batches.kept {
            batches.counted = 0;
            self.placement_memory = PlacementMemory::default();
        }
        if batches.batch.jobs.len() == batches.size {
            self.hand_over();
        }
    }

    fn finished(&mut self, jobs: usize) {
        let earlier = self.monitor.earlier.load(Ordering::Relaxed);
        self.monitor.finished.store(earlier + jobs, Ordering::Relaxed);
    }
}
