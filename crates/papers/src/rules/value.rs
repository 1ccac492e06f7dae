//! The value of an expression in a rule, and the arithmetic of such values.

use std::collections::BTreeMap;

use crate::evidence::Sample;
use crate::median::Median;
use meshreplay_sim::metrics::Interval;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A number without an interval.
    Number(f64),
    /// A mean with its confidence interval.
    Mean(Interval),
    /// A median, or another value with an interval that need not be symmetric.
    Middle(Median),
    /// The single measurements, before a mean or median is taken.
    Samples(BTreeMap<Sample, f64>),
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operation {
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
        }
    }
}

impl Value {
    /// Returns the number, the mean, or the median; for single measurements their mean.
    pub(super) fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Mean(interval) => interval.mean,
            Self::Middle(median) => median.middle,
            Self::Samples(samples) => samples.values().sum::<f64>() / samples.len() as f64,
        }
    }

    /// Returns the lower end, the most likely value, and the upper end.
    pub(super) fn ends(&self) -> (f64, f64, f64) {
        match self {
            Self::Mean(Interval { mean, half_width, .. }) => (mean - half_width, *mean, mean + half_width),
            Self::Middle(Median { low, middle, high }) => (*low, *middle, *high),
            Self::Number(_) | Self::Samples(_) => (self.number(), self.number(), self.number()),
        }
    }

    /// Returns the absolute value.
    pub(super) fn abs(self) -> Self {
        match self {
            Self::Mean(Interval { mean, half_width, .. }) => {
                let middle = mean.abs();
                Self::Middle(Median {
                    low: (middle - half_width).max(0.0),
                    middle,
                    high: middle + half_width,
                })
            }
            other => other.map(f64::abs),
        }
    }

    /// Returns the value with the opposite sign.
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Mean(interval) => Self::Mean(Interval { mean: -interval.mean, ..interval }),
            Self::Middle(Median { low, middle, high }) => {
                Self::Middle(Median { low: -high, middle: -middle, high: -low })
            }
            other => other.map(|number| -number),
        }
    }

    /// Returns `function` of the number, or of each measurement.
    pub(super) fn map(self, function: impl Fn(f64) -> f64) -> Self {
        match self {
            Self::Samples(samples) => {
                Self::Samples(samples.into_iter().map(|(sample, x)| (sample, function(x))).collect())
            }
            other => Self::Number(function(other.number())),
        }
    }

    /// Returns the result of the operation on two values. Single measurements are paired by round, log and seed. A
    /// number shifts or scales an interval. Intervals that are added or subtracted count as independent.
    pub(super) fn combined(self, operation: Operation, other: Self) -> Self {
        use Operation::{Add, Divide, Multiply, Subtract};
        match (self, operation, other) {
            (Self::Samples(a), _, Self::Samples(b)) => {
                let both = a.into_iter().filter_map(|(sample, x)| {
                    let y = *b.get(&sample)?;
                    Some((sample, operation.of(x, y)))
                });
                Self::Samples(both.collect())
            }
            (a @ Self::Samples(_), _, b) => a.map(|x| operation.of(x, b.number())),
            (a, _, b @ Self::Samples(_)) => b.map(|y| operation.of(a.number(), y)),
            (Self::Mean(a), Add | Subtract, Self::Mean(b)) => Self::Mean(Interval {
                mean: operation.of(a.mean, b.mean),
                half_width: a.half_width.hypot(b.half_width),
                ..a
            }),
            (Self::Mean(a), Add | Subtract, Self::Number(b)) => {
                Self::Mean(Interval { mean: operation.of(a.mean, b), ..a })
            }
            (Self::Number(a), Add | Subtract, Self::Mean(b)) => {
                Self::Mean(Interval { mean: operation.of(a, b.mean), ..b })
            }
            (Self::Mean(a), Multiply | Divide, Self::Number(b)) => Self::Mean(Interval {
                mean: operation.of(a.mean, b),
                half_width: operation.of(a.half_width, b),
                ..a
            }),
            (Self::Number(a), Multiply, Self::Mean(b)) => {
                Self::Mean(Interval { mean: a * b.mean, half_width: a * b.half_width, ..b })
            }
            (Self::Number(a), Divide, Self::Mean(b)) => {
                let mean = a / b.mean;
                Self::Mean(Interval { mean, half_width: mean * b.half_width / b.mean, ..b })
            }
            (Self::Middle(Median { low, middle, high }), _, Self::Number(b)) => Self::Middle(Median {
                low: operation.of(low, b),
                middle: operation.of(middle, b),
                high: operation.of(high, b),
            }),
            (Self::Number(a), Add | Multiply, Self::Middle(b)) => {
                Self::Middle(b).combined(operation, Self::Number(a))
            }
            (Self::Number(a), Subtract, Self::Middle(b)) => {
                Self::Middle(b).negated().combined(Add, Self::Number(a))
            }
            (a, _, b) => Self::Number(operation.of(a.number(), b.number())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(mean: f64, half_width: f64) -> Value {
        Value::Mean(Interval { mean, half_width, count: 5 })
    }

    #[test]
    fn numbers_shift_and_stretch_intervals() {
        use Operation::{Divide, Multiply, Subtract};
        let (two, four) = (Value::Number(2.0), mean(4.0, 1.0));
        assert_eq!(two.clone().combined(Subtract, four.clone()), mean(-2.0, 1.0));
        assert_eq!(four.clone().combined(Multiply, two.clone()), mean(8.0, 2.0));
        assert_eq!(two.combined(Divide, four.clone()), mean(0.5, 0.125));
        assert_eq!(mean(1.0, 3.0).combined(Subtract, mean(4.0, 4.0)), mean(-3.0, 5.0));
        assert_eq!(mean(1.0, 3.0).combined(Divide, four), Value::Number(0.25));
    }

    #[test]
    fn the_distance_from_0_is_not_negative() {
        let ends = |low, middle, high| Value::Middle(Median { low, middle, high });
        assert_eq!(mean(-1.0, 3.0).abs(), ends(0.0, 1.0, 4.0));
        let less = Value::Number(1.0).combined(Operation::Subtract, mean(-1.0, 0.25).abs());
        assert_eq!(less, ends(-0.25, 0.0, 0.25));
    }

    #[test]
    fn measurements_are_combined_with_those_of_the_same_seed() {
        let samples = |values: &[(&str, f64)]| {
            let sample = |&(seed, value): &(&str, f64)| ((0, String::new(), seed.to_owned()), value);
            Value::Samples(values.iter().map(sample).collect())
        };
        let (a, b) = (samples(&[("1", 6.0), ("2", 9.0)]), samples(&[("2", 3.0), ("3", 5.0)]));
        assert_eq!(a.combined(Operation::Divide, b), samples(&[("2", 3.0)]));
    }
}
