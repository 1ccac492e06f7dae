//! The `latency` frame: how long the calls of an allocator took, as histograms.

use polars_core::prelude::DataFrame;

use super::{Detail, InCells, Replicate, described};
use crate::frame::column::Value::{Added, Seed, Str, U32, U64};
use crate::frame::column::{Field, Value, build};
use crate::frame::{FrameError, frame};
use meshreplay_sim::metrics::Needs;

/// The frame's row in the table of details.
pub(super) const DETAIL: Detail = Detail {
    name: "latency",
    rows: "one per kind of allocator calls and class of durations that has calls",
    needs: Needs::Latency,
    in_cells: InCells::WithJobs,
    columns: || described(&fields()),
    build: |replicate, _| latency(replicate),
    is_of_jobs: false,
};

/// One row of the frame.
struct Row {
    replay: u32,
    seed: u64,
    call: &'static str,
    class_ns: [u64; 2],
    calls: u64,
}

/// Returns the columns of the frame.
fn fields() -> Vec<Field<Row>> {
    let fields = vec![
        field("replay", U32(|row| row.replay))
            .meaning("number of the replay; the same in the `summary` frame"),
        field("seed", Seed(|row| row.seed)).meaning("seed; replications of a replay differ in it"),
        field("call", Str(|row| row.call.to_owned()))
            .meaning("`allocate`: a job got nodes; `refuse`: it did not; `release`: it gave them back"),
        field("from_ns", U64(|row| row.class_ns[0]))
            .unit("ns")
            .meaning("shortest duration of the class, with the cost of reading the clock"),
        field("to_ns", U64(|row| row.class_ns[1])).unit("ns").meaning(
            "longest duration of the class, at most 0.1 % above the shortest; classes of all replays have \
             the same ends, so their calls can be added",
        ),
        field("calls", U64(|row| row.calls)).meaning("calls in the class"),
        field("run", Added)
            .meaning("id of the run, a hash of run.json: the same in every file of a run, and in no other"),
    ];
    fields.into_iter().map(|field| field.needs(Needs::Latency)).collect()
}

fn field(name: &'static str, value: Value<Row>) -> Field<Row> {
    Field::new(name, value)
}

/// Returns the histograms of one replication.
fn latency(replicate: Replicate<'_>) -> Result<DataFrame, FrameError> {
    let Replicate { replay, outcome, has, .. } = replicate;
    let (seed, recording) = (outcome.seed, &outcome.recording);
    let kinds =
        [("allocate", &recording.allocate), ("refuse", &recording.refused), ("release", &recording.release)];
    let rows = kinds.into_iter().flat_map(|(call, cost)| {
        cost.classes_ns().map(move |(from_ns, to_ns, calls)| {
            let class_ns = [from_ns, to_ns];
            Row { replay, seed, call, class_ns, calls }
        })
    });
    frame(build(&fields(), &rows.collect::<Vec<_>>(), has))
}
