//! Reads saved outages: when nodes were down, and the runs in which jobs were killed.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::FrameError;
use super::detail::downtimes::KILLED;
use super::sheet::Sheet;
use meshreplay_machine::machine::{NodeId, parse_intervals};
use meshreplay_sim::metrics::KilledWaits;

/// The first and the last node of each run of consecutive nodes.
type Intervals = Vec<(NodeId, NodeId)>;

/// A time for which nodes were down.
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

/// A run in which a job was killed.
#[derive(Clone, Debug, PartialEq)]
pub struct KilledRun {
    /// The row in the file, from 1.
    pub row: u64,
    /// The number of the job in the log.
    pub number: i64,
    /// The times of arrival, of the start of the run and of its end, in seconds.
    pub times_s: [f64; 3],
    /// The number of processors that the job requested.
    pub procs: u32,
    /// The number of nodes that it had.
    pub allocated: u32,
    /// Its nodes; empty if they were not kept.
    pub nodes: Intervals,
}

/// The outages of one replication of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Downtimes {
    /// The times for which nodes were down, in the order in which they went down.
    pub down: Vec<Down>,
    /// The runs in which jobs were killed, in the order of their starts.
    pub killed: Vec<KilledRun>,
}

impl Downtimes {
    /// Returns the last node of an interval that is not among the first `nodes` nodes; `None` if there is none.
    pub fn outside(&self, nodes: u32) -> Option<NodeId> {
        let all = self.down.iter().map(|down| &down.nodes).chain(self.killed.iter().map(|run| &run.nodes));
        all.flatten().map(|&(_, last)| last).find(|&last| last >= nodes)
    }

    /// Returns the waits of the jobs that were killed, in the order of `killed`.
    pub fn waits(&self) -> KilledWaits {
        KilledWaits::of(self.killed.iter().map(|run| (run.number, run.times_s)))
    }
}

/// The outages of replays by the number of the replay and the seed as text.
type DowntimesOfReplays = BTreeMap<(u64, String), Downtimes>;

/// Reads the outages of the replays in `folder` whose numbers `wanted` accepts, by the number of the replay and the seed
/// as text. A replication has no entry if no node went down. Returns `None` if outages were not kept.
pub fn read_downtimes(
    folder: &Path,
    wanted: &dyn Fn(u64) -> bool,
) -> Result<Option<DowntimesOfReplays>, FrameError> {
    let mut all = DowntimesOfReplays::new();
    let Some(sheet) = Sheet::read_details(folder, "downtimes", None, wanted)? else { return Ok(None) };
    if sheet.height() == 0 {
        return Ok(Some(all));
    }
    let wrong = |problem: String| {
        let source = io::Error::new(io::ErrorKind::InvalidData, problem);
        FrameError::Unreadable { path: sheet.path.clone(), source }
    };
    let numbers = |name: &str| {
        sheet
            .numbers(name)
            .ok_or_else(|| wrong(format!("column '{name}' is missing or no column of numbers")))
    };
    let column = |name: &str| sheet.column(name).ok_or_else(|| wrong(format!("column '{name}' is missing")));
    let (replays, starts, ends, allocations) =
        (numbers("replay")?, numbers("start_s")?, numbers("end_s")?, numbers("allocated")?);
    let (jobs, submits, procs) = (numbers("job")?, numbers("submit_s")?, numbers("procs")?);
    let (seeds, whats, nodes) = (column("seed")?, column("what")?, column("nodes")?);
    for i in 0..sheet.height() {
        let of_replay = replays[i].unwrap_or_default() as u64;
        if !wanted(of_replay) {
            continue;
        }
        // A column of single nodes is read from CSV as numbers.
        let text = nodes.label(i);
        let nodes = parse_intervals(if text == "none" { "" } else { &text });
        let nodes = nodes.map_err(|_| {
            wrong(format!("row {}, column 'nodes': found '{text}', expected nodes such as 0-3 7", i + 1))
        })?;
        let from_s = starts[i].unwrap_or_default();
        let found = all.entry((of_replay, seeds.label(i))).or_default();
        if whats.label(i) == KILLED {
            found.killed.push(KilledRun {
                row: i as u64 + 1,
                number: jobs[i].unwrap_or_default() as i64,
                times_s: [submits[i].unwrap_or_default(), from_s, ends[i].unwrap_or(from_s)],
                procs: procs[i].unwrap_or_default() as u32,
                allocated: allocations[i].unwrap_or_default() as u32,
                nodes,
            });
        } else {
            found.down.push(Down { from_s, until_s: ends[i].unwrap_or(f64::INFINITY), nodes });
        }
    }
    Ok(Some(all))
}
