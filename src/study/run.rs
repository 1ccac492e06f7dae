//! Runs the cells of a study: each from its log to its kept result, in parallel, none in another's way.

use rayon::ThreadPool;

use super::planned::Study;
use super::replay::{Outcome, Replay, RunError};
use super::shared_jobs::{NoJobs, Workloads};
use super::threads::{Event, Running, run_all};
use crate::engine::ReplayError;

/// Whatever goes wrong while a result is kept.
pub type KeepError = Box<dyn std::error::Error + Send + Sync>;

/// Keeps the outcomes of a finished cell, given its position in the study; called from the thread that replayed it.
pub type Keep<'a> = dyn Fn(usize, &Replay, &[Outcome]) -> Result<(), KeepError> + Sync + 'a;

/// Why a cell has no result.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// It has no jobs.
    #[error(transparent)]
    NoJobs(#[from] NoJobs),
    /// It could not be replayed.
    #[error(transparent)]
    Replay(#[from] RunError),
    /// Its result could not be kept.
    #[error(transparent)]
    Keep(KeepError),
    /// The program is at fault.
    #[error("{0}")]
    Panic(String),
    /// It was asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// What the caller of [`sweep`] is told while it waits.
#[derive(Debug)]
pub enum Progress {
    /// A cell is finished, and its result kept.
    Finished(usize),
    /// A cell has failed.
    Failed(usize, SweepError),
    /// Time for a look at the monitors.
    Tick,
}

/// Replays the cells of `study` that `cells` names, on the threads of `pool`; a cell that fails leaves the others alone.
pub fn sweep(
    study: &Study,
    cells: &[usize],
    pool: &ThreadPool,
    running: &Running,
    keep: &Keep<'_>,
    tell: &mut dyn FnMut(Progress),
) {
    let workloads = Workloads::new(study, cells);
    let work = |number: usize| one(study, &workloads, number, running, keep);
    run_all(pool, running, cells.iter().copied(), &work, &mut |event| {
        tell(match event {
            Event::Tick => Progress::Tick,
            Event::Ended(number, Ok(Ok(()))) => Progress::Finished(number),
            Event::Ended(number, Ok(Err(error))) => Progress::Failed(number, error),
            Event::Ended(number, Err(panic)) => Progress::Failed(number, SweepError::Panic(panic)),
        });
    });
}

/// Lets go of a cell's jobs, even if its replay panics.
struct Released<'a>(&'a Workloads<'a>, usize);

impl Drop for Released<'_> {
    fn drop(&mut self) {
        self.0.release(self.1);
    }
}

fn one(
    study: &Study,
    workloads: &Workloads<'_>,
    number: usize,
    running: &Running,
    keep: &Keep<'_>,
) -> Result<(), SweepError> {
    let _released = Released(workloads, number);
    if running.is_stopped() {
        return Err(SweepError::Interrupted);
    }
    let cell = workloads.cell(number)?;
    let outcomes = cell.run(&study.options, running.monitor(number)).map_err(|error| match error {
        RunError::Replay(ReplayError::Interrupted) => SweepError::Interrupted,
        error => error.into(),
    })?;
    keep(number, &cell, &outcomes).map_err(SweepError::Keep)
}
