//! The plot `utilization`: dispersal against utilization, with one curve over the loads for each allocator.

use super::values::{axis, points, untitled};
use crate::draw::{Axis, Chart, Kind, Series};
use crate::kind::{Drawn, MANY_LOADS, PlotKind, PlotOptions, SEVERAL_LOADS, Setting};
use crate::results::{Curve, Results};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "utilization",
    summary: "Dispersal against utilization",
    needs: SEVERAL_LOADS,
    takes: &[Setting::Value],
    example: Some(MANY_LOADS),
    draw,
};

/// Draws the plot; `None` if no curve has several loads and the user did not name this kind.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let column = options.value.unwrap_or("pairwise_mean_mean");
    let (x, y) = (results.numbers("utilization")?, results.chosen("--value", column)?);
    let series = |Curve { name, look, rows }: Curve| {
        let percent = |row| x.get(row).map(|share| 100.0 * share);
        let points = points(&rows, &|row| results.load(row), &percent, &|row| y.get(row));
        let kind = if points.len() > 1 { Kind::Curve } else { Kind::Points };
        Series { name, look, kind, points }
    };
    let series: Vec<Series> = results.curves_by_load().into_iter().map(series).collect();
    if !options.is_asked && series.iter().all(|series| series.points.len() < 2) {
        return Ok(None);
    }
    let chart = Chart {
        title: format!("{} by utilization", untitled(column)),
        subtitle: results.shared(),
        x: Axis { most: Some(100.0), ..Axis::titled("utilization (%)") },
        y: axis(column),
        series,
        ..Chart::default()
    };
    Ok(Some(chart.draw_on(options.page)))
}
