//! The plot `fragmentation`: the largest free submesh over time, for the first seed of each replay.

use std::collections::BTreeMap;

use super::busy::PARTS;
use super::jobs::columns::{job_curves, plain, visit_rows};
use super::jobs::time_axis::TimeAxis;
use super::jobs::values::FrameValue;
use crate::draw::{Axis, Chart, Kind, Series};
use crate::kind::{Drawn, FEW_SLICES, Needs, PlotKind, PlotOptions, Setting};
use crate::results::Results;
use meshreplay_sim::metrics::BusyNodes;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "fragmentation",
    summary: "Largest free submesh over time; --value slices_fit_1 for how many of a slice fit",
    needs: Needs::Fragmentation,
    takes: &[Setting::Value, Setting::Replay, Setting::Window],
    example: Some(FEW_SLICES),
    draw,
};

/// The frame, and its column that is drawn by default.
const FRAME: &str = "fragmentation";
const DEFAULT: &str = "largest_free_submesh";

/// Draws the plot; `None` if the fragmentation was not kept. Each point is a mean over one of equally many
/// parts of the time.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let value = FrameValue::of_frame(options, FRAME, "column of numbers", DEFAULT)?.name();
    let curves = job_curves(options, results)?;
    let span = TimeAxis::of(FRAME, options, ["time_s", "time_s"], &curves, std::iter::empty())?;
    let Some(axis) = span else { return Ok(None) };
    // A value holds from its row to the next one of its replay.
    let mut found: BTreeMap<u64, Steps> = BTreeMap::new();
    let is_there = visit_rows(FRAME, options, &["time_s", value], &curves, &mut |row| {
        if row.is_first_seed {
            let [time_s, value] = [row.values[0], row.values[1]];
            found.entry(row.replay).or_insert_with(|| Steps::new(&axis)).add(time_s, value);
        }
    })?;
    if !is_there {
        return Ok(None);
    }
    let series = curves.into_iter().filter_map(|curve| {
        let points = plain(found.get(curve.replays.first()?)?.points(&axis));
        Some(Series { name: curve.name, look: curve.look, kind: Kind::Line, points })
    });
    let series = series.collect();
    let (title, unit_of_value) = title(value);
    let chart = Chart {
        title: format!("{title} over time"),
        subtitle: results.shared_of_shown(options.replays),
        x: axis.axis(options, results, "first arrival"),
        y: Axis { title: title.to_lowercase() + unit_of_value, shows: Some(0.0), ..Axis::default() },
        series,
        ..Chart::default()
    };
    Ok(Some(chart.draw_on(options.page)))
}

/// The means of a number over time that changes at some instants.
struct Steps {
    means: BusyNodes,
    /// The last time and the value from then on.
    last: Option<(f64, f64)>,
    /// The first time.
    first_s: f64,
}

impl Steps {
    fn new(axis: &TimeAxis) -> Self {
        Self { means: BusyNodes::new(axis.span_s(), PARTS), last: None, first_s: f64::INFINITY }
    }

    /// Takes the value from a time in seconds on.
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
