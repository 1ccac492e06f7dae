//! The jobs of one replay with the nodes that each job held.

use crate::figure::downtimes::downtimes;
use crate::figure::error::FigureError;
use crate::figure::kind::PlotOptions;
use crate::figure::results::Results;
use crate::frame::{Downtimes, Sheet, SheetColumn};
use crate::machine::{Mesh, NodeId, parse_intervals};

/// The colour of nodes that no job can have, as `#rrggbb`. It is unlike the blues of shares.
pub(super) const UNAVAILABLE: &str = "#d8c3a5";

/// The colour of nodes that are down, as `#rrggbb`.
pub(super) const DOWN: &str = "#4a4f55";

/// Returns the entry of a legend for nodes that are down; `None` if none ever was.
pub(super) fn legend_of_down(outages: &Downtimes) -> Option<(String, String)> {
    (!outages.down.is_empty()).then(|| ("down".to_owned(), DOWN.to_owned()))
}

/// Returns the entry of a legend for unavailable nodes; `None` if the machine has none.
pub(super) fn legend_of_unavailable(machine: &Mesh) -> Option<(String, String)> {
    let has_some = !machine.unavailable().is_empty();
    has_some.then(|| ("unavailable".to_owned(), UNAVAILABLE.to_owned()))
}

/// A replay with kept jobs and nodes.
pub(super) struct OneReplay {
    /// The machine of the replay.
    pub(super) machine: Mesh,
    /// The name of the replay, which differs from the names of the others.
    pub(super) name: String,
    /// The jobs of its first seed, in the order of the frame.
    pub(super) jobs: Vec<PlacedJob>,
    /// The outages of its first seed; none if all nodes were always up.
    pub(super) outages: Downtimes,
}

impl OneReplay {
    /// Returns the first start and the last end of a run, killed ones too, in seconds; `None` if there is no run.
    pub(super) fn span_s(&self) -> Option<(f64, f64)> {
        let killed = self.outages.killed.iter().map(|run| (run.times_s[1], run.times_s[2]));
        let runs = self.jobs.iter().map(|job| (job.start_s, job.end_s)).chain(killed);
        runs.reduce(|(from, to), (start, end)| (from.min(start), to.max(end)))
    }
}

/// A job and the nodes that it held.
pub(super) struct PlacedJob {
    /// The number of the job in the log.
    pub(super) number: i64,
    /// The start, in seconds.
    pub(super) start_s: f64,
    /// The end, in seconds.
    pub(super) end_s: f64,
    /// The first and the last node of each run of consecutive nodes.
    pub(super) nodes: Vec<(NodeId, NodeId)>,
    /// Whether this is a run in which the job was killed.
    pub(super) is_killed: bool,
}

/// Returns the replay that the options name, or else the first one. Returns `None` if its jobs or their nodes were not
/// kept. Fails if no replay has the number.
pub(super) fn one_replay(
    options: &PlotOptions<'_>,
    results: &Results,
) -> Result<Option<OneReplay>, FigureError> {
    let columns = ["replay", "seed", "job", "start_s", "end_s", "nodes"];
    let replays = results.numbers("replay")?;
    let replay =
        options.replay.map_or_else(|| replays.first().copied().flatten(), |replay| Some(f64::from(replay)));
    let Some(row) = replays.iter().position(|other| *other == replay) else {
        let last = replays.iter().flatten().copied().fold(0.0, f64::max);
        return Err(FigureError::NoReplay { replay: replay.unwrap_or(0.0), last });
    };
    let is_meant = |number: u64| Some(number as f64) == replay;
    let Some(sheet) = Sheet::read_jobs(options.folder, &columns, &is_meant)? else { return Ok(None) };
    let numbers: Option<Vec<_>> = columns[..5].iter().map(|name| sheet.numbers(name)).collect();
    let nodes = sheet.column("nodes").and_then(SheetColumn::texts);
    let (Some(numbers), Some(nodes)) = (numbers, nodes) else { return Ok(None) };
    let first = numbers[0].iter().position(|other| *other == replay).unwrap_or_default();
    // The first two columns are the replay and the seed.
    let is_first = |i: usize| {
        columns[..2].iter().all(|name| sheet.column(name).is_some_and(|column| column.is_same(i, first)))
    };
    let machine = results.machine(row)?;
    let mut jobs = Vec::new();
    for (i, text) in nodes.iter().enumerate().filter(|(i, _)| is_first(*i)) {
        // The numbers in `columns`: 2 is the job, 3 the start, 4 the end.
        let of = |column: usize| numbers[column][i].unwrap_or_default();
        let number = of(2) as i64;
        let runs =
            parse_intervals(text).ok().filter(|runs| runs.iter().all(|(_, last)| *last < machine.nodes()));
        let nodes = runs.ok_or_else(|| FigureError::Damaged {
            path: sheet.path.clone(),
            problem: format!("job {number}, column 'nodes': found '{text}', expected nodes such as 0-3 7"),
        })?;
        jobs.push(PlacedJob { number, start_s: of(3), end_s: of(4), nodes, is_killed: false });
    }
    let mut outages = downtimes(options.folder, results, &is_meant)?;
    let outages = outages.pop_first().map(|(_, outages)| outages).unwrap_or_default();
    Ok(Some(OneReplay { machine, name: results.name(row, &[]), jobs, outages }))
}
