//! Wall-clock times of allocator calls.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "calls are counted one by one, and 2^64 ns are 584 years"
)]

use std::sync::OnceLock;
use std::time::Instant;

use hdrhistogram::Histogram;

/// The largest number of calls without a trimmed mean.
const FEW_CALLS: u64 = 1000;

/// The divisor for the share of calls that a trimmed mean leaves out.
const TRIMMED: u64 = 100;

/// Empty calls to measure the cost of the clock.
const EMPTY_CALLS: usize = 1001;

/// The distribution of the durations of one kind of calls, to three significant digits.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    /// The durations, `None` before the first one because a histogram takes some 20 kB.
    histogram: Option<Histogram<u64>>,
    calls: u64,
    total_ns: u64,
}

impl Cost {
    /// Adds a call of `ns` nanoseconds.
    pub fn add(&mut self, ns: u64) {
        self.calls += 1;
        self.total_ns += ns;
        if self.histogram.is_none() {
            // Creation cannot fail for three digits. If it did, only counts and totals would be reported.
            self.histogram = Histogram::new(3).ok();
        }
        if let Some(histogram) = &mut self.histogram {
            // The result can be ignored: the histogram grows as needed and accepts every u64.
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

    /// Returns the 90th percentile of the durations in nanoseconds, or 0 if no call was timed.
    pub fn p90_ns(&self) -> u64 {
        self.timed().map_or(0, |histogram| histogram.value_at_quantile(0.9))
    }

    /// Returns the 99.9th percentile of the durations in nanoseconds, or 0 if no call was timed.
    pub fn p999_ns(&self) -> u64 {
        self.timed().map_or(0, |histogram| histogram.value_at_quantile(0.999))
    }

    /// Returns the classes of the histogram that hold calls, in ascending order: the shortest and the longest
    /// duration of the class in nanoseconds, and its number of calls. Classes of two histograms with the same
    /// ends can be added; ends depend on nothing but the number of digits.
    pub fn classes_ns(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        self.timed().into_iter().flat_map(|histogram| {
            histogram.iter_recorded().map(|class| {
                let ns = class.value_iterated_to();
                (histogram.lowest_equivalent(ns), histogram.highest_equivalent(ns), class.count_at_value())
            })
        })
    }

    /// Returns the longest duration in nanoseconds, or 0 if no call was timed.
    pub fn max_ns(&self) -> u64 {
        self.timed().map_or(0, Histogram::max)
    }

    /// Returns the sum of all durations in nanoseconds, or 0 if no call was timed.
    pub fn total_ns(&self) -> u64 {
        self.total_ns
    }

    /// Returns the mean duration without the slowest 1 % of the calls, in nanoseconds. A few calls
    /// interrupted by another process can outweigh all others. `None` for up to 1,000 calls.
    pub fn trimmed_mean_ns(&self) -> Option<f64> {
        let histogram = self.timed().filter(|histogram| histogram.len() > FEW_CALLS)?;
        let kept = histogram.len() - histogram.len().div_ceil(TRIMMED);
        let (mut left, mut sum) = (kept, 0.0);
        for class in histogram.iter_recorded() {
            let count = class.count_at_value().min(left);
            sum += count as f64 * histogram.median_equivalent(class.value_iterated_to()) as f64;
            left -= count;
        }
        Some(sum / kept as f64)
    }

    /// Returns the duration of all calls without the cost of the clock in nanoseconds, from the trimmed mean,
    /// or from the median for few calls. Unlike the total it is not decided by a few interrupted calls. 0 if
    /// no call was timed.
    pub(super) fn robust_total_ns(&self) -> f64 {
        self.calls_times(self.trimmed_mean_ns().unwrap_or(self.p50_ns() as f64))
    }

    /// Returns the same from the median.
    pub(super) fn median_total_ns(&self) -> f64 {
        self.calls_times(self.p50_ns() as f64)
    }

    fn calls_times(&self, call_ns: f64) -> f64 {
        self.calls as f64 * (call_ns - clock_ns() as f64).max(0.0)
    }

    fn timed(&self) -> Option<&Histogram<u64>> {
        self.histogram.as_ref().filter(|histogram| !histogram.is_empty())
    }
}

/// Returns the cost of reading the clock, which every measured duration contains: the median duration of an
/// empty call in nanoseconds. It is measured at the first call of this function.
pub fn clock_ns() -> u64 {
    static CLOCK_NS: OnceLock<u64> = OnceLock::new();
    *CLOCK_NS.get_or_init(|| {
        let empty = || u64::try_from(Instant::now().elapsed().as_nanos()).unwrap_or(u64::MAX);
        let mut durations: Vec<u64> = (0..EMPTY_CALLS).map(|_| empty()).collect();
        *durations.select_nth_unstable(EMPTY_CALLS / 2).1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trimmed_mean_leaves_out_the_slowest_calls() {
        let mut cost = Cost::default();
        (0..1000).for_each(|i| cost.add(100 + i % 2));
        assert_eq!(cost.trimmed_mean_ns(), None);
        // Ten calls of a second each are 1 % of 1,010, rounded up to eleven.
        (0..10).for_each(|_| cost.add(1_000_000_000));
        assert_eq!(cost.trimmed_mean_ns(), Some((500.0 * 100.0 + 499.0 * 101.0) / 999.0));
        assert_eq!(cost.total_ns(), 10_000_100_500);
        // More slow calls than are left out count.
        (0..10).for_each(|_| cost.add(1_000_000_000));
        assert!(cost.trimmed_mean_ns().is_some_and(|mean| mean > 8_000_000.0), "{cost:?}");
    }

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
