//! The plot `queue`: the number of waiting jobs over time, for the first seed of each replay.

use std::collections::BTreeMap;

use super::job_rows::{JobCurve, Seeds, TimeMeans, outages, visit_rows};
use super::time_axis::{PARTS, TimeAxis, over_time};
use crate::FigureError;
use crate::draw::{Axis, Chart};
use crate::kind::{Drawn, FEW_JOBS, JOBS, OF_JOBS, PlotKind, PlotOptions};
use crate::results::Results;
use crate::span::Span;
use meshreplay_sim::metrics::KilledWaits;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "queue",
    summary: "Jobs that wait, over time",
    needs: JOBS,
    takes: OF_JOBS,
    example: Some(FEW_JOBS),
    draw,
};

/// Draws the plot; `None` if the jobs were not kept.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    over_time(options, results, "Length of the queue over time", draw_panel)
}

fn draw_panel(
    options: &PlotOptions<'_>,
    results: &Results,
    curves: Vec<JobCurve>,
) -> Result<Option<Chart>, FigureError> {
    let span = TimeAxis::read("jobs", options, ["submit_s", "start_s"], &curves, Span::EMPTY)?;
    let Some(axis) = span else { return Ok(None) };
    // A job that waits counts as a busy node does in a picture of utilization.
    let mut waiting = TimeMeans::new(axis.span_s, PARTS);
    let mut killed: BTreeMap<u64, KilledWaits> = BTreeMap::new();
    for (replay, outages) in outages(options, results, &curves)? {
        let waits = outages.waits();
        for (run, &from_s) in outages.killed.iter().zip(waits.before()) {
            waiting.entry(replay).add(from_s, run.row.start_s, 1.0);
        }
        killed.insert(replay, waits);
    }
    let names = ["submit_s", "start_s", "job"];
    visit_rows("jobs", options, names, &curves, Seeds::First, &mut |replay, [submit_s, start_s, job]| {
        let since_s = |waits: &KilledWaits| waits.since(job as i64, submit_s, start_s);
        waiting.entry(replay).add(killed.get(&replay).map_or(submit_s, since_s), start_s, 1.0);
    })?;
    let series = curves.into_iter().filter_map(|curve| {
        let means = waiting.by_replay.get(&curve.replay)?.means();
        Some(curve.series(means.into_iter().map(|(time_s, jobs)| (axis.at(time_s), jobs))))
    });
    let y = Axis { shows: Some(0.0), ..Axis::titled("waiting jobs") };
    Ok(Some(axis.chart(options, results, "first arrival", y, series.collect())))
}
