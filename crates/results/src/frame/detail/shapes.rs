//! The `shapes` frame: how the jobs of each shape fared.

use polars_core::prelude::DataFrame;

use super::{Detail, described};
use crate::frame::column::Value::{Added, F64, MaybeF64, Str, U32, U64};
use crate::frame::column::{Field, Value, build};
use crate::frame::{FrameError, frame};
use meshreplay_sim::metrics::{ShapeCount, When};
use meshreplay_study::study::{Options, Outcome, ReplaySpec};

/// The frame's row in the table of details.
pub(super) const DETAIL: Detail = Detail {
    name: "shapes",
    rows: "one per shape that jobs of a replay ask for and number of nodes that they take, ascending",
    when: When::ByShape,
    is_of_cells: true,
    columns: || described(&fields()),
    of: |replay, spec, outcome, options, _| of(replay, spec, outcome, options),
    is_of_jobs: false,
};

/// One row of the frame.
struct Row<'a> {
    replay: u32,
    spec: &'a ReplaySpec,
    seed: u64,
    count: &'a ShapeCount,
}

/// Returns the columns of the frame.
fn fields<'a>() -> Vec<Field<Row<'a>>> {
    let fields = vec![
        field("replay", U32(|row| row.replay))
            .meaning("number of the replay; the same in the `summary` frame"),
        field("log", Str(|row| row.spec.log.to_string())).meaning("what was replayed"),
        field("partition", Str(|row| row.spec.partition_text()))
            .when(When::Partitions)
            .meaning("the partitions of the log whose jobs were replayed; `all` if no job was left out"),
        field("machine", Str(|row| row.spec.machine.to_string())).meaning("on what"),
        field("scheduler", Str(|row| row.spec.labels.scheduler.clone())).meaning("as it was typed"),
        field("allocator", Str(|row| row.spec.labels.allocator.clone())).meaning("likewise"),
        field("network", Str(|row| row.spec.labels.network.clone())).meaning("how long jobs run, likewise"),
        field("arrival_scale", F64(|row| row.spec.arrival_scale))
            .meaning("what arrival times were multiplied by"),
        field("seed", U64(|row| row.seed)).meaning("seed of everything random"),
        field("rules", Str(|row| row.spec.rules.to_string())).meaning("how records became jobs"),
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
        field("scheduler_spec", Str(|row| row.spec.scheduler.to_string()))
            .meaning("the scheduler with every default written out"),
        field("allocator_spec", Str(|row| row.spec.allocator.to_string())).meaning("the allocator, likewise"),
        field("network_spec", Str(|row| row.spec.network.to_string())).meaning("the network, likewise"),
        field("run", Added)
            .meaning("id of the run, a hash of run.json: the same in every file of a run, and in no other"),
    ];
    // The frame is there as a whole or not at all, and the partition only in some results.
    let is_partition = |field: &Field<Row<'_>>| field.column.when == When::Partitions;
    let when = |field: Field<_>| if is_partition(&field) { field } else { field.when(When::ByShape) };
    fields.into_iter().map(when).collect()
}

fn field<'a>(name: &'static str, value: Value<Row<'a>>) -> Field<Row<'a>> {
    Field::new(name, value)
}

/// Returns the rows of one replication.
fn of(replay: u32, spec: &ReplaySpec, outcome: &Outcome, options: &Options) -> Result<DataFrame, FrameError> {
    let rows: Vec<Row<'_>> =
        outcome.by_shape.iter().map(|count| Row { replay, spec, seed: outcome.seed, count }).collect();
    frame(build(&fields(), &rows, options))
}
