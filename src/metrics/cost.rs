//! What allocator calls cost in wall-clock time.

use hdrhistogram::Histogram;

/// Distribution of the duration of one kind of call, to three significant digits.
#[derive(Clone, Debug)]
pub struct Cost {
    histogram: Option<Histogram<u64>>,
    calls: u64,
    total_ns: u64,
}

/// Quantiles of a [`Cost`], in nanoseconds; all 0 if there was no call or calls were not timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CostSummary {
    /// Number of calls.
    pub calls: u64,
    /// Median.
    pub p50_ns: u64,
    /// 99th percentile.
    pub p99_ns: u64,
    /// Longest call.
    pub max_ns: u64,
    /// All calls together.
    pub total_ns: u64,
}

impl Default for Cost {
    fn default() -> Self {
        // Three digits are always accepted; without a histogram only counts and totals would be reported.
        Self { histogram: Histogram::new(3).ok(), calls: 0, total_ns: 0 }
    }
}

impl Cost {
    /// Adds one call.
    pub fn add(&mut self, ns: u64) {
        self.calls += 1;
        self.total_ns += ns;
        if let Some(histogram) = &mut self.histogram {
            // The histogram grows as needed, and every u64 has a place in it.
            let _ = histogram.record(ns.max(1));
        }
    }

    /// Counts one call whose duration is unknown.
    pub fn count(&mut self) {
        self.calls += 1;
    }

    /// The quantiles of all calls added.
    pub fn summary(&self) -> CostSummary {
        let timed = self.histogram.as_ref().filter(|histogram| !histogram.is_empty());
        let quantile = |q: f64| timed.map_or(0, |histogram| histogram.value_at_quantile(q));
        CostSummary {
            calls: self.calls,
            p50_ns: quantile(0.5),
            p99_ns: quantile(0.99),
            max_ns: timed.map_or(0, Histogram::max),
            total_ns: self.total_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_to_three_digits() {
        let mut cost = Cost::default();
        (1..=1000).for_each(|ns| cost.add(ns * 1000));
        let summary = cost.summary();
        assert_eq!((summary.calls, summary.total_ns), (1000, 500_500_000));
        assert!(summary.p50_ns.abs_diff(500_000) <= 500, "{summary:?}");
        assert!(summary.p99_ns.abs_diff(990_000) <= 990, "{summary:?}");
        assert!(summary.max_ns.abs_diff(1_000_000) <= 1000, "{summary:?}");
    }

    #[test]
    fn untimed_calls_are_only_counted() {
        let mut cost = Cost::default();
        cost.count();
        assert_eq!(cost.summary(), CostSummary { calls: 1, ..CostSummary::default() });
    }
}
