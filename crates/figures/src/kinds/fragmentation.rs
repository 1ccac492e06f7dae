//! The plot `fragmentation`: the largest free submesh over time, for the first seed of each replay.

use std::collections::BTreeMap;

use super::job_rows::{JobCurve, Seeds, chosen_column, visit_rows};
use super::time_axis::{PARTS, TimeAxis, over_time};
use crate::FigureError;
use crate::curves::in_panels;
use crate::draw::{Axis, Chart};
use crate::kind::{Drawn, FEW_SLICES, FRAGMENTATION, PlotKind, PlotOptions, Setting};
use crate::results::Results;
use crate::span::Span;
use meshreplay_sim::metrics::BusyNodes;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "fragmentation",
    summary: "Largest free submesh over time; --value slices_fit_1 for how many of a slice fit",
    needs: FRAGMENTATION,
    takes: &[Setting::Value, Setting::Replay, Setting::Window],
    example: Some(FEW_SLICES),
    draw,
};

/// The frame, and its column that is drawn by default.
const FRAME: &str = "fragmentation";
const DEFAULT: &str = "largest_free_submesh";

/// Draws the plot; `None` if the fragmentation was not kept.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let value = chosen_column(options, FRAME, DEFAULT)?.name;
    over_time(options, results, &(title(value).0 + " over time"), draw_panels)
}

fn draw_panels(
    options: &PlotOptions<'_>,
    results: &Results,
    curves: Vec<JobCurve>,
) -> Result<Option<Vec<Chart>>, FigureError> {
    let value = chosen_column(options, FRAME, DEFAULT)?.name;
    let by_replay = TimeAxis::read_each(FRAME, options, ["time_s", "time_s"], &curves, &|_| Span::EMPTY)?;
    let Some(by_replay) = by_replay else { return Ok(None) };
    // A value holds from its row to the next one of its replay.
    let mut steps: BTreeMap<u64, Steps> = BTreeMap::new();
    let names = ["time_s", value];
    let is_kept =
        visit_rows(FRAME, options, names, &curves, Seeds::First, &mut |replay, [time_s, value]| {
            if let Some(axis) = by_replay.get(&replay) {
                steps.entry(replay).or_insert_with(|| Steps::new(axis.span_s)).add(time_s, value);
            }
        })?;
    if !is_kept {
        return Ok(None);
    }
    let (title, unit) = title(value);
    let panel = |curves: Vec<JobCurve>| {
        let axis = by_replay.get(&curves.first()?.replay)?;
        let series = curves.into_iter().filter_map(|curve| {
            let points = steps.get(&curve.replay)?.points(axis);
            Some(curve.series(points))
        });
        let y = Axis { shows: Some(0.0), ..Axis::titled(title.to_lowercase() + unit) };
        Some(axis.chart(options, results, "first arrival", y, series.collect()))
    };
    Ok(in_panels(curves, |curve| &curve.panel).into_iter().map(panel).collect())
}

/// The means over time of a step function.
struct Steps {
    means: BusyNodes,
    /// The last time and the value from then on.
    last: Option<(f64, f64)>,
    /// The first time.
    first_s: f64,
}

impl Steps {
    fn new(span_s: Span) -> Self {
        let means = BusyNodes::new(span_s.low, span_s.high, PARTS);
        Self { means, last: None, first_s: f64::INFINITY }
    }

    /// Sets the value from a time in seconds on.
    fn add(&mut self, time_s: f64, value: f64) {
        self.first_s = self.first_s.min(time_s);
        if let Some((from_s, value)) = self.last.replace((time_s, value)) {
            self.means.add(from_s, time_s, value);
        }
    }

    /// Returns the means in the time between the first and the last change.
    fn points(&self, axis: &TimeAxis) -> Vec<(f64, f64)> {
        let until_s = self.last.map_or(f64::NEG_INFINITY, |(time_s, _)| time_s);
        let means = self.means.means().into_iter();
        let inside = means.filter(|(time_s, _)| *time_s >= self.first_s && *time_s <= until_s);
        inside.map(|(time_s, value)| (axis.at(time_s), value)).collect()
    }
}

/// Returns the title of a column of the frame, and its unit in parentheses.
fn title(value: &str) -> (String, &'static str) {
    match (value, value.strip_prefix("slices_fit_")) {
        (DEFAULT, _) => ("Largest free submesh".to_owned(), " (nodes)"),
        ("free", _) => ("Free nodes".to_owned(), ""),
        (_, Some(number)) => (format!("How many of slice {number} fit"), ""),
        _ => ("External fragmentation".to_owned(), ""),
    }
}
