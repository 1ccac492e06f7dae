//! The plot `busy`: utilization over time, for the first seed of each replay. With outages, lines show the nodes that are
//! up.

use super::job_columns::{columns, job_curves, plain};
use crate::figure::downtimes::downtimes;
use crate::figure::draw::{Axis, Chart, Kind, Point, Series};
use crate::figure::kind::{Drawn, FEW_JOBS, Needs, PlotKind, PlotOptions};
use crate::figure::looks::looks;
use crate::figure::results::Results;
use crate::frame::KilledRun;
use crate::metrics::busy_nodes;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "busy",
    summary: "Utilization over time",
    needs: Needs::Jobs,
    example: Some(FEW_JOBS),
    draw,
};

/// The number of equal parts of the time. Each point of a curve is the mean utilization over one part.
pub(super) const PARTS: usize = 240;

/// Draws the plot; `None` if the jobs were not kept.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let curves = job_curves(results)?;
    let names = ["start_s", "end_s", "allocated", "seed"];
    let Some(found) = columns(options, &names, &curves)? else { return Ok(None) };
    let [starts, ends, nodes, seeds] = &found[..] else { return Ok(None) };
    let is_shown = |replay: u64| curves.iter().any(|curve| curve.replays.first() == Some(&replay));
    let outages = downtimes(options.folder, results, &is_shown)?;
    // Runs in which jobs were killed kept nodes busy too.
    let killed: Vec<&KilledRun> = outages.values().flat_map(|outages| &outages.killed).collect();
    let starts_s = starts.values().flatten().copied().chain(killed.iter().map(|run| run.times_s[1]));
    let ends_s = ends.values().flatten().copied().chain(killed.iter().map(|run| run.times_s[2]));
    let (from, to) = (starts_s.fold(f64::INFINITY, f64::min), ends_s.fold(f64::NEG_INFINITY, f64::max));
    let (unit_s, unit) = unit(to - from);
    let numbers = results.numbers("replay")?;
    let (mut series, mut up) = (Vec::new(), Vec::new());
    for curve in curves {
        let Some(&replay) = curve.replays.first() else { continue };
        let row = numbers.iter().position(|number| number.is_some_and(|number| number as u64 == replay));
        let machine = results.machine(row.unwrap_or_default())?;
        let (Some(starts), Some(ends), Some(nodes), Some(seeds)) =
            (starts.get(&replay), ends.get(&replay), nodes.get(&replay), seeds.get(&replay))
        else {
            continue;
        };
        let jobs = starts.iter().zip(ends).zip(nodes).zip(seeds);
        // `columns` gives 0 for the first seed and 1 for others.
        let jobs = jobs.filter(|(_, seed)| **seed < 0.5);
        let jobs = jobs.map(|(((start, end), nodes), _)| (*start, *end, *nodes));
        let all = f64::from(machine.available());
        let share = |(time, nodes): (f64, f64)| ((time - from) / unit_s, 100.0 * nodes / all);
        let runs = outages.get(&replay).into_iter().flat_map(|outages| &outages.killed);
        let jobs = jobs.chain(runs.map(|run| (run.times_s[1], run.times_s[2], f64::from(run.allocated))));
        let points = plain(busy_nodes(jobs, (from, to), PARTS).into_iter().map(share).collect());
        if let Some(outages) = outages.get(&replay) {
            let down = outages.down.iter().map(|down| (down.from_s, down.until_s, down.count()));
            let down = busy_nodes(down, (from, to), PARTS).into_iter();
            let points = plain(down.map(|(time, down)| share((time, all - down))).collect());
            up.push((curve.name.clone(), points));
        }
        series.push(Series { name: curve.name, look: curve.look, kind: Kind::Line, points });
    }
    series.extend(lines_of_up(up));
    let chart = Chart {
        title: "Utilization over time".to_owned(),
        subtitle: results.shared_at_first_load(),
        x: Axis { title: format!("time since the first start ({unit})"), ..Axis::default() },
        y: Axis { title: "busy nodes (%)".to_owned(), shows: Some(0.0), ..Axis::default() },
        series,
    };
    Ok(Some(chart.draw()))
}

/// Returns the series of nodes that are up: one for all replays if they met the same outages, and otherwise one for each,
/// with its name.
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

/// Returns a suitable unit of time for an axis over so many seconds: its length in seconds and its name.
pub(super) fn unit(seconds: f64) -> (f64, &'static str) {
    const HOUR: f64 = 3600.0;
    const DAY: f64 = 24.0 * HOUR;
    match seconds {
        seconds if seconds > 4.0 * DAY => (DAY, "days"),
        seconds if seconds > 4.0 * HOUR => (HOUR, "hours"),
        _ => (1.0, "s"),
    }
}
