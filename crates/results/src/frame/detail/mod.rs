//! Frames with many rows per replication, each in its own file next to the summary.

pub(super) mod downtimes;
mod fragmentation;
mod latency;
mod shapes;
mod slices;
pub(super) mod tidy;

use std::ops::Range;

use polars_core::prelude::DataFrame;

use super::column::Value::{Added, U32};
use super::column::{Field, build};
use super::{FrameError, coordinates, frame, jobs};
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

/// When the cells of a study keep a frame of details, each in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InCells {
    /// Never: a study has one file for all cells.
    Never,
    /// With the jobs.
    WithJobs,
    /// Always: it has a few rows per replay.
    Always,
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
    pub(super) in_cells: InCells,
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
        in_cells: InCells::WithJobs,
        columns: || described(&jobs::fields()),
        build: jobs::rows,
        is_of_jobs: true,
    },
    downtimes::DETAIL,
    fragmentation::DETAIL,
    latency::DETAIL,
    shapes::DETAIL,
    slices::DETAIL,
    tidy::DETAIL,
];

impl Detail {
    /// Returns whether results of such replays have the frame, provided that they have details.
    pub(super) fn is_in(&self, has: Has) -> bool {
        has.has(self.needs)
    }

    /// Returns whether results without a directory of their own have the frame: those of cells, and those in
    /// memory. `has_jobs` means that they have details.
    pub(super) fn is_kept(&self, has: Has, has_jobs: bool) -> bool {
        self.is_in(has) && (has_jobs || self.in_cells == InCells::Always)
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

/// Returns the descriptions of the columns of a frame with the coordinates of the replay in each row. The
/// frame exists as a whole or not at all; `needs` is its requirement.
fn described_with_coordinates<R>(numbers: &[Field<R>], needs: Needs) -> Vec<ColumnInfo> {
    let front = [NUMBER.column].into_iter().chain(coordinates::in_front());
    let columns = front.chain(described(numbers)).chain(coordinates::behind()).chain([RUN.column]);
    let when = |column: ColumnInfo| match column.needs {
        Needs::Nothing => ColumnInfo { needs, ..column },
        _ => column,
    };
    columns.map(when).collect()
}

/// Returns the rows of one replication, each with the coordinates of the replay.
fn with_coordinates<R>(
    replicate: Replicate<'_>,
    numbers: &[Field<R>],
    rows: &[R],
) -> Result<DataFrame, FrameError> {
    let Replicate { replay, spec, outcome, has } = replicate;
    let specs = vec![ReplaySpec { seed: outcome.seed, ..spec.clone() }; rows.len()];
    let mut columns = build(&[NUMBER], &vec![replay; rows.len()], has);
    columns.extend(coordinates::front_columns(&specs, has));
    columns.extend(build(numbers, rows, has));
    columns.extend(coordinates::behind_columns(&specs));
    frame(columns)
}

/// The column in front of the coordinates.
const NUMBER: Field<u32> = Field::new("replay", U32(|replay| *replay))
    .meaning("number of the replay; the same in the `summary` frame");

/// The last column.
const RUN: Field<u32> = Field::new("run", Added)
    .meaning("id of the run, a hash of run.json: the same in every file of a run, and in no other");

/// Returns the descriptions of the columns that these fields compute.
fn described<R>(fields: &[Field<R>]) -> Vec<ColumnInfo> {
    fields.iter().map(|field| field.column).collect()
}
