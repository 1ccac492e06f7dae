//! Sums over the finished jobs of a replay, which are measured and passed on as rows, part by part, while the
//! replay runs.

use std::sync::mpsc::{Receiver, SyncSender};

use super::RunError;
use crate::study::source::Ranks;
use meshreplay_base::job::{Job, Time};
use meshreplay_machine::machine::Mesh;
use meshreplay_sim::engine::{Record, ReplayError};
use meshreplay_sim::metrics::{
    BlockSums, Finished, FinishedJobs, Meter, Recording, RunningSums, Summary, Trim,
};

/// The number of jobs whose rows are taken together. It is also the most rows that a part of a file of jobs
/// has, whether jobs are kept in memory or not, so that files are the same.
pub const TOGETHER: usize = 1 << 17;

/// Takes the jobs of the replication with this seed that have left, in the order of the log, as often as
/// there are [`TOGETHER`], and the rest at the end. Fails, in words, if they cannot be kept.
pub(in crate::study) type TakeRows<'a> = &'a (dyn Fn(u64, FinishedJobs) -> Result<(), String> + Sync);

/// The facts about a replay that the sums need before its first job ends.
pub(super) struct ReplayContext<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) trim: Trim,
    /// The number of jobs that are replayed.
    pub(super) jobs: u64,
    /// The number of records of the log that are not.
    pub(super) skipped: u64,
    /// The number of jobs among these for which the allocator finds no nodes even on the idle machine.
    pub(super) never_fit: u64,
    /// The first arrival of a job that is replayed.
    pub(super) first_arrival: Time,
}

impl ReplayContext<'_> {
    /// Returns a part of the replay: these jobs, with their records and what was measured of them.
    fn part<'r>(&'r self, jobs: &'r [Job], records: &'r [Record], recording: &'r Recording) -> Finished<'r> {
        let Self { mesh, trim, skipped, never_fit, .. } = *self;
        let (traffic, is_predicted, wall_s) = (None, false, 0.0);
        Finished { jobs, records, recording, traffic, mesh, trim, is_predicted, skipped, never_fit, wall_s }
    }

    /// Returns the numbers of the replay and the sums over its blocks. `recording` has what was measured of
    /// no single job.
    pub(super) fn finish(
        &self,
        sums: RunningSums,
        recording: &Recording,
        wall_s: f64,
    ) -> Result<(Summary, BlockSums), RunError> {
        let kept = sums.finish(&Finished { wall_s, ..self.part(&[], &[], recording) });
        kept.map_err(|error| unkept(&error).into())
    }

    /// Measures the jobs that leave, adds them to sums and passes them on to `to_rows`, [`TOGETHER`] at a
    /// time. `ranks` has the order in which they arrived; `None` if that is the order of the log. The memory
    /// of parts that were taken goes to `cleared`. Returns the sums of all jobs, or the reason why there are
    /// none.
    pub(super) fn sum_up(
        &self,
        left: Receiver<FinishedJobs>,
        ranks: Option<&Ranks>,
        to_rows: Option<SyncSender<FinishedJobs>>,
        cleared: SyncSender<FinishedJobs>,
    ) -> Result<RunningSums, String> {
        let mut meter = Meter::new(self.mesh);
        let mut rows = Rows { part: FinishedJobs::default(), to: to_rows, cleared };
        let mut sums =
            RunningSums::new(&self.part(&[], &[], &Recording::default()), Some(self.jobs as usize));
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

/// The rows of jobs that are passed on together.
struct Rows {
    part: FinishedJobs,
    /// Where they go; `None` if nobody wants them.
    to: Option<SyncSender<FinishedJobs>>,
    /// Where the memory of parts goes that were taken.
    cleared: SyncSender<FinishedJobs>,
}

impl Rows {
    /// Adds jobs, and passes all on if they are enough. A part that has left together fits in as a whole.
    fn add(&mut self, mut part: FinishedJobs) -> Result<(), String> {
        if self.to.is_some() {
            self.part.append(&mut part);
        }
        part.clear();
        // If the memory is not wanted now, it is given back.
        let _ = self.cleared.try_send(part);
        if self.part.jobs.len() == TOGETHER { self.pass_on() } else { Ok(()) }
    }

    /// Passes on the jobs that were added since the last time. Nothing happens if there are none.
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

/// Returns the error that values for the variance cannot be kept in a temporary file.
fn unkept(error: &std::io::Error) -> ReplayError {
    ReplayError::Failed(format!(
        "a temporary file of 8 bytes for each job cannot be kept: {error}; make room where temporary files \
         are, or set TMPDIR to another directory"
    ))
}
