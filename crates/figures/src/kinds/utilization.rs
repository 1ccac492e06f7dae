//! The plot `utilization`: dispersal against utilization, with one curve over the loads for each allocator.

use super::values::{axis, charts, points, untitled};
use crate::curves::{Curve, in_panels};
use crate::draw::{Axis, Chart, Kind, Panels, Series};
use crate::kind::{Drawn, MANY_LOADS, PlotKind, PlotOptions, SEVERAL_LOADS, Setting};
use crate::results::Results;

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
    let series = |Curve { name, look, rows, .. }: Curve| {
        let percent = |row| x.get(row).map(|share| 100.0 * share);
        let points = points(&rows, &|row| results.load(row), &percent, &|row| y.get(row));
        let kind = if points.len() > 1 { Kind::Curve } else { Kind::Points };
        Series { name, look, kind, points }
    };
    let panel = |curves: Vec<Curve>| Chart {
        subtitle: curves[0].panel.clone(),
        x: Axis { most: Some(100.0), ..Axis::titled("utilization (%)") },
        y: axis(column),
        series: curves.into_iter().map(series).collect(),
        ..Chart::default()
    };
    let panels = in_panels(results.curves_by_load(), |curve| &curve.panel).into_iter().map(panel);
    let panels: Vec<Chart> = panels.collect();
    let is_single = |series: &Series| series.points.len() < 2;
    if !options.is_asked && panels.iter().flat_map(|panel| &panel.series).all(is_single) {
        return Ok(Panels::default());
    }
    let title = format!("{} by utilization", untitled(column));
    Ok(charts(title, results.shared(), String::new(), panels))
}
