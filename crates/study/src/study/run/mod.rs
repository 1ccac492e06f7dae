//! Runs the replays of a study in parallel. A replay runs from its log to its kept result on one thread, and
//! a failed replay does not disturb the others.

#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rayon::ThreadPool;

use super::jobs::JobsError;
use super::planned::Study;
use super::replay::{Outcome, RunError, TakeRows};
use super::shared_jobs::{LoadJobsError, Workloads};
use meshreplay_logs::LogNames;
use meshreplay_sim::engine::ReplayError;
use meshreplay_sim::metrics::{FinishedJob, Monitor};

/// An error that occurs while a result is kept.
pub type KeepError = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a replay has no result.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The replay has no jobs.
    #[error(transparent)]
    LoadJobsError(#[from] LoadJobsError),
    /// The replay failed.
    #[error(transparent)]
    Replay(#[from] RunError),
    /// The result could not be kept.
    #[error(transparent)]
    Keep(KeepError),
    /// The program panicked, which is a bug.
    #[error("{0}")]
    Panic(String),
    /// The replay was asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Keeps the outcomes of the replay at a position of the study, and returns the value that [`sweep`] passes
/// on in [`Progress::Ended`]. Called from the thread that ran the replay.
pub type Keep<'a, T> = dyn Fn(usize, Vec<Outcome>) -> Result<T, KeepError> + Sync + 'a;

/// Receives finished jobs of the replay at a position of the study while it runs, with the seed of the
/// replication and the names behind the numbers of the jobs. They come in the order of the log, and are not
/// in the outcome. Called from a thread of the replay.
pub type TakeCellRows<'a> =
    dyn Fn(usize, u64, &LogNames, Vec<FinishedJob>) -> Result<(), KeepError> + Sync + 'a;

/// Progress of a [`sweep`].
#[derive(Debug)]
pub enum Progress<T> {
    /// The replay at this position of the study has ended, with the value of [`Keep`] or the reason why there
    /// is none.
    Ended(usize, Result<T, SweepError>),
    /// A tenth of a second has passed without an end, so that the caller can show the monitors.
    Tick,
}

/// Runs the replays of `study` at the positions `cells` on the threads of `pool`, and passes each outcome to
/// `keep`. Replays begin in the order of `cells`. `tell` is called for each replay after its end, in any
/// order. A replay that fails or panics does not disturb the others.
///
/// Finished jobs of streamed logs go to `rows`. Without `rows` they are kept in memory if the options of the
/// study ask for them.
pub fn sweep<T: Send>(
    study: &Study,
    cells: &[usize],
    pool: &ThreadPool,
    running: &Running,
    keep: &Keep<'_, T>,
    rows: Option<&TakeCellRows<'_>>,
    tell: &mut dyn FnMut(Progress<T>),
) {
    let workloads = Workloads::new(study, cells.iter().copied());
    let sweep = Sweep { study, cells, workloads, running, keep, rows, next: AtomicUsize::new(0) };
    let (sender, receiver) = mpsc::channel();
    // One task per thread, not one per replay: while a rayon thread waits (for example for Parquet's own
    // tasks), it steals any other task, and would start more and more replays before it keeps the result that
    // it has.
    pool.in_place_scope(|scope| {
        for _ in 0..pool.current_num_threads() {
            let (sweep, sender) = (&sweep, sender.clone());
            scope.spawn(move |_| {
                while let Some(ended) = sweep.run_next() {
                    // Sending fails only if the receiver is gone, and then the result is not needed.
                    let _ = sender.send(ended);
                }
            });
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(Duration::from_millis(100)) {
                Ok((cell, ended)) => tell(Progress::Ended(cell, ended)),
                Err(RecvTimeoutError::Timeout) => tell(Progress::Tick),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
}

/// The work queue of a sweep, shared by the threads of its pool.
struct Sweep<'a, T> {
    study: &'a Study,
    cells: &'a [usize],
    workloads: Workloads<'a>,
    running: &'a Running,
    keep: &'a Keep<'a, T>,
    rows: Option<&'a TakeCellRows<'a>>,
    /// Position in `cells` of the next replay.
    next: AtomicUsize,
}

impl<T> Sweep<'_, T> {
    /// Runs the next replay. Returns its position in the study with its result; `None` after the last one.
    fn run_next(&self) -> Option<(usize, Result<T, SweepError>)> {
        let &cell = self.cells.get(self.next.fetch_add(1, Ordering::Relaxed))?;
        self.running.set(cell, State::Running);
        let ended = catch_unwind(AssertUnwindSafe(|| self.run(cell)))
            .unwrap_or_else(|panic| Err(SweepError::Panic(message(panic.as_ref()))));
        self.workloads.release(cell);
        self.running.set(cell, State::Ended);
        Some((cell, ended))
    }

    /// Runs one replay from its jobs to its kept result.
    fn run(&self, cell: usize) -> Result<T, SweepError> {
        if self.running.is_stopped() {
            return Err(SweepError::Interrupted);
        }
        let replay = self.workloads.replay(cell)?;
        let names = replay.source.names();
        let take = self.rows.map(|rows| {
            let names = &names;
            move |seed, jobs| rows(cell, seed, names, jobs).map_err(|error| with_causes(error.as_ref()))
        });
        let take = take.as_ref().map(|take| take as TakeRows<'_>);
        let ran = replay.run_into(&self.study.options, self.running.monitor(cell), take);
        let outcomes = ran.map_err(|error| match error {
            RunError::Replay(ReplayError::Interrupted) | RunError::Jobs(JobsError::Interrupted) => {
                SweepError::Interrupted
            }
            error => error.into(),
        })?;
        (self.keep)(cell, outcomes).map_err(SweepError::Keep)
    }
}

/// Returns the message of an error and of its causes.
fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", text.unwrap_or_else(|| "for an unknown reason".to_owned()))
}

/// The state of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The replay has not begun.
    Waiting,
    /// The replay is running.
    Running,
    /// The replay has ended, with a result or with an error.
    Ended,
}

/// The monitors and states of all replays of a study, and the switch that stops them all.
#[derive(Debug)]
pub struct Running {
    monitors: Vec<Monitor>,
    states: Mutex<Vec<State>>,
    stopped: AtomicBool,
}

impl Running {
    /// The state of `cells` waiting replays.
    pub fn new(cells: usize) -> Self {
        Self {
            monitors: (0..cells).map(|_| Monitor::default()).collect(),
            states: Mutex::new(vec![State::Waiting; cells]),
            stopped: AtomicBool::new(false),
        }
    }

    /// Returns the monitor of the replay at position `cell`.
    pub fn monitor(&self, cell: usize) -> &Monitor {
        &self.monitors[cell]
    }

    fn states(&self) -> MutexGuard<'_, Vec<State>> {
        // Changes of the list are atomic.
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the state of the replay at position `cell`.
    pub fn set(&self, cell: usize, state: State) {
        self.states()[cell] = state;
    }

    /// Returns the state of the replay at position `cell`.
    pub fn state(&self, cell: usize) -> State {
        self.states()[cell]
    }

    /// Stops the running replays, and keeps the others from beginning.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.monitors.iter().for_each(|monitor| monitor.stop.throw());
    }

    /// Returns whether [`Running::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
