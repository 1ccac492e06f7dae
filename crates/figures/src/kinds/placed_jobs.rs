//! The jobs of some replays with the nodes that each job held, read a part at a time.

use super::job_rows::{job_curves, outages};
use crate::FigureError;
use crate::details::{ShownJob, visit_shown_jobs};
use crate::kind::PlotOptions;
use crate::results::Results;
use meshreplay_machine::machine::Mesh;
use meshreplay_results::frame::{Downtimes, PlacedJob};

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

/// A replay whose jobs a picture shows.
pub(super) struct ShownReplay {
    /// The number of the replay.
    pub(super) number: u64,
    /// The machine of the replay.
    pub(super) machine: Mesh,
    /// The name of the replay, which differs from the names of the others.
    pub(super) name: String,
    /// The outages of its first seed; none if all nodes were always up.
    pub(super) outages: Downtimes,
}

/// Returns the chosen replays, or else the first replay of each curve at the first load. Fails if no
/// replay has a chosen number.
pub(super) fn shown_replays(
    options: &PlotOptions<'_>,
    results: &Results,
) -> Result<Vec<ShownReplay>, FigureError> {
    let curves = job_curves(options, results)?;
    let mut outages = outages(options, results, &curves)?;
    let mut shown = Vec::new();
    for curve in curves {
        let outages = outages.remove(&curve.replay).unwrap_or_default();
        let machine = results.machine(curve.row)?;
        shown.push(ShownReplay { number: curve.replay, machine, name: curve.full_name(), outages });
    }
    Ok(shown)
}

/// Calls `visit` with the jobs of the first seed of each replay in the window, in the order of the frame,
/// with the position of the replay. Returns the number of all jobs of each replay; `None` if the jobs or
/// their nodes were not kept.
pub(super) fn visit_placed(
    options: &PlotOptions<'_>,
    replays: &[ShownReplay],
    visit: &mut dyn FnMut(usize, PlacedJob),
) -> Result<Option<Vec<usize>>, FigureError> {
    let numbers: Vec<u64> = replays.iter().map(|replay| replay.number).collect();
    let columns = ["job", "start_s", "end_s", "nodes"];
    let mut counts = vec![0; replays.len()];
    let is_kept = visit_shown_jobs::<FigureError>(options.folder, &numbers, &columns, &mut |job| {
        let ShownJob { position, row, .. } = job;
        counts[position] += 1;
        if options.overlaps(row.start_s, row.end_s) {
            let nodes = job.nodes_of(&replays[position].machine).ok_or_else(|| {
                let problem = format!(
                    "job {}, column 'nodes': found '{}', expected nodes such as 0-3 7",
                    row.number, job.nodes
                );
                FigureError::Damaged { path: job.path.to_owned(), problem }
            })?;
            visit(position, PlacedJob { row, nodes, killed_in: None });
        }
        Ok(())
    })?;
    Ok(is_kept.then_some(counts))
}
