//! One replay: what it consists of, and how it is run.

use std::sync::Arc;
use std::time::Instant;

use crate::allocator::{self, Setup};
use crate::engine::{self, Parts, Record, ReplayError};
use crate::execution::RecordedRunTimes;
use crate::job::Job;
use crate::machine::Mesh;
use crate::metrics::{Monitor, Recorder, Recording, Summary, Trim, summarize};
use crate::scheduler;
use crate::spec::{Spec, SpecError};

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
    /// Seed of everything random.
    pub seed: u64,
    /// The jobs, arrivals scaled; shared by the cells that replay the same ones.
    pub jobs: Arc<Vec<Job>>,
    /// Records of the log that are not replayed.
    pub skipped: u64,
}

/// What all cells of a study share.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plan {
    /// Whether allocator calls and replays are timed.
    pub timed: bool,
    /// What means leave out.
    pub trim: Trim,
}

/// What came out of one replay.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One per job.
    pub records: Vec<Record>,
    /// Dispersal and cost.
    pub recording: Recording,
    /// Everything in one row.
    pub summary: Summary,
    /// Wall-clock time of the replay without reading the log; 0 if not timed.
    pub wall_s: f64,
}

/// Why a replay has no outcome.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CellError {
    /// A spec does not fit the machine.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The replay failed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

impl Cell {
    /// Replays the cell from scratch. `monitor` shows progress to other threads and can stop it.
    pub fn run(&self, plan: &Plan, monitor: &Monitor) -> Result<Outcome, CellError> {
        let setup = Setup { mesh: &self.machine, seed: self.seed };
        let (mut allocator, _) = allocator::build(&self.allocator, &setup)?;
        let (mut scheduler, _) = scheduler::build(&self.scheduler)?;
        let mut recorder = Recorder::new(&self.machine, self.jobs.len(), plan.timed, monitor);
        let parts = Parts {
            mesh: self.machine.clone(),
            scheduler: scheduler.as_mut(),
            allocator: allocator.as_mut(),
            execution: &mut RecordedRunTimes::default(),
            timed: plan.timed,
        };
        let began = Instant::now();
        let records = engine::replay(&self.jobs, parts, &mut recorder)?;
        let wall_s = if plan.timed { began.elapsed().as_secs_f64() } else { 0.0 };
        let recording = recorder.finish();
        let summary = summarize(&self.jobs, &records, &recording, &self.machine, plan.trim);
        Ok(Outcome { records, recording, summary, wall_s })
    }
}
