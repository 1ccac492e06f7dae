//! Runs one replay and its replications, and gathers the results.

mod needs;
pub(super) mod outages;
mod outcome;
mod replication;
mod streamed;
mod sums;

pub(super) use needs::{algorithms_need_all_jobs, rules_need_all_jobs};
pub(super) use outages::check as check_outages;
pub use outcome::Outcome;
pub(super) use replication::{Feed, Replication};
pub use sums::TOGETHER;
pub(super) use sums::TakeRows;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::jobs::{JobsError, check_waits, placeable};
use super::log::{RecordedNodes, RecordedNodesError};
use super::options::Options;
use super::replay_spec::ReplaySpec;
use super::source::{JobSource, LogStream};
use meshreplay_alloc::allocator::BuildError;
use meshreplay_base::job::{Job, Time};
use meshreplay_base::prediction::PredictionError;
use meshreplay_base::spec::SpecError;
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::outages::OutageFileError;
use meshreplay_sim::engine::ReplayError;
use meshreplay_sim::guest::{self, Guests};
use meshreplay_sim::metrics::{Monitor, Summary};

/// A replay that is ready to run: its description and its jobs.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The description of the replay.
    pub spec: ReplaySpec,
    /// The jobs, or the workload model that draws them.
    pub source: JobSource,
    /// The objects of the caller that the specs name; empty if they name none.
    pub guests: Guests,
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
    /// The nodes that jobs had according to the log cannot be those of the machine.
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
        Self { spec, source, guests: Guests::default() }
    }

    /// Runs the replay from the start as often as the options say. Returns one outcome per replication, in
    /// the order of seeds. Other threads can watch the progress through `monitor`, and can stop the replay
    /// with it.
    pub fn run(&self, options: &Options, monitor: &Monitor) -> Result<Vec<Outcome>, RunError> {
        self.run_into(options, monitor, None)
    }

    /// Runs the replay as [`Self::run`] does. If its jobs are read while it runs, the finished ones go to
    /// `rows`; without `rows`, all jobs are kept in memory if the options ask for them.
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
            let mut outcome = replication.run(recorded.as_ref(), rows)?;
            let jobs = outcome.summary.get("jobs").unwrap_or_default();
            monitor.earlier.fetch_add(jobs as usize, Ordering::Relaxed);
            if !options.jobs {
                outcome.strip();
            }
            summaries.push(outcome.summary.clone());
            outcomes.push(outcome);
            if options.replications.enough(&summaries) {
                return Ok(outcomes);
            }
        }
    }

    /// Returns the jobs that are read while the replay runs; `None` if all of them are in memory first.
    /// `has_rows` says whether somebody takes the jobs that leave.
    fn stream(&self, options: &Options, has_rows: bool) -> Option<&LogStream> {
        let JobSource::Streamed { stream, .. } = &self.source else { return None };
        let needs_all = options.need_all_jobs()
            || options.jobs && !has_rows
            || self.spec.needs_all_jobs()
            || stream.held().is_none();
        (!needs_all).then_some(stream)
    }

    /// Returns the nodes that jobs had according to the log; `None` if the allocator does not place jobs by
    /// them.
    pub(super) fn recorded_nodes(
        &self,
        options: &Options,
    ) -> Result<Option<RecordedNodes>, RecordedNodesError> {
        let ReplaySpec { log, machine, allocator, .. } = &self.spec;
        let found = || self.source.recorded_nodes(log, options.node_map.as_ref(), machine);
        meshreplay_alloc::allocator::follows_lists(allocator).then(found).transpose()
    }

    /// Returns the jobs of the replication with this seed for which the allocator finds nodes on the idle
    /// machine. Fails if a job does not fit and the rules do not leave such jobs out.
    pub(super) fn jobs(&self, seed: u64, stop: &Stop) -> Result<Fitting, JobsError> {
        let ReplaySpec { log, rules, machine, scheduler, allocator, .. } = &self.spec;
        let (jobs, skipped) = self.source.jobs(log, seed, machine)?;
        check_waits(log, &jobs, scheduler)?;
        let first_arrival = outages::first_arrival(&jobs);
        let label = allocator.to_string();
        let setup = guest::Setup { label: &label, mesh: machine, jobs: &[], seed, stop, lists: None };
        let built = self.guests.allocator(allocator, &setup)?;
        let label = self.spec.allocator_label();
        let (jobs, misfits) = placeable(log, &jobs, machine, built, &label, stop, rules.oversize)?;
        Ok(Fitting { jobs, skipped: skipped + misfits.len() as u64, misfits, first_arrival })
    }

    /// Returns the error of the engine, which takes it for granted that a scheduler asks for the head on an
    /// idle machine.
    fn explained(&self, error: ReplayError) -> ReplayError {
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

/// The jobs of one replication that fit, and counts of the other jobs.
pub(super) struct Fitting {
    /// The jobs.
    pub(super) jobs: Arc<Vec<Job>>,
    /// The number of records of the log, or of jobs of the model, that are not among the jobs.
    skipped: u64,
    /// The jobs among those for which the allocator finds no nodes even on the idle machine.
    misfits: Vec<Job>,
    /// The first arrival, also of a job that only this allocator leaves out: it is the same for all
    /// allocators.
    pub(super) first_arrival: Time,
}
