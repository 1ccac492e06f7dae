//! Logs: text ↔ records.
//!
//! A log is read as a stream: [`read`] visits its records one by one, [`Reader`] also shows comments, blank lines and
//! (leniently) the lines that were skipped. The whole text is never held in memory; what a replay needs to know about
//! the log as such (header, SHA-256, irregularities) comes back as a [`LogSummary`]. Writing goes through [`Writer`],
//! which streams too and leaves either a whole file or none.
//!
//! A record is what the log says; which records become jobs is decided by the workload.

mod columns;
mod error;
mod format;
mod header;
mod lines;
mod nas;
mod number;
pub mod premas;
mod profile;
mod reader;
mod record;
mod source;
mod swf;
mod validate;
mod writer;

pub use columns::Columns;
pub use error::{Problem, TraceError};
pub use format::Format;
pub use header::Header;
pub use profile::{Irregularity, Missing, Profile, Quantiles};
pub use reader::{Entry, Findings, LogSummary, ReadOptions, Reader, SHAPES, read};
pub use record::{FIELD_NAMES, FIELDS, Record};
pub use validate::{Finding, Kind, Report, Severity, Tally, validate};
pub use writer::Writer;
