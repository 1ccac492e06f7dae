//! The plot `frontier`: the dispersal of jobs against the mean duration of an allocator call.

use super::values::{Nanoseconds, axis, mean, untitled};
use crate::figure::draw::{Axis, Chart, Kind, Point, Scale, Series};
use crate::figure::kind::{Drawn, Needs, PlotKind, PlotOptions, Setting};
use crate::figure::results::{Curve, Results};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "frontier",
    summary: "Dispersal against what a call costs",
    needs: Needs::Summary("times; leave out --no-timing"),
    takes: &[Setting::Value],
    example: None,
    draw,
};

/// Draws the plot; `None` if the calls were not timed.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let column = options.value.unwrap_or("pairwise_mean_mean");
    let Ok(total) = results.numbers("allocate_ns_total") else { return Ok(None) };
    let (calls, refused) = (results.numbers("allocate_calls")?, results.numbers("allocate_failures")?);
    let y = results.chosen("--value", column)?;
    let cost = |row: usize| {
        // The total is the time of the calls that placed a job, so it is divided by their number.
        let placed = calls[row]? - refused[row]?;
        (placed > 0.0).then(|| total[row].map(|ns| ns / placed)).flatten()
    };
    let unit = Nanoseconds::of((0..results.sheet.height()).filter_map(cost));
    let series = |Curve { name, look, rows }: Curve| {
        // Each load is one point. Both of its coordinates are means over the replications.
        let same_load = |a: &usize, b: &usize| {
            results.load_columns().iter().all(|name| results.label(*a, name) == results.label(*b, name))
        };
        let point = |rows: &[usize]| {
            let x = mean(rows.iter().map(|&row| cost(row)))? / unit.ns;
            Some(Point { x, y: mean(rows.iter().map(|&row| y[row]))?, half_width: 0.0 })
        };
        let points = rows.chunk_by(same_load).filter_map(point).collect();
        Series { name, look, kind: Kind::Points, points }
    };
    let series: Vec<Series> = results.curves(results.load_columns()).into_iter().map(series).collect();
    let mut subtitle = results.shared();
    if series.iter().any(|series| series.points.len() > 1) {
        subtitle += if subtitle.is_empty() { "a point for each load" } else { " · a point for each load" };
    }
    let chart = Chart {
        title: format!("{} against the cost of a call", untitled(column)),
        subtitle,
        x: Axis {
            title: format!("mean call that places a job ({})", unit.name),
            scale: Scale::Log,
            ..Axis::default()
        },
        y: axis(column),
        series,
        ..Chart::default()
    };
    Ok(Some(chart.draw_on(options.page)))
}
