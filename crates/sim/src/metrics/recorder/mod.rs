//! The observer that measures placements immediately, so that they need not be kept.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "what happens is counted one by one; 2^63 microseconds on 2^24 nodes, once for each change in \
         memory, fit 128 bits"
)]

mod outages;
mod recording;
mod unfinished;

pub use outages::{Downtime, LostRun, OutageRecord};
pub use recording::{Compactions, Recording};

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::unfinished::{PlacementMemory, UnfinishedJobs};
use super::contention::Contention;
use super::dispersal::Meter;
use super::finished_job::FinishedJob;
use super::fragmentation::{Fragmentation, Slices};
use super::why::{WaitCause, Why, shares_of};
use crate::engine::{Compaction, Fate, Observer, Placed, Record};
use crate::execution::JobTraffic;
use crate::scheduler::Waiting;
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

/// Finished jobs per batch. A larger batch would leave the processor's cache before it is measured.
pub const BATCH: usize = 1 << 10;

/// Receives finished jobs in the order of the log, [`BATCH`] at a time and the rest at the end. Their
/// dispersal awaits [`Measures::measure`](super::Measures::measure). Returns a list for reuse, the jobs of
/// which are dropped.
pub type RowSink<'a> = &'a mut dyn FnMut(Vec<FinishedJob>) -> Vec<FinishedJob>;

/// The observer of a replay that measures the dispersal of placements and the cost of allocator calls.
pub struct Recorder<'a> {
    meter: Meter,
    timed: bool,
    monitor: &'a Monitor,
    mesh: &'a Mesh,
    contention: Option<Contention>,
    fragmentation: Option<Fragmentation>,
    why: Option<Why>,
    /// Seconds free to start by the reason of the log; `None` for jobs without.
    free_by_reason: BTreeMap<Option<i64>, f64>,
    /// The memory taken by the nodes of finished jobs; `None` unless nodes are kept.
    placements: Option<PlacementMemory>,
    /// Whether the refusals of each job are counted.
    counts_refusals: bool,
    unfinished: UnfinishedJobs,
    /// The next batch of finished jobs.
    batch: Vec<FinishedJob>,
    sink: RowSink<'a>,
    /// The jobs of the replay. Empty unless outages are measured.
    jobs: &'a [Job],
    /// The nodes of each job according to the log, empty for a job without a list. No lists unless jobs are
    /// placed by them.
    lists: Vec<&'a [NodeId]>,
    recording: Recording,
}

impl<'a> Recorder<'a> {
    /// Creates the observer of a replay on `mesh`, which passes finished jobs to `sink`. With `timed`,
    /// durations of calls are kept; otherwise calls are only counted.
    pub fn new(mesh: &'a Mesh, timed: bool, monitor: &'a Monitor, sink: RowSink<'a>) -> Self {
        Self {
            meter: Meter::new(mesh),
            timed,
            monitor,
            mesh,
            contention: None,
            fragmentation: None,
            why: None,
            free_by_reason: BTreeMap::new(),
            placements: None,
            counts_refusals: false,
            unfinished: UnfinishedJobs::default(),
            batch: Vec::with_capacity(BATCH),
            sink,
            jobs: &[],
            lists: Vec::new(),
            recording: Recording::default(),
        }
    }

    /// Also estimates contention on `mesh`.
    #[must_use]
    pub fn with_contention(mut self, mesh: &Mesh) -> Self {
        self.contention = Some(Contention::new(mesh));
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

    /// Also finds the causes of waiting. Limits are the estimates of the jobs, also in replays with
    /// predictions.
    #[must_use]
    pub fn with_why(mut self, why: Why) -> Self {
        self.why = Some(why);
        self
    }

    /// Also keeps the nodes of each job. At most `kept` finished jobs are in memory at once.
    #[must_use]
    pub fn with_placements(mut self, kept: usize) -> Self {
        self.placements = Some(PlacementMemory::new(kept));
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
        self
    }

    /// Returns all measurements.
    pub fn finish(mut self) -> Recording {
        self.hand_over();
        self.recording.pair_seconds = self.contention.as_ref().map(Contention::pair_seconds);
        self.recording.fragmentation = self.fragmentation.map(Fragmentation::finish);
        self.recording.why = self.why.as_ref().map(Why::shares);
        self.recording.free_by_reason = shares_of(self.free_by_reason);
        self.recording
    }

    /// Passes the batch to the sink, if it has jobs.
    fn hand_over(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        self.batch = (self.sink)(std::mem::take(&mut self.batch));
        self.batch.clear();
        self.batch.reserve(BATCH);
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
    fn instant(&mut self, now: Time) {
        if let Some(why) = &mut self.why {
            why.advance(now);
        }
    }

    fn queued(&mut self, waiting: &Waiting, job: &Job) {
        if let Some(why) = &mut self.why {
            why.arrive(waiting.job, waiting.submit, waiting.nodes.least, Some(job.estimate));
        }
    }

    fn started(&mut self, job: JobId, nodes: u32) {
        if let Some(why) = &mut self.why {
            why.start(job, nodes);
        }
    }

    fn returning(&mut self, job: JobId, nodes: u32) {
        if let Some(why) = &mut self.why {
            why.set_returning(job, nodes);
        }
    }

    fn ended(&mut self, job: JobId) {
        if let Some(why) = &mut self.why {
            why.end(job);
        }
    }

    fn allocated(&mut self, job: JobId, placed: Option<Placed<'_>>, cost_ns: u64) {
        let cost = if let Some(Placed { placement, held }) = placed {
            let defers = self.unfinished.len() <= MOST_OPEN;
            let measures = self.unfinished.measures(job);
            if defers && held.parts() <= MOST_PARTS {
                // The sink measures it, on another thread.
                measures.held = Some(Arc::clone(held));
            } else {
                measures.held = None;
                measures.dispersal = self.meter.measure_held(held);
            }
            measures.allocate_ns = cost_ns;
            if let Some(list) = self.lists.get(job as usize).filter(|list| !list.is_empty()) {
                measures.more_mut().replaced = Some(outside(&placement.nodes, list));
            }
            if self.placements.is_some() {
                measures.more_mut().sides = placement.sides.or_else(|| box_of(self.mesh, &placement.nodes));
            }
            &mut self.recording.allocate
        } else {
            if let Some(why) = &mut self.why {
                why.refuse(job);
            }
            if self.counts_refusals {
                self.unfinished.measures(job).more_mut().refusals += 1;
            }
            &mut self.recording.refused
        };
        if self.timed { cost.add(cost_ns) } else { cost.count() }
    }

    fn occupied(&mut self, job: JobId, nodes: &[NodeId], now: Time) {
        if let Some(contention) = &mut self.contention {
            let pairs = contention.add(nodes, now);
            // The contention of a job that is moved later remains that of its start.
            self.unfinished.measures(job).more_mut().contention.get_or_insert(pairs);
        }
        if let Some(fragmentation) = &mut self.fragmentation {
            fragmentation.take(nodes, now);
        }
        if self.placements.is_some() {
            self.unfinished.measures(job).more_mut().nodes = intervals(nodes);
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
        if let Some(why) = &mut self.why {
            why.set_rearranging(what != Compaction::Aborted);
        }
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
        if let Some(why) = &mut self.why {
            why.set_up(nodes);
        }
        if let Some(outages) = &mut self.recording.outages {
            outages.change(nodes, now);
        }
    }

    fn killed(&mut self, job: JobId, count: u32, ran: Time, now: Time) {
        let measures = self.unfinished.measures(job);
        if self.contention.is_some() {
            // The contention of a job is that of its last run.
            measures.more_mut().contention = None;
        }
        if let (Some(outages), Some(named)) = (&mut self.recording.outages, self.jobs.get(job as usize)) {
            // The nodes that the job has just vacated, if placements are kept.
            outages.kill(LostRun {
                job: *named,
                start: now - ran,
                end: now,
                allocated: count,
                nodes: measures.more().nodes.clone(),
            });
        }
    }

    fn released(&mut self, cost_ns: u64) {
        let cost = &mut self.recording.release;
        if self.timed { cost.add(cost_ns) } else { cost.count() }
    }

    fn on_job_final(&mut self, job: &Job, record: &Record, traffic: Option<JobTraffic>) {
        let (id, mut measures) = self.unfinished.take_next();
        if let Some(why) = &mut self.why {
            measures.more_mut().why = Some(why.remove(id));
        }
        if let Some(outages) = &mut self.recording.outages {
            match record.fate {
                Fate::Completed => {}
                Fate::GivenUp => outages.given_up += 1,
                Fate::NeverStarted => outages.never_started += 1,
            }
        }
        if record.fate != Fate::Completed {
            return;
        }
        if let Some(causes) = measures.more().why {
            let reason = job.logged.reason.known();
            *self.free_by_reason.entry(reason).or_default() += causes[WaitCause::Free].as_seconds();
        }
        if traffic.is_some() {
            measures.more_mut().traffic = traffic;
        }
        if let Some(memory) = &mut self.placements
            && let Err(problem) = memory.add(&measures.more().nodes)
        {
            self.monitor.stop.fail(problem);
        }
        self.batch.push(FinishedJob { job: *job, record: *record, measures });
        if self.batch.len() == BATCH {
            self.hand_over();
        }
    }

    fn finished(&mut self, jobs: usize) {
        let earlier = self.monitor.earlier.load(Ordering::Relaxed);
        self.monitor.finished.store(earlier + jobs, Ordering::Relaxed);
    }
}
