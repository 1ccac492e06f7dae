//! Reads saved outages: intervals during which nodes were down, and killed runs.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::FrameError;
use super::detail::downtimes::KILLED;
use super::table::{JobColumns, Replication, SavedTable};
use meshreplay_machine::machine::{NodeId, parse_intervals};
use meshreplay_sim::metrics::{JobRow, KilledWaits};

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
