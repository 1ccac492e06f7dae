//! Measured numbers with their intervals, and the arithmetic that keeps the intervals.

use std::ops::{Div, Mul, Neg, Sub};

use crate::median::Median;
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
            // A shift leaves the width of the interval as it is.
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
}
