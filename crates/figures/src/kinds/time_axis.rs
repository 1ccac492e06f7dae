//! The horizontal axis of pictures over time.

use std::collections::BTreeMap;

use super::job_rows::{JobCurve, PanelSeries, Seeds, job_curves, load_note, visit_rows};
use super::values::charts;
use crate::FigureError;
use crate::clock::Clock;
use crate::draw::{Axis, Chart};
use crate::kind::{Drawn, PlotOptions};
use crate::results::Results;
use crate::span::Span;
use meshreplay_results::text::grouped;

/// The number of equal parts of the time in pictures of curves. Each point is the mean over one part.
pub(super) const PARTS: usize = 240;

/// A window of time, and the unit of its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeAxis {
    /// The window, in seconds.
    pub(super) span_s: Span,
    unit_s: f64,
    unit: &'static str,
}

impl TimeAxis {
    /// Returns the axis of a window in seconds, in a unit that suits its length.
    pub(super) fn new(span_s: Span) -> Self {
        const HOUR: f64 = 3600.0;
        const DAY: f64 = 24.0 * HOUR;
        let (unit_s, unit) = match span_s.length() {
            seconds if seconds > 4.0 * DAY => (DAY, "days"),
            seconds if seconds > 4.0 * HOUR => (HOUR, "hours"),
            _ => (1.0, "s"),
        };
        Self { span_s, unit_s, unit }
    }

    /// Returns the axis of the chosen window, or else of all times in `more` and in the columns `ends` of a
    /// frame, the earlier times first. Returns `None` if there is no frame with these columns.
    pub(super) fn read(
        detail: &str,
        options: &PlotOptions<'_>,
        ends: [&str; 2],
        curves: &[JobCurve],
        more: Span,
    ) -> Result<Option<Self>, FigureError> {
        if let Some(window_s) = options.window_s {
            return Ok(Some(Self::new(window_s)));
        }
        let mut span_s = more;
        let is_kept = visit_rows(detail, options, ends, curves, Seeds::All, &mut |_, [from_s, to_s]| {
            span_s = Span::new(span_s.low.min(from_s), span_s.high.max(to_s));
        })?;
        Ok(is_kept.then(|| Self::new(span_s)))
    }

    /// Returns the axes of panels, each as [`Self::read`] does, in one pass over the frame, by the numbers of
    /// the replays. `more` has further times of a replay.
    pub(super) fn read_each(
        detail: &str,
        options: &PlotOptions<'_>,
        ends: [&str; 2],
        curves: &[JobCurve],
        more: &dyn Fn(u64) -> Span,
    ) -> Result<Option<BTreeMap<u64, Self>>, FigureError> {
        let mut spans: BTreeMap<&str, Span> = BTreeMap::new();
        let mut panels: BTreeMap<u64, &str> = BTreeMap::new();
        for curve in curves {
            let span = spans.entry(&curve.panel).or_insert(Span::EMPTY);
            for &replay in &curve.replays {
                let Span { low, high } = more(replay);
                *span = Span::new(span.low.min(low), span.high.max(high));
                panels.insert(replay, &curve.panel);
            }
        }
        if let Some(window_s) = options.window_s {
            return Ok(Some(panels.into_keys().map(|replay| (replay, Self::new(window_s))).collect()));
        }
        let is_kept =
            visit_rows(detail, options, ends, curves, Seeds::All, &mut |replay, [from_s, to_s]| {
                if let Some(span) = panels.get(&replay).and_then(|panel| spans.get_mut(panel)) {
                    *span = Span::new(span.low.min(from_s), span.high.max(to_s));
                }
            })?;
        let axes = panels.into_iter().map(|(replay, panel)| (replay, Self::new(spans[panel])));
        Ok(is_kept.then(|| axes.collect()))
    }

    /// Returns the place of a time in seconds on the axis.
    pub(super) fn at(&self, time_s: f64) -> f64 {
        (time_s - self.span_s.low) / self.unit_s
    }

    /// Returns the settings of the axis: dates if the results have them, and otherwise the time since its
    /// beginning. `first` names the beginning if there is no window, such as `first start`.
    pub(super) fn axis(&self, options: &PlotOptions<'_>, results: &Results, first: &str) -> Axis {
        let unit = self.unit;
        let seconds = Some([self.span_s.low, self.unit_s]);
        let wanted = if options.page.width.is_some_and(|width| width < 500.0) { 2 } else { 4 };
        if let Some(clock) = Clock::for_replays(options.folder, results, options.replays) {
            // Rounder dates may be too few for reading a time.
            let ticks = |wanted: usize| clock.ticks(self.span_s, wanted);
            let enough = (wanted..=3 * wanted).map(ticks).find(|ticks| ticks.len() >= wanted.min(3));
            let ticks = enough.unwrap_or_else(|| ticks(3 * wanted));
            let marks: Vec<_> = ticks.into_iter().map(|(time_s, label)| (self.at(time_s), label)).collect();
            if !marks.is_empty() {
                let axis = Axis::titled(format!("date ({})", clock.zone_name));
                return Axis { marks, shows: Some(0.0), seconds, ..axis };
            }
        }
        let title = match options.window_s {
            None => format!("time since the {first} ({unit})"),
            Some(window_s) => format!("time since {} s ({unit})", grouped(window_s.low, 0)),
        };
        Axis { shows: Some(0.0), seconds, ..Axis::titled(title) }
    }

    /// Returns the chart of a panel of curves over the time; see [`Self::axis`] for `first`.
    pub(super) fn chart(
        &self,
        options: &PlotOptions<'_>,
        results: &Results,
        first: &str,
        y: Axis,
        series: Vec<PanelSeries>,
    ) -> Chart {
        let subtitle = series.first().map(|one| one.panel.clone()).unwrap_or_default();
        let series = series.into_iter().map(|one| one.series).collect();
        Chart { subtitle, x: self.axis(options, results, first), y, series, ..Chart::default() }
    }
}

/// Returns the panels of curves over the time, each on a time axis of its own.
pub(super) type DrawPanels =
    fn(&PlotOptions<'_>, &Results, Vec<JobCurve>) -> Result<Option<Vec<Chart>>, FigureError>;

/// Returns the panels of a plot of curves over the time; none if the data are missing.
pub(super) fn over_time(
    options: &PlotOptions<'_>,
    results: &Results,
    title: &str,
    draw_panels: DrawPanels,
) -> Drawn {
    let panels = draw_panels(options, results, job_curves(options, results)?)?;
    let subtitle = results.shared_of_shown(options.replays);
    let note = load_note(options, results);
    Ok(panels.map(|panels| charts(title.to_owned(), subtitle, note, panels)).unwrap_or_default())
}
