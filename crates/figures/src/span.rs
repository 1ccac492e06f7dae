//! Closed intervals of numbers: the ends of an axis, or a window of time.

/// A closed interval of numbers, which is empty if `low` is above `high`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    /// The smallest number.
    pub low: f64,
    /// The largest number.
    pub high: f64,
}

impl Span {
    /// The span of all numbers.
    pub const ALL: Self = Self::new(f64::NEG_INFINITY, f64::INFINITY);
    /// The span without a number.
    pub const EMPTY: Self = Self::new(f64::INFINITY, f64::NEG_INFINITY);

    /// Returns the span from `low` to `high`.
    pub const fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// Returns the smallest span with all `values`. NaN is ignored.
    pub fn covering(values: impl IntoIterator<Item = f64>) -> Self {
        values.into_iter().fold(Self::EMPTY, Self::with)
    }

    /// Returns the smallest span with this span and `value`.
    #[must_use]
    pub fn with(self, value: f64) -> Self {
        Self::new(self.low.min(value), self.high.max(value))
    }

    /// Returns whether the span has no number.
    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// Returns the distance from the smallest to the largest number; below 0 for an empty span.
    pub fn length(self) -> f64 {
        self.high - self.low
    }

    /// Returns whether `value` is in the span.
    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}
