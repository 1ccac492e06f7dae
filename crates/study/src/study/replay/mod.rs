//! Runs one replay and its replications, and gathers the results.

mod fold;
pub(super) mod opening;
pub(super) mod outages;
mod path;
mod replication;

pub use fold::JOBS_AT_ONCE;
pub(super) use fold::TakeRows;
pub(super) use outages::check as check_outages;
pub(super) use replication::{Feed, Replication};

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::jobs::{JobsError, check_waits, placeable};
use super::log::{RecordedNodes, RecordedNodesError};
use super::options::{OPTIONS, Options};
use super::replay_spec::{COORDINATES, ReplaySpec};
use super::source::{JobSource, LogStream};
use meshreplay_alloc::allocator::{BuildError, Built, follows_lists};
use meshreplay_base::job::{Job, Period, Time};
use meshreplay_base::prediction::PredictionError;
use meshreplay_base::spec::{Spec, SpecError};
use meshreplay_base::stop::Stop;
use meshreplay_logs::LogNames;
use meshreplay_machine::machine::outages::OutageFileError;
use meshreplay_sim::engine::ReplayError;
use meshreplay_sim::execution::{Traffic, has_traffic};
use meshreplay_sim::guest::{self, Guests};
use meshreplay_sim::metrics::{FinishedJob, Monitor, Number, PartSums, Recording, ShapeCount, Summary};
use meshreplay_sim::scheduler::RECORDED;
use meshreplay_workload::{Arrivals, Rules, Shake};

/// A replay that is ready to run: its description and its jobs.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The description of the replay.
    pub spec: ReplaySpec,
    /// The jobs, or the workload model that draws them.
    pub source: JobSource,
    /// Objects of the caller behind the specs; empty without any.
    pub guests: Guests,
    /// Whether the size of the machine follows from its use in the log, so that it may be smaller.
    pub assumes_size: bool,
}

/// The reason why a replay failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RunError {
    /// A part cannot be built from its spec, or does not suit the machine.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The jobs cannot be replayed.
    #[error(transparent)]
    Jobs(#[from] JobsError),
    /// Recorded nodes cannot be mapped to the machine.
    #[error(transparent)]
    RecordedNodes(#[from] RecordedNodesError),
    /// The outages cannot be read, or do not suit the machine.
    #[error(transparent)]
    Outages(#[from] OutageFileError),
    /// The predictions cannot be read, or miss jobs.
    #[error(transparent)]
    Predictions(#[from] PredictionError),
    /// The replay failed while it ran, or was stopped.
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

impl From<BuildError> for RunError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Spec(error) => Self::Spec(error),
            BuildError::Failed(message) => Self::Replay(ReplayError::Failed(message)),
            BuildError::Interrupted => Self::Replay(ReplayError::Interrupted),
        }
    }
}

impl Replay {
    /// Returns a replay without objects of the caller.
    pub fn new(spec: ReplaySpec, source: JobSource) -> Self {
        Self { spec, source, guests: Guests::default(), assumes_size: false }
    }

    /// Runs all replications of the replay. Returns one outcome per replication, in the order of seeds. Other
    /// threads can watch the progress through `monitor`, and can stop the replay with it.
    pub fn run(&self, options: &Options, monitor: &Monitor) -> Result<Vec<Outcome>, RunError> {
        self.run_into(options, monitor, None)
    }

    /// Runs the replay like [`Self::run`]. Finished jobs of a streamed log go to `rows`; without `rows`, the
    /// log is read into memory if the options ask for jobs.
    pub(super) fn run_into(
        &self,
        options: &Options,
        monitor: &Monitor,
        rows: Option<TakeRows<'_>>,
    ) -> Result<Vec<Outcome>, RunError> {
        let (mut outcomes, mut summaries): (Vec<Outcome>, Vec<Summary>) = (Vec::new(), Vec::new());
        let recorded = self.recorded_nodes(options)?;
        loop {
            let seed = self.spec.seed.wrapping_add(outcomes.len() as u64);
            let replication = Replication { replay: self, seed, options, monitor };
            let outcome = replication.run(recorded.as_ref(), rows)?;
            let jobs = outcome.summary.get("jobs").unwrap_or_default();
            monitor.earlier.fetch_add(jobs as usize, Ordering::Relaxed);
            summaries.push(outcome.summary.clone());
            outcomes.push(outcome);
            if options.replications.enough(&summaries) {
                return Ok(outcomes);
            }
        }
    }

    /// Returns the log if the replay can stream it; `None` if all jobs must be in memory. `has_rows`:
    /// finished jobs are written while the replay runs.
    fn stream(&self, options: &Options, has_rows: bool) -> Option<&LogStream> {
        let JobSource::Streamed { stream, .. } = &self.source else { return None };
        let needs_all = options.need_all_jobs()
            || options.jobs && !has_rows
            || self.spec.needs_all_jobs()
            || stream.buffer_size().is_none();
        (!needs_all).then_some(stream)
    }

    /// Returns the recorded nodes of the jobs; `None` if the allocator does not follow them.
    pub(super) fn recorded_nodes(
        &self,
        options: &Options,
    ) -> Result<Option<RecordedNodes>, RecordedNodesError> {
        let ReplaySpec { log, machine, allocator, .. } = &self.spec;
        let map = || self.source.recorded_nodes(log, options.node_map.as_ref(), machine);
        follows_lists(allocator).then(map).transpose()
    }

    /// Returns the jobs of the replication with this seed that the allocator can place on the idle machine.
    /// Fails if a job does not fit and the rules do not leave such jobs out.
    pub(super) fn jobs(&self, seed: u64, stop: &Stop) -> Result<Fitting, JobsError> {
        let ReplaySpec { log, rules, machine, scheduler, .. } = &self.spec;
        let (jobs, skipped) = self.source.jobs(log, seed, machine)?;
        check_waits(log, &jobs, scheduler)?;
        let first_arrival = outages::first_arrival(&jobs);
        let built = self.idle_allocator(seed, stop)?;
        let label = self.spec.allocator_label();
        let (jobs, misfits) = placeable(log, &jobs, machine, built, &label, stop, rules.oversize)?;
        Ok(Fitting { jobs, skipped: skipped + misfits.len() as u64, misfits, first_arrival })
    }

    /// Builds the allocator, to ask it for jobs on the idle machine.
    fn idle_allocator(&self, seed: u64, stop: &Stop) -> Result<Built, BuildError> {
        let ReplaySpec { machine: mesh, allocator, .. } = &self.spec;
        let label = allocator.to_string();
        let setup = guest::Setup { label: &label, mesh, jobs: &[], seed, stop, lists: None };
        self.guests.allocator(allocator, &setup)
    }

    /// Rewords an engine error for guest schedulers. The engine assumes that a scheduler asks for the head on
    /// an idle machine.
    fn reworded(&self, error: ReplayError) -> ReplayError {
        let scheduler = &self.spec.scheduler;
        match error {
            ReplayError::Stuck { number, procs } if scheduler.is_guest() => ReplayError::Failed(format!(
                "job {number} of {procs} processors is never started, although the machine is idle: \
                 scheduler '{scheduler}' does not name it, or allocator '{}' refuses it",
                self.spec.allocator_label()
            )),
            error => error,
        }
    }
}

/// The jobs of one replication that fit, and counts of the others.
pub(super) struct Fitting {
    /// The jobs.
    pub(super) jobs: Arc<Vec<Job>>,
    /// Records of the log, or jobs of the model, that are left out.
    skipped: u64,
    /// Left-out jobs that the allocator cannot place even on the idle machine.
    misfits: Vec<Job>,
    /// First arrival, including jobs that only this allocator leaves out, so that it is the same for all
    /// allocators.
    pub(super) first_arrival: Time,
}

impl Options {
    /// Returns the largest change of run times in a replay; `None` if they are as in the log.
    pub fn shake_of(&self, spec: &ReplaySpec) -> Option<Shake> {
        self.shake.filter(|_| !is_recorded(spec))
    }

    /// Returns whether results need all jobs in memory: for an option, or for columns over all rows.
    pub(in crate::study) fn need_all_jobs(&self) -> bool {
        OPTIONS.iter().any(|row| row.needs_all_jobs && row.is_given(self))
            || self.jobs && (self.by_shape || self.tidy || self.fragmentation.is_some())
    }
}

/// Returns whether these rules need all jobs in memory: arrivals are redrawn, or predictors are built from
/// all jobs.
pub(in crate::study) fn rules_need_all_jobs(rules: &Rules) -> bool {
    rules.arrivals != Arrivals::Recorded || rules.prediction().is_some()
}

/// Returns whether a replay follows the recorded starts.
pub(super) fn is_recorded(spec: &ReplaySpec) -> bool {
    spec.scheduler.name == RECORDED
}

/// Returns whether results have the causes of waiting without --why: those of the recorded schedule of a
/// site, or of a machine whose size follows from its use.
pub(in crate::study) fn explains(spec: &ReplaySpec, is_of_site: bool, assumes_size: bool) -> bool {
    (is_of_site || assumes_size) && is_recorded(spec)
}

/// Returns whether these algorithms need all jobs in memory: the scheduler and the allocator that follow the
/// log, networks, which keep state per job, and guests, which receive all jobs.
pub(in crate::study) fn algorithms_need_all_jobs(scheduler: &Spec, allocator: &Spec, network: &Spec) -> bool {
    [scheduler, allocator, network].into_iter().any(Spec::is_guest)
        || scheduler.name == RECORDED
        || follows_lists(allocator)
        || has_traffic(network)
}

impl ReplaySpec {
    /// Returns whether the replay needs all jobs in memory.
    pub(in crate::study) fn needs_all_jobs(&self) -> bool {
        let Self { rules, scheduler, allocator, network, .. } = self;
        COORDINATES.iter().any(|row| row.needs_all_jobs && !row.is_default(self))
            || rules_need_all_jobs(rules)
            || algorithms_need_all_jobs(scheduler, allocator, network)
    }
}

/// The results of one replication of a replay.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The seed of the replication.
    pub seed: u64,
    /// Records of the log, or jobs of the model, that were not replayed.
    pub skipped: u64,
    /// Skipped jobs that the allocator cannot place even on the idle machine.
    pub never_fit: u64,
    /// Most processors in use at once according to the log; `None` unless the scheduler follows recorded
    /// starts.
    pub log_peak: Option<u64>,
    /// The period that the numbers cover; `None` for the whole log.
    pub period: Option<Period>,
    /// Notes on recorded nodes. Empty unless the allocator follows them.
    pub notes_on_nodes: Vec<String>,
    /// Replayed jobs with their records and measurements, in the order of the log. Empty unless
    /// [`Options::jobs`](super::Options::jobs) is set, and if they were written while the replay ran.
    pub jobs: Vec<FinishedJob>,
    /// Names behind the numbers of the jobs, and the start of their log.
    pub names: Arc<LogNames>,
    /// What is measured besides single jobs. Courses of time are empty unless
    /// [`Options::jobs`](super::Options::jobs) is set.
    pub recording: Recording,
    /// Network traffic; `None` without a network.
    pub traffic: Option<Traffic>,
    /// Counts of jobs by shape, including jobs that never fit. Empty unless
    /// [`Options::jobs`](super::Options::jobs) and
    /// [`Options::by_shape`](super::Options::by_shape) are set.
    pub by_shape: Vec<ShapeCount>,
    /// All numbers of the replication, as one row.
    pub summary: Summary,
    /// Sums over parts of the log, for paired comparisons with other replays of the same jobs.
    pub parts: PartSums,
}

impl Outcome {
    /// Returns whether [`Self::jobs`] has the replayed jobs.
    pub fn has_jobs(&self) -> bool {
        self.summary.number("jobs") == Some(Number::Count(self.jobs.len() as u64))
    }

    /// Removes the jobs and the courses of time, the largest part of an outcome.
    pub fn strip(&mut self) {
        (self.jobs, self.by_shape) = (Vec::new(), Vec::new());
        if let Some(fragmentation) = &mut self.recording.fragmentation {
            fragmentation.course = Vec::new();
        }
        if let Some(outages) = &mut self.recording.outages {
            (outages.downtimes, outages.lost_runs) = (Vec::new(), Vec::new());
        }
    }
}
