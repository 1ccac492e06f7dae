//! Schedules of any tool, read from where they are: audited, compared, written for other tools. What is found is text.

mod audit;
mod compare;
mod error;
mod export;
mod finding;
mod input;

pub use audit::{Question, audit};
pub use compare::compare;
pub use error::InspectError;
pub use export::{evalys, write_swf};
pub use finding::Finding;
pub use input::Input;
