//! The horizontal axis of pictures over time.

use super::columns::{JobCurve, visit_rows};
use crate::clock::Clock;
use crate::draw::Axis;
use crate::error::FigureError;
use crate::kind::PlotOptions;
use crate::results::Results;

/// A stretch of time in seconds, and the unit in which an axis shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::kinds) struct TimeAxis {
    /// The beginning, in seconds.
    pub(in crate::kinds) from_s: f64,
    /// The end, in seconds.
    pub(in crate::kinds) to_s: f64,
    unit_s: f64,
    unit: &'static str,
}

impl TimeAxis {
    /// Returns the axis from one time to another, in seconds.
    pub(in crate::kinds) fn new((from_s, to_s): (f64, f64)) -> Self {
        let (unit_s, unit) = unit(to_s - from_s);
        Self { from_s, to_s, unit_s, unit }
    }

    /// Returns the axis of the window that the user chose, or else from the least time to the largest of the
    /// columns `ends` of a frame and of the times in `more`. Returns `None` if there is no frame with these
    /// columns.
    pub(in crate::kinds) fn of(
        detail: &str,
        options: &PlotOptions<'_>,
        ends: [&str; 2],
        curves: &[JobCurve],
        more: impl Iterator<Item = f64>,
    ) -> Result<Option<Self>, FigureError> {
        if let Some(window_s) = options.window_s {
            return Ok(Some(Self::new(window_s)));
        }
        let fold = |(low, high): (f64, f64), time: f64| (low.min(time), high.max(time));
        let mut span = more.fold((f64::INFINITY, f64::NEG_INFINITY), fold);
        let is_there = visit_rows(detail, options, &ends, curves, &mut |row| {
            span = (span.0.min(row.values[0]), span.1.max(row.values[1]));
        })?;
        Ok(is_there.then(|| Self::new(span)))
    }

    /// Returns both ends, in seconds.
    pub(in crate::kinds) fn span_s(&self) -> (f64, f64) {
        (self.from_s, self.to_s)
    }

    /// Returns the place of a time in seconds on the axis.
    pub(in crate::kinds) fn at(&self, time_s: f64) -> f64 {
        (time_s - self.from_s) / self.unit_s
    }

    /// Returns the settings of the axis: dates if the results have them, and otherwise the time since its
    /// beginning. `first` says what that is if there is no window, such as `first start`.
    pub(in crate::kinds) fn axis(&self, options: &PlotOptions<'_>, results: &Results, first: &str) -> Axis {
        let unit = self.unit;
        let wanted = if options.page.width.is_some_and(|width| width < 500.0) { 2 } else { 4 };
        if let Some(clock) = Clock::of_shown(options.folder, results, options.replays) {
            // Rounder dates may be too few to read a time off.
            let ticks = |wanted: usize| clock.ticks(self.span_s(), wanted);
            let enough = (wanted..=3 * wanted).map(ticks).find(|ticks| ticks.len() >= wanted.min(3));
            let ticks = enough.unwrap_or_else(|| ticks(3 * wanted));
            let marks: Vec<_> = ticks.into_iter().map(|(time_s, label)| (self.at(time_s), label)).collect();
            if !marks.is_empty() {
                let title = format!("date ({})", clock.zone_name);
                return Axis { title, marks, shows: Some(0.0), ..Axis::default() };
            }
        }
        let title = match options.window_s {
            None => format!("time since the {first} ({unit})"),
            Some((from_s, _)) => {
                format!("time since {} s ({unit})", meshreplay_results::text::grouped(from_s, 0))
            }
        };
        Axis { title, shows: Some(0.0), ..Axis::default() }
    }
}

/// Returns a suitable unit of time for an axis over so many seconds: its length in seconds and its name.
fn unit(seconds: f64) -> (f64, &'static str) {
    const HOUR: f64 = 3600.0;
    const DAY: f64 = 24.0 * HOUR;
    match seconds {
        seconds if seconds > 4.0 * DAY => (DAY, "days"),
        seconds if seconds > 4.0 * HOUR => (HOUR, "hours"),
        _ => (1.0, "s"),
    }
}
