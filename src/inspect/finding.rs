//! What was found out.

/// What was found out about a schedule, or about two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The finding, as lines.
    pub text: String,
    /// Whether the answer is yes: no violation, no difference.
    pub is_good: bool,
}
