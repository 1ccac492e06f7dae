//! Inspects schedules of any tool: reads them from files, audits them, compares them, and writes them for
//! other tools. Results are text for people.

mod audit;
mod compare;
mod error;
mod export;
mod input;

pub use audit::{Question, audit};
pub use compare::compare;
pub use error::InspectError;
pub use export::{write_evalys, write_swf};
pub use input::{Input, Jobs, log_format};

/// The result of an audit of a schedule or of a comparison of two schedules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The result in words, as lines of text.
    pub text: String,
    /// Whether the result is good: an audit found no violation, or a comparison found no difference.
    pub is_good: bool,
}
