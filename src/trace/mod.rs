//! Logs: text ↔ records.
//!
//! A log is read as a stream: [`read`] visits its records one by one, [`Reader`] also shows comments, blank lines and
//! (leniently) the lines that were skipped. The whole text is never held in memory; what a replay needs to know about
//! the log as such (header, SHA-256, irregularities) comes back as a [`LogSummary`]. Writing goes through [`Writer`],
//! which streams too and leaves either a whole file or none.
//!
//! A record is what the log says; which records become jobs is decided by the workload.

mod error;
mod fields;
pub mod formats;
mod header;
mod lines;
mod reader;
mod record;
mod source;
mod survey;
mod writer;

pub use error::{Problem, TraceError};
pub use formats::Format;
pub use formats::columns::Columns;
pub use header::Header;
pub use reader::{Entry, Findings, LogSummary, ReadOptions, Reader, SHAPES, read};
pub use record::{FIELD_NAMES, FIELDS, Record};
pub use survey::profile::{Irregularity, Missing, Profile, Quantiles};
pub use survey::validate::{Finding, Kind, Report, Severity, Tally, validate};
pub use writer::Writer;
