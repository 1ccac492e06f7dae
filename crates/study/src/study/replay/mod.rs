//! Runs one replay and its replications, and gathers the results.

mod needs;
pub(super) mod outages;
mod outcome;
mod parts;
mod streamed;

pub(super) use needs::{algorithms_need_all_jobs, rules_need_all_jobs};
pub(super) use outages::check as check_outages;
pub use outcome::Outcome;
pub use parts::TOGETHER;
pub(super) use parts::TakeRows;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::jobs::{JobsError, check_waits, placeable};
use super::log::{RecordedNodes, RecordedNodesError};
use super::options::Options;
use super::replay_spec::ReplaySpec;
use super::source::{JobSource, LogStream, Seat};
use crate::audit::Watch;
use meshreplay_alloc::allocator::BuildError;
use meshreplay_base::job::{Job, Time};
use meshreplay_base::prediction::PredictionError;
use meshreplay_base::spec::SpecError;
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::Mesh;
use meshreplay_machine::machine::outages::OutageFileError;
use meshreplay_sim::engine::{
    self, Arrivals, Fate, Observer, OutagePlan, Parts, PredictionPlan, Record, ReplayError,
};
use meshreplay_sim::execution::Traffic;
use meshreplay_sim::guest::{self, Guests};
use meshreplay_sim::metrics::{
    BlockSums, Finished, Monitor, Recorder, Recording, Summary, count_by_shape, retain,
};
use meshreplay_sim::scheduler;
use meshreplay_workload::most_in_use;

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
    /// There can be no further thread for the replay, which has not begun. The text is a whole message.
    #[error("{0}")]
    Threadless(String),
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

    /// Returns the replay with the objects of the caller that its specs name.
    #[must_use]
    pub fn with_guests(self, guests: Guests) -> Self {
        Self { guests, ..self }
    }

    /// Runs the replay from the start as often as the options say. Returns one outcome per replication, in the order of
    /// seeds. Other threads can watch the progress through `monitor`, and can stop the replay with it.
    pub fn run(&self, options: &Options, monitor: &Monitor) -> Result<Vec<Outcome>, RunError> {
        self.run_into(options, monitor, (None, None))
    }

    /// Runs the replay as [`Self::run`] does. If its jobs are read while it runs, they go to `rows` as they leave; without
    /// `rows`, all jobs are kept in memory if the options ask for them. `seat` is its place among others that run at the same
    /// time.
    pub(super) fn run_into(
        &self,
        options: &Options,
        monitor: &Monitor,
        (rows, seat): (Option<TakeRows<'_>>, Option<&Seat<'_>>),
    ) -> Result<Vec<Outcome>, RunError> {
        let (mut outcomes, mut summaries): (Vec<Outcome>, Vec<Summary>) = (Vec::new(), Vec::new());
        let recorded = self.recorded_nodes(options)?;
        let stream = self.stream(options, rows.is_some());
        if stream.is_none() {
            drop(seat.and_then(Seat::batches));
        }
        loop {
            let seed = self.spec.seed.wrapping_add(outcomes.len() as u64);
            let mut outcome = match stream {
                Some(stream) => self.run_streamed(stream, seed, options, monitor, (rows, seat))?,
                None => self.run_once(seed, options, recorded.as_ref(), monitor)?,
            };
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

    /// Returns the jobs that are read while the replay runs; `None` if all of them are in memory first. `has_rows` says
    /// whether somebody takes the jobs that leave.
    fn stream(&self, options: &Options, has_rows: bool) -> Option<&LogStream> {
        let JobSource::Streamed { stream, .. } = &self.source else { return None };
        self.spec.can_stream(stream, options, has_rows).then_some(stream)
    }

    /// Runs the replication with this seed.
    fn run_once(
        &self,
        seed: u64,
        options: &Options,
        listed: Option<&RecordedNodes>,
        monitor: &Monitor,
    ) -> Result<Outcome, RunError> {
        outages::check(&self.spec, options)?;
        let fitting = self.jobs(seed, &monitor.stop)?;
        if self.can_leave(options, &fitting.jobs) {
            return self.run_leaving(&fitting, seed, options, monitor);
        }
        let Fitting { jobs, skipped, misfits, first_arrival } = fitting;
        let never_fit = misfits.len() as u64;
        let log_peak = (self.spec.scheduler.name == scheduler::RECORDED).then(|| most_in_use(&jobs));
        let outages = outages::plan(&self.spec, options, first_arrival, seed)?;
        let counts_shapes = options.by_shape && options.jobs;
        let arriving = (jobs.as_slice(), outages::first_arrival(&jobs));
        let mut recorder = self.recorder(options, arriving, outages.is_some(), listed, monitor);
        let driven = self.drive(
            Feed::Listed(&jobs),
            seed,
            &Manner::of(options, &monitor.stop),
            outages,
            listed,
            &mut recorder,
        )?;
        let wall_s = if options.timed { driven.wall.as_secs_f64() } else { 0.0 };
        let mut recording = recorder.finish();
        let (jobs, Driven { records, traffic, .. }) = completed(jobs, driven, &mut recording);
        let finished = Finished {
            jobs: &jobs,
            records: &records,
            recording: &recording,
            traffic: traffic.as_ref(),
            mesh: &self.spec.machine,
            trim: options.trim,
            is_predicted: self.spec.rules.prediction().is_some(),
            skipped,
            never_fit,
            wall_s,
        };
        let (summary, blocks) = (Summary::of(&finished), BlockSums::of(&finished));
        let by_shape = if counts_shapes {
            count_by_shape(&jobs, &records, &recording.refusals, &misfits)
        } else {
            Vec::new()
        };
        Ok(Outcome {
            skipped,
            never_fit,
            log_peak,
            notes_on_nodes: listed.map(|listed| listed.notes.clone()).unwrap_or_default(),
            jobs,
            names: self.source.names(),
            records,
            recording,
            traffic,
            by_shape,
            ..Outcome::of(seed, summary, blocks)
        })
    }

    /// Returns the observer that measures what `options` ask for in a replay of `jobs`, the first of which arrives at
    /// `first_arrival`. The list is empty if jobs leave the replay.
    fn recorder<'a>(
        &'a self,
        options: &Options,
        (jobs, first_arrival): (&'a [Job], Time),
        has_outages: bool,
        listed: Option<&'a RecordedNodes>,
        monitor: &'a Monitor,
    ) -> Recorder<'a> {
        let mut recorder = Recorder::new(&self.spec.machine, jobs.len(), options.timed, monitor);
        if options.contention {
            recorder = recorder.with_contention(&self.spec.machine);
        }
        if let Some(slices) = &options.fragmentation {
            recorder = recorder.with_fragmentation(&self.spec.machine, slices, (first_arrival, options.jobs));
        }
        if options.placements && options.jobs {
            recorder = recorder.with_placements();
        }
        if let Some(RecordedNodes { lists, .. }) = listed {
            recorder = recorder.with_lists(jobs, lists);
        }
        if options.by_shape && options.jobs {
            recorder = recorder.with_refusals();
        }
        if has_outages {
            recorder = recorder.with_outages(&self.spec.machine, jobs, (first_arrival, options.jobs));
        }
        recorder
    }

    /// Returns the nodes that jobs had according to the log; `None` if the allocator does not place jobs by them.
    pub(super) fn recorded_nodes(
        &self,
        options: &Options,
    ) -> Result<Option<RecordedNodes>, RecordedNodesError> {
        let ReplaySpec { log, machine, allocator, .. } = &self.spec;
        let found = || self.source.recorded_nodes(log, options.node_map.as_ref(), machine);
        meshreplay_alloc::allocator::follows_lists(allocator).then(found).transpose()
    }

    /// Returns the jobs of the replication with this seed for which the allocator finds nodes on the idle machine.
    /// Fails if a job does not fit and the rules do not leave such jobs out.
    pub(super) fn jobs(&self, seed: u64, stop: &Stop) -> Result<Fitting, JobsError> {
        let ReplaySpec { log, rules, machine, scheduler, allocator, .. } = &self.spec;
        let (jobs, skipped) = self.source.jobs(log, seed, machine)?;
        check_waits(log, &jobs, scheduler)?;
        let first_arrival = outages::first_arrival(&jobs);
        let label = allocator.to_string();
        let setup = guest::Setup { label: &label, mesh: machine, jobs: &[], seed, stop, lists: None };
        let built = self.guests.allocator(allocator, &setup)?;
        let (jobs, misfits) =
            placeable(log, &jobs, machine, (built, &self.spec.allocator_label(), stop), rules.oversize)?;
        Ok(Fitting { jobs, skipped: skipped + misfits.len() as u64, misfits, first_arrival })
    }

    /// Returns the error of the engine, which takes it for granted that a scheduler asks for the head on an idle machine.
    fn explained(&self, error: ReplayError) -> ReplayError {
        let scheduler = &self.spec.scheduler;
        match error {
            ReplayError::Stuck { number, procs } if scheduler.is_guest() => ReplayError::Failed(format!(
                "job {number} of {procs} processors is never started, although the machine is idle: scheduler \
                 '{scheduler}' does not name it, or allocator '{}' refuses it",
                self.spec.allocator_label()
            )),
            error => error,
        }
    }

    /// Replays the jobs of `feed` until all have ended or it is stopped, and reports every event to `observer`.
    pub(super) fn drive(
        &self,
        feed: Feed<'_>,
        seed: u64,
        manner: &Manner,
        outages: Option<OutagePlan>,
        recorded: Option<&RecordedNodes>,
        observer: &mut dyn Observer,
    ) -> Result<Driven, RunError> {
        let spec = &self.spec;
        let (jobs, Manner { timed, is_audited, stop }) = (feed.listed(), manner);
        let lists = recorded.map(|recorded| &recorded.lists);
        let [allocator, scheduler, network] =
            [&spec.allocator, &spec.scheduler, &spec.network].map(ToString::to_string);
        let setup = guest::Setup { label: "", mesh: &spec.machine, jobs, seed, stop, lists };
        let mut built =
            self.guests.allocator(&spec.allocator, &guest::Setup { label: &allocator, ..setup })?;
        let mut scheduler =
            self.guests.scheduler(&spec.scheduler, &guest::Setup { label: &scheduler, ..setup })?;
        let mut execution = self.guests.network(&spec.network, &guest::Setup { label: &network, ..setup })?;
        outages::check_execution(spec, outages.as_ref(), built.strategy.moves_jobs, execution.as_ref())?;
        let predictions = spec.rules.prediction().map(|given| -> Result<PredictionPlan, PredictionError> {
            Ok(PredictionPlan { predictor: given.build(jobs)?, correction: given.correction })
        });
        let parts = Parts {
            mesh: Mesh::clone(&spec.machine),
            scheduler: scheduler.as_mut(),
            allocator: &mut built.strategy,
            execution: execution.as_mut(),
            timed: *timed,
            outages,
            predictions: predictions.transpose()?,
            stop: stop.clone(),
        };
        let began = Instant::now();
        let mut feed = feed;
        let run = |observer: &mut dyn Observer| match &mut feed {
            Feed::Listed(jobs) => engine::replay(jobs, parts, observer),
            Feed::Streamed(arrivals) => {
                engine::replay_stream(&mut **arrivals, parts, observer).map(|()| Vec::new())
            }
        };
        let records = if *is_audited {
            let mut watch = Watch::new(&spec.machine, observer, stop.clone());
            let records = run(&mut watch);
            records.and_then(|records| watch.finish().map(|()| records).map_err(ReplayError::Failed))
        } else {
            run(observer)
        };
        let records = records.map_err(|error| self.explained(error))?;
        let wall = began.elapsed().saturating_sub(feed.waited());
        Ok(Driven { records, wall, traffic: execution.traffic() })
    }
}

/// Removes the jobs that have not run, because nodes were down, from the jobs and from all results of single jobs.
/// `recording` counts them. Nothing changes if all jobs have run.
fn completed(jobs: Arc<Vec<Job>>, mut driven: Driven, recording: &mut Recording) -> (Arc<Vec<Job>>, Driven) {
    let count = |fate| driven.records.iter().filter(|record| record.fate == fate).count() as u64;
    let (given_up, never_started) = (count(Fate::GivenUp), count(Fate::NeverStarted));
    if given_up + never_started == 0 {
        return (jobs, driven);
    }
    let has_run: Vec<bool> = driven.records.iter().map(|record| record.fate == Fate::Completed).collect();
    recording.keep(&has_run);
    if let Some(outages) = &mut recording.outages {
        (outages.given_up, outages.never_started) = (given_up, never_started);
    }
    if let Some(traffic) = &mut driven.traffic {
        retain(&mut traffic.jobs, &has_run);
    }
    retain(&mut driven.records, &has_run);
    let mut left = jobs.to_vec();
    retain(&mut left, &has_run);
    (Arc::new(left), driven)
}

/// How a replay is run.
pub(super) struct Manner {
    /// Whether the durations of allocator calls are measured.
    pub(super) timed: bool,
    /// Whether what happens is checked by the rules of audits.
    pub(super) is_audited: bool,
    /// The switch that ends it early.
    pub(super) stop: Stop,
}

impl Manner {
    /// Returns how replays are run by these options.
    fn of(options: &Options, stop: &Stop) -> Self {
        Self { timed: options.timed, is_audited: options.audit, stop: stop.clone() }
    }
}

/// Where the jobs of a replay come from.
pub(super) enum Feed<'a> {
    /// All are in memory.
    Listed(&'a [Job]),
    /// They come while the replay runs.
    Streamed(&'a mut dyn Arrivals),
}

impl<'a> Feed<'a> {
    /// Returns the jobs that are in memory; an empty list if they come while the replay runs.
    fn listed(&self) -> &'a [Job] {
        match self {
            Self::Listed(jobs) => jobs,
            Self::Streamed(_) => &[],
        }
    }

    /// Returns how long the replay has waited for jobs that were still read.
    fn waited(&self) -> Duration {
        match self {
            Self::Listed(_) => Duration::ZERO,
            Self::Streamed(arrivals) => arrivals.waited(),
        }
    }
}

/// The results that come from the engine.
pub(super) struct Driven {
    /// The record of each job (its start, its end and so on), in the order of the jobs.
    records: Vec<Record>,
    /// The traffic of the network. `None` without a network.
    traffic: Option<Traffic>,
    /// The wall-clock time of the replay, without that in which it waited for jobs to be read.
    wall: Duration,
}

/// The jobs of one replication that fit, and counts of the other jobs.
pub(super) struct Fitting {
    /// The jobs.
    pub(super) jobs: Arc<Vec<Job>>,
    /// The number of records of the log, or of jobs of the model, that are not among the jobs.
    skipped: u64,
    /// The jobs among those for which the allocator finds no nodes even on the idle machine.
    misfits: Vec<Job>,
    /// The first arrival, also of a job that only this allocator leaves out: it is the same for all allocators.
    pub(super) first_arrival: Time,
}
