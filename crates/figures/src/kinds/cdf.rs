//! The plot `cdf`: how a number of the jobs is distributed, as the share of jobs with at most this number.

use super::jobs::columns::{about_jobs, distributions, shares};
use super::jobs::values::FrameValue;
use crate::draw::{Axis, Chart, Scale};
use crate::kind::{Drawn, FEW_JOBS, Needs, PlotKind, PlotOptions, Setting};
use crate::results::Results;
use meshreplay_sim::metrics::Distribution;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "cdf",
    summary: "Share of jobs with at most some pairwise sum; --value for another number of the jobs",
    needs: Needs::Jobs,
    takes: &[Setting::Value, Setting::Log, Setting::Replay, Setting::Window],
    example: Some(FEW_JOBS),
    draw,
};

/// Draws the plot; `None` if the jobs were not kept or lack the number.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let value = FrameValue::of(options, "pairwise_sum")?;
    let Some(found) = distributions(options, results, value.name(), value.steps())? else { return Ok(None) };
    let none: u64 = found.iter().map(|(_, found)| found.count()).sum();
    if none == 0 {
        return Ok(None);
    }
    let is_log = options.log || found.iter().any(|(_, found)| has_long_tail(found));
    // Values of 0 have no place on a logarithmic axis; the curve then begins with the share of the others.
    let scale = if is_log { Scale::Log } else { Scale::Linear };
    let mut series = shares(found, 100.0, scale);
    series.iter_mut().flat_map(|series| &mut series.points).for_each(|point| point.y = 100.0 - point.y);
    let chart = Chart {
        title: format!("Distribution of the {} of jobs", value.title()),
        subtitle: about_jobs(options, results),
        x: Axis { scale, ..value.axis() },
        y: Axis {
            title: "jobs with at most this (%)".to_owned(),
            shows: Some(0.0),
            most: Some(100.0),
            ..Axis::default()
        },
        series,
        ..Chart::default()
    };
    Ok(Some(chart.draw_on(options.page)))
}

/// Returns whether three quarters of the jobs have less than a tenth of the largest number, so that a linear
/// axis would leave them a tenth of its length.
fn has_long_tail(found: &Distribution) -> bool {
    let ends = found.quantile(0.75).zip(found.quantile(1.0));
    ends.is_some_and(|(most, largest)| most < 0.1 * largest)
}
