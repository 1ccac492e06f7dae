//! Reads logs as records, and writes records as logs.
//!
//! A log is read as a stream. [`read`] visits the records. [`Reader`] also yields comments, blank lines and
//! skipped lines. Memory never holds the whole text. Both return a [`LogSummary`]: header, SHA-256,
//! irregularities. [`Writer`] writes a stream too; its file appears whole or not at all.
//!
//! The formats are the rows of [`FORMATS`]. A record holds a line of the log unchanged; the rules of the
//! workload decide which records become jobs.
#![forbid(unsafe_code)]
// Arithmetic and casts are checked, clamped, or cannot overflow for the reason that the module gives.
#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss
    )
)]

mod error;
mod facts;
mod fields;
pub mod formats;
mod header;
mod in_use;
mod lines;
mod names;
mod nodes;
mod options;
mod reader;
mod record;
mod site;
mod source;
mod summary;
mod survey;
mod times;
mod unit;
mod writer;

pub use error::{Problem, TraceError};
pub use facts::{CANCELLED_EARLY, Facts};
pub use formats::{Columns, FORMATS, Format, LineParser, Parsed, Preview, SHAPES, SWF, Writing};
pub use header::{Header, quoted};
pub use in_use::InUse;

pub use names::{ALL_PARTITIONS, LogNames, NameKind, Names, PartitionChoice, Partitions, no_such_partition};
pub use nodes::{NodeList, NodeListError, NodeRuns, NodeUse, RunEnds, RunsOnNodes};
pub use options::{LogLimits, ReadOptions};
pub use reader::{LogEntry, Reader, read};
pub use record::{FIELD_NAMES, FIELDS, Record, status};
pub use site::{Levels, SiteSize, SiteWindow, SizeSource};
pub use source::{TableConverter, bytes_read, set_table_converter};
pub use summary::{Irregularities, LogSummary};
pub use survey::profile::{Irregularity, Members, Missing, NodeLists, Profile, Quantiles};
pub use survey::validate::{Defect, Finding, Severity, Tally, Validation, validate};
pub use times::set_local_zone;
pub use unit::{LogUnit, Unit};
pub use writer::{Writer, copy};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
