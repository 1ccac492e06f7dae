//! The plot `busy`: utilization over time, for the first seed of each replay.

use super::job_columns::{columns, job_curves, plain};
use crate::figure::draw::{Axis, Chart, Kind, Series};
use crate::figure::kind::{Drawn, FEW_JOBS, Needs, PlotKind, PlotOptions};
use crate::figure::results::Results;
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
    let from = starts.values().flatten().copied().fold(f64::INFINITY, f64::min);
    let to = ends.values().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let (unit_s, unit) = unit(to - from);
    let numbers = results.numbers("replay")?;
    let mut series = Vec::new();
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
        let share = |(time, busy): (f64, f64)| {
            ((time - from) / unit_s, 100.0 * busy / f64::from(machine.available()))
        };
        let points = plain(busy_nodes(jobs, (from, to), PARTS).into_iter().map(share).collect());
        series.push(Series { name: curve.name, look: curve.look, kind: Kind::Line, points });
    }
    let chart = Chart {
        title: "Utilization over time".to_owned(),
        subtitle: results.shared_at_first_load(),
        x: Axis { title: format!("time since the first start ({unit})"), ..Axis::default() },
        y: Axis { title: "busy nodes (%)".to_owned(), shows: Some(0.0), ..Axis::default() },
        series,
    };
    Ok(Some(chart.draw()))
}

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
