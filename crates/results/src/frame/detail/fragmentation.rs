//! The `fragmentation` frame: the fragmentation of the free nodes after each event that changed it.

use polars_core::prelude::DataFrame;

use super::{Detail, InCells, Replicate, described};
use crate::frame::column::Value::{Added, F64, MaybeU64, Seed, U32};
use crate::frame::column::{Field, Value, build};
use crate::frame::{FrameError, frame};
use meshreplay_sim::metrics::{FragmentationAt, Needs};

/// The frame's row in the table of details.
pub(super) const DETAIL: Detail = Detail {
    name: "fragmentation",
    rows: "one per instant at which the fragmentation of the free nodes changed",
    needs: Needs::Fragmentation,
    in_cells: InCells::WithJobs,
    columns: || described(&fields()),
    build: |replicate, _| course(replicate),
    is_of_jobs: false,
};

/// One row of the frame.
struct Row<'a> {
    replay: u32,
    seed: u64,
    at: &'a FragmentationAt,
}

impl Row<'_> {
    /// Returns how many of slice `i` fit; `None` if there is no such slice.
    fn fit(&self, i: usize) -> Option<u64> {
        self.at.fits.get(i).copied().map(u64::from)
    }
}

/// The meaning of the numbers of slices that fit.
const SLICE: &str = "number of this slice of --fragmentation that fit into the free nodes at once, \
                     counted greedily; null if fewer slices are given";

/// Returns the columns of the frame.
fn fields<'a>() -> Vec<Field<Row<'a>>> {
    let fields = vec![
        field("replay", U32(|row| row.replay))
            .meaning("number of the replay; the same in the `summary` frame"),
        field("seed", Seed(|row| row.seed)).meaning("seed; replications of a replay differ in it"),
        field("time_s", F64(|row| row.at.time.as_seconds()))
            .unit("s")
            .meaning("the instant from which the row holds, until the next row"),
        field("free", U32(|row| row.at.free)).unit("nodes").meaning("free nodes"),
        field("largest_free_submesh", U32(|row| row.at.largest))
            .unit("nodes")
            .meaning("nodes of the largest free submesh"),
        field("external_fragmentation", F64(|row| row.at.external()))
            .meaning("1 − largest free submesh / free nodes; 0 if none is free"),
        field("slices_fit_1", MaybeU64(|row| row.fit(0))).meaning(SLICE),
        field("slices_fit_2", MaybeU64(|row| row.fit(1))).meaning(SLICE),
        field("slices_fit_3", MaybeU64(|row| row.fit(2))).meaning(SLICE),
        field("slices_fit_4", MaybeU64(|row| row.fit(3))).meaning(SLICE),
        field("slices_fit_5", MaybeU64(|row| row.fit(4))).meaning(SLICE),
        field("slices_fit_6", MaybeU64(|row| row.fit(5))).meaning(SLICE),
        field("slices_fit_7", MaybeU64(|row| row.fit(6))).meaning(SLICE),
        field("slices_fit_8", MaybeU64(|row| row.fit(7))).meaning(SLICE),
        field("run", Added)
            .meaning("id of the run, a hash of run.json: the same in every file of a run, and in no other"),
    ];
    fields.into_iter().map(|field| field.needs(Needs::Fragmentation)).collect()
}

fn field<'a>(name: &'static str, value: Value<Row<'a>>) -> Field<Row<'a>> {
    Field::new(name, value)
}

/// Returns the course of the fragmentation in one replication.
fn course(replicate: Replicate<'_>) -> Result<DataFrame, FrameError> {
    let Replicate { replay, outcome, has, .. } = replicate;
    let course = outcome.recording.fragmentation.iter().flat_map(|record| &record.course);
    let rows: Vec<Row<'_>> = course.map(|at| Row { replay, seed: outcome.seed, at }).collect();
    frame(build(&fields(), &rows, has))
}
