//! The plot `load`: a column of the summary by load, with confidence bands over the replications.

use super::values::{axis, points, titled};
use crate::figure::draw::{Axis, Chart, Kind, Scale, Series};
use crate::figure::kind::{Drawn, Needs, PlotKind, PlotOptions, TWO_LOADS};
use crate::figure::load::Load;
use crate::figure::results::{Curve, Results};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "load",
    summary: "A column by load, with confidence bands",
    needs: Needs::Summary(
        "several loads: arrival scales, gaps of uniform arrivals, or rates or ratios of a workload model",
    ),
    example: Some(TWO_LOADS),
    draw,
};

/// Draws the plot; `None` if no curve has at least two loads.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let column = options.value.unwrap_or("turnaround_s_mean");
    let y = results.chosen("--value", column)?;
    let Some(first) = results.load(0) else { return Ok(None) };
    let series = |Curve { name, look, rows }: Curve| {
        let x = |row| results.load(row).map(Load::value);
        Series { name, look, kind: Kind::Curve, points: points(&rows, &x, y) }
    };
    let series: Vec<Series> = results.curves_by_load().into_iter().map(series).collect();
    if series.iter().all(|series| series.points.len() < 2) {
        return Ok(None);
    }
    let scale = if options.log { Scale::Log } else { Scale::Linear };
    let chart = Chart {
        title: format!("{} by load", titled(column)),
        subtitle: results.shared(),
        x: Axis { title: first.title().to_owned(), ..Axis::default() },
        y: Axis { scale, ..axis(column) },
        series,
    };
    Ok(Some(chart.draw()))
}
