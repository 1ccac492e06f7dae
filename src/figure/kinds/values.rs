//! Numbers of summaries as points and bars: titles of columns, means of replications.

use crate::figure::draw::{Axis, Point};
use crate::metrics::{Interval, Metric, metric};

/// Returns the title of a column with its unit; the name in words of one that is not in
/// [`METRICS`](crate::metrics::METRICS).
pub(super) fn titled(column: &str) -> String {
    metric(column).map_or_else(|| column.replace('_', " "), Metric::label)
}

/// Returns a linear axis of a column's values.
pub(super) fn axis(column: &str) -> Axis {
    Axis { title: titled(column), ..Axis::default() }
}

/// Returns the mean of those of `values` that there are; `None` if there are none.
pub(super) fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    Interval::of(&values.flatten().collect::<Vec<_>>()).map(|interval| interval.mean)
}

/// Returns a point for each x that some of `rows` have, sorted by x: the mean of `y` over the rows at that x, with its
/// confidence interval. Rows without x or y are left out.
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
