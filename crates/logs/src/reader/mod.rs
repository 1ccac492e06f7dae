//! Reads a log of any format as a stream of entries.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_sign_loss,
    reason = "lines and records are counted one by one, of which 2^63 cannot be read; a negative time is \
         meant to become the greatest number"
)]

mod duplicates;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::duplicates::{DuplicateRule, Duplicates, LocatedRecord, NEIGHBOURS};
use super::error::{Problem, TraceError};
use super::fields::skip_blanks;
use super::formats::{self, FirstLines, Format, LineParser, Parsed};
use super::header::Header;
use super::lines::Lines;
use super::names::PartitionFilter;
use super::options::{LogLimits, ReadOptions};
use super::record::Record;
use super::source::Source;
use super::status::UNKNOWN;
use super::summary::{Irregularities, LogSummary};
use super::times::TIME_ZONE;
use meshreplay_base::spec::Spec;
use meshreplay_base::words::counted;

/// One line of a log, or one record that several lines gave together.
#[derive(Debug)]
pub enum LogEntry<'a> {
    /// A job.
    Record {
        /// The fields of the job.
        record: &'a Record,
        /// Surplus fields, which are ignored.
        surplus: usize,
    },
    /// A comment, from its `;` on. The reader also adds it to the header.
    Comment(&'a [u8]),
    /// An empty line, or a line of blanks only.
    Blank,
    /// A line without a record: it describes no job, or belongs to a later record.
    NoJob,
    /// A line that does not follow the format. Only lenient reading gives it; otherwise such a line is an
    /// error.
    Skipped(Problem),
}

/// A log that is being read, entry by entry.
pub struct Reader {
    path: PathBuf,
    lines: Lines,
    /// The number of lines read so far.
    last_line: u64,
    /// The line of the last entry: an earlier one if a record had to wait for those behind it.
    line: u64,
    /// The line where the last record begins.
    record_line: u64,
    format: &'static Format,
    lenient: bool,
    header: Header,
    parser: Parser,
    /// Whether the parser has more records of the last line.
    has_more: bool,
    /// The last record, kept here because it is large.
    row: LocatedRecord,
    /// The first line that was skipped, from 1, with its problem.
    first_skipped: Option<(u64, Problem)>,
    records: Records,
    /// The parameters of dates that were given although the format has no such dates.
    idle: Vec<&'static str>,
}

/// The parser of the log, with a flag for whether it was given the header.
struct Parser {
    lines: Box<dyn LineParser>,
    has_begun: bool,
    /// The partitions that are read; `None` if all are.
    filter: Option<PartitionFilter>,
    duplicates: Duplicates,
}

impl Parser {
    /// Returns the entry of a record, and adds it to `records`. A record of an unwanted partition and a
    /// duplicate are only counted, and give no job. Neither does a record that has to wait.
    fn entry<'a>(&mut self, row: &'a LocatedRecord, header: &Header, records: &mut Records) -> LogEntry<'a> {
        if let Some(filter) = &mut self.filter
            && !filter.admits(row.record.partition, self.lines.names().map(|names| &*names), header)
        {
            return LogEntry::NoJob;
        }
        if self.duplicates.admits(row, self.lines.identity()) { records.entry(row) } else { LogEntry::NoJob }
    }
}

impl Reader {
    /// Opens the log at `path`; `-` is standard input. Compression is detected from the content, not from the
    /// name.
    pub fn open(path: &Path, options: ReadOptions) -> Result<Self, TraceError> {
        // The format is given, or recognised by file name, or by first line. `auto` passes its parameters to
        // the recognised format.
        let (given, params) = match options.format {
            Some(spec) if spec.name == formats::AUTO => (None, spec.params),
            given => (given, BTreeMap::new()),
        };
        let spec = |format: &Format| Spec { params: params.clone(), ..Spec::named(format.name) };
        let given_spec = given;
        let given = given_spec.as_ref().map(formats::build).transpose()?;
        let of_path = Format::of_path(path);
        if let (None, Some(format)) = (&given, of_path) {
            formats::build(&spec(format))?;
        }
        let source = Source::open(path, options.limits)?;
        let is_read_once = path == Path::new("-") || !path.is_file();
        let path = source.path().to_owned();
        let mut lines = Lines::new(source);
        let (format, first) = match given.as_ref().map(|(format, _)| *format).or(of_path) {
            Some(format) => (format, lines.peek(is_job)?.map(<[u8]>::to_vec)),
            None => format_of(&mut lines)?,
        };
        let first = first.unwrap_or_default();
        let (format, mut parser) = match given {
            Some(built) => built,
            None => formats::build(&spec(formats::of_content(format, &first)))?,
        };
        let idle = formats::idle(format, &given_spec.unwrap_or_else(|| spec(format)));
        parser.look(&first);
        if lines.source().is_table() {
            parser.trust_quotes();
        }
        lines.cut_behind(parser.separator());
        if !is_read_once {
            preview(&mut *parser, &path, options.limits)?;
        }
        let filter = options.partition.map(PartitionFilter::new);
        let kind = match format {
            format if format.writing.is_some() => DuplicateRule::Neighbours,
            format if format.repeats_jobs => DuplicateRule::Runs,
            _ => DuplicateRule::Numbers,
        };
        let duplicates = Duplicates::new(kind);
        let parser = Parser { lines: parser, has_begun: false, filter, duplicates };
        let (header, records) = (Header::default(), Records::none());
        let lenient = options.lenient;
        Ok(Self {
            path,
            lines,
            last_line: 0,
            line: 0,
            record_line: 0,
            format,
            lenient,
            header,
            parser,
            has_more: false,
            row: LocatedRecord { record: Record::UNKNOWN, surplus: 0, line: 0 },
            first_skipped: None,
            records,
            idle,
        })
    }

    /// Keeps no lists of the nodes of jobs, which need much memory in large logs.
    pub fn forget_nodes(&mut self) {
        self.parser.lines.forget_nodes();
    }

    /// Returns the format of the log.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Returns the number of the line of the last entry, from 1; 0 before the first entry.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the comments read so far. Comments may follow records, so the header is complete only at the
    /// end.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the next entry; `None` at the end of the log.
    ///
    /// O(length of the line). Nothing is allocated for a record.
    pub fn next_entry(&mut self) -> Result<Option<LogEntry<'_>>, TraceError> {
        if let Some(row) = self.parser.duplicates.next_decided(false) {
            (self.row, self.line) = (row, row.line);
            return Ok(Some(self.records.entry(&self.row)));
        }
        self.line = self.last_line;
        if self.has_more {
            if let Some(record) = self.parser.lines.more() {
                self.row = LocatedRecord { record, surplus: 0, line: self.last_line };
                return Ok(Some(self.parser.entry(&self.row, &self.header, &mut self.records)));
            }
            self.has_more = false;
        }
        let (found, records) = (&mut self.records.irregularities, self.records.count);
        let parsed = match self.lines.next_line()? {
            Some((whole, line)) => {
                (self.last_line, self.line) = (line, line);
                if !self.parser.lines.is_inside() {
                    self.record_line = line;
                }
                let line = whole.strip_suffix(b"\r").unwrap_or(whole);
                found.crlf_lines += u64::from(line.len() < whole.len());
                if let aside @ ([] | [b';', ..]) = skip_blanks(line)
                    && (aside.is_empty() || !self.parser.lines.has_semicolons())
                {
                    return Ok(Some(keep_aside(aside, records, &mut self.header, found)));
                }
                // The parser gets the header just before the first line that is not a comment.
                if !self.parser.has_begun {
                    self.parser.has_begun = true;
                    self.parser.lines.begin(&self.header);
                }
                let parsed = self.parser.lines.parse(line);
                if self.format.expects_spaces && matches!(parsed, Ok(Parsed::Record(..))) {
                    found.tab_lines += u64::from(memchr::memchr(b'\t', line).is_some());
                }
                parsed
            }
            None => match self.parser.lines.finish() {
                Ok(None) => {
                    let Some(row) = self.parser.duplicates.next_decided(true) else { return Ok(None) };
                    (self.row, self.line) = (row, row.line);
                    return Ok(Some(self.records.entry(&self.row)));
                }
                Ok(Some(record)) => Ok(Parsed::Record(record, 0)),
                Err(problem) => Err(problem),
            },
        };
        match parsed {
            Ok(Parsed::Record(record, surplus)) => {
                self.row = LocatedRecord { record, surplus, line: self.last_line };
                Ok(Some(self.parser.entry(&self.row, &self.header, &mut self.records)))
            }
            Ok(Parsed::NoJob) => {
                found.no_jobs += 1;
                Ok(Some(LogEntry::NoJob))
            }
            Ok(Parsed::Several) => {
                self.has_more = true;
                Ok(Some(LogEntry::NoJob))
            }
            Ok(Parsed::Part) => Ok(Some(LogEntry::NoJob)),
            Err(problem) if self.lenient && !matches!(problem, Problem::Heading(_)) => {
                found.skip(&problem);
                self.first_skipped.get_or_insert_with(|| (self.record_line, problem.clone()));
                Ok(Some(LogEntry::Skipped(problem)))
            }
            Err(problem) => Err(malformed(&self.path, self.record_line, problem)),
        }
    }

    /// Reads the rest of the log and returns the facts about the log as a whole.
    pub fn finish(mut self) -> Result<LogSummary, TraceError> {
        while self.next_entry()?.is_some() {}
        let mut irregularities = self.records.irregularities;
        irregularities.unterminated_lines = u64::from(!self.lines.terminated());
        irregularities.byte_order_marks = u64::from(self.lines.has_mark());
        let left_out = self.parser.filter.as_ref().map_or(Ok(0), PartitionFilter::finish);
        let left_out =
            left_out.map_err(|problem| TraceError::Partition { path: self.path.clone(), problem })?;
        let mut facts = self.parser.lines.facts();
        if left_out > 0 {
            facts.notes.push(format!("{} of other partitions left out", counted(left_out, "job")));
        }
        if self.parser.duplicates.count > 0 {
            let all =
                "records that stand twice (number, submission, start, end and size), which are read once";
            let near = "records that stand twice within 65,536 lines (number, submission, start, end and \
                 size), which are read once";
            const { assert!(NEIGHBOURS == 65_536, "the words have the number") };
            let what = if self.format.writing.is_some() { near } else { all };
            facts.counts.push((what, self.parser.duplicates.count));
        }
        if self.parser.duplicates.doubtful > 0 {
            let what = "of them, records under a number with different runs, which are read as repeats of a \
                 requeued job; in a table, --input-format table:job=none reads them as tasks of an array";
            facts.counts.push((what, self.parser.duplicates.doubtful));
        }
        if self.parser.duplicates.tasks > 0 {
            let what = "equal records under a number whose runs overlap, which are read as tasks of an array";
            facts.counts.push((what, self.parser.duplicates.tasks));
        }
        irregularities.of_format.clone_from(&facts.counts);
        let first_submit_s = i64::try_from(self.records.first_submit_s).ok();
        let origin_s = first_submit_s.filter(|_| facts.has_unix_times);
        facts.header_lines(origin_s).iter().for_each(|line| self.header.push(line.as_bytes()));
        for key in self.idle {
            let name = self.format.name;
            let what = if key == TIME_ZONE { "times without a zone" } else { "dates of an open order" };
            facts.notes.push(format!("logs of the format {name} have no {what}; --{key} changes nothing"));
        }
        let source = self.lines.source();
        Ok(LogSummary {
            path: self.path,
            format: self.format,
            sha256: source.sha256(),
            bytes: source.bytes(),
            lines: self.last_line,
            header: self.header,
            records: self.records.count,
            irregularities,
            facts,
            first_submit_s,
            last_time_s: (self.records.count > 0).then_some(self.records.last_time_s),
            open: self.records.open,
            first_skipped: self.first_skipped,
        })
    }
}

/// Returns true for a line that is neither blank nor a comment.
fn is_job(line: &[u8]) -> bool {
    !matches!(skip_blanks(line), [] | [b'\r'] | [b';', ..])
}

/// Recognises the format by the first lines, without consuming them, and returns the first line, too. Fails
/// for a known kind of unreadable log.
fn format_of(lines: &mut Lines) -> Result<(&'static Format, Option<Vec<u8>>), TraceError> {
    // One look, as another one would wait for more of a pipe.
    let mut first = None;
    let below = lines.peek(|line| {
        let is_wanted = is_job(line);
        if is_wanted {
            first.get_or_insert_with(|| line.to_vec());
        }
        is_wanted && !line.starts_with(b"#")
    })?;
    let below = below.map(<[u8]>::to_vec);
    let is_table = lines.source().is_table();
    let found =
        formats::of_first_lines(&FirstLines { first: first.as_deref(), below: below.as_deref(), is_table });
    let path = || lines.source().path().to_owned();
    let found = found.map_err(|(kind, remedy)| TraceError::OtherKind { path: path(), kind, remedy });
    Ok((found?, first))
}

/// Lets the parser of the log at `path` look at its text before the first line is parsed.
fn preview(parser: &mut dyn LineParser, path: &Path, limits: LogLimits) -> Result<(), TraceError> {
    let (mut opened, separator) = (None, parser.separator());
    parser.preview(&mut || {
        let lines = match &mut opened {
            Some(lines) => lines,
            none => {
                let lines = none.insert(Lines::new(Source::open(path, limits)?));
                lines.cut_behind(separator);
                lines
            }
        };
        while let Some((line, _)) = lines.next_line()? {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !skip_blanks(line).is_empty() {
                return Ok(Some(line.to_vec()));
            }
        }
        Ok(None)
    })
}

/// Reads the log at `path` (`-` is standard input), calls `visit` with each record in the order of the file,
/// and returns the facts about the log as a whole.
///
/// Time is linear in the length of the text. Memory holds one chunk of the text and the header, and in
/// formats whose numbers may be those of arrays, up to 65,536 records behind one that stands twice. If
/// reading fails at a line, `visit` was called for the records above it, except those that were held.
pub fn read(
    path: &Path,
    options: ReadOptions,
    mut visit: impl FnMut(&Record),
) -> Result<LogSummary, TraceError> {
    let mut reader = Reader::open(path, options)?;
    while let Some(entry) = reader.next_entry()? {
        if let LogEntry::Record { record, .. } = entry {
            visit(record);
        }
    }
    reader.finish()
}

/// Returns the error of the record that begins in this line.
fn malformed(path: &Path, line: u64, problem: Problem) -> TraceError {
    TraceError::Malformed { path: path.to_owned(), line, problem: problem.into() }
}

/// Counts of records and irregularities.
struct Records {
    count: u64,
    /// The job number and the submit time (in seconds) of the last record; `None` before the first record.
    last: Option<(i64, i64)>,
    /// The least submit time that is not negative, in seconds; the greatest number before the first.
    first_submit_s: u64,
    /// The latest time of a record in seconds; below all others before the first.
    last_time_s: i64,
    /// Records of jobs that wait or run at the end of the log.
    open: u64,
    irregularities: Irregularities,
}

impl Records {
    /// Returns the counts before the first line.
    fn none() -> Self {
        Self {
            count: 0,
            last: None,
            first_submit_s: u64::MAX,
            last_time_s: i64::MIN,
            open: 0,
            irregularities: Irregularities::default(),
        }
    }

    /// Returns the entry of a record, and counts the record and its irregularities.
    fn entry<'a>(&mut self, row: &'a LocatedRecord) -> LogEntry<'a> {
        let LocatedRecord { record, surplus, .. } = row;
        self.count += 1;
        // A negative time is unknown; as an unsigned number it is beyond all others.
        self.first_submit_s = self.first_submit_s.min(record.submit_s as u64);
        let lasted_s = record.wait_s.max(0).saturating_add(record.run_s.max(0));
        self.last_time_s = self.last_time_s.max(record.submit_s.saturating_add(lasted_s));
        self.open += u64::from(record.run_s == -1 && record.status == UNKNOWN);
        let found = &mut self.irregularities;
        found.surplus_field_lines += u64::from(*surplus > 0);
        if let Some((job, submit_s)) = self.last.replace((record.job, record.submit_s)) {
            found.job_descents += u64::from(record.job < job);
            found.submit_descents += u64::from(record.submit_s < submit_s);
            found.equal_submits += u64::from(record.submit_s == submit_s);
        }
        LogEntry::Record { record, surplus: *surplus }
    }
}

/// Counts a blank line, or adds a comment to the header, and returns its entry. `line` has no blanks at its
/// start. `records` is the number of records before it.
fn keep_aside<'a>(
    line: &'a [u8],
    records: u64,
    header: &mut Header,
    irregularities: &mut Irregularities,
) -> LogEntry<'a> {
    if line.is_empty() {
        irregularities.blank_lines += 1;
        return LogEntry::Blank;
    }
    irregularities.late_comments += u64::from(records > 0);
    irregularities.unkept_comments += u64::from(!header.keep(line));
    LogEntry::Comment(line)
}

#[cfg(test)]
mod tests;
