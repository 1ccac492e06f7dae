//! Curves of plots from columns of results.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positions in lists of some hundred bins, and casts of numbers with fractions clamp"
)]

use hdrhistogram::Histogram;

/// The distribution of a stream of values in constant memory. Values are rounded up to whole steps and to
/// three significant digits, and negative values count as 0. Values that are not finite are left out.
#[derive(Debug)]
pub struct Distribution {
    /// The histogram. Its creation does not fail.
    histogram: Option<Histogram<u64>>,
    /// Steps per unit.
    steps: f64,
    sum: f64,
}

impl Distribution {
    /// Creates an empty distribution with this number of steps per unit.
    pub fn new(steps: f64) -> Self {
        Self { histogram: Histogram::new(3).ok(), steps, sum: 0.0 }
    }

    /// Counts a value.
    pub fn record(&mut self, value: f64) {
        if let Some(histogram) = self.histogram.as_mut().filter(|_| value.is_finite()) {
            // The result can be ignored: the histogram grows as needed and accepts every u64.
            let _ = histogram.record((value.max(0.0) * self.steps).ceil() as u64);
            self.sum += value;
        }
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.histogram.as_ref().map_or(0, Histogram::len)
    }

    /// Returns the mean of the values; `None` if there are none.
    pub fn mean(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.sum / self.count() as f64)
    }

    /// Returns the smallest value that a share (0 to 1) of the values does not exceed, or `None` without
    /// values.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let histogram = self.histogram.as_ref().filter(|histogram| !histogram.is_empty())?;
        let value = histogram.value_at_quantile(share).min(histogram.max());
        // A step of the histogram groups values that count as equal. Return the smallest of them.
        Some(histogram.lowest_equivalent(value) as f64 / self.steps)
    }

    /// Returns the complementary distribution function of the values, as pairs of x and the share of values
    /// above x. At most 400 pairs, from the smallest to the largest value. Empty without values.
    pub fn exceeding(&self) -> Vec<(f64, f64)> {
        let Some(histogram) = &self.histogram else { return Vec::new() };
        let count = histogram.len() as f64;
        let (mut below, mut curve) = (0, Vec::new());
        for step in histogram.iter_recorded() {
            below += step.count_since_last_iteration();
            curve.push((step.value_iterated_to() as f64 / self.steps, 1.0 - below as f64 / count));
        }
        thinned(curve)
    }
}

/// The most points of a curve.
const POINTS: usize = 400;

/// Returns at most [`POINTS`] points of a curve, evenly spaced in the list, including the first and the last
/// point.
fn thinned(curve: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let count = curve.len();
    if count <= POINTS {
        return curve;
    }
    (0..POINTS).map(|i| curve[i * (count - 1) / (POINTS - 1)]).collect()
}

/// The mean number of busy nodes in equal intervals of time, from a stream of jobs.
#[derive(Clone, Debug)]
pub struct BusyNodes {
    from: f64,
    to: f64,
    /// Contributions of jobs to intervals that they fill partly.
    edges: Vec<f64>,
    /// A difference array: a job adds its nodes at the first interval that it fills completely, and subtracts
    /// them after the last one. Running sums give the nodes that are busy during a whole interval.
    steps: Vec<f64>,
}

impl BusyNodes {
    /// Divides the time from `from` to `to` into `bins` intervals.
    pub fn new(from: f64, to: f64, bins: usize) -> Self {
        Self { from, to, edges: vec![0.0; bins], steps: vec![0.0; bins + 1] }
    }

    /// Returns the length of an interval.
    fn width(&self) -> f64 {
        (self.to - self.from) / self.edges.len() as f64
    }

    /// Returns the interval of a time, clamped to the first and the last one.
    pub fn part(&self, time: f64) -> usize {
        (((time - self.from) / self.width()) as usize).min(self.edges.len().saturating_sub(1))
    }

    /// Adds a job. Times have any one unit.
    pub fn add(&mut self, start: f64, end: f64, nodes: f64) {
        let width = self.width();
        let (start, end) = (start.max(self.from), end.min(self.to));
        if width.is_nan() || width <= 0.0 || start.is_nan() || end.is_nan() || end <= start {
            return;
        }
        let (first, last) = (self.part(start), self.part(end));
        let edge = |i: usize| self.from + width * i as f64;
        if first == last {
            self.edges[first] += nodes * (end - start) / width;
            return;
        }
        let (after, before) = (edge(first + 1) - start, end - edge(last));
        self.edges[first] += nodes * after / width;
        self.edges[last] += nodes * before / width;
        self.steps[first + 1] += nodes;
        self.steps[last] -= nodes;
    }

    /// Returns pairs of the middle of an interval and its mean number of busy nodes. Empty if no time passes.
    pub fn means(&self) -> Vec<(f64, f64)> {
        let width = self.width();
        if width.is_nan() || width <= 0.0 {
            return Vec::new();
        }
        let mut whole = 0.0;
        let at = |(i, (edge, step)): (usize, (&f64, &f64))| {
            whole += step;
            (self.from + width * (i as f64 + 0.5), edge + whole)
        };
        self.edges.iter().zip(&self.steps).enumerate().map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_nodes_are_node_seconds_by_part() {
        let jobs = [(0.0, 10.0, 4.0), (2.5, 7.0, 2.0), (9.0, 30.0, 1.0), (-5.0, 0.0, 9.0), (3.0, 3.0, 9.0)];
        let busy = |range: (f64, f64)| {
            let mut busy = BusyNodes::new(range.0, range.1, 4);
            for (start, end, nodes) in jobs {
                busy.add(start, end, nodes);
            }
            busy.means()
        };
        let found = busy((0.0, 20.0));
        let expected = [(2.5, 5.0), (7.5, 4.0 + 0.8 + 0.2), (12.5, 1.0), (17.5, 1.0)];
        for ((x, y), (at, nodes)) in found.iter().zip(expected) {
            assert!((x - at).abs() < 1e-9 && (y - nodes).abs() < 1e-9, "{found:?}");
        }
        assert_eq!(found.len(), 4);
        assert!(busy((1.0, 1.0)).is_empty());
    }

    #[test]
    fn shares_fall_from_the_least_to_the_largest() {
        let of = |values: &mut dyn Iterator<Item = f64>, steps: f64| {
            let mut found = Distribution::new(steps);
            values.for_each(|value| found.record(value));
            found
        };
        let few = of(&mut [5.0, 1.0, 1.0, f64::NAN, 9.0].into_iter(), 1.0);
        assert_eq!(few.exceeding(), [(1.0, 0.5), (5.0, 0.25), (9.0, 0.0)]);
        assert_eq!((few.count(), few.mean(), few.quantile(0.5)), (4, Some(4.0), Some(1.0)));
        assert_eq!([0.75, 0.9, 1.0].map(|share| few.quantile(share)), [5.0, 9.0, 9.0].map(Some));
        let none = of(&mut std::iter::empty(), 1.0);
        assert!(none.exceeding().is_empty() && none.mean().is_none() && none.quantile(0.5).is_none());
        let many = of(&mut (0..100_000).map(f64::from), 1.0);
        // Three digits are kept.
        let median = many.quantile(0.5).unwrap_or_default();
        assert!((median / 50_000.0 - 1.0).abs() < 0.002, "{median}");
        let many = many.exceeding();
        assert!(many.len() == POINTS && many[0].0.abs() < 1e-9 && many[POINTS - 1].1.abs() < 1e-9);
        assert!(many.is_sorted_by(|a, b| a.0 < b.0 && a.1 > b.1));
        let fine = of(&mut [0.25, 0.75].into_iter(), 1000.0);
        assert_eq!(fine.exceeding(), [(0.25, 0.5), (0.75, 0.0)]);
    }
}
