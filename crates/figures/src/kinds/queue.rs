//! The plot `queue`: the number of waiting jobs over time, for the first seed of each replay.

use std::collections::BTreeMap;

use super::busy::PARTS;
use super::jobs::columns::{job_curves, plain, visit_rows};
use super::jobs::time_axis::TimeAxis;
use crate::downtimes::downtimes;
use crate::draw::{Axis, Chart, Kind, Series};
use crate::kind::{Drawn, FEW_JOBS, Needs, OF_JOBS, PlotKind, PlotOptions};
use crate::results::Results;
use meshreplay_sim::metrics::{BusyNodes, KilledWaits};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "queue",
    summary: "Jobs that wait, over time",
    needs: Needs::Jobs,
    takes: OF_JOBS,
    example: Some(FEW_JOBS),
    draw,
};

/// Draws the plot; `None` if the jobs were not kept. Each point is a mean over one of equally many parts of
/// the time.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let curves = job_curves(options, results)?;
    let span = TimeAxis::of("jobs", options, ["submit_s", "start_s"], &curves, std::iter::empty())?;
    let Some(axis) = span else { return Ok(None) };
    // A job that waits counts as a busy node does in a picture of utilization.
    let mut waiting: BTreeMap<u64, BusyNodes> = BTreeMap::new();
    let none = || BusyNodes::new(axis.span_s(), PARTS);
    let is_shown = |replay: u64| curves.iter().any(|curve| curve.replays.first() == Some(&replay));
    let mut killed: BTreeMap<u64, KilledWaits> = BTreeMap::new();
    for (replay, outages) in downtimes(options.folder, results, &is_shown)? {
        let (waits, found) = (outages.waits(), waiting.entry(replay).or_insert_with(none));
        for (run, &from_s) in outages.killed.iter().zip(waits.before()) {
            found.add(from_s, run.row.start_s, 1.0);
        }
        killed.insert(replay, waits);
    }
    let names = ["submit_s", "start_s", "job"];
    visit_rows("jobs", options, &names, &curves, &mut |row| {
        if row.is_first_seed {
            let [submit_s, start_s, job] = [row.values[0], row.values[1], row.values[2]];
            let since_s = |waits: &KilledWaits| waits.since(job as i64, submit_s, start_s);
            let from_s = killed.get(&row.replay).map_or(submit_s, since_s);
            waiting.entry(row.replay).or_insert_with(none).add(from_s, start_s, 1.0);
        }
    })?;
    let series = curves.into_iter().filter_map(|curve| {
        let found = waiting.get(curve.replays.first()?)?;
        let points = found.means().into_iter().map(|(time_s, jobs)| (axis.at(time_s), jobs)).collect();
        Some(Series { name: curve.name, look: curve.look, kind: Kind::Line, points: plain(points) })
    });
    let chart = Chart {
        title: "Length of the queue over time".to_owned(),
        subtitle: results.shared_of_shown(options.replays),
        x: axis.axis(options, results, "first arrival"),
        y: Axis { title: "waiting jobs".to_owned(), shows: Some(0.0), ..Axis::default() },
        series: series.collect(),
        ..Chart::default()
    };
    Ok(Some(chart.draw_on(options.page)))
}
