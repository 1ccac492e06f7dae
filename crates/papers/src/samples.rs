//! Paired measurements of quantities, by round, log and seed, for means, medians and ratios.

use std::collections::BTreeMap;

use crate::estimate::{Estimate, Median};
use meshreplay_sim::metrics::Interval;

/// What a measurement shares with its partners: the round, the log (empty if all are of one log), the seed.
pub(crate) type SampleKey = (usize, String, String);

/// Measurements of one quantity at one point: one per workload, or one per round.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Samples(pub(crate) BTreeMap<SampleKey, f64>);

/// The means of two quantities over their common workloads.
pub(crate) struct Means {
    /// The mean of the first quantity.
    pub(crate) first: f64,
    /// The mean of the second quantity.
    pub(crate) second: f64,
    /// The mean of first − second.
    pub(crate) difference: Interval,
}

impl Samples {
    /// Returns `function` of several quantities, measured together.
    pub(crate) fn join<const N: usize>(quantities: [&Self; N], function: impl Fn([f64; N]) -> f64) -> Self {
        let [first, ..] = &quantities[..] else { return Self::default() };
        let joined = first.0.keys().filter_map(|key| {
            let mut values = [0.0; N];
            for (value, quantity) in values.iter_mut().zip(quantities) {
                *value = *quantity.0.get(key)?;
            }
            Some((key.clone(), function(values)))
        });
        Self(joined.collect())
    }

    /// Returns the median with its confidence interval; `None` if there are no samples.
    pub(crate) fn median(&self) -> Option<Estimate> {
        Median::from_values(self.0.values().copied()).map(Estimate::Median)
    }

    /// Returns the mean with its confidence interval; `None` if there are no samples.
    pub(crate) fn mean(&self) -> Option<Estimate> {
        Interval::of(&self.0.values().copied().collect::<Vec<_>>()).map(Estimate::Mean)
    }

    /// Returns the median ratio of this quantity to `other`, sample by sample.
    pub(crate) fn median_ratio(&self, other: &Self) -> Option<Estimate> {
        Self::join([self, other], |[a, b]| a / b).median()
    }

    /// Returns the mean of this quantity divided by the mean of `other`; `None` if they have nothing in
    /// common.
    pub(crate) fn share(&self, other: &Self) -> Option<Estimate> {
        ratio_of(&self.pairs(other)).map(Estimate::Mean)
    }

    /// Returns the difference of this quantity from `other`, in percent of the mean of `other`.
    pub(crate) fn above(&self, other: &Self) -> Option<Estimate> {
        let Means { second, difference, .. } = self.means(other)?;
        Some(Estimate::Mean(Interval {
            mean: 100.0 * difference.mean / second,
            half_width: 100.0 * difference.half_width / second,
            ..difference
        }))
    }

    /// Returns the means of this quantity and of `other`; `None` if they have nothing in common.
    pub(crate) fn means(&self, other: &Self) -> Option<Means> {
        means_of(&self.pairs(other))
    }

    fn pairs(&self, other: &Self) -> Vec<(f64, f64)> {
        self.0.iter().filter_map(|(key, a)| Some((*a, *other.0.get(key)?))).collect()
    }
}

/// Returns the ratio of the two means of pairs with its confidence interval; `None` if the second mean is 0.
/// The interval is that of the mean of the residuals a − ratio · b (linearization of the ratio estimator).
fn ratio_of(pairs: &[(f64, f64)]) -> Option<Interval> {
    let Means { first, second, .. } = means_of(pairs)?;
    if second <= 0.0 {
        return None;
    }
    let ratio = first / second;
    let residuals: Vec<f64> = pairs.iter().map(|(a, b)| (a - ratio * b) / second).collect();
    Some(Interval { mean: ratio, ..Interval::of(&residuals)? })
}

fn means_of(pairs: &[(f64, f64)]) -> Option<Means> {
    let mean = |number: fn(&(f64, f64)) -> f64| pairs.iter().map(number).sum::<f64>() / pairs.len() as f64;
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
    let difference = Interval::of(&differences)?;
    Some(Means { first: mean(|pair| pair.0), second: mean(|pair| pair.1), difference })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_of_pairs_is_as_certain_as_what_they_do_not_share() {
        let ratio = ratio_of(&[(1.0, 2.0), (2.0, 4.0), (30.0, 60.0)]).unwrap_or_default();
        assert!((ratio.mean - 0.5).abs() < 1e-12 && ratio.half_width < 1e-12, "{ratio:?}");
        // The residuals are 0.1, -0.2 and 0.1 of a mean of 2; 4.303 is the quantile for 2 degrees of freedom.
        let ratio = ratio_of(&[(1.1, 2.0), (0.8, 2.0), (1.1, 2.0)]).unwrap_or_default();
        let expected = 4.302_653 * (0.03_f64 / 4.0 / 3.0).sqrt();
        assert!((ratio.mean - 0.5).abs() < 1e-12 && (ratio.half_width - expected).abs() < 1e-6, "{ratio:?}");
        assert_eq!((ratio_of(&[]), ratio_of(&[(1.0, 0.0)])), (None, None));
    }

    #[test]
    fn measurements_are_combined_with_those_of_the_same_seed() {
        let samples = |values: &[(&str, f64)]| {
            let sample = |&(seed, value): &(&str, f64)| ((0, String::new(), seed.to_owned()), value);
            Samples(values.iter().map(sample).collect())
        };
        let (a, b) = (samples(&[("1", 6.0), ("2", 9.0)]), samples(&[("2", 3.0), ("3", 5.0)]));
        assert_eq!(Samples::join([&a, &b], |[a, b]| a / b), samples(&[("2", 3.0)]));
    }
}
