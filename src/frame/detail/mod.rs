//! Frames with many rows per replication, each in a file of its own beside the summary.

pub(super) mod downtimes;
mod fragmentation;
mod shapes;
pub(super) mod tidy;

use polars_core::prelude::DataFrame;

use super::column::{Field, has};
use super::{FrameError, jobs};
use crate::metrics::{ColumnInfo, When};
use crate::study::{Options, Outcome, ReplaySpec};

/// A frame of details: a row of [`DETAILS`].
#[derive(Debug)]
pub(super) struct Detail {
    /// The name of the frame, which is also the stem of its files.
    pub(super) name: &'static str,
    /// What one row of the frame stands for.
    pub(super) rows: &'static str,
    /// Which results have the frame.
    pub(super) when: When,
    /// Whether each cell of a study keeps it in a file. Otherwise a study has one file for all cells.
    pub(super) is_of_cells: bool,
    /// Returns the descriptions of its columns.
    pub(super) columns: fn() -> Vec<ColumnInfo>,
    /// Returns the rows of one replication of the replay with this number and spec.
    pub(super) of: fn(u32, &ReplaySpec, &Outcome, &Options) -> Result<DataFrame, FrameError>,
}

/// Every frame of details. The files of a study's cell are written in this order from the last to the first, so that a
/// process that sees the jobs of a cell may rely on its other details.
pub(super) static DETAILS: [Detail; 5] = [
    Detail {
        name: "jobs",
        rows: "one per job of a replay, in the order of the log",
        when: When::Always,
        is_of_cells: true,
        columns: || described(&jobs::fields()),
        of: |replay, _, outcome, options| jobs(replay, outcome, options),
    },
    downtimes::DETAIL,
    fragmentation::DETAIL,
    shapes::DETAIL,
    tidy::DETAIL,
];

impl Detail {
    /// Returns whether results with these options have the frame, if they have details at all.
    pub(super) fn is_in(&self, options: &Options) -> bool {
        has(options, self.when)
    }
}

/// Returns the descriptions of the columns that these fields compute.
fn described<R>(fields: &[Field<R>]) -> Vec<ColumnInfo> {
    fields.iter().map(|field| field.column).collect()
}
