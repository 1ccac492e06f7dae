//! The plot `calls`: the distribution of the duration of allocator calls, as the share of calls that take longer.

use super::job_columns::shares;
use crate::figure::draw::{Axis, Chart, Scale};
use crate::figure::kind::{Drawn, Needs, PlotKind, PlotOptions};
use crate::figure::results::Results;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "calls",
    summary: "Distribution of the duration of allocator calls",
    needs: Needs::CallTimes,
    example: None,
    draw,
};

/// Draws the plot; `None` if the jobs were not kept or have no times of calls.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let Some(mut series) = shares(options, results, "allocate_ns", 1.0)? else { return Ok(None) };
    for series in &mut series {
        // No call takes longer than the longest one, and a logarithmic axis cannot show 0.
        series.points.retain(|point| point.y > 0.0);
    }
    let axis = |title: &str| Axis { title: title.to_owned(), scale: Scale::Log, ..Axis::default() };
    let chart = Chart {
        title: "Duration of calls that place a job".to_owned(),
        subtitle: results.shared_at_first_load(),
        x: axis("duration (ns)"),
        y: axis("share of calls that take longer"),
        series,
    };
    Ok(Some(chart.draw()))
}
