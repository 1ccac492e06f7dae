//! The fold over the finished jobs of a running replay: sums, the jobs themselves if a result needs all of
//! them at once, and rows that are written while the replay runs.

use std::sync::mpsc::SyncSender;

use super::RunError;
use super::opening::Completion;
use crate::study::source::Ranks;
use meshreplay_base::disk::Scratch;
use meshreplay_base::job::{Job, Time};
use meshreplay_machine::machine::Mesh;
use meshreplay_sim::engine::ReplayError;
use meshreplay_sim::execution::Traffic;
use meshreplay_sim::metrics::{
    BATCH, FinishedJob, Has, Meter, PartSums, Recording, ReplayTotals, RunningSums, Summary, Trim, WhyShares,
};

/// Jobs per part of rows. It is also the number of rows in a part of a file of jobs in memory, so that both
/// files are the same.
pub const JOBS_AT_ONCE: usize = 1 << 17;
const _: () = assert!(JOBS_AT_ONCE.is_multiple_of(BATCH));

/// Receives the finished jobs of the replication with this seed, in the order of the log, [`JOBS_AT_ONCE`] at
/// a time, and the rest at the end. The error is in words.
pub(in crate::study) type TakeRows<'a> = &'a (dyn Fn(u64, Vec<FinishedJob>) -> Result<(), String> + Sync);

/// Facts about a replay before its first job ends.
pub(super) struct ReplayContext<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) trim: Trim,
    /// What the replay measures.
    pub(super) has: Has,
    /// The jobs as in the log, of which some run when the period begins; empty for a stream, which has none.
    pub(super) listed: &'a [Job],
    /// Replayed jobs.
    pub(super) jobs: u64,
    /// Records of the log that are not replayed.
    pub(super) skipped: u64,
    /// Skipped jobs that the allocator cannot place even on the idle machine.
    pub(super) never_fit: u64,
    /// First arrival of a replayed job.
    pub(super) first_arrival: Time,
    /// The shares of recorded waits on the smallest machine, if the size of the machine is not known.
    pub(super) why_of_peak: Option<WhyShares>,
    /// Whether finished jobs stay in memory until the end: for the outcome, or because the jobs in means and
    /// their order of arrival are unknown before.
    pub(super) keeps_jobs: bool,
    /// The positions in the order of arrival; `None` if that is the order of the log, or if jobs are kept.
    pub(super) ranks: Option<&'a Ranks>,
}

impl ReplayContext<'_> {
    /// Returns the numbers of the replay and the sums over parts of its log.
    pub(super) fn finish(
        &self,
        sums: RunningSums,
        recording: &Recording,
        traffic: Option<&Traffic>,
        wall_s: f64,
    ) -> Result<(Summary, PartSums), RunError> {
        let Self { mesh, trim, skipped, never_fit, .. } = *self;
        let kept = sums.finish(&ReplayTotals { recording, traffic, mesh, trim, skipped, never_fit, wall_s });
        kept.map_err(|error| unkept(&error).into())
    }
}

/// The results of a fold.
pub(super) struct Folded {
    pub(super) sums: RunningSums,
    /// All jobs, if they are kept.
    pub(super) jobs: Vec<FinishedJob>,
}

/// The fold of one replication.
pub(super) struct Fold<'a> {
    context: &'a ReplayContext<'a>,
    meter: Meter,
    sums: RunningSums,
    completion: Completion<'a>,
    /// The jobs that are kept, or the next rows.
    jobs: Vec<FinishedJob>,
    /// The receiver of rows; `None` without one.
    rows: Option<SyncSender<Vec<FinishedJob>>>,
}

impl<'a> Fold<'a> {
    /// Creates the fold before the first job. Rows go to `rows`.
    pub(super) fn new(context: &'a ReplayContext<'a>, rows: Option<SyncSender<Vec<FinishedJob>>>) -> Self {
        let ReplayContext { mesh, has, jobs, keeps_jobs, .. } = *context;
        Self {
            context,
            meter: Meter::new(mesh),
            sums: RunningSums::new(mesh, has, jobs as usize),
            completion: Completion::new(context.trim.period, context.listed),
            jobs: Vec::with_capacity(if keeps_jobs { jobs as usize } else { 0 }),
            rows,
        }
    }

    /// Measures jobs, the next ones in the order of the log, and adds them to the sums unless all jobs are
    /// kept. Takes the jobs that are kept or become rows out of the batch. Fails if the rows cannot be kept.
    pub(super) fn take(&mut self, batch: &mut Vec<FinishedJob>) -> Result<(), String> {
        for job in batch.iter_mut() {
            job.measures.measure(&mut self.meter);
            self.completion.complete(job);
        }
        if !self.context.keeps_jobs {
            let first = self.sums.jobs() as usize;
            let ranks = self.context.ranks.map(|ranks| ranks.take(first, batch.len()));
            self.sums.add(batch, ranks.as_deref());
        }
        if self.context.keeps_jobs || self.rows.is_some() {
            self.jobs.extend(batch.drain(..).map(FinishedJob::without_held));
        }
        // Parts are whole multiples of batches.
        if self.rows.is_some() && self.jobs.len() == JOBS_AT_ONCE { self.pass_on() } else { Ok(()) }
    }

    /// Returns the sums of all jobs, and the jobs if they are kept. Fails if the rows cannot be kept.
    pub(super) fn finish(mut self) -> Result<Folded, String> {
        self.pass_on()?;
        let Self { context, sums, jobs, .. } = self;
        let ReplayContext { mesh, has, trim, keeps_jobs, .. } = context;
        let sums = if *keeps_jobs { RunningSums::from_jobs(mesh, *has, &jobs, *trim) } else { sums };
        Ok(Folded { sums, jobs })
    }

    /// Passes on the next rows, if there are any.
    fn pass_on(&mut self) -> Result<(), String> {
        match &self.rows {
            Some(rows) if !self.jobs.is_empty() => rows
                .send(std::mem::take(&mut self.jobs))
                .map_err(|_| "the rows of jobs cannot be kept".to_owned()),
            _ => Ok(()),
        }
    }
}

/// The error that the temporary file for variances cannot be kept.
fn unkept(error: &std::io::Error) -> ReplayError {
    ReplayError::Failed(format!(
        "a temporary file of 8 bytes for each job cannot be kept in {}: {error}; make room there, or set \
         TMPDIR to another directory",
        Scratch::folder().display()
    ))
}
