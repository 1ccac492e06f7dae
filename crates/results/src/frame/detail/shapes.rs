//! The `shapes` frame: how the jobs of each shape fared.

use super::{Detail, InCells, described_with_coordinates, with_coordinates};
use crate::frame::column::Field;
use crate::frame::column::Value::{MaybeF64, Str, U32, U64};
use meshreplay_sim::metrics::{Needs, ShapeCount};

/// The frame's row in the table of details.
pub(super) const DETAIL: Detail = Detail {
    name: "shapes",
    rows: "one per shape that jobs of a replay ask for and number of nodes that they take, ascending",
    needs: Needs::ByShape,
    in_cells: InCells::WithJobs,
    columns: || described_with_coordinates(&fields(), Needs::ByShape),
    build: |replicate, _| with_coordinates(replicate, &fields(), &replicate.outcome.by_shape),
    is_of_jobs: false,
};

fn fields() -> Vec<Field<ShapeCount>> {
    vec![
        Field::new("nodes", U32(|of: &ShapeCount| of.nodes))
            .unit("nodes")
            .meaning("nodes that the jobs hold; of jobs that never fit the processors that they ask for"),
        Field::new("shape", Str(|of: &ShapeCount| of.shape.to_string()))
            .meaning("the shape that they ask for: sides such as 3x2, or a rule"),
        Field::new("jobs", U64(|of: &ShapeCount| of.jobs)).meaning("jobs that were replayed"),
        Field::new("never_fit", U64(|of: &ShapeCount| of.never_fit))
            .meaning("jobs left out because the allocator finds no nodes even on the idle machine"),
        Field::new("refused_jobs", U64(|of: &ShapeCount| of.refused_jobs))
            .meaning("replayed jobs for which at least one call found no such place"),
        Field::new("refusals", U64(|of: &ShapeCount| of.refusals)).meaning(
            "calls in which it found no place for them among enough free nodes, or only reserved nodes",
        ),
        Field::new("wait_s_mean", MaybeF64(ShapeCount::wait_s_mean)).unit("s").meaning(
            "mean of start − arrival over all of these jobs, whatever --trim says; null without jobs",
        ),
    ]
}
