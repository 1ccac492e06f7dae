//! The errors of reading and writing logs, in words that say where, what and what to do.

use std::io;
use std::path::PathBuf;

use crate::spec::SpecError;

/// Why a log could not be read or written. `path` is the log's name as given, or `standard input`.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// There is no such file.
    #[error("{}: no such file; check the name and the directory", .path.display())]
    Missing {
        /// The name as given.
        path: PathBuf,
    },
    /// The name is that of a directory.
    #[error(
        "{} is a directory; expected a log such as NAME.swf, NAME.swf.gz, NAME.premas, or - for standard input",
        .path.display()
    )]
    Directory {
        /// The name as given.
        path: PathBuf,
    },
    /// The file exists but cannot be opened or read.
    #[error("{} cannot be read", .path.display())]
    Unreadable {
        /// The log.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// There is not one byte in it.
    #[error("{} is empty; expected a log with one job on each line", .path.display())]
    Empty {
        /// The log.
        path: PathBuf,
    },
    /// There is a zero byte in it, which no text has.
    #[error("{} is not a text: byte {offset} is zero; expected a log, plain or compressed with gzip", .path.display())]
    Binary {
        /// The log.
        path: PathBuf,
        /// Where the zero byte is in the uncompressed content, from 0.
        offset: u64,
    },
    /// The compressed data stop in the middle.
    #[error(
        "{}: the gzip data end early, after {lines} whole lines ({bytes} bytes of text); get the file again",
        .path.display()
    )]
    TruncatedGzip {
        /// The log.
        path: PathBuf,
        /// Whole lines before the end.
        lines: u64,
        /// Bytes of uncompressed text before the end.
        bytes: u64,
    },
    /// The compressed data do not decompress.
    #[error("{}: the gzip data are damaged after line {lines}; get the file again", .path.display())]
    CorruptGzip {
        /// The log.
        path: PathBuf,
        /// Whole lines before the damage.
        lines: u64,
        /// The error of the decompressor.
        source: io::Error,
    },
    /// A line is longer than any line of a log.
    #[error(
        "{}:{line}: more than {limit} bytes without a line end; expected a log with one job on each line",
        .path.display()
    )]
    LongLine {
        /// The log.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Most bytes that a line may have.
        limit: usize,
    },
    /// A line does not follow the format.
    #[error("{}:{line}: {problem}; --lenient skips such lines", .path.display())]
    Malformed {
        /// The log.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The problem of the line.
        problem: Problem,
    },
    /// The format of the log is unknown, or its parameters are malformed.
    #[error(transparent)]
    Format(#[from] SpecError),
    /// The format is known, but there is no way to write it.
    #[error("logs of format '{format}' can only be read; write swf")]
    ReadOnly {
        /// The format.
        format: &'static str,
    },
    /// The output is there already.
    #[error("{} already exists; --force overwrites it", .path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The output cannot be written. Nothing is left of it.
    #[error("{} cannot be written", .path.display())]
    Unwritable {
        /// The output.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// The problem of one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The line ends too early.
    #[error("{found} field{}, expected {expected}", if *.found == 1 { "" } else { "s" })]
    TooFewFields {
        /// Fields on the line.
        found: usize,
        /// Fields of the format.
        expected: usize,
    },
    /// A field is not a number of the kind expected.
    #[error("field {field} ({name}): found '{found}', expected {expected} or -1")]
    NotANumber {
        /// Which field, from 1.
        field: usize,
        /// The name of the field.
        name: &'static str,
        /// The field as it is there, shortened.
        found: String,
        /// The kind of number: `an integer` or `a number`.
        expected: &'static str,
    },
    /// The sides of a job's shape do not multiply to its processors.
    #[error("fields 19 to 21 (sides): found {found} processors, expected those of field 5 or 8, {expected}")]
    Sides {
        /// The product of the sides.
        found: u128,
        /// The processors of the record.
        expected: String,
    },
    /// A field is a number too large for any log.
    #[error("field {field} ({name}): found '{found}', expected a value between -2^63 and 2^63")]
    OutOfRange {
        /// Which field, from 1.
        field: usize,
        /// The name of the field.
        name: &'static str,
        /// The field as it is there, shortened.
        found: String,
    },
}

impl Problem {
    /// Returns the problem of field `field`, whose text `found` is not what was expected. Long texts are cut.
    pub(super) fn not_a_number(
        field: usize,
        name: &'static str,
        found: &[u8],
        expected: &'static str,
    ) -> Self {
        let found = String::from_utf8_lossy(found).chars().take(20).collect();
        Self::NotANumber { field, name, found, expected }
    }
}
