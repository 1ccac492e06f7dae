//! Frames with many rows per replication, each in its own file next to the summary.

pub(super) mod downtimes;
mod fragmentation;
mod latency;
mod shapes;
pub(super) mod tidy;

use std::ops::Range;

use polars_core::prelude::DataFrame;

use super::column::Field;
use super::{FrameError, jobs};
use meshreplay_sim::metrics::{ColumnInfo, Has, Needs};
use meshreplay_study::study::{JOBS_AT_ONCE, Outcome, ReplaySpec};

/// The input of a detail frame: one replication of a replay.
#[derive(Clone, Copy)]
pub(super) struct Replicate<'a> {
    /// The number of the replay.
    pub(super) replay: u32,
    pub(super) spec: &'a ReplaySpec,
    pub(super) outcome: &'a Outcome,
    pub(super) has: Has,
}

/// A frame of details: a row of [`DETAILS`].
#[derive(Debug)]
pub(super) struct Detail {
    /// The name of the frame, which is also the stem of its files.
    pub(super) name: &'static str,
    /// What one row of the frame stands for.
    pub(super) rows: &'static str,
    /// The requirement of the frame.
    pub(super) needs: Needs,
    /// Whether each cell of a study keeps it in a file. Otherwise a study has one file for all cells.
    pub(super) is_of_cells: bool,
    /// Returns the descriptions of its columns.
    pub(super) columns: fn() -> Vec<ColumnInfo>,
    /// Builds the rows of a replication: of the jobs in the range if a row stands for a job, otherwise all.
    pub(super) build: fn(Replicate<'_>, Range<usize>) -> Result<DataFrame, FrameError>,
    /// Whether a row stands for a job. Files of such frames are written in parts.
    pub(super) is_of_jobs: bool,
}

/// Every frame of details. The files of a cell are written from the last row of this table to the first: once
/// the jobs of a cell exist, its other details do too.
pub(super) static DETAILS: &[Detail] = &[
    Detail {
        name: "jobs",
        rows: "one per job of a replay, in the order of the log, or of submission if arrivals are drawn anew",
        needs: Needs::Nothing,
        is_of_cells: true,
        columns: || described(&jobs::fields()),
        build: jobs::rows,
        is_of_jobs: true,
    },
    downtimes::DETAIL,
    fragmentation::DETAIL,
    latency::DETAIL,
    shapes::DETAIL,
    tidy::DETAIL,
];

impl Detail {
    /// Returns whether results of such replays have the frame, provided that they have details.
    pub(super) fn is_in(&self, has: Has) -> bool {
        has.has(self.needs)
    }

    /// Returns all rows of one replication.
    pub(super) fn whole(&self, replicate: Replicate<'_>) -> Result<DataFrame, FrameError> {
        (self.build)(replicate, 0..replicate.outcome.jobs.len())
    }

    /// Passes the rows of one replication to `take`, at most [`JOBS_AT_ONCE`] jobs at a time if a row stands
    /// for a job.
    pub(super) fn in_parts(
        &self,
        replicate: Replicate<'_>,
        take: &mut dyn FnMut(DataFrame) -> Result<(), FrameError>,
    ) -> Result<(), FrameError> {
        let jobs = replicate.outcome.jobs.len();
        let most = if self.is_of_jobs { JOBS_AT_ONCE } else { jobs.max(1) };
        let mut start = 0;
        loop {
            let end = (start + most).min(jobs);
            take((self.build)(replicate, start..end)?)?;
            if end == jobs {
                return Ok(());
            }
            start = end;
        }
    }
}

/// Returns the descriptions of the columns that these fields compute.
fn described<R>(fields: &[Field<R>]) -> Vec<ColumnInfo> {
    fields.iter().map(|field| field.column).collect()
}
