//! Computes curves for plots from columns of results.

use hdrhistogram::Histogram;

/// Returns the complementary distribution function of the values, as pairs of x and the share of values above x. There
/// are at most 400 pairs, from the least value to the largest. Values are rounded up to whole numbers and to three
/// significant digits, and negative ones count as 0. Values that are not finite are left out. The list is empty if none
/// is left.
pub fn exceeding(values: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
    let Ok(mut histogram) = Histogram::<u64>::new(3) else { return Vec::new() };
    for value in values.filter(|value| value.is_finite()) {
        // The result can be ignored: the histogram grows as needed, and it accepts every u64.
        let _ = histogram.record(value.max(0.0).ceil() as u64);
    }
    let count = histogram.len() as f64;
    let (mut below, mut curve) = (0, Vec::new());
    for step in histogram.iter_recorded() {
        below += step.count_since_last_iteration();
        curve.push((step.value_iterated_to() as f64, 1.0 - below as f64 / count));
    }
    thinned(curve)
}

/// The largest number of points of a curve.
const POINTS: usize = 400;

/// Returns at most [`POINTS`] points of a curve. They are evenly spaced in its list, and the first and the last point
/// are among them.
fn thinned(curve: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let count = curve.len();
    if count <= POINTS {
        return curve;
    }
    (0..POINTS).map(|i| curve[i * (count - 1) / (POINTS - 1)]).collect()
}

/// Returns the mean number of busy nodes in each of `bins` equal intervals of the time from `from` to `to`, as pairs of
/// the middle of an interval and the mean. Empty if `to` is not after `from`. A job is a triple of start, end and
/// number of nodes, and times have any one unit. O(jobs + bins).
pub fn busy_nodes(
    jobs: impl Iterator<Item = (f64, f64, f64)>,
    (from, to): (f64, f64),
    bins: usize,
) -> Vec<(f64, f64)> {
    let width = (to - from) / bins as f64;
    if width.is_nan() || width <= 0.0 {
        return Vec::new();
    }
    // A difference array: a job adds its nodes to `steps` at the first interval that it fills completely, and subtracts
    // them after the last one. The running sum of `steps` is then the number of nodes that are busy during a whole
    // interval. `edges` has the contributions of jobs to intervals that they fill partly.
    let (mut edges, mut steps) = (vec![0.0; bins], vec![0.0; bins + 1]);
    for (start, end, nodes) in jobs {
        let (start, end) = (start.max(from), end.min(to));
        if start.is_nan() || end.is_nan() || end <= start {
            continue;
        }
        let part = |time: f64| (((time - from) / width) as usize).min(bins - 1);
        let (first, last) = (part(start), part(end));
        let edge = |i: usize| from + width * i as f64;
        if first == last {
            edges[first] += nodes * (end - start) / width;
            continue;
        }
        edges[first] += nodes * (edge(first + 1) - start) / width;
        edges[last] += nodes * (end - edge(last)) / width;
        steps[first + 1] += nodes;
        steps[last] -= nodes;
    }
    let mut whole = 0.0;
    (0..bins)
        .map(|i| {
            whole += steps[i];
            (from + width * (i as f64 + 0.5), edges[i] + whole)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_nodes_are_node_seconds_by_part() {
        let jobs = [(0.0, 10.0, 4.0), (2.5, 7.0, 2.0), (9.0, 30.0, 1.0), (-5.0, 0.0, 9.0), (3.0, 3.0, 9.0)];
        let found = busy_nodes(jobs.into_iter(), (0.0, 20.0), 4);
        let expected = [(2.5, 5.0), (7.5, 4.0 + 0.8 + 0.2), (12.5, 1.0), (17.5, 1.0)];
        for ((x, y), (at, nodes)) in found.iter().zip(expected) {
            assert!((x - at).abs() < 1e-9 && (y - nodes).abs() < 1e-9, "{found:?}");
        }
        assert_eq!(found.len(), 4);
        assert!(busy_nodes(jobs.into_iter(), (1.0, 1.0), 4).is_empty());
    }

    #[test]
    fn shares_fall_from_the_least_to_the_largest() {
        let found = exceeding([5.0, 1.0, 1.0, f64::NAN, 9.0].into_iter());
        assert_eq!(found, [(1.0, 0.5), (5.0, 0.25), (9.0, 0.0)]);
        assert!(exceeding(std::iter::empty()).is_empty());
        let many = exceeding((0..100_000).map(f64::from));
        assert!(many.len() == POINTS && many[0].0.abs() < 1e-9 && many[POINTS - 1].1.abs() < 1e-9);
        assert!(many.is_sorted_by(|a, b| a.0 < b.0 && a.1 > b.1));
    }
}
