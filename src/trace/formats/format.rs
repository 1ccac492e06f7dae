//! What a log format is: a row of the registry, and the parser that turns the lines of a log into records.

use crate::spec::{Spec, SpecError};
use crate::trace::error::Problem;
use crate::trace::header::Header;
use crate::trace::record::Record;

/// One row of the registry of log formats.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name on the command line and in specs; kebab-case.
    pub name: &'static str,
    /// One line on what the format is.
    pub summary: &'static str,
    /// Who defined it, and where it is described.
    pub source: &'static str,
    /// Its parameters as `key=value`, or nothing.
    pub parameters: &'static str,
    /// The facts that a log of this format cannot say, in words; empty if it has all that a replay can use.
    pub lacks: &'static str,
    /// The file name extensions, without dot, that stand for this format; the first is the usual one. Empty if names do
    /// not tell it.
    pub extensions: &'static [&'static str],
    /// Tells from the first line that is neither blank nor a comment whether a log has this format. `None` if lines of
    /// other formats look alike.
    pub recognises: Option<fn(line: &[u8]) -> bool>,
    /// Whether fields should be separated by spaces, so that tabs are counted as irregular.
    pub expects_spaces: bool,
    /// Builds a parser for one log. The spec has this row's name; it has parameters only if the row has some.
    pub parser: fn(&Spec) -> Result<Box<dyn LineParser>, SpecError>,
    /// The way in which logs of this format are written; `None` if they can only be read.
    pub writing: Option<Writing>,
}

/// The way in which logs of a format are written.
#[derive(Clone, Copy, Debug)]
pub struct Writing {
    /// Whether comment lines can be written, which make the header of a log.
    pub has_comments: bool,
    /// Whether only those records are converted to this format that the authors of walker-2010 kept, with the run times
    /// that they took; otherwise all records are.
    pub by_authors_rules: bool,
    /// Appends the line of a record, with its end, to the text. The flag tells whether the log has sides of shapes.
    pub append: fn(&Record, bool, &mut Vec<u8>),
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

/// Turns the lines of one log into records. A parser may remember what it has seen; every log gets a new one.
///
/// The reader keeps blank lines and comments (lines that begin with `;`) to itself and hands every other line, the
/// heading of a table included, to [`Self::parse`]. A format that folds several lines into one record, or that knows
/// its records only at the end of the text, answers [`Parsed::Part`] and gives the records from [`Self::finish`].
pub trait LineParser {
    /// Called once before the first line, with the comments above it.
    fn begin(&mut self, _header: &Header) {}

    /// Parses one line without its end, or says what is wrong with it; then the line is as if it had not been there.
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem>;

    /// Called after the last line until it returns `None`: the next record that no line gave. A problem is reported for
    /// the last line of the log.
    fn finish(&mut self) -> Result<Option<Record>, Problem> {
        Ok(None)
    }
}

/// The meaning of one line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parsed {
    /// The line completes a record. The number is that of fields beyond those of the format, which are ignored.
    Record(Record, usize),
    /// The line says nothing of any job: a heading, or time that the system took for itself.
    NoJob,
    /// The line is part of a record that a later line completes or that comes from [`LineParser::finish`].
    Part,
}
