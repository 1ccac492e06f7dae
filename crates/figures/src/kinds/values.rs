//! Helpers for plots of the summary: titles of columns, means over replications, points with intervals.

use crate::draw::{Axis, Chart, Panel, Panels, Point, capitalized};
use crate::span::Span;
use meshreplay_sim::metrics::{Interval, Metric, metric};

/// Returns a linear axis for the values of a column, with its unit in the title. A column that is not in
/// [`METRICS`](meshreplay_sim::metrics::METRICS) gets its name as title, with spaces for underscores.
pub(super) fn axis(column: &str) -> Axis {
    Axis::titled(metric(column).map_or_else(|| column.replace('_', " "), Metric::label))
}

/// Returns the mean of `values`, without missing ones; `None` if all are missing.
pub(super) fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    Interval::of(&values.flatten().collect::<Vec<_>>()).map(|interval| interval.mean)
}

/// Returns the title of a column without its unit.
pub(super) fn quantity(column: &str) -> String {
    metric(column).map_or_else(|| column.replace('_', " "), Metric::title)
}

/// Returns [`quantity`] with a capital letter, as the beginning of a picture's title.
pub(super) fn untitled(column: &str) -> String {
    capitalized(&quantity(column))
}

/// The mark of points of overloaded replays, and its meaning.
pub(super) const OVERLOADED: &str = "†";
pub(super) const OVERLOADED_MEANS: &str = "† overloaded: waits grow with the length of the log.";

/// Returns charts with a common title, subtitle and note, each in a panel of its own.
pub(super) fn charts(title: String, subtitle: String, note: String, charts: Vec<Chart>) -> Panels {
    let panels = charts.into_iter().map(Panel::Chart).collect();
    Panels { title, subtitle, panels, columns: 3, aspect: Some(0.8), note, ..Panels::default() }
}

/// A unit of time that suits durations given in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeUnit {
    /// The unit in nanoseconds.
    pub(super) ns: f64,
    /// The name of the unit.
    pub(super) name: &'static str,
}

impl TimeUnit {
    /// Returns the largest unit that is no longer than the middle (of the logarithms) of the shortest and the
    /// longest of the values.
    pub(super) fn for_durations(values: impl Iterator<Item = f64>) -> Self {
        let logs = Span::covering(values.filter(|value| *value >= 1.0).map(f64::log10));
        let middle = if logs.is_empty() { 1.0 } else { 10.0_f64.powf(f64::midpoint(logs.low, logs.high)) };
        let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
        let (ns, name) = units.into_iter().find(|(ns, _)| *ns <= middle).unwrap_or((1.0, "ns"));
        Self { ns, name }
    }
}

/// Returns one point for each load of `rows`, sorted by x: the means of `x` and of `y` over the rows at this
/// load, with the confidence interval of `y`. Rows without a number are left out.
pub(super) fn points<L: PartialEq>(
    rows: &[usize],
    load: &dyn Fn(usize) -> L,
    x: &dyn Fn(usize) -> Option<f64>,
    y: &dyn Fn(usize) -> Option<f64>,
) -> Vec<Point> {
    type Values = (Vec<f64>, Vec<f64>);
    let mut by_load: Vec<(L, Values)> = Vec::new();
    for &row in rows {
        let (Some(x), Some(y)) = (x(row), y(row)) else { continue };
        let load = load(row);
        let i = by_load.iter().position(|(other, _)| *other == load).unwrap_or_else(|| {
            by_load.push((load, Values::default()));
            by_load.len() - 1
        });
        by_load[i].1.0.push(x);
        by_load[i].1.1.push(y);
    }
    let point = |(_, (x, y)): (L, Values)| {
        let Interval { mean, half_width, .. } = Interval::of(&y)?;
        Some(Point { x: Interval::of(&x)?.mean, y: mean, half_width })
    };
    let mut points: Vec<Point> = by_load.into_iter().filter_map(point).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

#[cfg(test)]
mod tests {
    use super::{TimeUnit, axis, points};

    #[test]
    fn units_suit_the_values() {
        let name = |values: &[f64]| TimeUnit::for_durations(values.iter().copied()).name;
        assert_eq!(
            [&[30.0, 900.0][..], &[100.0, 1e8], &[1e6, 1e7], &[3e9], &[]].map(name),
            ["ns", "µs", "ms", "s", "ns"]
        );
    }

    #[test]
    fn replications_are_one_point() {
        let (x, y) = ([0.5, 0.7, 0.9], [Some(1.0), Some(3.0), Some(5.0)]);
        let found = points(&[2, 0, 1], &|row| (row / 2).to_string(), &|row| Some(x[row]), &|row| y[row]);
        assert_eq!(
            found.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>(),
            [(0.6, 2.0), (0.9, 5.0)]
        );
    }

    #[test]
    fn titles_have_units() {
        for (column, title) in [
            ("turnaround_s_mean", "turnaround (s)"),
            ("pairwise_sum_mean", "pairwise sum (hops)"),
            ("pairwise_mean_mean", "pairwise mean (hops)"),
            ("packet_latency_cycles_mean", "packet latency (cycles)"),
            ("makespan_s", "makespan (s)"),
            ("utilization", "utilization"),
        ] {
            assert_eq!(axis(column).title, title);
        }
    }
}
