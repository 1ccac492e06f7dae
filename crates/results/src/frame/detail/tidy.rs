//! The `tidy` frame: the jobs joined with the coordinates of their replay.

use std::ops::Range;

use polars_core::prelude::{Column, DataFrame, Scalar};
use serde_json::Value;

use super::{Detail, InCells, Replicate, described};
use crate::frame::{FrameError, jobs, name, summary};
use meshreplay_sim::metrics::{ColumnInfo, Needs};
use meshreplay_study::study::{Coordinate, ReplaySpec};

/// The name of the frame and of its files.
pub(in crate::frame) const NAME: &str = "tidy";

/// The frame's row in the table of details.
pub(super) const DETAIL: Detail = Detail {
    name: NAME,
    rows: "one per job of a replay, those of the `jobs` frame in the same order",
    needs: Needs::Tidy,
    in_cells: InCells::Never,
    columns,
    build,
    is_of_jobs: true,
};

/// The coordinate that jobs already have.
const IN_JOBS: &str = "seed";

/// The coordinate that shares its name with a column of the jobs, and its name in this frame. The partitions
/// of a replay differ from the partition of a job.
const PARTITION: (&str, &str) = ("partition", "replay_partition");

/// The last coordinates precede this column, if the jobs have it.
const LAST: &str = "run";

/// Returns whether a coordinate follows the columns of the jobs, because it is long and rarely read.
fn is_behind(coordinate: &Coordinate) -> bool {
    coordinate.name == "rules"
}

/// The coordinate that is the same for all replays of a log, which the summary has.
const OF_LOG: &str = "period";

/// Returns the coordinates that precede the columns of the jobs.
fn in_front() -> impl Iterator<Item = &'static Coordinate> {
    Coordinate::listed().filter(|row| ![IN_JOBS, OF_LOG].contains(&row.name) && !is_behind(row))
}

fn column_name(coordinate: &Coordinate) -> &'static str {
    if coordinate.name == PARTITION.0 { PARTITION.1 } else { coordinate.name }
}

/// Returns the coordinates that follow the columns of the jobs, with their names: long ones, and the specs of
/// algorithms.
fn behind() -> impl Iterator<Item = (&'static str, &'static Coordinate)> {
    let long = Coordinate::listed().filter(|coordinate| is_behind(coordinate));
    let specs = Coordinate::labelled().map(|(coordinate, labelled)| (labelled.spec_column, coordinate));
    long.map(|coordinate| (coordinate.name, coordinate)).chain(specs)
}

/// Describes the columns in the order of the frame, as the `jobs` and `summary` frames describe them.
fn columns() -> Vec<ColumnInfo> {
    let of_summary = summary::columns();
    let coordinate = |name: &str| of_summary.iter().find(|column| column.name == name).copied();
    let named = |found: &Coordinate| {
        Some(ColumnInfo { name: column_name(found), needs: Needs::Tidy, ..coordinate(found.name)? })
    };
    let mut columns = described(&jobs::fields());
    let front = in_front().filter_map(named);
    columns.splice(1..1, front);
    let last = columns.iter().position(|column| column.name == LAST).unwrap_or(columns.len());
    columns.splice(last..last, behind().filter_map(|(name, _)| coordinate(name)));
    // The frame exists as a whole or not at all, but some columns of jobs are optional.
    for column in columns.iter_mut().filter(|column| column.needs == Needs::Nothing) {
        column.needs = Needs::Tidy;
    }
    columns
}

/// Returns the rows of one replication for the jobs in the range.
fn build(replicate: Replicate<'_>, rows: Range<usize>) -> Result<DataFrame, FrameError> {
    let mut rows = jobs::rows(replicate, rows)?;
    join(&mut rows, replicate.spec)?;
    Ok(rows)
}

/// Adds the coordinates of a replay to its jobs, whose first column is the number of the replay. Each
/// coordinate is stored once as a scalar column, not once per job.
pub(in crate::frame) fn join(jobs: &mut DataFrame, spec: &ReplaySpec) -> Result<(), FrameError> {
    let height = jobs.height();
    for (i, coordinate) in in_front().enumerate() {
        // A number stays a number. An algorithm has its label.
        let value = match coordinate.json(spec).1 {
            number @ Value::Number(_) => number,
            _ => Value::String(coordinate.shown(spec)),
        };
        jobs.insert_column(1 + i, constant(column_name(coordinate), &value, height))?;
    }
    let last = jobs.get_column_index(LAST).unwrap_or(jobs.width());
    for (i, (column, coordinate)) in behind().enumerate() {
        jobs.insert_column(last + i, constant(column, &coordinate.json(spec).1, height))?;
    }
    Ok(())
}

/// Returns a column with the same text or number in all rows.
fn constant(column: &str, value: &Value, height: usize) -> Column {
    let scalar = match value {
        Value::String(text) => Scalar::from(name(text)),
        other => Scalar::from(other.as_f64().unwrap_or(f64::NAN)),
    };
    Column::new_scalar(name(column), scalar, height)
}
