//! Reads logs as records, and writes records as logs.
//!
//! A log is read as a stream. [`read`] visits the records one by one. [`Reader`] also shows comments, blank
//! lines and the lines that lenient reading skipped. The whole text is never held in memory. Both return the
//! facts about the log as a whole (header, SHA-256, irregularities) as a [`LogSummary`]. [`Writer`] writes a
//! stream too; a file is either there whole or not at all.
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

mod copy;
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
mod source;
mod summary;
mod survey;
mod times;
mod unit;
mod writer;

pub use copy::copy;
pub use error::{Problem, TraceError};
pub use facts::{CANCELLED_EARLY, Facts};
pub use formats::{Columns, FORMATS, Format, LineParser, LogUnit, Parsed, Preview, SHAPES, SWF, Writing};
pub use header::{Header, quoted};
pub use in_use::InUse;

pub use names::{ALL_PARTITIONS, LogNames, NameKind, Names, PartitionChoice, Partitions, no_such_partition};
pub use nodes::{NodeList, NodeListError, NodeRuns, NodeUse, RunsOnNodes};
pub use options::{LogLimits, ReadOptions};
pub use reader::{Entry, Reader, read};
pub use record::{FIELD_NAMES, FIELDS, Record, status};
pub use source::{TableConverter, set_table_converter};
pub use summary::{Irregularities, LogSummary};
pub use survey::members::Members;
pub use survey::profile::{Irregularity, Missing, NodeLists, Profile};
pub use survey::quantiles::Quantiles;
pub use survey::validate::{Defect, Finding, Severity, Tally, Validation, validate};
pub use times::set_local_zone;
pub use unit::Unit;
pub use writer::Writer;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
