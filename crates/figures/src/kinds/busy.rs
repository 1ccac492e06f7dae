//! The plot `busy`: utilization over time, for the first seed of each replay. With outages, lines show the
//! nodes that are up.

use std::collections::BTreeMap;

use super::job_rows::{JobCurve, Seeds, outages, plain, visit_rows};
use super::time_axis::{PARTS, TimeAxis, over_time};
use crate::FigureError;
use crate::curves::in_panels;
use crate::draw::{Axis, Chart, Kind, Point, Series};
use crate::kind::{Drawn, FEW_JOBS, JOBS, OF_JOBS, PlotKind, PlotOptions};
use crate::looks::looks;
use crate::results::Results;
use crate::span::Span;
use meshreplay_sim::metrics::BusyNodes;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "busy",
    summary: "Utilization over time",
    needs: JOBS,
    takes: OF_JOBS,
    example: Some(FEW_JOBS),
    draw,
};

/// Draws the plot; `None` if the jobs were not kept.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    over_time(options, results, "Utilization over time", draw_panels)
}

fn draw_panels(
    options: &PlotOptions<'_>,
    results: &Results,
    curves: Vec<JobCurve>,
) -> Result<Option<Vec<Chart>>, FigureError> {
    let outages = outages(options, results, &curves)?;
    // Killed runs kept nodes busy, too.
    let killed = |replay: u64| {
        let runs = outages.get(&replay).into_iter().flat_map(|outages| &outages.killed);
        Span::covering(runs.flat_map(|run| [run.row.start_s, run.row.end_s]))
    };
    let by_replay = TimeAxis::read_each("jobs", options, ["start_s", "end_s"], &curves, &killed)?;
    let Some(by_replay) = by_replay else { return Ok(None) };
    let empty = |axis: &TimeAxis| BusyNodes::new(axis.span_s.low, axis.span_s.high, PARTS);
    let mut busy: BTreeMap<u64, BusyNodes> = BTreeMap::new();
    let names = ["start_s", "end_s", "allocated"];
    let is_kept =
        visit_rows("jobs", options, names, &curves, Seeds::First, &mut |replay, [start_s, end_s, nodes]| {
            if let Some(axis) = by_replay.get(&replay) {
                busy.entry(replay).or_insert_with(|| empty(axis)).add(start_s, end_s, nodes);
            }
        })?;
    if !is_kept {
        return Ok(None);
    }
    let mut panel = |curves: Vec<JobCurve>| -> Result<Option<Chart>, FigureError> {
        let Some(axis) = curves.first().and_then(|curve| by_replay.get(&curve.replay)) else {
            return Ok(None);
        };
        let (mut series, mut up) = (Vec::new(), Vec::new());
        for curve in curves {
            let all = f64::from(results.machine(curve.row)?.available());
            let Some(means) = busy.get_mut(&curve.replay) else { continue };
            let share = |(time_s, nodes): (f64, f64)| (axis.at(time_s), 100.0 * nodes / all);
            if let Some(outages) = outages.get(&curve.replay) {
                for run in &outages.killed {
                    means.add(run.row.start_s, run.row.end_s, f64::from(run.row.allocated));
                }
                let mut down = empty(axis);
                outages.down.iter().for_each(|one| down.add(one.from_s, one.until_s, one.count()));
                let points = down.means().into_iter().map(|(time_s, down)| share((time_s, all - down)));
                up.push((curve.name.clone(), plain(points)));
            }
            let points = means.means().into_iter().map(share);
            series.push(curve.series(points));
        }
        let mut chart = axis.chart(options, results, "first start", Axis::percent("busy nodes (%)"), series);
        chart.series.extend(lines_of_up(up));
        Ok(Some(chart))
    };
    in_panels(curves, |curve| &curve.panel).into_iter().map(&mut panel).collect()
}

/// Returns the series of nodes that are up: one for all replays with the same outages, otherwise one for each
/// replay, with its name.
fn lines_of_up(mut up: Vec<(String, Vec<Point>)>) -> Vec<Series> {
    let is_shared = up.iter().all(|(_, points)| *points == up[0].1);
    if is_shared {
        up.truncate(1);
    }
    for (name, _) in &mut up {
        *name = if is_shared { NODES_UP.to_owned() } else { format!("{NODES_UP}: {name}") };
    }
    let subjects: Vec<(&str, &str)> = up.iter().map(|(name, _)| (NODES_UP, name.as_str())).collect();
    let looks = looks(&subjects);
    let lines = up.into_iter().zip(looks);
    lines.map(|((name, points), look)| Series { name, look, kind: Kind::Line, points }).collect()
}

/// The name of lines of available nodes, which also decides their look.
const NODES_UP: &str = "nodes up";
