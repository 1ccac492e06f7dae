//! A number of a summary.

/// A number of a summary of a replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A count.
    Count(u64),
    /// Any other number.
    Real(f64),
}

impl Number {
    /// Returns the number as a float. Counts above 2^53 are rounded.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Count(count) => count as f64,
            Self::Real(real) => real,
        }
    }
}
