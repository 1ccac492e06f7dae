//! The plot `queue`: the number of waiting jobs over time, for the first seed of each replay.

use std::collections::BTreeMap;

use super::job_rows::{JobCurve, Seeds, outages, visit_rows};
use super::time_axis::{PARTS, TimeAxis, over_time};
use crate::FigureError;
use crate::curves::in_panels;
use crate::draw::{Axis, Chart};
use crate::kind::{Drawn, FEW_JOBS, JOBS, OF_JOBS, PlotKind, PlotOptions};
use crate::results::Results;
use crate::span::Span;
use meshreplay_sim::metrics::{BusyNodes, KilledWaits};

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
    over_time(options, results, "Length of the queue over time", draw_panels)
}

fn draw_panels(
    options: &PlotOptions<'_>,
    results: &Results,
    curves: Vec<JobCurve>,
) -> Result<Option<Vec<Chart>>, FigureError> {
    let by_replay = TimeAxis::read_each("jobs", options, ["submit_s", "start_s"], &curves, &|_| Span::EMPTY)?;
    let Some(by_replay) = by_replay else { return Ok(None) };
    // A job that waits counts as a busy node does in a picture of utilization.
    let new = |axis: &TimeAxis| BusyNodes::new(axis.span_s.low, axis.span_s.high, PARTS);
    let mut waiting: BTreeMap<u64, BusyNodes> = BTreeMap::new();
    let mut killed: BTreeMap<u64, KilledWaits> = BTreeMap::new();
    for (replay, outages) in outages(options, results, &curves)? {
        let waits = outages.waits();
        if let Some(axis) = by_replay.get(&replay) {
            let waiting = waiting.entry(replay).or_insert_with(|| new(axis));
            for (run, &from_s) in outages.killed.iter().zip(waits.before()) {
                waiting.add(from_s, run.row.start_s, 1.0);
            }
        }
        killed.insert(replay, waits);
    }
    let names = ["submit_s", "start_s", "job"];
    visit_rows("jobs", options, names, &curves, Seeds::First, &mut |replay, [submit_s, start_s, job]| {
        let since_s = |waits: &KilledWaits| waits.since(job as i64, submit_s, start_s);
        if let Some(axis) = by_replay.get(&replay) {
            let waiting = waiting.entry(replay).or_insert_with(|| new(axis));
            waiting.add(killed.get(&replay).map_or(submit_s, since_s), start_s, 1.0);
        }
    })?;
    let panel = |curves: Vec<JobCurve>| {
        let axis = by_replay.get(&curves.first()?.replay)?;
        let series = curves.into_iter().filter_map(|curve| {
            let means = waiting.get(&curve.replay)?.means();
            Some(curve.series(means.into_iter().map(|(time_s, jobs)| (axis.at(time_s), jobs))))
        });
        let y = Axis { shows: Some(0.0), ..Axis::titled("waiting jobs") };
        Some(axis.chart(options, results, "first arrival", y, series.collect()))
    };
    Ok(in_panels(curves, |curve| &curve.panel).into_iter().map(panel).collect())
}
