//! Measures the wall-clock time of the calls of an allocator.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "calls are counted one by one, and 2^64 ns are 584 years"
)]

use hdrhistogram::Histogram;

/// The distribution of the durations of calls of one kind, to three significant digits.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    /// The durations; `None` before the first one, as a histogram takes some 20 kB.
    histogram: Option<Histogram<u64>>,
    calls: u64,
    total_ns: u64,
}

impl Cost {
    /// Adds one call that took `ns` nanoseconds.
    pub fn add(&mut self, ns: u64) {
        self.calls += 1;
        self.total_ns += ns;
        if self.histogram.is_none() {
            // A histogram of three digits can always be made. If it failed, only counts and totals would be reported.
            self.histogram = Histogram::new(3).ok();
        }
        if let Some(histogram) = &mut self.histogram {
            // The result can be ignored: the histogram grows as needed, and it accepts every u64.
            let _ = histogram.record(ns.max(1));
        }
    }

    /// Adds one call of unknown duration.
    pub fn count(&mut self) {
        self.calls += 1;
    }

    /// Returns the number of calls, timed or not.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Returns the median duration in nanoseconds, or 0 if no call was timed.
    pub fn p50_ns(&self) -> u64 {
        self.timed().map_or(0, |histogram| histogram.value_at_quantile(0.5))
    }

    /// Returns the 99th percentile of the durations in nanoseconds, or 0 if no call was timed.
    pub fn p99_ns(&self) -> u64 {
        self.timed().map_or(0, |histogram| histogram.value_at_quantile(0.99))
    }

    /// Returns the longest duration in nanoseconds, or 0 if no call was timed.
    pub fn max_ns(&self) -> u64 {
        self.timed().map_or(0, Histogram::max)
    }

    /// Returns the sum of all durations in nanoseconds, or 0 if no call was timed.
    pub fn total_ns(&self) -> u64 {
        self.total_ns
    }

    fn timed(&self) -> Option<&Histogram<u64>> {
        self.histogram.as_ref().filter(|histogram| !histogram.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_to_three_digits() {
        let mut cost = Cost::default();
        (1..=1000).for_each(|ns| cost.add(ns * 1000));
        assert_eq!((cost.calls(), cost.total_ns()), (1000, 500_500_000));
        assert!(cost.p50_ns().abs_diff(500_000) <= 500, "{cost:?}");
        assert!(cost.p99_ns().abs_diff(990_000) <= 990, "{cost:?}");
        assert!(cost.max_ns().abs_diff(1_000_000) <= 1000, "{cost:?}");
    }

    #[test]
    fn untimed_calls_are_only_counted() {
        let mut cost = Cost::default();
        cost.count();
        let durations_ns = [cost.p50_ns(), cost.p99_ns(), cost.max_ns(), cost.total_ns()];
        assert_eq!((cost.calls(), durations_ns), (1, [0; 4]));
    }
}
