//! Logs: from text to records, and back.
//!
//! A log is read as a stream: [`read`] visits its records one by one, [`Reader`] also shows comments, blank lines and
//! (leniently) the lines that were skipped. The whole text is never held in memory. The facts about the log as a whole
//! (header, SHA-256, irregularities) come back as a [`LogSummary`]. Writing goes through [`Writer`], which streams too
//! and leaves either a whole file or none.
//!
//! The formats are the rows of [`FORMATS`]. A record is what the log says; which records become jobs is decided by the
//! workload.

mod copy;
mod error;
mod fields;
pub mod formats;
mod header;
mod lines;
mod reader;
mod record;
mod source;
mod summary;
mod survey;
mod writer;

pub use copy::copy;
pub use error::{Problem, TraceError};
pub use formats::{Columns, FORMATS, Format, LineParser, Parsed, SHAPES, SWF, Writing};
pub use header::Header;
pub use reader::{Entry, ReadOptions, Reader, read};
pub use record::{FIELD_NAMES, FIELDS, Record};
pub use summary::{Irregularities, LogSummary};
pub use survey::profile::{Irregularity, Missing, Profile, Quantiles};
pub use survey::validate::{Defect, Finding, Severity, Tally, Validation, validate};
pub use writer::Writer;
