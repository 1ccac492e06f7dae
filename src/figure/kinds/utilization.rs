//! The plot `utilization`: dispersal against utilization, with one curve over the loads for each allocator.

use super::values::{axis, points, titled};
use crate::figure::draw::{Axis, Chart, Kind, Series};
use crate::figure::kind::{Drawn, MANY_LOADS, Needs, PlotKind, PlotOptions};
use crate::figure::results::{Curve, Results};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "utilization",
    summary: "Dispersal against utilization",
    needs: Needs::Summary("rows"),
    example: Some(MANY_LOADS),
    draw,
};

/// Draws the plot, which every summary allows.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let column = options.value.unwrap_or("pairwise_mean_mean");
    let (x, y) = (results.numbers("utilization")?, results.chosen("--value", column)?);
    let series = |Curve { name, look, rows }: Curve| {
        let points = points(&rows, &|row| x[row].map(|share| 100.0 * share), y);
        let kind = if points.len() > 1 { Kind::Curve } else { Kind::Points };
        Series { name, look, kind, points }
    };
    let chart = Chart {
        title: format!("{} by utilization", titled(column)),
        subtitle: results.shared(),
        x: Axis { title: "utilization (%)".to_owned(), ..Axis::default() },
        y: axis(column),
        series: results.curves(&["arrival_scale"]).into_iter().map(series).collect(),
    };
    Ok(Some(chart.draw()))
}
