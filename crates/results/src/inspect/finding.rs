//! The result of an audit or a comparison.

/// The result of an audit of a schedule or of a comparison of two schedules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The result in words, as lines of text.
    pub text: String,
    /// Whether the result is good: an audit found no violation, or a comparison found no difference.
    pub is_good: bool,
}
