//! The observer that measures placements immediately, so that they need not be kept.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "what happens is counted one by one; 2^63 microseconds on 2^24 nodes, once for each change in \
         memory, fit 128 bits"
)]

mod outages;

pub use outages::{Downtime, KilledWaits, LostRun, OutageRecord};

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::contention::Contention;
use super::cost::Cost;
use super::dispersal::Meter;
use super::finished_job::{FinishedJob, Measures};
use super::fragmentation::{Fragmentation, FragmentationRecord, Slices};
use super::why::{WaitCause, Why, WhyShares, shares_of};
use crate::engine::{Compaction, Fate, Observer, Placed, Record};
use crate::execution::JobTraffic;
use crate::scheduler::Waiting;
use meshreplay_alloc::allocator::Rearrangement;
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::memory;
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

/// The measurements of a [`Recorder`](Recorder) that do not belong to single jobs.
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
    pub(super) fn calls_ns_per_job(&self) -> Option<f64> {
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
    fn count(&mut self, what: Compaction, plan: &Rearrangement) {
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

/// The measurements of the jobs that are not final, by job.
#[derive(Debug, Default)]
struct UnfinishedJobs {
    first: JobId,
    jobs: VecDeque<Measures>,
}

impl UnfinishedJobs {
    /// Returns the number of jobs from the oldest that is not final to the newest that was measured.
    fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Returns the measurements of a job that is not final.
    fn measures(&mut self, job: JobId) -> &mut Measures {
        let at = (job - self.first) as usize;
        if at >= self.jobs.len() {
            self.jobs.resize_with(at + 1, Measures::default);
        }
        &mut self.jobs[at]
    }

    /// Removes the oldest job, and returns it with its measurements.
    fn take_next(&mut self) -> (JobId, Measures) {
        let job = self.first;
        self.first += 1;
        (job, self.jobs.pop_front().unwrap_or_default())
    }
}

/// Bytes that are taken without checking the available memory.
const FIRST: u64 = 1 << 28;

/// The memory of the nodes of some jobs.
#[derive(Clone, Copy, Debug)]
struct PlacementMemory {
    /// The most jobs in memory at once.
    kept: usize,
    /// Jobs since bytes were last counted from 0.
    jobs: usize,
    bytes: u64,
    /// The size in bytes that triggers the next check.
    next: u64,
}

impl PlacementMemory {
    /// Returns the memory of no nodes, later of the nodes of at most `kept` jobs at once.
    fn new(kept: usize) -> Self {
        Self { kept, jobs: 0, bytes: 0, next: FIRST }
    }

    /// Adds the nodes of a job. Fails with a message if the same amount of memory is not available once more,
    /// because growing lists are copied, and again into columns.
    fn add(&mut self, placement: &str) -> Result<(), String> {
        if self.jobs == self.kept {
            *self = Self::new(self.kept);
        }
        self.jobs += 1;
        self.bytes = self.bytes.saturating_add((placement.len() + size_of::<String>()) as u64);
        if self.bytes < self.next {
            return Ok(());
        }
        self.next = self.bytes.saturating_mul(2);
        match memory::lacking(self.bytes) {
            None => Ok(()),
            Some(free) => Err(self.problem(free)),
        }
    }

    /// Returns the message about `free` available bytes.
    fn problem(self, free: u64) -> String {
        format!(
            "the nodes of {} jobs take {} MB of memory, and for the rest {} MB are left; leave out \
             --placements, or replay fewer jobs: `meshreplay trace cut` makes shorter logs",
            self.jobs,
            self.bytes / 1_000_000,
            free / 1_000_000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_asked_for_at_each_doubling_and_what_lacks_is_said() {
        let mut memory = PlacementMemory { next: 1000, ..PlacementMemory::new(usize::MAX) };
        let text = "0 2 4 6".repeat(20);
        for _ in 0..100 {
            assert_eq!(memory.add(&text), Ok(()));
            assert!(memory.bytes < memory.next);
        }
        // No machine has that much left.
        memory.bytes = u64::MAX / 2;
        if memory::free_bytes().is_some() {
            let message = memory.add(&text).err().unwrap_or_default();
            assert!(message.starts_with("the nodes of 101 jobs take 9223372036854 MB"), "{message}");
        }
    }
}
