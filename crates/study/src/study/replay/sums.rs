//! Sums over the finished jobs of a running replay, which arrive in batches and are passed on as rows.

use std::sync::mpsc::{Receiver, SyncSender};

use super::RunError;
use crate::study::source::Ranks;
use meshreplay_base::job::{Job, Time};
use meshreplay_machine::machine::Mesh;
use meshreplay_sim::engine::{Record, ReplayError};
use meshreplay_sim::metrics::{
    Finished, FinishedJobs, Meter, PartSums, Recording, RunningSums, Summary, Trim,
};

/// Jobs per part of rows. It is also the number of rows in a part of a file of jobs in memory, so that both
/// files are the same.
pub const JOBS_AT_ONCE: usize = 1 << 17;

/// Receives the finished jobs of the replication with this seed, in the order of the log, [`JOBS_AT_ONCE`] at
/// a time, and the rest at the end. The error is in words.
pub(in crate::study) type TakeRows<'a> = &'a (dyn Fn(u64, FinishedJobs) -> Result<(), String> + Sync);

/// Facts about a replay that sums need before its first job ends.
pub(super) struct ReplayContext<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) trim: Trim,
    /// Replayed jobs.
    pub(super) jobs: u64,
    /// Records of the log that are not replayed.
    pub(super) skipped: u64,
    /// Skipped jobs that the allocator cannot place even on the idle machine.
    pub(super) never_fit: u64,
    /// First arrival of a replayed job.
    pub(super) first_arrival: Time,
}

impl ReplayContext<'_> {
    /// Returns a part of the replay: jobs, with their records and measurements.
    fn part<'r>(&'r self, jobs: &'r [Job], records: &'r [Record], recording: &'r Recording) -> Finished<'r> {
        let Self { mesh, trim, skipped, never_fit, .. } = *self;
        let (traffic, is_predicted, wall_s) = (None, false, 0.0);
        Finished { jobs, records, recording, traffic, mesh, trim, is_predicted, skipped, never_fit, wall_s }
    }

    /// Returns the numbers of the replay and the sums over parts of its log. `recording` has the measurements
    /// that do not belong to single jobs.
    pub(super) fn finish(
        &self,
        sums: RunningSums,
        recording: &Recording,
        wall_s: f64,
    ) -> Result<(Summary, PartSums), RunError> {
        let kept = sums.finish(&Finished { wall_s, ..self.part(&[], &[], recording) });
        kept.map_err(|error| unkept(&error).into())
    }

    /// Measures finished jobs, sums them up and passes them on to `to_rows`, [`JOBS_AT_ONCE`] at a time.
    /// `ranks` are the positions in the order of arrival; `None` if that is the order of the log. Cleared
    /// batches go back to `cleared` for reuse. Returns the sums of all jobs, or the reason why they cannot be
    /// kept.
    pub(super) fn sum_up(
        &self,
        left: Receiver<FinishedJobs>,
        ranks: Option<&Ranks>,
        to_rows: Option<SyncSender<FinishedJobs>>,
        cleared: SyncSender<FinishedJobs>,
    ) -> Result<RunningSums, String> {
        let mut meter = Meter::new(self.mesh);
        let mut rows = RowBuffer { part: FinishedJobs::default(), to: to_rows, cleared };
        let mut sums = RunningSums::new(&self.part(&[], &[], &Recording::default()), self.jobs as usize);
        for mut part in left {
            part.measure(&mut meter);
            let ranks = ranks.map(|ranks| ranks.take(sums.jobs() as usize, part.jobs.len()));
            sums.add(&self.part(&part.jobs, &part.records, &part.recording), ranks.as_deref());
            rows.add(part)?;
        }
        rows.pass_on()?;
        Ok(sums)
    }
}

/// Rows that are passed on together.
struct RowBuffer {
    part: FinishedJobs,
    /// The receiver; `None` without one.
    to: Option<SyncSender<FinishedJobs>>,
    /// Receives cleared batches for reuse.
    cleared: SyncSender<FinishedJobs>,
}

impl RowBuffer {
    /// Adds jobs, and passes all on when a part is full. Parts are whole multiples of batches.
    fn add(&mut self, mut part: FinishedJobs) -> Result<(), String> {
        if self.to.is_some() {
            self.part.append(&mut part);
        }
        part.clear();
        // Freed if the engine's thread does not need it.
        let _ = self.cleared.try_send(part);
        if self.part.jobs.len() == JOBS_AT_ONCE { self.pass_on() } else { Ok(()) }
    }

    /// Passes on the collected jobs, if there are any.
    fn pass_on(&mut self) -> Result<(), String> {
        let part = std::mem::take(&mut self.part);
        match &self.to {
            Some(to) if !part.jobs.is_empty() => {
                to.send(part).map_err(|_| "the rows of jobs cannot be kept".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// The error that the temporary file for variances cannot be kept.
pub(super) fn unkept(error: &std::io::Error) -> ReplayError {
    ReplayError::Failed(format!(
        "a temporary file of 8 bytes for each job cannot be kept: {error}; make room where temporary files \
         are, or set TMPDIR to another directory"
    ))
}
