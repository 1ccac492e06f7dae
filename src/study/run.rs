//! Runs the replays of a study in parallel. Each replay goes from its log to its kept result on one thread, and a
//! replay that fails does not disturb the others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use rayon::ThreadPool;

use super::jobs::JobsError;
use super::planned::Study;
use super::replay::{Outcome, RunError, TakeRows};
use super::running::Running;
use super::shared_jobs::{LoadJobsError, Workloads};
use crate::engine::ReplayError;
use crate::metrics::LeftJobs;
use crate::trace::LogNames;

/// Any error that occurs while a result is kept.
pub type KeepError = Box<dyn std::error::Error + Send + Sync>;

/// A function that keeps the outcomes of the replay at a position of the study, and returns the news that [`sweep`]
/// passes on in [`Progress::Ended`]. It is called from the thread that ran the replay.
pub type Keep<'a, T> = dyn Fn(usize, Vec<Outcome>) -> Result<T, KeepError> + Sync + 'a;

/// A function that takes jobs that have left the replay at a position of the study while it runs, with the seed of the
/// replication and the names behind the numbers of the jobs. They come in the order of the log, and never again in the
/// outcome. It is called from a thread of the replay.
pub type Rows<'a> = dyn Fn(usize, u64, &LogNames, LeftJobs) -> Result<(), KeepError> + Sync + 'a;

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
    /// The program panicked, which is a defect of the program.
    #[error("{0}")]
    Panic(String),
    /// The replay was asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// The news that the caller of [`sweep`] receives while it waits.
#[derive(Debug)]
pub enum Progress<T> {
    /// The replay at this position of the study has ended. The result is what [`Keep`] returned, or the reason why
    /// there is none.
    Ended(usize, Result<T, SweepError>),
    /// A tenth of a second has passed without news, so that the caller can show the monitors.
    Tick,
}

/// Runs the replays of `study` at the positions `cells` on the threads of `pool`, and passes each outcome to `keep`.
/// Replays begin in the order of `cells`. `tell` is called for each replay as it ends, in any order. A replay that
/// fails or panics does not disturb the others.
pub fn sweep<T: Send>(
    study: &Study,
    cells: &[usize],
    pool: &ThreadPool,
    running: &Running,
    keep: &Keep<'_, T>,
    tell: &mut dyn FnMut(Progress<T>),
) {
    sweep_into(study, cells, pool, running, (keep, None), tell);
}

/// Runs replays as [`sweep`] does. Where jobs are read while a replay runs, those that leave it go to `rows`. Without `rows`
/// they are kept in memory if the options of the study ask for them.
pub fn sweep_into<T: Send>(
    study: &Study,
    cells: &[usize],
    pool: &ThreadPool,
    running: &Running,
    (keep, rows): (&Keep<'_, T>, Option<&Rows<'_>>),
    tell: &mut dyn FnMut(Progress<T>),
) {
    let workloads = Workloads::new(study, cells.iter().copied());
    run_all(pool, running, cells, &|number| one(study, &workloads, number, running, (keep, rows)), tell);
}

/// Calls `work` for each of `cells` on the threads of `pool`, and `tell` on the calling thread.
fn run_all<T: Send>(
    pool: &ThreadPool,
    running: &Running,
    cells: &[usize],
    work: &(dyn Fn(usize) -> Result<T, SweepError> + Sync),
    tell: &mut dyn FnMut(Progress<T>),
) {
    let (sender, receiver) = mpsc::channel();
    let next = AtomicUsize::new(0);
    // There is one task per thread and not one per replay. A thread of rayon that waits (for example for Parquet's own
    // tasks) begins any other task that it finds. With one task per replay it would start more and more replays before
    // it keeps the result that it has.
    let drain = |sender: mpsc::Sender<_>| {
        while let Some(&cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
            running.begin(cell);
            let ended = catch_unwind(AssertUnwindSafe(|| work(cell)));
            running.end(cell);
            let ended = ended.unwrap_or_else(|panic| Err(SweepError::Panic(message(panic.as_ref()))));
            // Sending fails only if the receiver is gone. Then no one waits for this result any more.
            let _ = sender.send((cell, ended));
        }
    };
    pool.in_place_scope(|scope| {
        for _ in 0..pool.current_num_threads() {
            let (sender, drain) = (sender.clone(), &drain);
            scope.spawn(move |_| drain(sender));
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

/// Returns the message of a panic.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", text.unwrap_or_else(|| "for an unknown reason".to_owned()))
}

/// Releases the jobs of a replay when it is dropped, also if the replay panics.
struct Released<'a>(&'a Workloads<'a>, usize);

impl Drop for Released<'_> {
    fn drop(&mut self) {
        self.0.release(self.1);
    }
}

/// Runs one replay from its jobs to its kept result.
fn one<T>(
    study: &Study,
    workloads: &Workloads<'_>,
    number: usize,
    running: &Running,
    (keep, rows): (&Keep<'_, T>, Option<&Rows<'_>>),
) -> Result<T, SweepError> {
    let _released = Released(workloads, number);
    if running.is_stopped() {
        return Err(SweepError::Interrupted);
    }
    let replay = workloads.replay(number)?;
    let names = replay.source.names();
    let take = rows.map(|rows| {
        let names = &names;
        move |seed, jobs| rows(number, seed, names, jobs).map_err(|error| with_causes(error.as_ref()))
    });
    let take = take.as_ref().map(|take| take as TakeRows<'_>);
    let outcomes =
        replay.run_into(&study.options, running.monitor(number), take).map_err(|error| match error {
            RunError::Replay(ReplayError::Interrupted) | RunError::Jobs(JobsError::Interrupted) => {
                SweepError::Interrupted
            }
            error => error.into(),
        })?;
    keep(number, outcomes).map_err(SweepError::Keep)
}

/// Returns the message of an error with those of its causes.
fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_only_its_own_replay() -> Result<(), rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
        let mut ended = Vec::new();
        let work = |number: usize| {
            assert!(number != 3, "replay {number} is odd");
            Ok(number * 10)
        };
        run_all(&pool, &Running::new(6), &[0, 1, 2, 3, 4, 5], &work, &mut |news| {
            if let Progress::Ended(number, result) = news {
                ended.push((number, result.map_err(|error| error.to_string())));
            }
        });
        ended.sort_by_key(|(number, _)| *number);
        let expected =
            |number| if number == 3 { Err("panicked: replay 3 is odd".to_owned()) } else { Ok(number * 10) };
        assert_eq!(ended, (0..6).map(|number| (number, expected(number))).collect::<Vec<_>>());
        Ok(())
    }
}
