//! Helpers for plots of the summary: titles of columns, means over replications, points with intervals.

use crate::figure::draw::{Axis, Point};
use crate::metrics::{Interval, Metric, metric};

/// Returns the title of a column with its unit. A column that is not in [`METRICS`](crate::metrics::METRICS) gets its
/// name as title, with spaces for underscores.
pub(super) fn titled(column: &str) -> String {
    metric(column).map_or_else(|| column.replace('_', " "), Metric::label)
}

/// Returns a linear axis for the values of a column.
pub(super) fn axis(column: &str) -> Axis {
    Axis { title: titled(column), ..Axis::default() }
}

/// Returns the mean of `values`, without missing ones; `None` if all are missing.
pub(super) fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    Interval::of(&values.flatten().collect::<Vec<_>>()).map(|interval| interval.mean)
}

/// Returns one point for each different x of `rows`, sorted by x. Its height is the mean of `y` over the rows with this
/// x, with the confidence interval. Rows without x or without y are left out.
pub(super) fn points(rows: &[usize], x: &dyn Fn(usize) -> Option<f64>, y: &[Option<f64>]) -> Vec<Point> {
    let mut by_x: Vec<(f64, Vec<f64>)> = Vec::new();
    for &row in rows {
        let (Some(x), Some(y)) = (x(row), y[row]) else { continue };
        match by_x.iter_mut().find(|(other, _)| other.total_cmp(&x).is_eq()) {
            Some((_, values)) => values.push(y),
            None => by_x.push((x, vec![y])),
        }
    }
    by_x.sort_by(|a, b| a.0.total_cmp(&b.0));
    let point = |(x, values): (f64, Vec<f64>)| {
        let Interval { mean, half_width, .. } = Interval::of(&values)?;
        Some(Point { x, y: mean, half_width })
    };
    by_x.into_iter().filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::titled;

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
            assert_eq!(titled(column), title);
        }
    }
}
