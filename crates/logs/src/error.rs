//! Errors of reading and writing logs. Each message gives the place, the problem and a remedy.

use std::io;
use std::path::PathBuf;

use meshreplay_base::disk::Scratch;
use meshreplay_base::spec::SpecError;
use meshreplay_base::words::{counted, excerpt};

/// The reason why a log could not be read or written. `path` is the name of the log as given, or `standard
/// input`.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// There is no such file.
    #[error("{0}: no such file; check the name and the directory")]
    Missing(PathBuf),
    /// There is no such file, but a compressed one.
    #[error("{0}: no such file; {0}.gz is there")]
    Packed(PathBuf),
    /// The name is that of a directory.
    #[error(
        "{0} is a directory; expected a log such as NAME.swf, NAME.swf.gz, NAME.premas, or - for \
         standard input"
    )]
    Directory(PathBuf),
    /// The file exists but cannot be opened or read.
    #[error("{path} cannot be read")]
    Unreadable {
        /// The log.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The log has no bytes at all.
    #[error("{0} is empty; expected a log with one job on each line")]
    Empty(PathBuf),
    /// The log has a zero byte, which no text has.
    #[error("{path} is not a text: byte {offset} is zero; expected a log, plain or compressed with gzip")]
    Binary {
        /// The log.
        path: PathBuf,
        /// The position of the zero byte in the uncompressed content, from 0.
        offset: u64,
    },
    /// Not a log, but a known kind of file.
    #[error("{path} is {kind}; expected a log, plain or compressed with gzip; {remedy}")]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// Kind of the file, such as `a zip file`.
        kind: &'static str,
        /// How to make a log of it.
        remedy: &'static str,
    },
    /// The compressed data end too early.
    #[error(
        "{path}: the gzip data end early, after {lines} whole lines ({bytes} bytes of text); get the file \
         again, or remove what stands behind the compressed data"
    )]
    TruncatedGzip {
        /// The log.
        path: PathBuf,
        /// The number of whole lines before the end.
        lines: u64,
        /// The number of bytes of uncompressed text before the end.
        bytes: u64,
    },
    /// Expands far more than any log: a decompression bomb.
    #[error(
        "{path} has more than {} MB of text in {} kB, which no log has; if it is one, --log-limits \
         expansion=1000 reads up to 1000 times as much text",
        .bytes / 1_000_000, .compressed.div_ceil(1000)
    )]
    Bomb {
        /// The log.
        path: PathBuf,
        /// The number of compressed bytes that were read.
        compressed: u64,
        /// The number of bytes of text in them.
        bytes: u64,
    },
    /// The compressed data are damaged: they do not decompress, or their checksum is wrong.
    #[error("{path}: the gzip data are damaged after line {lines}; get the file again")]
    CorruptGzip {
        /// The log.
        path: PathBuf,
        /// The number of whole lines before the damage.
        lines: u64,
        /// The error of the decompressor.
        source: io::Error,
    },
    /// The log is another one when it is read for the second time.
    #[error("{0} has changed while it was read; start the command again")]
    Changed(PathBuf),
    /// The jobs of the log do not fit into memory.
    #[error(
        "{path}:{line}: it has more than {jobs} jobs; to replay twice as many takes about {} MB of \
         memory, and {} MB are free; `meshreplay trace cut` makes shorter logs of it, and `meshreplay \
         trace convert --sort` one that takes little memory if jobs stand far from the order of their \
         submissions",
        .needed_bytes / 1_000_000, .free_bytes / 1_000_000
    )]
    TooManyJobs {
        /// The log.
        path: PathBuf,
        /// The number of the line that was read last, from 1.
        line: u64,
        /// The number of jobs up to this line.
        jobs: usize,
        /// The memory that twice as many jobs and their replay take.
        needed_bytes: u64,
        /// Available memory.
        free_bytes: u64,
    },
    /// A temporary file fails, without which records cannot be sorted or job numbers compared.
    #[error(
        "{what}: the temporary file in {} fails; make room there, or set TMPDIR to another directory",
        Scratch::folder().display()
    )]
    Temporary {
        /// The failed step, such as `records cannot be sorted`.
        what: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The log has more jobs than a replay can number.
    #[error(
        "{path}:{line}: more than {most} jobs, which is as many as a replay can number; `meshreplay trace \
         cut` makes shorter logs of it"
    )]
    Uncountable {
        /// The log.
        path: PathBuf,
        /// The number of the line that was read last, from 1.
        line: u64,
        /// The most jobs that a log can have.
        most: u64,
    },
    /// A line is longer than any line of a log.
    #[error(
        "{path}:{line}: more than {limit} bytes without a line end; expected a log with one job on each \
         line; if it is one, --log-limits line=BYTES allows longer lines"
    )]
    LongLine {
        /// The log.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
        /// The greatest allowed length of a line, in bytes.
        limit: usize,
    },
    /// A line does not follow the format.
    #[error("{path}:{line}: {problem}{}", problem.lenient_remedy())]
    Malformed {
        /// The log.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
        /// The problem of the line.
        problem: Box<Problem>,
    },
    /// Lenient reading has skipped every line, as the format is another one.
    #[error(
        "{path}: no line is a job: {skipped} lines do not follow the format {format}; the first is line \
         {line}: {problem}; --input-format or --columns says how to read them"
    )]
    NoJobs {
        /// The log.
        path: PathBuf,
        /// The number of lines that were skipped.
        skipped: u64,
        /// The name of the format.
        format: &'static str,
        /// The number of the first of them, from 1.
        line: u64,
        /// The problem of that line.
        problem: Box<Problem>,
    },
    /// No record of the log belongs to a partition that was chosen.
    #[error("{path}: {problem}")]
    Partition {
        /// The log.
        path: PathBuf,
        /// The missing partition and the known ones.
        problem: String,
    },
    /// The format of the log is unknown, or its parameters are malformed.
    #[error(transparent)]
    Format(#[from] SpecError),
    /// A read-only format.
    #[error("logs of format '{format}' can only be read; write swf")]
    ReadOnly {
        /// The name of the format.
        format: &'static str,
    },
    /// The output exists already, and overwriting it was not allowed.
    #[error("{0} already exists; --force overwrites it")]
    Exists(PathBuf),
    /// The output cannot be written. No part of it stays on the disk.
    #[error("{path} cannot be written")]
    Unwritable {
        /// The output.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// The problem of one line of a log that does not follow the format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The line has too few fields.
    #[error("{}, expected {expected}", counted(.found, "field"))]
    TooFewFields {
        /// The number of fields on the line.
        found: usize,
        /// The number of fields that the line must have.
        expected: usize,
    },
    /// A field is not a number of the kind expected.
    #[error("field {field} ({name}): found '{found}', expected {expected}")]
    NotANumber {
        /// The number of the field, from 1.
        field: usize,
        /// The name of the field.
        name: &'static str,
        /// The text of the field, shortened.
        found: String,
        /// Kind of number expected, such as `an integer or -1`.
        expected: &'static str,
    },
    /// A malformed field in a format with named columns.
    #[error("column {column} ({name}): found '{found}', expected {expected}")]
    Column {
        /// The number of the column, from 1.
        column: usize,
        /// The name of the column.
        name: String,
        /// The text of the field, shortened.
        found: String,
        /// Expected text.
        expected: String,
    },
    /// A value of a format that names its values is not what was expected.
    #[error("{name}: found '{found}', expected {expected}")]
    Value {
        /// The name of the value in the log.
        name: &'static str,
        /// The text of the value, shortened; empty if it is missing.
        found: String,
        /// Expected text.
        expected: String,
    },
    /// A value breaks a rule of its whole column, so other lines are wrong or misread too. Skipping only the
    /// failing lines would keep the misread ones.
    #[error("{0}")]
    Rule(Box<Self>),
    /// A line that all others depend on, such as the heading of a table, does not follow the format. No line
    /// can be read without it, so lenient reading fails too.
    #[error("{0}")]
    Heading(String),
    /// The product of the sides of a job's shape is neither field 5 nor field 8.
    #[error("fields 19 to 21 (sides): found {found} processors, expected those of field 5 or 8, {expected}")]
    Sides {
        /// The product of the sides.
        found: u128,
        /// Allocated and requested processors of the record.
        expected: String,
    },
    /// A field is a number that is too large to be represented.
    #[error("field {field} ({name}): found '{found}', expected a value between -2^63 and 2^63")]
    OutOfRange {
        /// The number of the field, from 1.
        field: usize,
        /// The name of the field.
        name: &'static str,
        /// The text of the field, shortened.
        found: String,
    },
}

/// Returns whether a text is a number with a decimal comma, such as `168,0`.
fn has_decimal_comma(text: &str) -> bool {
    let is_whole = |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
    text.trim_start_matches('-')
        .split_once(',')
        .is_some_and(|(whole, part)| is_whole(whole) && is_whole(part))
}

/// Category of a [`Problem`], for the counts of skipped lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProblemKind {
    TooFewFields,
    NotANumber,
    OutOfRange,
}

impl Problem {
    pub(super) const fn kind(&self) -> ProblemKind {
        match self {
            Self::TooFewFields { .. } => ProblemKind::TooFewFields,
            Self::OutOfRange { .. } | Self::Sides { .. } => ProblemKind::OutOfRange,
            _ => ProblemKind::NotANumber,
        }
    }

    /// Returns the advice to skip such lines, behind a semicolon; empty where skipping hides that other lines
    /// are misread, or where lenient reading fails too.
    fn lenient_remedy(&self) -> &'static str {
        match self {
            Self::Rule(_) | Self::Heading(_) => "",
            // All lines of the log have it.
            Self::NotANumber { found, .. } | Self::Column { found, .. } | Self::Value { found, .. }
                if has_decimal_comma(found) =>
            {
                "; the decimal sign of a log is a point, so export numbers with points"
            }
            _ => {
                "; --lenient skips such lines, and `meshreplay trace convert --lenient` writes a log without \
                 them"
            }
        }
    }

    /// Returns the problem that field `field`, from 1, has the text `found` and not what was expected.
    /// `found` is repeated as an excerpt ([`excerpt`]).
    pub(super) fn not_a_number(
        field: usize,
        name: &'static str,
        found: &[u8],
        expected: &'static str,
    ) -> Self {
        let found = excerpt(&String::from_utf8_lossy(found));
        Self::NotANumber { field, name, found, expected }
    }

    /// Returns the problem that column `column`, from 1, with the name `name` has the text `found` and not
    /// what was expected. `found` is repeated as an excerpt.
    pub(super) fn column(column: usize, name: &str, found: &[u8], expected: &str) -> Self {
        Self::Column {
            column,
            name: name.to_owned(),
            found: excerpt(&String::from_utf8_lossy(found)),
            expected: expected.to_owned(),
        }
    }

    /// Returns the problem that the value `name` has the text `found`, shown as in [`Self::column`], and not
    /// what was expected.
    pub(super) fn value(name: &'static str, found: &[u8], expected: &str) -> Self {
        Self::Value { name, found: excerpt(&String::from_utf8_lossy(found)), expected: expected.to_owned() }
    }
}
