//! Inspects schedules of any tool: reads them from files, audits them, compares them, and writes them for
//! other tools. Results are text for people.

mod audit;
mod compare;
mod error;
mod export;
mod finding;
mod input;
mod jobs;

pub use audit::{Question, audit};
pub use compare::compare;
pub use error::InspectError;
pub use export::{write_evalys, write_swf};
pub use finding::Finding;
pub use input::{Input, log_format};
pub use jobs::Jobs;
