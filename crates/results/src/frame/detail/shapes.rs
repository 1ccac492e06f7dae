//! The `shapes` frame: how the jobs of each shape fared.

use polars_core::prelude::DataFrame;

use super::{Detail, Replicate};
use crate::frame::column::Value::{Added, MaybeF64, Str, U32, U64};
use crate::frame::column::{Field, Value, build};
use crate::frame::{FrameError, coordinates, frame};
use meshreplay_sim::metrics::{ColumnInfo, Needs, ShapeCount};
use meshreplay_study::study::ReplaySpec;

/// The frame's row in the table of details.
pub(super) const DETAIL: Detail = Detail {
    name: "shapes",
    rows: "one per shape that jobs of a replay ask for and number of nodes that they take, ascending",
    needs: Needs::ByShape,
    is_of_cells: true,
    columns,
    build: |replicate, _| shapes(replicate),
    is_of_jobs: false,
};

/// One row of the frame.
struct Row<'a> {
    replay: u32,
    count: &'a ShapeCount,
}

/// Returns the columns other than the coordinates: the number of the replay, the numbers of the shape, and
/// the run.
fn fields<'a>() -> (Field<Row<'a>>, Vec<Field<Row<'a>>>, Field<Row<'a>>) {
    let replay = field("replay", U32(|row| row.replay))
        .meaning("number of the replay; the same in the `summary` frame");
    let numbers = vec![
        field("nodes", U32(|row| row.count.nodes))
            .unit("nodes")
            .meaning("nodes that the jobs hold; of jobs that never fit the processors that they ask for"),
        field("shape", Str(|row| row.count.shape.to_string()))
            .meaning("the shape that they ask for: sides such as 3x2, or a rule"),
        field("jobs", U64(|row| row.count.jobs)).meaning("jobs that were replayed"),
        field("never_fit", U64(|row| row.count.never_fit))
            .meaning("jobs left out because the allocator finds no nodes even on the idle machine"),
        field("refused_jobs", U64(|row| row.count.refused_jobs))
            .meaning("replayed jobs for which at least one call found no such place"),
        field("refusals", U64(|row| row.count.refusals)).meaning(
            "calls in which it found no place for them among enough free nodes, or only reserved nodes",
        ),
        field("wait_s_mean", MaybeF64(|row| row.count.wait_s_mean())).unit("s").meaning(
            "mean of start − arrival over all of these jobs, whatever --trim says; null without jobs",
        ),
    ];
    let run = field("run", Added)
        .meaning("id of the run, a hash of run.json: the same in every file of a run, and in no other");
    (replay, numbers, run)
}

fn field<'a>(name: &'static str, value: Value<Row<'a>>) -> Field<Row<'a>> {
    Field::new(name, value)
}

/// Returns the descriptions of the columns.
fn columns() -> Vec<ColumnInfo> {
    let (replay, numbers, run) = fields();
    let front = [replay.column].into_iter().chain(coordinates::in_front());
    let numbers = numbers.into_iter().map(|field| field.column);
    let columns = front.chain(numbers).chain(coordinates::behind()).chain([run.column]);
    // The frame exists as a whole or not at all; only the partition depends on the results.
    let when = |column: ColumnInfo| match column.needs {
        Needs::Nothing => ColumnInfo { needs: Needs::ByShape, ..column },
        _ => column,
    };
    columns.map(when).collect()
}

/// Returns the rows of one replication.
fn shapes(replicate: Replicate<'_>) -> Result<DataFrame, FrameError> {
    let Replicate { replay, spec, outcome, has } = replicate;
    let rows: Vec<Row<'_>> = outcome.by_shape.iter().map(|count| Row { replay, count }).collect();
    let specs = vec![ReplaySpec { seed: outcome.seed, ..spec.clone() }; rows.len()];
    let (number, numbers, run) = fields();
    let mut columns = build(&[number], &rows, has);
    columns.extend(coordinates::front_columns(&specs, has));
    columns.extend(build(&numbers, &rows, has));
    columns.extend(coordinates::behind_columns(&specs));
    columns.extend(build(&[run], &rows, has));
    frame(columns)
}
