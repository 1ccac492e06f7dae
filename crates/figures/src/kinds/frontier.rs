//! The plot `frontier`: the dispersal of jobs against the duration of an allocator call.

use super::values::{TimeUnit, axis, mean, untitled};
use crate::draw::{Axis, Chart, Kind, Point, Scale, Series, joined};
use crate::kind::{Drawn, PlotKind, PlotOptions, Setting};
use crate::results::{Curve, Results};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "frontier",
    summary: "Dispersal against what a call costs",
    needs: "times; leave out --no-timing",
    takes: &[Setting::Value],
    example: None,
    draw,
};

/// Draws the plot; `None` if the calls were not timed.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let column = options.value.unwrap_or("pairwise_mean_mean");
    let Ok(medians) = results.numbers("allocate_ns_p50") else { return Ok(None) };
    // A plain mean would mostly show interruptions by other processes. Short replays have no trimmed mean,
    // and all points need the same statistic.
    let trimmed = results
        .numbers("allocate_ns_trimmed_mean")
        .ok()
        .filter(|means| means.iter().all(|mean| mean.is_some()));
    let statistic = if trimmed.is_some() {
        "mean call that places a job, without the slowest 1 %"
    } else {
        "median call that places a job"
    };
    let costs = trimmed.unwrap_or(medians);
    let cost = |row: usize| costs.get(row).filter(|ns| *ns > 0.0);
    let y = results.chosen("--value", column)?;
    let unit = TimeUnit::for_durations((0..results.table.height()).filter_map(cost));
    let series = |Curve { name, look, rows }: Curve| {
        // Each load is one point. Both of its coordinates are means over the replications.
        let same_load = |a: &usize, b: &usize| {
            results.load_columns().iter().all(|name| results.label(*a, name) == results.label(*b, name))
        };
        let point = |rows: &[usize]| {
            let x = mean(rows.iter().map(|&row| cost(row)))? / unit.ns;
            Some(Point { x, y: mean(rows.iter().map(|&row| y.get(row)))?, half_width: 0.0 })
        };
        let points = rows.chunk_by(same_load).filter_map(point).collect();
        Series { name, look, kind: Kind::Points, points }
    };
    let series: Vec<Series> = results.curves(results.load_columns()).into_iter().map(series).collect();
    let has_loads = series.iter().any(|series| series.points.len() > 1);
    let chart = Chart {
        title: format!("{} against the cost of a call", untitled(column)),
        subtitle: joined(&[&*results.shared(), if has_loads { "a point for each load" } else { "" }]),
        x: Axis { scale: Scale::Log, ..Axis::titled(format!("{statistic} ({})", unit.name)) },
        y: axis(column),
        series,
        ..Chart::default()
    };
    Ok(Some(chart.draw_on(options.page)))
}
