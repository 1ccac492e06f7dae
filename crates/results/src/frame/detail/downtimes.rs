//! The `downtimes` frame: the intervals during which nodes were down, and the runs that this killed.

use std::collections::BTreeMap;

use polars_core::prelude::DataFrame;

use super::{Detail, InCells, Replicate, described};
use crate::frame::column::Value::{Added, F64, MaybeF64, MaybeI64, MaybeU64, Seed, Str, U32};
use crate::frame::column::{Field, Value, build};
use crate::frame::{FrameError, frame};
use meshreplay_base::job::{Job, Time};
use meshreplay_machine::machine::{NodeId, intervals};
use meshreplay_sim::metrics::{LostRun, Needs, OutageRecord};

/// The frame's row in the table of details.
pub(super) const DETAIL: Detail = Detail {
    name: "downtimes",
    rows: "one per time for which nodes were down, and per run in which a job was killed; only with \
         --outages",
    needs: Needs::Outages,
    in_cells: InCells::WithJobs,
    columns: || described(&fields()),
    build: |replicate, _| downtimes(replicate),
    is_of_jobs: false,
};

/// The value of `what` for nodes that were down.
const DOWN: &str = "down";
/// The value of `what` for a run that was killed.
pub(in crate::frame) const KILLED: &str = "killed";

/// One row of the frame.
struct DowntimeRow {
    replay: u32,
    seed: u64,
    /// The job of a run; `None` for nodes that were down.
    job: Option<Job>,
    start: Time,
    end: Option<Time>,
    count: u32,
    nodes: String,
}

/// Returns the columns of the frame, which `meshreplay schema downtimes` prints.
fn fields() -> Vec<Field<DowntimeRow>> {
    vec![
        field("replay", U32(|row| row.replay))
            .meaning("number of the replay; the same in the `summary` frame"),
        field("seed", Seed(|row| row.seed)).meaning("seed; replications of a replay differ in it"),
        field("what", Str(|row| if row.job.is_some() { KILLED } else { DOWN }.to_owned())).meaning(
            "`down`: nodes were down; `killed`: a run in which a job was killed, which is not in \
                 the `jobs` frame",
        ),
        field("job", MaybeI64(|row| row.job.map(|job| job.number)))
            .meaning("the log's own number of the job; null for nodes that were down"),
        field("submit_s", MaybeF64(|row| row.job.map(|job| job.submit.as_seconds())))
            .unit("s")
            .meaning("arrival of the job, scaled; null for nodes that were down"),
        field("start_s", F64(|row| row.start.as_seconds()))
            .unit("s")
            .meaning("when the nodes went down, or when the run started"),
        field("end_s", MaybeF64(|row| row.end.map(Time::as_seconds))).unit("s").meaning(
            "when the nodes came up, null if not before the end of the replay; or when the job was \
                 killed",
        ),
        field("procs", MaybeU64(|row| row.job.map(|job| job.procs.into())))
            .meaning("processors that the job requested; null for nodes that were down"),
        field("allocated", U32(|row| row.count)).meaning("nodes that were down, or that the job held"),
        field("nodes", Str(|row| row.nodes.clone())).meaning(
            "those nodes, ascending, as intervals such as `0-3 7`; those of jobs only with \
                 --placements",
        ),
        field("run", Added)
            .meaning("id of the run, a hash of run.json: the same in every file of a run, and in no other"),
    ]
}

fn field(name: &'static str, value: Value<DowntimeRow>) -> Field<DowntimeRow> {
    Field::new(name, value)
}

/// Returns the downtimes and the lost runs of one replication, sorted by start. Nodes that went down together
/// and came up together share a row. The frame is empty without outages, or if the outcome has not kept them.
fn downtimes(replicate: Replicate<'_>) -> Result<DataFrame, FrameError> {
    let Replicate { replay, outcome, has, .. } = replicate;
    let seed = outcome.seed;
    let mut rows: Vec<DowntimeRow> = Vec::new();
    if let Some(outages) = &outcome.recording.outages {
        rows.extend(down(outages).into_iter().map(|((start, end), mut nodes)| {
            nodes.sort_unstable();
            let (count, nodes) = (nodes.len() as u32, intervals(&nodes));
            DowntimeRow { replay, seed, job: None, start, end, count, nodes }
        }));
        rows.extend(outages.lost_runs.iter().map(|LostRun { job, start, end, allocated, nodes }| {
            let (job, end, nodes) = (Some(*job), Some(*end), nodes.clone());
            DowntimeRow { replay, seed, job, start: *start, end, count: *allocated, nodes }
        }));
    }
    // The sort is stable: of one instant, nodes come before jobs.
    rows.sort_by_key(|row| row.start);
    frame(build(&fields(), &rows, has))
}

/// Groups the nodes that were down by the times at which they went down and came up.
fn down(outages: &OutageRecord) -> BTreeMap<(Time, Option<Time>), Vec<NodeId>> {
    let mut all: BTreeMap<(Time, Option<Time>), Vec<NodeId>> = BTreeMap::new();
    for downtime in &outages.downtimes {
        all.entry((downtime.from, downtime.until)).or_default().push(downtime.node);
    }
    all
}
