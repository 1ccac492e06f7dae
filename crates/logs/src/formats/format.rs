//! Defines a log format: a row of the registry, and a parser that turns the lines of a log into records.

use crate::error::{Problem, TraceError};
use crate::facts::Facts;
use crate::header::Header;
use crate::names::Names;
use crate::record::Record;
use meshreplay_base::spec::{Spec, SpecError, unknown};

/// One row of the registry of log formats.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct Format {
    /// The name on the command line and in specs, in kebab-case.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// The author of the format and the place where it is described.
    pub source: &'static str,
    /// Parameters of the spec as `key=value`, separated by spaces.
    pub parameters: &'static str,
    /// Fields read, and their meaning, for formats with named fields. Names are separated by commas. Other
    /// fields are ignored.
    pub reads: &'static [(&'static str, &'static str)],
    /// What the format lacks for a replay.
    pub lacks: &'static str,
    /// File name extensions without the dot, the usual one first. Empty if file names do not identify the
    /// format.
    pub extensions: &'static [&'static str],
    /// Recognises the format by the first line that is neither blank nor a comment. `None` if its lines are
    /// ambiguous.
    pub recognises: Option<fn(line: &[u8]) -> bool>,
    /// Whether the format looks like no other and its records say when jobs started and ended, so that a file
    /// of it is always read as a schedule.
    pub records_starts: bool,
    /// Whether a record is written at the end of its job, so that jobs that run at the end of the log are
    /// missing.
    pub records_ends_only: bool,
    /// True if each run of a requeued job has its own record, under the same job number.
    pub repeats_jobs: bool,
    /// Whether fields should be separated by spaces, so that tabs are counted as irregular.
    pub expects_spaces: bool,
    /// Builds the parser of one log from a spec with the name of this row. Rows without parameters get none.
    pub parser: fn(&Spec) -> Result<Box<dyn LineParser>, SpecError>,
    /// How logs of this format are written; `None` if read-only.
    pub writing: Option<Writing>,
}

/// How logs of a format are written.
#[derive(Clone, Copy, Debug)]
pub struct Writing {
    /// Whether comment lines are written. They make the header of a log.
    pub has_comments: bool,
    /// Whether a log that is converted to this format is reduced to the records that the simulator of P.
    /// Walker, D. Bunde and V. Leung (2010) would keep, with the run times that it would take. Otherwise all
    /// records are converted.
    pub by_authors_rules: bool,
    /// Appends the line of a record, with its `\n`. The flag is true for logs with shapes.
    pub append: fn(&Record, bool, &mut Vec<u8>),
}

impl Format {
    /// Defaults for rows: a read-only format that neither file names nor lines identify.
    pub(super) const UNNAMED: Self = Self {
        name: "",
        summary: "",
        source: "",
        parameters: "",
        reads: &[],
        lacks: "",
        extensions: &[],
        recognises: None,
        records_starts: false,
        records_ends_only: false,
        repeats_jobs: false,
        expects_spaces: false,
        parser: |spec| Err(unknown("log format", &spec.name, [])),
        writing: None,
    };
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

/// Returns the next line, for looking ahead in a text.
pub type Preview<'a> = &'a mut dyn FnMut() -> Result<Option<Vec<u8>>, TraceError>;

/// Turns the lines of one log into records. Each log gets a new parser, which may remember the lines before.
///
/// The reader handles blank lines and comments (lines that begin with `;`) itself. It gives every other line
/// to [`Self::parse`], also the heading of a table. A format may need several lines for one record, or know
/// its records only at the end of the text. Then [`Self::parse`] returns [`Parsed::Part`], and a later line
/// or [`Self::finish`] gives the record. A line with several records is [`Parsed::Several`], and
/// [`Self::more`] gives them.
pub trait LineParser {
    /// Is called once, before the first line, with the comments above that line. It is not called for a log
    /// without such a line.
    fn begin(&mut self, _header: &Header) {}

    /// Looks ahead in the text before the first line is parsed. Each call of `lines` returns the next line
    /// that is not blank, or `None` at the end; the first call opens the text. Not called for a stream, which
    /// cannot be read twice.
    fn preview(&mut self, _lines: Preview<'_>) -> Result<(), TraceError> {
        Ok(())
    }

    /// Returns true if a line that begins with `;` is no comment, since semicolons separate fields. Called
    /// for such lines only.
    fn has_semicolons(&self) -> bool {
        false
    }

    /// Is called once, before the first line, with that line as far as it was read: the first one that is
    /// neither blank nor a comment.
    fn look(&mut self, _first: &[u8]) {}

    /// Takes all quotes for right, since the text was made of a binary table. Called before the first line,
    /// if at all.
    fn trust_quotes(&mut self) {}

    /// Returns true within a record that more lines belong to. A problem is reported with the line where such
    /// a record begins.
    fn is_inside(&self) -> bool {
        false
    }

    /// Byte that ends a piece of text. [`Self::parse`] receives each piece as a line: without the line feed,
    /// but with any other separator.
    fn separator(&self) -> u8 {
        b'\n'
    }

    /// Parses one line, which is given without its line end. If the result is a problem, the parser ignores
    /// the line: its state is as before.
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem>;

    /// Returns the next record at the end of the text; `None` after the last one. Called repeatedly after the
    /// last line. A problem is reported with the number of the last line.
    fn finish(&mut self) -> Result<Option<Record>, Problem> {
        Ok(None)
    }

    /// Returns the next record of a [`Parsed::Several`] line; `None` after the last one.
    fn more(&mut self) -> Option<Record> {
        None
    }

    /// Returns a hash of the last record's job name where several names share a number, 0 where the number is
    /// unique, and `None` if the job has no name.
    fn identity(&self) -> Option<u64> {
        Some(0)
    }

    /// Drops lists of nodes. Called before the first line, if at all.
    fn forget_nodes(&mut self) {
        self.names().into_iter().for_each(Names::forget_nodes);
    }

    /// Returns the names seen so far; `None` if the format has none before the end.
    fn names(&mut self) -> Option<&mut Names> {
        None
    }

    /// Returns the facts beyond the records, such as names. Called once, after the last record.
    fn facts(&mut self) -> Facts {
        Facts::default()
    }
}

/// The meaning of one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parsed {
    /// The line completes this record. The number counts surplus fields, which are ignored.
    Record(Record, usize),
    /// A line that describes no job, such as a heading or system time.
    NoJob,
    /// The line gives any number of records, through [`LineParser::more`].
    Several,
    /// The line is part of a record that a later line or [`LineParser::finish`] gives.
    Part,
}
