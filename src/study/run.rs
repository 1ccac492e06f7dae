//! Runs the replays of a study: each from its log to its kept result, in parallel, none in another's way.

use rayon::ThreadPool;

use super::planned::Study;
use super::replay::{Outcome, Replay, RunError};
use super::shared_jobs::{NoJobs, Workloads};
use super::threads::{Event, Running, run_all};
use crate::engine::ReplayError;

/// Whatever goes wrong while a result is kept.
pub type KeepError = Box<dyn std::error::Error + Send + Sync>;

/// Keeps the outcomes of replay `number` of the study and returns what is to be told of them; called from the thread that
/// replayed it.
pub type Keep<'a, T> = dyn Fn(usize, &Replay, Vec<Outcome>) -> Result<T, KeepError> + Sync + 'a;

/// Why a replay has no result.
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
pub enum Progress<T> {
    /// A replay has ended: what is to be told of its outcomes, or why it has none.
    Ended(usize, Result<T, SweepError>),
    /// Time for a look at the monitors.
    Tick,
}

/// Runs the replays of `study` that `cells` names, on the threads of `pool`; one that fails leaves the others alone.
pub fn sweep<T: Send>(
    study: &Study,
    cells: &[usize],
    pool: &ThreadPool,
    running: &Running,
    keep: &Keep<'_, T>,
    tell: &mut dyn FnMut(Progress<T>),
) {
    let workloads = Workloads::new(study, cells.iter().copied());
    let work = |number: usize| one(study, &workloads, number, running, keep);
    run_all(pool, running, cells.iter().copied(), &work, &mut |event| {
        tell(match event {
            Event::Tick => Progress::Tick,
            Event::Ended(number, ended) => {
                Progress::Ended(number, ended.unwrap_or_else(|panic| Err(SweepError::Panic(panic))))
            }
        });
    });
}

/// Lets go of a replay's jobs, even if it panics.
struct Released<'a>(&'a Workloads<'a>, usize);

impl Drop for Released<'_> {
    fn drop(&mut self) {
        self.0.release(self.1);
    }
}

fn one<T>(
    study: &Study,
    workloads: &Workloads<'_>,
    number: usize,
    running: &Running,
    keep: &Keep<'_, T>,
) -> Result<T, SweepError> {
    let _released = Released(workloads, number);
    if running.is_stopped() {
        return Err(SweepError::Interrupted);
    }
    let replay = workloads.replay(number)?;
    let outcomes = replay.run(&study.options, running.monitor(number)).map_err(|error| match error {
        RunError::Replay(ReplayError::Interrupted) => SweepError::Interrupted,
        error => error.into(),
    })?;
    keep(number, &replay, outcomes).map_err(SweepError::Keep)
}
