//! The plot `calls`: the distribution of the duration of allocator calls, as the share of calls that take
//! longer.

use super::jobs::columns::{about_jobs, distributions, shares};
use super::values::Nanoseconds;
use crate::draw::{Axis, Chart, Scale};
use crate::kind::{Drawn, Needs, OF_JOBS, PlotKind, PlotOptions};
use crate::results::Results;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "calls",
    summary: "Distribution of the duration of allocator calls",
    needs: Needs::CallTimes,
    takes: OF_JOBS,
    example: None,
    draw,
};

/// Draws the plot; `None` if the jobs were not kept or have no times of calls.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let Some(found) = distributions(options, results, "allocate_ns", 1.0)? else { return Ok(None) };
    let ends = found.iter().flat_map(|(_, found)| [found.quantile(0.0), found.quantile(1.0)]);
    let unit = Nanoseconds::of(ends.flatten());
    if found.iter().all(|(_, found)| found.count() == 0) {
        return Ok(None);
    }
    let mut series = shares(found, 1.0, Scale::Log);
    for series in &mut series {
        // No call takes longer than the longest one, and a logarithmic axis cannot show 0.
        series.points.retain(|point| point.y > 0.0);
        series.points.iter_mut().for_each(|point| point.x /= unit.ns);
    }
    let axis = |title: String| Axis { title, scale: Scale::Log, ..Axis::default() };
    let chart = Chart {
        title: "Duration of calls that place a job".to_owned(),
        subtitle: about_jobs(options, results),
        x: axis(format!("duration ({})", unit.name)),
        y: axis("share of calls that take longer".to_owned()),
        series,
        ..Chart::default()
    };
    Ok(Some(chart.draw_on(options.page)))
}
