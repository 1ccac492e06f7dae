//! Runs cells of a study into its directory, with progress, errors and interrupts on standard error.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

use super::interrupt::{GRACE, Saving};
use super::progress::{Line, Progress};
use super::{Failure, complain, interrupt};
use crate::allocator;
use crate::frame::StudyFolder;
use crate::study::{
    self, Manifest, Outcome, PlannedReplay, Progress as News, Replay, Running, Study, SweepError,
};
use crate::text::command_line;

/// The threads that cells run on, and the switch that an interrupt throws.
pub(super) struct Runner {
    pool: rayon::ThreadPool,
    interrupted: Arc<AtomicBool>,
    quiet: bool,
}

/// How cells have ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) finished: usize,
    pub(super) failed: usize,
}

impl Tally {
    /// What to say of an interrupt among `cells` cells.
    pub(super) fn interrupted(self, cells: usize) -> String {
        let finished = self.finished;
        format!(
            "interrupted: {finished} of {cells} cells finished and are kept; the same command goes on from there"
        )
    }
}

impl Runner {
    /// Starts threads, as many as there are cores unless it is said, and listens to interrupts.
    pub(super) fn new(threads: Option<NonZeroUsize>, quiet: bool) -> Result<Self, Failure> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let switch = Arc::clone(&interrupted);
        interrupt::stops_with(move || switch.store(true, Ordering::Relaxed));
        Ok(Self { pool: pool(threads)?, interrupted, quiet })
    }

    /// The same with other threads; an interrupt stops both.
    pub(super) fn with_threads(&self, threads: Option<NonZeroUsize>) -> Result<Self, Failure> {
        let interrupted = Arc::clone(&self.interrupted);
        Ok(Self { pool: pool(threads)?, interrupted, quiet: self.quiet })
    }

    /// Whether somebody asked to stop.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Replays the cells of `study` that `cells` names and keeps their results in `folder`. Cells that fail are reported
    /// with the command that replays them.
    pub(super) fn run(
        &self,
        study: &Study,
        manifest: &Manifest,
        folder: &StudyFolder,
        cells: &[usize],
    ) -> Tally {
        let running = Running::new(study.cells.len());
        let line = |&number: &usize| {
            let PlannedReplay { spec, jobs, .. } = &study.cells[number];
            let name = format!("{} {} {}", spec.log, spec.machine, allocator::short(&spec.allocator));
            let least = u64::from(study.options.replications.least());
            Line { number, name, jobs: jobs * least }
        };
        let mut progress = Progress::new(self.quiet, cells.iter().map(line));
        let keep = |number: usize, replay: &Replay, outcomes: &[Outcome]| {
            let _saving = Saving::begin();
            Ok(folder.keep(
                &manifest.cells[number],
                (&replay.spec, outcomes),
                &study.options,
                study.options.jobs,
            )?)
        };
        let mut tally = Tally::default();
        study::sweep(study, cells, &self.pool, &running, &keep, &mut |news| {
            if self.is_interrupted() {
                running.stop();
            }
            match news {
                News::Tick if interrupt::age().is_some_and(|age| age > GRACE) => {
                    progress.finish();
                    interrupt::end_when_saved(&tally.interrupted(cells.len()));
                }
                News::Tick => progress.update(&running),
                News::Finished(_) => tally.finished += 1,
                News::Failed(_, SweepError::Interrupted) => {}
                News::Failed(number, error) => {
                    tally.failed += 1;
                    let is_unkept = matches!(error, SweepError::Keep(_));
                    let command = command_line(study.command(number));
                    let text = format!("error: {}: {:#}", study.label(number), anyhow::Error::from(error));
                    let text = format!("{text}\n  rerun: {command}");
                    if is_unkept {
                        // Where one result cannot be written, the others will not be either.
                        running.stop();
                    } else {
                        // It is for `sweep --status`, and what it says is said here too.
                        let _ = folder.keep_failure(&manifest.cells[number].key, &text);
                    }
                    progress.above(|| complain(&text));
                }
            }
        });
        progress.finish();
        tally
    }
}

fn pool(threads: Option<NonZeroUsize>) -> Result<rayon::ThreadPool, Failure> {
    let threads = threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.context("cannot start threads")?)
}
