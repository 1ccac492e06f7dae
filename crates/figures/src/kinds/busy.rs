//! The plot `busy`: utilization over time, for the first seed of each replay. With outages, lines show the
//! nodes that are up.

use super::job_rows::{JobCurve, Seeds, TimeMeans, outages, plain, visit_rows};
use super::time_axis::{PARTS, TimeAxis, over_time};
use crate::FigureError;
use crate::draw::{Axis, Chart, Kind, Point, Series};
use crate::kind::{Drawn, FEW_JOBS, JOBS, OF_JOBS, PlotKind, PlotOptions};
use crate::looks::looks;
use crate::results::Results;
use crate::span::Span;

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
    over_time(options, results, "Utilization over time", draw_panel)
}

fn draw_panel(
    options: &PlotOptions<'_>,
    results: &Results,
    curves: Vec<JobCurve>,
) -> Result<Option<Chart>, FigureError> {
    let outages = outages(options, results, &curves)?;
    // Killed runs kept nodes busy, too.
    let killed = outages.values().flat_map(|outages| &outages.killed);
    let killed = Span::covering(killed.flat_map(|run| [run.row.start_s, run.row.end_s]));
    let span = TimeAxis::read("jobs", options, ["start_s", "end_s"], &curves, killed)?;
    let Some(axis) = span else { return Ok(None) };
    let mut busy = TimeMeans::new(axis.span_s, PARTS);
    let names = ["start_s", "end_s", "allocated"];
    let is_kept =
        visit_rows("jobs", options, names, &curves, Seeds::First, &mut |replay, [start_s, end_s, nodes]| {
            busy.entry(replay).add(start_s, end_s, nodes);
        })?;
    if !is_kept {
        return Ok(None);
    }
    let (mut series, mut up) = (Vec::new(), Vec::new());
    for curve in curves {
        let all = f64::from(results.machine(curve.row)?.available());
        let Some(means) = busy.by_replay.get_mut(&curve.replay) else { continue };
        let share = |(time_s, nodes): (f64, f64)| (axis.at(time_s), 100.0 * nodes / all);
        if let Some(outages) = outages.get(&curve.replay) {
            for run in &outages.killed {
                means.add(run.row.start_s, run.row.end_s, f64::from(run.row.allocated));
            }
            let mut down = busy.empty.clone();
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
