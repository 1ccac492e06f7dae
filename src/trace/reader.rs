//! Reading a log of any format as a stream of entries.

use std::path::{Path, PathBuf};

use super::error::{Problem, TraceError};
use super::fields::skip_blanks;
use super::formats::Format;
use super::formats::columns::{ColumnReader, Columns};
use super::formats::nas_ipsc::{Line, Nas};
use super::formats::{premas, swf};
use super::header::Header;
use super::lines::Lines;
use super::record::Record;
use super::source::Source;

/// How a log is to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Skip and count lines that do not follow the format, instead of stopping at the first.
    pub lenient: bool,
    /// The format; by default what the file name tells, or else SWF.
    pub format: Option<Format>,
    /// The columns, of a log that has them told.
    pub columns: Option<Columns>,
}

/// One line of a log.
#[derive(Debug)]
pub enum Entry<'a> {
    /// A job.
    Record {
        /// What the line says.
        record: Record,
        /// Fields beyond those of the format; they are ignored.
        surplus: usize,
    },
    /// A comment, from its `;`. It is also kept in the header.
    Comment(&'a [u8]),
    /// Nothing but blanks.
    Blank,
    /// A line of a native log that is no job.
    NoJob,
    /// A line that does not follow the format (lenient reading only).
    Skipped(Problem),
}

/// Irregularities that are counted while reading; none of them stops it, apart from the skipped lines when not lenient.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Lines that end in carriage return and line feed.
    pub crlf_lines: u64,
    /// Records with tabs between fields (in `PReMAS` that is the rule, and not counted).
    pub tab_lines: u64,
    /// Lines of nothing but blanks.
    pub blank_lines: u64,
    /// Comments after the first record.
    pub late_comments: u64,
    /// Lines of a native log that are no jobs.
    pub no_jobs: u64,
    /// Records with more fields than the format has.
    pub surplus_field_lines: u64,
    /// Records submitted before the record above them.
    pub submit_descents: u64,
    /// Records submitted at the same second as the record above them.
    pub equal_submits: u64,
    /// Records with a job number below that of the record above them.
    pub job_descents: u64,
    /// Last lines without a line end: 0 or 1.
    pub unterminated_lines: u64,
    /// Skipped lines with too few fields.
    pub skipped_too_few_fields: u64,
    /// Skipped lines with a field that is no number of its kind.
    pub skipped_not_a_number: u64,
    /// Skipped lines with a number beyond all bounds.
    pub skipped_out_of_range: u64,
}

impl Findings {
    /// Lines that were skipped.
    pub fn skipped(&self) -> u64 {
        self.skipped_too_few_fields + self.skipped_not_a_number + self.skipped_out_of_range
    }

    /// What was found at least once, in words, with its count.
    pub fn rows(&self) -> Vec<(&'static str, u64)> {
        let rows = [
            ("skipped lines: too few fields", self.skipped_too_few_fields),
            ("skipped lines: not a number", self.skipped_not_a_number),
            ("skipped lines: number out of range", self.skipped_out_of_range),
            ("lines that are no jobs", self.no_jobs),
            ("lines with too many fields", self.surplus_field_lines),
            ("lines separated by tabs", self.tab_lines),
            ("lines ending in CR LF", self.crlf_lines),
            ("blank lines", self.blank_lines),
            ("comments after the first job", self.late_comments),
            ("last line without a line end", self.unterminated_lines),
            ("submit times below the one before", self.submit_descents),
            ("submit times equal to the one before", self.equal_submits),
            ("job numbers below the one before", self.job_descents),
        ];
        rows.into_iter().filter(|&(_, count)| count > 0).collect()
    }

    fn skip(&mut self, problem: &Problem) {
        match problem {
            Problem::TooFewFields { .. } => self.skipped_too_few_fields += 1,
            Problem::NotANumber { .. } => self.skipped_not_a_number += 1,
            Problem::OutOfRange { .. } | Problem::Sides { .. } => self.skipped_out_of_range += 1,
        }
    }
}

/// What is known of a log once it has been read to its end.
#[derive(Clone, Debug)]
pub struct LogSummary {
    /// The log's name, or `standard input`.
    pub path: PathBuf,
    /// The format that was read.
    pub format: Format,
    /// Its comment lines.
    pub header: Header,
    /// SHA-256 of its uncompressed text, in hexadecimal.
    pub sha256: String,
    /// Size of its uncompressed text, in bytes.
    pub bytes: u64,
    /// Lines, of whatever kind.
    pub lines: u64,
    /// Records, that is lines that are jobs and were not skipped.
    pub records: u64,
    /// Irregularities.
    pub findings: Findings,
}

/// A log that is being read, line by line.
pub struct Reader {
    lines: Lines,
    format: Format,
    lenient: bool,
    path: PathBuf,
    line: u64,
    header: Header,
    findings: Findings,
    records: u64,
    /// Whether records have sides, once the first one is read.
    shapes: Option<bool>,
    native: Native,
    /// Job number and submit time of the last record.
    previous: (i64, i64),
}

/// What has to be remembered of a native log from line to line.
#[derive(Debug)]
enum Native {
    None,
    Nas(Box<Nas>),
    Columns(Box<ColumnReader>),
}

impl Native {
    fn parse(&mut self, line: &[u8]) -> Result<(Line, usize), Problem> {
        match self {
            Self::Nas(nas) => nas.parse(line),
            Self::Columns(columns) => Ok((Line::Job(columns.parse(line)?), 0)),
            Self::None => Ok((Line::NoJob, 0)),
        }
    }
}

/// What a header has if its records have sides.
pub const SHAPES: &str = "Shapes";

/// A record with the sides behind its fields, and how many fields are behind those.
fn with_sides(line: &[u8]) -> Result<(Record, usize), Problem> {
    let (record, surplus) = swf::parse(line)?;
    let sides = swf::sides(line)?;
    if let Some(sides) = sides {
        let found: u128 = sides.into_iter().map(u128::from).product();
        let same = |procs: i64| u128::try_from(procs).is_ok_and(|procs| procs == found);
        if !same(record.allocated_procs) && !same(record.requested_procs) {
            let expected = format!("{} and {}", record.allocated_procs, record.requested_procs);
            return Err(Problem::Sides { found, expected });
        }
    }
    Ok((Record { sides, ..record }, surplus - swf::SIDES))
}

impl Reader {
    /// Opens the log at `path`; `-` is standard input. Compression is recognised by content, not by name.
    pub fn open(path: &Path, options: ReadOptions) -> Result<Self, TraceError> {
        let told = options.columns.map(|_| Format::Columns).or(options.format);
        let format = told.or_else(|| Format::of_path(path)).unwrap_or(Format::Swf);
        let native = match (format, options.columns) {
            (Format::NasIpsc, _) => Native::Nas(Box::new(Nas::new())),
            (_, Some(columns)) => Native::Columns(Box::new(ColumnReader::new(columns))),
            _ => Native::None,
        };
        let source = Source::open(path)?;
        Ok(Self {
            path: source.path().to_owned(),
            line: 0,
            lines: Lines::new(source),
            format,
            lenient: options.lenient,
            header: Header::default(),
            findings: Findings::default(),
            records: 0,
            shapes: None,
            native,
            previous: (i64::MIN, i64::MIN),
        })
    }

    /// The format that is read.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Number of the line that the last entry came from, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The comments read so far.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The next line, or `None` at the end. A `PReMAS` record gets the number of records up to it as its job number.
    ///
    /// O(length of the line); nothing is allocated for a record.
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, TraceError> {
        let Some(whole) = self.lines.next_line()? else {
            return Ok(None);
        };
        self.line += 1;
        let line = whole.strip_suffix(b"\r").unwrap_or(whole);
        self.findings.crlf_lines += u64::from(line.len() < whole.len());
        if let aside @ ([] | [b';', ..]) = skip_blanks(line) {
            return Ok(Some(keep_aside(aside, self.records, &mut self.header, &mut self.findings)));
        }
        let shapes = *self.shapes.get_or_insert_with(|| self.header.get(SHAPES).is_some());
        let parsed = match self.format {
            Format::Swf if shapes => with_sides(line),
            Format::Swf => swf::parse(line),
            Format::Premas => premas::parse(line),
            Format::NasIpsc | Format::Columns => match self.native.parse(line) {
                Ok((Line::Job(record), surplus)) => Ok((record, surplus)),
                Ok((Line::NoJob, _)) => {
                    self.findings.no_jobs += 1;
                    return Ok(Some(Entry::NoJob));
                }
                Err(problem) => Err(problem),
            },
        };
        let (mut record, surplus) = match parsed {
            Ok(parsed) => parsed,
            Err(problem) if self.lenient => {
                self.findings.skip(&problem);
                return Ok(Some(Entry::Skipped(problem)));
            }
            Err(problem) => {
                let path = self.path.clone();
                return Err(TraceError::Malformed { path, line: self.line, problem });
            }
        };
        self.records += 1;
        match self.format {
            Format::Swf => self.findings.tab_lines += u64::from(memchr::memchr(b'\t', line).is_some()),
            Format::Premas => record.job = self.records as i64,
            Format::NasIpsc | Format::Columns => {}
        }
        self.findings.surplus_field_lines += u64::from(surplus > 0);
        self.findings.job_descents += u64::from(record.job < self.previous.0);
        self.findings.submit_descents += u64::from(record.submit_s < self.previous.1);
        self.findings.equal_submits += u64::from(record.submit_s == self.previous.1);
        self.previous = (record.job, record.submit_s);
        Ok(Some(Entry::Record { record, surplus }))
    }

    /// Reads what is left, and says what the log was.
    pub fn finish(mut self) -> Result<LogSummary, TraceError> {
        while self.next_entry()?.is_some() {}
        self.findings.unterminated_lines = u64::from(!self.lines.terminated());
        let source = self.lines.source();
        Ok(LogSummary {
            path: self.path,
            format: self.format,
            sha256: source.sha256(),
            bytes: source.bytes(),
            lines: self.line,
            header: self.header,
            records: self.records,
            findings: self.findings,
        })
    }
}

/// Keeps a line without a record, given without blanks at its start: a comment goes to the header.
fn keep_aside<'a>(line: &'a [u8], records: u64, header: &mut Header, findings: &mut Findings) -> Entry<'a> {
    if line.is_empty() {
        findings.blank_lines += 1;
        return Entry::Blank;
    }
    findings.late_comments += u64::from(records > 0);
    header.push(line);
    Entry::Comment(line)
}

/// Reads the log at `path` (`-` is standard input) and visits its records in the order of the file.
///
/// Time is linear in the text; memory is one chunk of it and the header. On an error the records visited before are
/// those of the lines above it.
pub fn read(
    path: &Path,
    options: ReadOptions,
    mut visit: impl FnMut(&Record),
) -> Result<LogSummary, TraceError> {
    let mut reader = Reader::open(path, options)?;
    while let Some(entry) = reader.next_entry()? {
        if let Entry::Record { record, .. } = entry {
            visit(&record);
        }
    }
    reader.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const JOB: &str = "1 0 -1 60 4 -1 -1 4 -1 -1 1 1 1 -1 -1 -1 -1 -1";

    fn read_text(
        text: &str,
        options: ReadOptions,
    ) -> Result<(Vec<Record>, LogSummary), Box<dyn std::error::Error>> {
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(text.as_bytes())?;
        let mut records = Vec::new();
        let summary = read(file.path(), options, |record| records.push(*record))?;
        Ok((records, summary))
    }

    #[test]
    fn every_kind_of_line_is_counted() -> Result<(), Box<dyn std::error::Error>> {
        let tabs = JOB.replace(' ', "\t");
        let text = format!(
            "; MaxProcs: 4\r\n{JOB}\r\n \t\n;late\n3{tab} 7\n  2{job}",
            tab = &tabs[1..],
            job = &JOB[1..]
        );
        let (records, summary) = read_text(&text, ReadOptions::default())?;
        assert_eq!(records.iter().map(|record| record.job).collect::<Vec<_>>(), [1, 3, 2]);
        let findings = Findings {
            crlf_lines: 2,
            tab_lines: 1,
            blank_lines: 1,
            late_comments: 1,
            surplus_field_lines: 1,
            equal_submits: 2,
            job_descents: 1,
            unterminated_lines: 1,
            ..Findings::default()
        };
        assert_eq!(summary.findings, findings);
        assert_eq!((summary.lines, summary.records, summary.bytes), (6, 3, text.len() as u64));
        let header: Vec<&[u8]> = summary.header.lines().collect();
        assert_eq!(header, [&b"; MaxProcs: 4"[..], b";late"]);
        assert_eq!(findings_total(&summary.findings), 10);
        Ok(())
    }

    fn findings_total(findings: &Findings) -> u64 {
        findings.rows().iter().map(|(_, count)| count).sum()
    }

    #[test]
    fn strict_reading_stops_where_lenient_reading_counts() -> Result<(), Box<dyn std::error::Error>> {
        let text =
            format!("{JOB}\n1 2 3\n{}\n{}\n", JOB.replace("60", "6O"), JOB.replace("60", &"9".repeat(20)));
        let message = read_text(&text, ReadOptions::default()).expect_err("strict").to_string();
        assert!(message.ends_with(":2: 3 fields, expected 18; --lenient skips such lines"), "{message}");
        let (records, summary) = read_text(&text, ReadOptions { lenient: true, ..ReadOptions::default() })?;
        assert_eq!((records.len(), summary.findings.skipped()), (1, 3));
        let findings = summary.findings;
        assert_eq!(
            [findings.skipped_too_few_fields, findings.skipped_not_a_number, findings.skipped_out_of_range],
            [1, 1, 1]
        );
        Ok(())
    }

    #[test]
    fn premas_records_are_numbered() -> Result<(), Box<dyn std::error::Error>> {
        let options = ReadOptions { format: Some(Format::Premas), ..ReadOptions::default() };
        let (records, summary) = read_text("0\t4\t60\t-1\n5\t1\t9\t10\n", options)?;
        assert_eq!(records.iter().map(|record| record.job).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((records[1].run_s, records[1].requested_time_s), (9, 10));
        assert_eq!(summary.findings, Findings::default());
        Ok(())
    }
}
