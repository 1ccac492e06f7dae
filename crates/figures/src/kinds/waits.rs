//! The plot `waits`: the distribution of waiting times, as the share of jobs that wait longer.

use super::jobs::columns::{about_jobs, distributions, shares};
use crate::draw::{Axis, Chart, Scale};
use crate::kind::{Drawn, FEW_JOBS, Needs, OF_JOBS, PlotKind, PlotOptions};
use crate::results::Results;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "waits",
    summary: "Distribution of waiting times",
    needs: Needs::Jobs,
    takes: OF_JOBS,
    example: Some(FEW_JOBS),
    draw,
};

/// Draws the plot; `None` if there are no jobs.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let Some(found) = distributions(options, results, "wait_s", 1.0)? else { return Ok(None) };
    if found.iter().all(|(_, found)| found.count() == 0) {
        return Ok(None);
    }
    let chart = Chart {
        title: "Waiting times".to_owned(),
        subtitle: about_jobs(options, results),
        x: Axis { title: "wait (s)".to_owned(), scale: Scale::Log, ..Axis::default() },
        y: Axis {
            title: "jobs that wait longer (%)".to_owned(),
            shows: Some(0.0),
            most: Some(100.0),
            ..Axis::default()
        },
        series: shares(found, 100.0, Scale::Log),
        ..Chart::default()
    };
    Ok(Some(chart.draw_on(options.page)))
}
