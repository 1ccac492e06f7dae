//! The plot `box`: how a number of the jobs is distributed, as a box for each replay.

use super::jobs::columns::{about_jobs, distributions};
use super::jobs::values::FrameValue;
use crate::draw::{Axis, BoxRow, Boxes, Scale};
use crate::kind::{Drawn, FEW_JOBS, Needs, PlotKind, PlotOptions, Setting};
use crate::results::Results;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "box",
    summary: "Boxes of the waiting times, from 5 % to 95 % of the jobs; --value for another number of the \
         jobs",
    needs: Needs::Jobs,
    takes: &[Setting::Value, Setting::Log, Setting::Replay, Setting::Window],
    example: Some(FEW_JOBS),
    draw,
};

/// The shares of the jobs at the ends of the whiskers and of the box, and at the median.
const SHARES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// Draws the plot; `None` if the jobs were not kept or lack the number.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let value = FrameValue::of(options, "wait_s")?;
    let Some(found) = distributions(options, results, value.name(), value.steps())? else { return Ok(None) };
    let row = |(curve, found): &(super::jobs::columns::JobCurve, meshreplay_sim::metrics::Distribution)| {
        let marks = SHARES.map(|share| found.quantile(share).unwrap_or_default());
        Some(BoxRow { name: curve.name.clone(), look: curve.look, marks, mean: found.mean()? })
    };
    let rows: Vec<BoxRow> = found.iter().filter_map(row).collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let scale = if options.log { Scale::Log } else { Scale::Linear };
    let about =
        "whiskers 5\u{a0}% and 95\u{a0}% of the jobs, box 25\u{a0}%, 50\u{a0}% and 75\u{a0}%, dot mean";
    let shared = about_jobs(options, results);
    let boxes = Boxes {
        title: format!("Distribution of the {} of jobs", value.title()),
        subtitle: if shared.is_empty() { about.to_owned() } else { format!("{shared} · {about}") },
        x: Axis { scale, ..value.axis() },
        rows,
    };
    Ok(Some(boxes.draw_on(options.page)))
}
