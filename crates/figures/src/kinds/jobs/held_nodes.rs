//! The jobs of some replays with the nodes that each job held, read a part at a time.

use std::collections::BTreeMap;

use super::columns::job_curves;
use crate::downtimes::downtimes;
use crate::error::FigureError;
use crate::first_seeds::FirstSeeds;
use crate::kind::PlotOptions;
use crate::results::Results;
use meshreplay_machine::machine::{Mesh, NodeId, parse_intervals};
use meshreplay_results::frame::{Downtimes, Sheet, SheetColumn};

/// The colour of nodes that no job can have, as `#rrggbb`. It is unlike the blues of shares.
pub(in crate::kinds) const UNAVAILABLE: &str = "#d8c3a5";

/// The colour of nodes that are down, as `#rrggbb`.
pub(in crate::kinds) const DOWN: &str = "#4a4f55";

/// Returns the entry of a legend for nodes that are down; `None` if none ever was.
pub(in crate::kinds) fn legend_of_down(outages: &Downtimes) -> Option<(String, String)> {
    (!outages.down.is_empty()).then(|| ("down".to_owned(), DOWN.to_owned()))
}

/// Returns the entry of a legend for unavailable nodes; `None` if the machine has none.
pub(in crate::kinds) fn legend_of_unavailable(machine: &Mesh) -> Option<(String, String)> {
    let has_some = !machine.unavailable().is_empty();
    has_some.then(|| ("unavailable".to_owned(), UNAVAILABLE.to_owned()))
}

/// A replay whose jobs a picture shows.
pub(in crate::kinds) struct ShownReplay {
    /// The number of the replay.
    pub(in crate::kinds) number: u64,
    /// The machine of the replay.
    pub(in crate::kinds) machine: Mesh,
    /// The name of the replay, which differs from the names of the others.
    pub(in crate::kinds) name: String,
    /// The outages of its first seed; none if all nodes were always up.
    pub(in crate::kinds) outages: Downtimes,
}

/// A job and the nodes that it held.
#[derive(Clone, Debug)]
pub(in crate::kinds) struct PlacedJob {
    /// The number of the job in the log.
    pub(in crate::kinds) number: i64,
    /// The start, in seconds.
    pub(in crate::kinds) start_s: f64,
    /// The end, in seconds.
    pub(in crate::kinds) end_s: f64,
    /// The first and the last node of each run of consecutive nodes.
    pub(in crate::kinds) nodes: Vec<(NodeId, NodeId)>,
    /// Whether this is a run in which the job was killed.
    pub(in crate::kinds) is_killed: bool,
}

/// Returns the replays that the user chose, or else the first one of each curve at the first load, but at most `most` of
/// them; and a note on how many are left out, which is empty if none is. Fails if no replay has a chosen number.
pub(in crate::kinds) fn shown_replays(
    options: &PlotOptions<'_>,
    results: &Results,
    most: usize,
) -> Result<(Vec<ShownReplay>, String), FigureError> {
    let curves = job_curves(options, results)?;
    let all = curves.len();
    let numbers: Vec<u64> = curves.iter().filter_map(|curve| curve.replays.first()).copied().collect();
    let mut outages = downtimes(options.folder, results, &|number| numbers.contains(&number))?;
    let mut shown = Vec::new();
    for curve in curves.into_iter().take(most) {
        let Some(&number) = curve.replays.first() else { continue };
        let outages = outages.remove(&number).unwrap_or_default();
        shown.push(ShownReplay { number, machine: results.machine(curve.row)?, name: curve.name, outages });
    }
    Ok((shown, if all > most { some_of(options, most, all) } else { String::new() }))
}

/// Returns the note that a picture shows only some of the replays. On paper it does not say how to choose others.
pub(in crate::kinds) fn some_of(options: &PlotOptions<'_>, shown: usize, all: usize) -> String {
    let how = if options.page.width.is_some() { "" } else { "; --replay chooses others" };
    format!("{shown} of {all} replays{how}")
}

/// Hands the jobs of the first seed of each of `replays` to `visit`, in the order of the frame, with the position of the
/// replay. Jobs whose start and end in seconds `wants` does not accept are only counted. Returns the number of jobs of
/// each replay; `None` if the jobs or their nodes were not kept.
pub(in crate::kinds) fn visit_placed(
    options: &PlotOptions<'_>,
    replays: &[ShownReplay],
    wants: &dyn Fn(f64, f64) -> bool,
    visit: &mut dyn FnMut(usize, PlacedJob),
) -> Result<Option<Vec<usize>>, FigureError> {
    let columns = ["replay", "seed", "job", "start_s", "end_s", "nodes"];
    let positions: BTreeMap<u64, usize> = replays.iter().map(|replay| replay.number).zip(0..).collect();
    let mut counts = vec![0; replays.len()];
    let mut has_all = true;
    let mut seeds = FirstSeeds::default();
    let mut part = |sheet: &Sheet| -> Result<(), FigureError> {
        let numbers = |name: &str| sheet.numbers(name);
        let nodes = sheet.column("nodes").and_then(SheetColumn::texts);
        let (Some(of), Some(jobs), Some(begun), Some(ended), Some(nodes)) =
            (numbers("replay"), numbers("job"), numbers("start_s"), numbers("end_s"), nodes)
        else {
            // A part without rows has no texts.
            has_all &= sheet.height() == 0 && sheet.column("nodes").is_some();
            return Ok(());
        };
        for (i, text) in nodes.iter().enumerate() {
            let replay = of[i].unwrap_or_default() as u64;
            let is_first = seeds.is_first(sheet, (i, replay));
            let Some(&position) = positions.get(&replay).filter(|_| is_first) else { continue };
            counts[position] += 1;
            let (start_s, end_s) = (begun[i].unwrap_or_default(), ended[i].unwrap_or_default());
            if !wants(start_s, end_s) {
                continue;
            }
            let number = jobs[i].unwrap_or_default() as i64;
            let count = replays[position].machine.nodes();
            let runs = parse_intervals(text).ok().filter(|runs| runs.iter().all(|(_, last)| *last < count));
            let nodes = runs.ok_or_else(|| FigureError::Damaged {
                path: sheet.path.clone(),
                problem: format!(
                    "job {number}, column 'nodes': found '{text}', expected nodes such as 0-3 7"
                ),
            })?;
            visit(position, PlacedJob { number, start_s, end_s, nodes, is_killed: false });
        }
        Ok(())
    };
    let is_shown = |number: u64| positions.contains_key(&number);
    let is_kept = Sheet::visit_details(options.folder, "jobs", &columns, &is_shown, &mut part)?;
    Ok((is_kept && has_all).then_some(counts))
}
