//! Measured numbers and medians with their intervals, and the arithmetic that keeps the intervals.

use std::collections::BTreeMap;
use std::ops::{Div, Mul, Neg, Sub};

use meshreplay_sim::metrics::Interval;

/// A measured number, with its confidence interval if it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Estimate {
    /// A number without an interval.
    Number(f64),
    /// A mean over replications.
    Mean(Interval),
    /// A median, or another number whose interval need not be symmetric.
    Median(Median),
}

impl Estimate {
    /// Returns the number, the mean, or the median.
    pub(crate) fn number(self) -> f64 {
        match self {
            Self::Number(number) => number,
            Self::Mean(interval) => interval.mean,
            Self::Median(median) => median.middle,
        }
    }

    /// Returns the lower end, the most likely value, and the upper end.
    pub(crate) fn ends(self) -> Median {
        match self {
            Self::Number(number) => Median { low: number, middle: number, high: number },
            Self::Mean(Interval { mean, half_width, .. }) => {
                Median { low: mean - half_width, middle: mean, high: mean + half_width }
            }
            Self::Median(median) => median,
        }
    }

    /// Returns the absolute value. Its interval does not reach below 0.
    pub(crate) fn abs(self) -> Self {
        match self {
            Self::Mean(Interval { mean, half_width, .. }) => {
                let middle = mean.abs();
                let (low, high) = ((middle - half_width).max(0.0), middle + half_width);
                Self::Median(Median { low, middle, high })
            }
            other => Self::Number(other.number().abs()),
        }
    }

    /// Applies a change of unit: `scale` to the number and to its interval.
    pub(crate) fn scaled(self, scale: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Number(number) => Self::Number(scale(number)),
            Self::Mean(Interval { mean, half_width, count }) => {
                Self::Mean(Interval { mean: scale(mean), half_width: scale(half_width), count })
            }
            Self::Median(Median { low, middle, high }) => {
                Self::Median(Median { low: scale(low), middle: scale(middle), high: scale(high) })
            }
        }
    }
}

impl From<f64> for Estimate {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl Mul<Estimate> for f64 {
    type Output = Estimate;

    fn mul(self, estimate: Estimate) -> Estimate {
        estimate.scaled(|x| x * self)
    }
}

impl Div<Estimate> for f64 {
    type Output = Estimate;

    /// The relative half-width of a quotient is that of the divisor, to first order.
    fn div(self, divisor: Estimate) -> Estimate {
        match divisor {
            Estimate::Mean(interval) => {
                let mean = self / interval.mean;
                let half_width = mean * interval.half_width / interval.mean;
                Estimate::Mean(Interval { mean, half_width, ..interval })
            }
            other => Estimate::Number(self / other.number()),
        }
    }
}

impl Neg for Estimate {
    type Output = Self;

    fn neg(self) -> Self {
        match self {
            Self::Number(number) => Self::Number(-number),
            Self::Mean(interval) => Self::Mean(Interval { mean: -interval.mean, ..interval }),
            Self::Median(Median { low, middle, high }) => {
                Self::Median(Median { low: -high, middle: -middle, high: -low })
            }
        }
    }
}

impl Sub<f64> for Estimate {
    type Output = Self;

    fn sub(self, number: f64) -> Self {
        match self {
            // A shift keeps the width of the interval.
            Self::Mean(interval) => Self::Mean(Interval { mean: interval.mean - number, ..interval }),
            other => other.scaled(|x| x - number),
        }
    }
}

impl Sub<Estimate> for f64 {
    type Output = Estimate;

    fn sub(self, estimate: Estimate) -> Estimate {
        -(estimate - self)
    }
}

impl Sub for Estimate {
    type Output = Self;

    /// Both means count as independent.
    fn sub(self, other: Self) -> Self {
        match (self, other) {
            (Self::Mean(a), Self::Mean(b)) => Self::Mean(Interval {
                mean: a.mean - b.mean,
                half_width: a.half_width.hypot(b.half_width),
                ..a
            }),
            (a, b) => Self::Number(a.number() - b.number()),
        }
    }
}

/// A median and the ends of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The lower end.
    pub low: f64,
    /// The median.
    pub middle: f64,
    /// The upper end.
    pub high: f64,
}

impl Median {
    /// Returns the median of independent values of any distribution; `None` if there are no values. For fewer
    /// than six values the interval is infinite. O(n log n) for n values.
    pub(super) fn from_values(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        let (lower, upper) = (*sorted.get(count.checked_sub(1)? / 2)?, *sorted.get(count / 2)?);
        let outside = surely_outside(count);
        let low = outside.map_or(f64::NEG_INFINITY, |outside| sorted[outside]);
        let high = outside.map_or(f64::INFINITY, |outside| sorted[count - 1 - outside]);
        Some(Self { low, middle: f64::midpoint(lower, upper), high })
    }
}

/// Returns the number of values at each end outside of the interval: the largest number that leaves the
/// median outside with a probability of at most 5 %. The number of values below the median has a binomial
/// distribution. Returns `None` if there are too few values for any such interval.
fn surely_outside(count: usize) -> Option<usize> {
    // Sums the binomial probabilities of one tail until they exceed 2.5 %.
    let mut probability = 0.5_f64.powi(i32::try_from(count).ok()?);
    let mut below = 0.0;
    for outside in 0..count {
        below += probability;
        if below > 0.025 {
            return outside.checked_sub(1);
        }
        probability *= (count - outside) as f64 / (outside + 1) as f64;
    }
    None
}

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

    fn mean(mean: f64, half_width: f64) -> Estimate {
        Estimate::Mean(Interval { mean, half_width, count: 5 })
    }

    #[test]
    fn numbers_shift_and_stretch_intervals() {
        assert_eq!(2.0 - mean(4.0, 1.0), mean(-2.0, 1.0));
        assert_eq!(2.0 * mean(4.0, 1.0), mean(8.0, 2.0));
        assert_eq!(2.0 / mean(4.0, 1.0), mean(0.5, 0.125));
        assert_eq!(mean(1.0, 3.0) - mean(4.0, 4.0), mean(-3.0, 5.0));
    }

    #[test]
    fn the_distance_from_0_is_not_negative() {
        let ends = |low, middle, high| Estimate::Median(Median { low, middle, high });
        assert_eq!(mean(-1.0, 3.0).abs(), ends(0.0, 1.0, 4.0));
        assert_eq!(1.0 - mean(-1.0, 0.25).abs(), ends(-0.25, 0.0, 0.25));
    }

    #[test]
    fn the_interval_is_that_of_the_sign_test() {
        let median = |count: u32| Median::from_values((1..=count).map(f64::from));
        let interval = |low, middle, high| Some(Median { low, middle, high });
        assert_eq!(median(0), None);
        assert_eq!(median(1), interval(f64::NEG_INFINITY, 1.0, f64::INFINITY));
        assert_eq!(median(5), interval(f64::NEG_INFINITY, 3.0, f64::INFINITY));
        // Tables of the sign test: 6 to 8 values leave out none, 9 to 11 one, 12 to 14 two, 20 five.
        for (count, low, high) in [(6, 1, 6), (8, 1, 8), (9, 2, 8), (11, 2, 10), (12, 3, 10), (20, 6, 15)] {
            assert_eq!(median(count), interval(f64::from(low), f64::from(count + 1) / 2.0, f64::from(high)));
        }
    }

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
