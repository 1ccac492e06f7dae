//! Runs replays of a study on threads, with progress, notes, errors and interrupts on standard error.

pub(super) mod options;
mod progress;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;

use self::progress::Progress;
pub(super) use self::progress::{counted, drawing, reading, writing};
use super::interrupt::{self, GRACE, Saving};
use super::{Failure, complain};
use crate::frame::{FileFormat, StudyFolder};
use crate::study::{self, Keep, Outcome, Progress as News, Running, Study, SweepError, TakeCellRows};
use crate::text::command_line;
use crate::words;

/// Thread pool for replays, with a brake for interrupts.
pub(super) struct Runner {
    pool: rayon::ThreadPool,
    brake: Arc<Brake>,
    quiet: bool,
}

/// Stops replays on an interrupt.
#[derive(Default)]
struct Brake {
    is_pulled: AtomicBool,
    /// The replays that run now; `None` if none do.
    running: Mutex<Option<Arc<Running>>>,
}

impl Brake {
    fn running(&self) -> MutexGuard<'_, Option<Arc<Running>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops the replays that run, and all later ones.
    fn pull(&self) {
        self.is_pulled.store(true, Ordering::SeqCst);
        if let Some(running) = &*self.running() {
            running.stop();
        }
    }

    /// Registers replays that are about to run. If the brake has been pulled, they are stopped.
    fn guard(&self, running: &Arc<Running>) {
        *self.running() = Some(Arc::clone(running));
        if self.is_pulled.load(Ordering::SeqCst) {
            running.stop();
        }
    }
}

/// Size of results, in bytes, that needs `--large`.
const MANY_BYTES: u64 = 10_000_000_000;

/// Fails if the results of these replays of a study, as files of this format, would take [`MANY_BYTES`] or
/// more, unless `is_large`.
pub(super) fn check_room(
    study: &Study,
    cells: &[usize],
    format: FileFormat,
    is_large: bool,
) -> Result<(), Failure> {
    let bytes = study.kept_bytes(cells, format.job_bytes());
    if is_large || bytes < MANY_BYTES {
        return Ok(());
    }
    let gigabytes = bytes / 1_000_000_000;
    let smaller = if format == FileFormat::Parquet { "" } else { " keep them as Parquet files," };
    Err(anyhow::anyhow!(
        "the results of {} would take about {gigabytes} GB as {} files; give --large to begin all the \
         same,{smaller} keep no jobs or no placements, or make the study smaller",
        words::counted(cells.len(), "replay"),
        format.extension()
    )
    .into())
}

/// The numbers of replays that have finished and failed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// The number of replays that finished.
    pub(super) finished: usize,
    /// The number of replays that failed.
    pub(super) failed: usize,
}

/// Receives the result of each replay on one thread. `T` is the part of a result that the replaying thread
/// hands over.
pub(super) trait ResultSink<T> {
    /// Takes the result of replay `number`, or its error. Returns lines for standard error.
    fn ended(&mut self, number: usize, ended: Result<T, SweepError>) -> Vec<String>;

    /// Returns whether no further result can be kept, so that the remaining replays can stop.
    fn is_lost(&self) -> bool;

    /// Keeps the finished results, because the process ends while replays still run. Returns the last
    /// message.
    fn abandon(&mut self, tally: Tally) -> String;
}

impl Runner {
    /// Returns a runner that listens to interrupts. Without `threads` it has one thread per core, in any case
    /// at most `most`.
    pub(super) fn new(threads: Option<NonZeroUsize>, most: usize, quiet: bool) -> Result<Self, Failure> {
        let brake = Arc::new(Brake::default());
        let pulled = Arc::clone(&brake);
        interrupt::stops_with(move || pulled.pull());
        Ok(Self { pool: pool(threads, most)?, brake, quiet })
    }

    /// Returns a runner with one thread. An interrupt stops both runners.
    pub(super) fn with_one_thread(&self) -> Result<Self, Failure> {
        Ok(Self { pool: pool(None, 1)?, brake: Arc::clone(&self.brake), quiet: self.quiet })
    }

    /// Returns whether an interrupt has come.
    pub(super) fn is_interrupted(&self) -> bool {
        self.brake.is_pulled.load(Ordering::SeqCst)
    }

    /// Runs the replays of `study` with the numbers `cells`. Jobs that leave a replay while it runs go to
    /// `rows`, if it is given. Returns how many finished and failed.
    pub(super) fn run<T: Send>(
        &self,
        study: &Study,
        cells: &[usize],
        keep: &Keep<'_, T>,
        rows: Option<&TakeCellRows<'_>>,
        results: &mut dyn ResultSink<T>,
    ) -> Tally {
        let running = Arc::new(Running::new(study.cells.len()));
        self.brake.guard(&running);
        let mut progress = Progress::new(self.quiet, study, cells);
        let mut tally = Tally::default();
        study::sweep(study, cells, &self.pool, &running, keep, rows, &mut |news| {
            match news {
                News::Tick if interrupt::age().is_some_and(|age| age > GRACE) => {
                    progress.finish();
                    // Some replays are in the middle of a step that cannot be stopped; do not wait for them.
                    let saving = Saving::begin();
                    saving.end(&results.abandon(tally));
                }
                News::Tick => progress.update(&running),
                News::Ended(_, Err(SweepError::Interrupted)) => {}
                News::Ended(number, ended) => {
                    *(if ended.is_ok() { &mut tally.finished } else { &mut tally.failed }) += 1;
                    let _saving = Saving::begin();
                    let lines = progress.while_writing(number, || results.ended(number, ended));
                    progress.above(|| lines.iter().for_each(|line| complain(line)));
                    if results.is_lost() {
                        running.stop();
                    }
                }
            }
        });
        progress.finish();
        tally
    }

    /// Runs the replays of `study` with the numbers `cells` and keeps their results in `folder`. For each
    /// failed replay it prints the error and the command that repeats the replay.
    pub(super) fn run_into(&self, folder: &StudyFolder, study: &Study, cells: &[usize]) -> Tally {
        let keep = |number: usize, outcomes: Vec<Outcome>| {
            let _saving = Saving::begin();
            Ok(folder.keep(&study.cells[number], &outcomes, &study.options, study.has)?)
        };
        let mut results = InFolder { folder, study, cells: cells.len(), is_lost: false };
        self.run(study, cells, &keep, None, &mut results)
    }
}

/// Results that the threads keep in the directory of a study.
struct InFolder<'a> {
    folder: &'a StudyFolder,
    study: &'a Study,
    /// The number of cells to replay.
    cells: usize,
    is_lost: bool,
}

impl ResultSink<()> for InFolder<'_> {
    fn ended(&mut self, number: usize, ended: Result<(), SweepError>) -> Vec<String> {
        let Err(error) = ended else { return Vec::new() };
        // If one result cannot be written, the others cannot either.
        let is_unkept = matches!(error, SweepError::Keep(_));
        let command = command_line(self.study.command(number));
        let (label, error) = (self.study.cells[number].spec.label(), anyhow::Error::from(error));
        let text = format!("error: {label}: {error:#}\n  rerun: {command}");
        if !is_unkept {
            // The failure is kept for `sweep --status`. An error here is ignored, because the same text is
            // printed.
            let _ = self.folder.keep_failure(&self.study.cells[number].key, &text);
        }
        self.is_lost |= is_unkept;
        vec![text]
    }

    fn is_lost(&self) -> bool {
        self.is_lost
    }

    fn abandon(&mut self, tally: Tally) -> String {
        tally.interrupted(self.cells)
    }
}

impl Tally {
    /// Returns the message about an interrupt among `cells` replays of a study.
    pub(super) fn interrupted(self, cells: usize) -> String {
        let finished = self.finished;
        format!(
            "interrupted: {finished} of {} finished and are kept; the same command goes on from there",
            words::counted(cells, "cell")
        )
    }
}

/// Returns a pool of threads. Without `threads` it has one per core, in any case at most `most`, because more
/// would be idle.
fn pool(threads: Option<NonZeroUsize>, most: usize) -> Result<rayon::ThreadPool, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.map_or(cores, usize::from).min(most.max(1));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.context("cannot start threads")?)
}
