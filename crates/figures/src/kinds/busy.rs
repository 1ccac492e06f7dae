//! The plot `busy`: utilization over time, for the first seed of each replay. With outages, lines show the
//! nodes that are up.

use std::collections::BTreeMap;

use super::jobs::columns::{job_curves, plain, visit_rows};
use super::jobs::time_axis::TimeAxis;
use crate::downtimes::downtimes;
use crate::draw::{Axis, Chart, Kind, Point, Series};
use crate::kind::{Drawn, FEW_JOBS, Needs, OF_JOBS, PlotKind, PlotOptions};
use crate::looks::looks;
use crate::results::Results;
use meshreplay_sim::metrics::BusyNodes;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "busy",
    summary: "Utilization over time",
    needs: Needs::Jobs,
    takes: OF_JOBS,
    example: Some(FEW_JOBS),
    draw,
};

/// The number of equal parts of the time. Each point of a curve is the mean utilization over one part.
pub(super) const PARTS: usize = 240;

/// Draws the plot; `None` if the jobs were not kept.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let curves = job_curves(options, results)?;
    let is_shown = |replay: u64| curves.iter().any(|curve| curve.replays.first() == Some(&replay));
    let outages = downtimes(options.folder, results, &is_shown)?;
    // Runs in which jobs were killed kept nodes busy too.
    let killed = outages.values().flat_map(|outages| &outages.killed);
    let ends = killed.flat_map(|run| [run.row.start_s, run.row.end_s]);
    let span = TimeAxis::of("jobs", options, ["start_s", "end_s"], &curves, ends)?;
    let Some(axis) = span else { return Ok(None) };
    let empty = BusyNodes::new(axis.span_s(), PARTS);
    let mut busy: BTreeMap<u64, BusyNodes> = BTreeMap::new();
    let names = ["start_s", "end_s", "allocated"];
    let is_there = visit_rows("jobs", options, &names, &curves, &mut |row| {
        if row.is_first_seed {
            let found = busy.entry(row.replay).or_insert_with(|| empty.clone());
            found.add(row.values[0], row.values[1], row.values[2]);
        }
    })?;
    if !is_there {
        return Ok(None);
    }
    let (mut series, mut up) = (Vec::new(), Vec::new());
    for curve in curves {
        let Some(&replay) = curve.replays.first() else { continue };
        let all = f64::from(results.machine(curve.row)?.available());
        let Some(found) = busy.get_mut(&replay) else { continue };
        let share = |(time_s, nodes): (f64, f64)| (axis.at(time_s), 100.0 * nodes / all);
        if let Some(outages) = outages.get(&replay) {
            for run in &outages.killed {
                found.add(run.row.start_s, run.row.end_s, f64::from(run.row.allocated));
            }
            let mut down = empty.clone();
            outages.down.iter().for_each(|one| down.add(one.from_s, one.until_s, one.count()));
            let points = down.means().into_iter().map(|(time_s, down)| share((time_s, all - down)));
            up.push((curve.name.clone(), plain(points.collect())));
        }
        let points = plain(found.means().into_iter().map(share).collect());
        series.push(Series { name: curve.name, look: curve.look, kind: Kind::Line, points });
    }
    series.extend(lines_of_up(up));
    let chart = Chart {
        title: "Utilization over time".to_owned(),
        subtitle: results.shared_of_shown(options.replays),
        x: axis.axis(options, results, "first start"),
        y: Axis {
            title: "busy nodes (%)".to_owned(),
            shows: Some(0.0),
            most: Some(100.0),
            ..Axis::default()
        },
        series,
        ..Chart::default()
    };
    Ok(Some(chart.draw_on(options.page)))
}

/// Returns the series of nodes that are up: one for all replays if they met the same outages, and otherwise
/// one for each, with its name.
fn lines_of_up(up: Vec<(String, Vec<Point>)>) -> Vec<Series> {
    let is_shared = up.iter().all(|(_, points)| *points == up[0].1);
    let shown = if is_shared { 1 } else { up.len() };
    let names: Vec<String> = up
        .iter()
        .take(shown)
        .map(|(name, _)| if is_shared { "nodes up".to_owned() } else { format!("nodes up: {name}") })
        .collect();
    let subjects: Vec<(&str, &str)> = names.iter().map(|name| (UP, name.as_str())).collect();
    let looks = looks(&subjects);
    let lines = names.into_iter().zip(looks).zip(up);
    lines.map(|((name, look), (_, points))| Series { name, look, kind: Kind::Line, points }).collect()
}

/// The subject whose look lines of nodes that are up have.
const UP: &str = "nodes up";
