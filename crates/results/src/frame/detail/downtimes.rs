//! The `downtimes` frame: the intervals during which nodes were down, and the runs that this killed.
//! Written and read back.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use polars_core::prelude::DataFrame;

use super::super::table::{JobColumns, Replication, SavedTable};
use super::{Detail, InCells, Replicate, described};
use crate::frame::column::Value::{self, Added, F64, MaybeF64, MaybeI64, MaybeU64, Seed, Str, U32};
use crate::frame::column::{Field, build};
use crate::frame::{FrameError, frame};
use meshreplay_base::job::{Job, Time};
use meshreplay_machine::machine::{NodeId, intervals, parse_intervals};
use meshreplay_sim::metrics::{JobRow, KilledWaits, LostRun, Needs, OutageRecord};

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
const KILLED: &str = "killed";

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

/// The first and the last node of each run of consecutive nodes.
pub type Intervals = Vec<(NodeId, NodeId)>;

/// An interval during which nodes were down.
#[derive(Clone, Debug, PartialEq)]
pub struct Down {
    /// When they went down, in seconds.
    pub from_s: f64,
    /// When they came up, in seconds; infinite if they did not.
    pub until_s: f64,
    /// The nodes.
    pub nodes: Intervals,
}

impl Down {
    /// Returns the number of nodes.
    pub fn count(&self) -> f64 {
        self.nodes.iter().map(|(first, last)| f64::from(last - first + 1)).sum()
    }
}

/// A job with its nodes, or a killed run of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacedJob {
    /// The job, with the start and the end of this run.
    pub row: JobRow,
    /// Its nodes; empty if they were not kept.
    pub nodes: Intervals,
    /// The row in the file of outages, from 1, of a killed run; `None` if the job ended well.
    pub killed_in: Option<u64>,
}

/// The outages of one replication of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Downtimes {
    /// The intervals during which nodes were down, by start.
    pub down: Vec<Down>,
    /// The killed runs, by start.
    pub killed: Vec<PlacedJob>,
}

impl Downtimes {
    /// Returns the last node of the first interval that reaches beyond the first `nodes` nodes.
    pub fn outside(&self, nodes: u32) -> Option<NodeId> {
        let all = self.down.iter().map(|down| &down.nodes).chain(self.killed.iter().map(|run| &run.nodes));
        all.flatten().map(|&(_, last)| last).find(|&last| last >= nodes)
    }

    /// Returns the waits of killed jobs, in the order of `killed`.
    pub fn waits(&self) -> KilledWaits {
        KilledWaits::of(self.killed.iter().map(|run| (run.row.number, run.row.times_s())))
    }
}

/// Reads the outages of the replays in `folder` whose numbers `wanted` accepts. A replication has no entry if
/// no node went down. Returns `None` if outages were not kept.
pub fn read_downtimes(
    folder: &Path,
    wanted: &dyn Fn(u64) -> bool,
) -> Result<Option<BTreeMap<Replication, Downtimes>>, FrameError> {
    let mut all = BTreeMap::<Replication, Downtimes>::new();
    let Some(table) = SavedTable::read_details(folder, "downtimes", wanted)? else { return Ok(None) };
    if table.height() == 0 {
        return Ok(Some(all));
    }
    let wrong = |problem: String| {
        let source = io::Error::new(io::ErrorKind::InvalidData, problem);
        FrameError::Unreadable { path: table.path.clone(), source }
    };
    let numbers = |name: &str| {
        table
            .numbers(name)
            .ok_or_else(|| wrong(format!("column '{name}' is missing or no column of numbers")))
    };
    let column = |name: &str| table.column(name).ok_or_else(|| wrong(format!("column '{name}' is missing")));
    for name in ["replay", "start_s", "end_s", "allocated", "job", "submit_s", "procs"] {
        numbers(name)?;
    }
    let (ends, jobs) = (numbers("end_s")?, JobColumns::of(&table));
    column("seed")?;
    let (whats, nodes) = (column("what")?, column("nodes")?);
    for i in 0..table.height() {
        let Some(key) = table.replication(i).filter(|key| wanted(key.replay)) else { continue };
        // A column of single nodes is read from CSV as numbers.
        let text = nodes.label(i);
        let nodes = parse_intervals(if text == "none" { "" } else { &text });
        let nodes = nodes.map_err(|_| {
            wrong(format!("row {}, column 'nodes': found '{text}', expected nodes such as 0-3 7", i + 1))
        })?;
        let (run, until_s) = (jobs.row(i), ends.get(i));
        let found = all.entry(key).or_default();
        if whats.label(i) == KILLED {
            let row = JobRow { end_s: until_s.unwrap_or(run.start_s), ..run };
            found.killed.push(PlacedJob { row, nodes, killed_in: Some(i as u64 + 1) });
        } else {
            found.down.push(Down { from_s: run.start_s, until_s: until_s.unwrap_or(f64::INFINITY), nodes });
        }
    }
    Ok(Some(all))
}
