//! One replay and its replications: what it consists of, and how it is run.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::jobs::{JobsError, placeable};
use super::source::JobSource;
use crate::allocator::{self, Setup};
use crate::engine::{self, Parts, Record, ReplayError};
use crate::execution::{self, Traffic};
use crate::job::Job;
use crate::machine::Mesh;
use crate::metrics::{Finished, Monitor, Recorder, Recording, Replications, Summary, Trim};
use crate::scheduler;
use crate::spec::{Spec, SpecError};
use crate::workload::Oversize;

/// One replay of a study, everything in it resolved.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Name of the log.
    pub log: String,
    /// SHA-256 of the log's text.
    pub log_sha256: String,
    /// The workload rules, canonical.
    pub rules: String,
    /// What arrival times were multiplied by.
    pub arrival_scale: f64,
    /// The machine.
    pub machine: Mesh,
    /// The scheduler, with every default written out.
    pub scheduler: Spec,
    /// The allocator, with every default written out.
    pub allocator: Spec,
    /// How long jobs run, with every default written out.
    pub network: Spec,
    /// Seed of everything random; each further replication has the next one.
    pub seed: u64,
    /// The jobs.
    pub source: JobSource,
    /// What happens to jobs that the allocator never finds a place for.
    pub oversize: Oversize,
}

/// What all cells of a study share; [`super::OPTIONS`] has a row of each.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each says whether results have something")]
pub struct Plan {
    /// Whether allocator calls and replays are timed.
    pub timed: bool,
    /// What means leave out.
    pub trim: Trim,
    /// How often each cell is replayed, with another seed.
    pub replications: Replications,
    /// Whether outcomes hold what concerns single jobs.
    pub jobs: bool,
    /// Whether results have columns for the traffic of a network.
    pub traffic: bool,
    /// Whether contention is estimated.
    pub contention: bool,
    /// Whether outcomes hold the nodes of every job, where jobs are wanted.
    pub placements: bool,
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
    /// What was replayed; none unless the plan says that jobs are wanted.
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
pub enum CellError {
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

impl Cell {
    /// Replays the cell from scratch, as often as the plan has it: one outcome per replication, in the order of seeds.
    /// `monitor` shows progress to other threads and can stop it.
    pub fn run(&self, plan: &Plan, monitor: &Monitor) -> Result<Vec<Outcome>, CellError> {
        let (mut outcomes, mut summaries): (Vec<Outcome>, Vec<Summary>) = (Vec::new(), Vec::new());
        loop {
            let mut outcome = self.run_once(self.seed.wrapping_add(outcomes.len() as u64), plan, monitor)?;
            monitor.earlier.fetch_add(outcome.records.len(), Ordering::Relaxed);
            if !plan.jobs {
                outcome.strip();
            }
            summaries.push(outcome.summary.clone());
            outcomes.push(outcome);
            if plan.replications.enough(&summaries) {
                return Ok(outcomes);
            }
        }
    }

    fn run_once(&self, seed: u64, plan: &Plan, monitor: &Monitor) -> Result<Outcome, CellError> {
        let (jobs, skipped) = self.source.jobs(&self.log, seed, &self.machine)?;
        let (jobs, never_fit) = placeable(&self.log, &jobs, &self.machine, &self.allocator, self.oversize)?;
        let skipped = skipped + never_fit;
        let setup = Setup { mesh: &self.machine, seed };
        let (mut allocator, _) = allocator::build(&self.allocator, &setup)?;
        let (mut scheduler, _) = scheduler::build(&self.scheduler)?;
        let setup = execution::Setup { mesh: &self.machine, jobs: jobs.len(), seed };
        let (mut execution, _) = execution::build(&self.network, &setup)?;
        let mut recorder = Recorder::new(&self.machine, jobs.len(), plan.timed, monitor);
        if plan.contention {
            recorder = recorder.with_contention(&self.machine);
        }
        if plan.placements && plan.jobs {
            recorder = recorder.with_placements();
        }
        let parts = Parts {
            mesh: self.machine.clone(),
            scheduler: scheduler.as_mut(),
            allocator: allocator.as_mut(),
            execution: execution.as_mut(),
            timed: plan.timed,
        };
        let began = Instant::now();
        let records = engine::replay(&jobs, parts, &mut recorder)?;
        let wall_s = if plan.timed { began.elapsed().as_secs_f64() } else { 0.0 };
        let recording = recorder.finish();
        let traffic = execution.traffic();
        let summary = Summary::of(&Finished {
            jobs: &jobs,
            records: &records,
            recording: &recording,
            traffic: traffic.as_ref(),
            mesh: &self.machine,
            trim: plan.trim,
            skipped,
            never_fit,
            wall_s,
        });
        Ok(Outcome { seed, skipped, never_fit, jobs, records, recording, traffic, summary })
    }
}

impl Outcome {
    /// Drops what concerns single jobs.
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
