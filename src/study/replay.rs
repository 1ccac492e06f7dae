//! One replay and its replications: its jobs, how it is run, and what comes out.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::jobs::{JobsError, placeable};
use super::options::Options;
use super::replay_spec::ReplaySpec;
use super::source::JobSource;
use crate::allocator::{self, Setup};
use crate::engine::{self, Observer, Parts, Record, ReplayError};
use crate::execution::{self, Traffic};
use crate::job::Job;
use crate::metrics::{Finished, Monitor, Recorder, Recording, Summary};
use crate::scheduler;
use crate::spec::SpecError;
use crate::stop::Stop;

/// A replay with its jobs.
#[derive(Clone, Debug)]
pub struct Replay {
    /// What it is.
    pub spec: ReplaySpec,
    /// The jobs, or the model that draws them.
    pub source: JobSource,
}

/// What came out of one replay.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its seed.
    pub seed: u64,
    /// Records of the log that were not replayed.
    pub skipped: u64,
    /// How many of them are jobs that the allocator never finds a place for.
    pub never_fit: u64,
    /// What was replayed; none unless the options say that jobs are wanted.
    pub jobs: Arc<Vec<Job>>,
    /// One per job, where jobs are wanted.
    pub records: Vec<Record>,
    /// Dispersal and cost; of single jobs only where jobs are wanted.
    pub recording: Recording,
    /// What the jobs have sent each other, where there is a network; of single jobs only where jobs are wanted.
    pub traffic: Option<Traffic>,
    /// Everything in one row.
    pub summary: Summary,
}

/// Why a replay has no outcome.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RunError {
    /// A spec does not fit the machine.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The jobs cannot be replayed.
    #[error(transparent)]
    Jobs(#[from] JobsError),
    /// The replay failed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

impl Replay {
    /// Replays it from scratch, as often as the options say: one outcome per replication, in the order of seeds.
    /// `monitor` shows progress to other threads and can stop it.
    pub fn run(&self, options: &Options, monitor: &Monitor) -> Result<Vec<Outcome>, RunError> {
        let (mut outcomes, mut summaries): (Vec<Outcome>, Vec<Summary>) = (Vec::new(), Vec::new());
        loop {
            let seed = self.spec.seed.wrapping_add(outcomes.len() as u64);
            let mut outcome = self.run_once(seed, options, monitor)?;
            monitor.earlier.fetch_add(outcome.records.len(), Ordering::Relaxed);
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

    fn run_once(&self, seed: u64, options: &Options, monitor: &Monitor) -> Result<Outcome, RunError> {
        let Fitting { jobs, skipped, never_fit } = self.jobs(seed)?;
        let mut recorder = Recorder::new(&self.spec.machine, jobs.len(), options.timed, monitor);
        if options.contention {
            recorder = recorder.with_contention(&self.spec.machine);
        }
        if options.placements && options.jobs {
            recorder = recorder.with_placements();
        }
        let Driven { records, traffic, wall } =
            self.drive(&jobs, seed, (options.timed, monitor.stop.clone()), &mut recorder)?;
        let wall_s = if options.timed { wall.as_secs_f64() } else { 0.0 };
        let recording = recorder.finish();
        let summary = Summary::of(&Finished {
            jobs: &jobs,
            records: &records,
            recording: &recording,
            traffic: traffic.as_ref(),
            mesh: &self.spec.machine,
            trim: options.trim,
            skipped,
            never_fit,
            wall_s,
        });
        Ok(Outcome { seed, skipped, never_fit, jobs, records, recording, traffic, summary })
    }

    /// Returns the jobs of `seed` that the allocator finds a place for on the idle machine.
    pub(super) fn jobs(&self, seed: u64) -> Result<Fitting, JobsError> {
        let ReplaySpec { log, rules, machine, allocator, .. } = &self.spec;
        let (jobs, skipped) = self.source.jobs(log, seed, machine)?;
        let (jobs, never_fit) = placeable(log, &jobs, machine, allocator, rules.oversize)?;
        Ok(Fitting { jobs, skipped: skipped + never_fit, never_fit })
    }

    /// Replays these jobs, seen by `observer`, until they have ended or `stop` is thrown; allocator calls are `timed`
    /// or not.
    pub(super) fn drive(
        &self,
        jobs: &[Job],
        seed: u64,
        (timed, stop): (bool, Stop),
        observer: &mut dyn Observer,
    ) -> Result<Driven, RunError> {
        let spec = &self.spec;
        let mut built = allocator::build(&spec.allocator, &Setup { mesh: &spec.machine, seed })?;
        let (mut scheduler, _) = scheduler::build(&spec.scheduler)?;
        let setup = execution::Setup { mesh: &spec.machine, jobs: jobs.len(), seed };
        let (mut execution, _) = execution::build(&spec.network, &setup)?;
        let parts = Parts {
            mesh: spec.machine.clone(),
            scheduler: scheduler.as_mut(),
            allocator: &mut built.strategy,
            execution: execution.as_mut(),
            timed,
            stop,
        };
        let began = Instant::now();
        let records = engine::replay(jobs, parts, observer)?;
        Ok(Driven { records, wall: began.elapsed(), traffic: execution.traffic() })
    }
}

/// What the engine makes of the jobs.
pub(super) struct Driven {
    /// What became of each.
    records: Vec<Record>,
    /// What they sent each other, where there is a network.
    traffic: Option<Traffic>,
    /// Wall-clock time.
    wall: Duration,
}

/// The jobs of one replication.
pub(super) struct Fitting {
    /// The jobs.
    pub(super) jobs: Arc<Vec<Job>>,
    /// Records of the log that are not among them.
    skipped: u64,
    /// How many of those are jobs that the allocator never finds a place for.
    never_fit: u64,
}

impl Outcome {
    /// Removes what concerns single jobs.
    pub fn strip(&mut self) {
        self.jobs = Arc::default();
        self.records = Vec::new();
        self.recording.dispersal = Vec::new();
        self.recording.allocate_ns = Vec::new();
        self.recording.placements = Vec::new();
        if let Some(contention) = &mut self.recording.contention {
            contention.jobs = Vec::new();
        }
        if let Some(traffic) = &mut self.traffic {
            traffic.jobs = Vec::new();
        }
    }
}
