//! Reads a log of any format as a stream of entries.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_sign_loss,
    reason = "lines and records are counted one by one, of which 2^63 cannot be read; a negative time is meant to \
              become the greatest number"
)]

mod duplicates;
mod recognise;
mod records;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::duplicates::{Duplicates, NEIGHBOURS};
use self::recognise::format_of;
use self::records::{Records, keep_aside};
use super::error::{Problem, TraceError};
use super::fields::skip_blanks;
use super::formats::{self, Format, LineParser, Parsed};
use super::header::Header;
use super::lines::Lines;
use super::names::PartitionFilter;
use super::options::{LogLimits, ReadOptions};
use super::record::Record;
use super::source::Source;
use super::summary::LogSummary;
use super::times::{DATES, TIME_ZONE};
use crate::spec::Spec;
use crate::words::counted;

/// One line of a log, or one record that several lines gave together.
#[derive(Debug)]
pub enum Entry<'a> {
    /// A job.
    Record {
        /// The fields of the job.
        record: &'a Record,
        /// The number of fields beyond those of the format. They are ignored.
        surplus: usize,
    },
    /// A comment, from its `;` on. The reader also adds it to the header.
    Comment(&'a [u8]),
    /// An empty line, or a line of blanks only.
    Blank,
    /// A line without a record: it says nothing of any job, or it is part of a record that comes later.
    NoJob,
    /// A line that does not follow the format. Only lenient reading gives it; otherwise such a line is an error.
    Skipped(Problem),
}

/// A log that is being read, entry by entry.
pub struct Reader {
    path: PathBuf,
    lines: Lines,
    line: u64,
    format: &'static Format,
    lenient: bool,
    header: Header,
    parser: Parser,
    /// Whether the parser has more records of the last line.
    has_more: bool,
    /// The last record. It stays here while it is looked at, as it is large.
    record: Record,
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
    /// Returns the entry of a record with so many `surplus` fields, and adds it to `records`. If it belongs to none of the
    /// partitions that are read, or stands in the log for the second time, it is counted apart and no entry of a job.
    fn entry<'a>(
        &mut self,
        (record, surplus): (&'a Record, usize),
        header: &Header,
        records: &mut Records,
    ) -> Entry<'a> {
        if let Some(filter) = &mut self.filter
            && !filter.admits(record.partition, self.lines.names(), header)
        {
            return Entry::NoJob;
        }
        if self.duplicates.is_known(record, self.lines.identity()) {
            return Entry::NoJob;
        }
        records.add(record, surplus);
        Entry::Record { record, surplus }
    }
}

impl Reader {
    /// Opens the log at `path`; `-` is standard input. The content tells whether it is compressed; the name does not
    /// matter.
    pub fn open(path: &Path, options: ReadOptions) -> Result<Self, TraceError> {
        // The format is the one given, or else that of the file name, or else that of the first line.
        // `auto` has the parameters of the format that is found.
        let (given, params) = match options.format {
            Some(spec) if spec.name == formats::AUTO => (None, spec.params),
            given => (given, BTreeMap::new()),
        };
        let mut idle = Vec::new();
        let mut spec = |format: &Format| {
            let mut params = params.clone();
            idle = [TIME_ZONE, DATES]
                .into_iter()
                .filter(|key| !format.has_parameter(key) && params.remove(*key).is_some())
                .collect();
            Spec { params, ..Spec::named(format.name) }
        };
        let known = given.or_else(|| Format::of_path(path).map(&mut spec));
        let given = known.as_ref().map(formats::build).transpose()?;
        let source = Source::open(path, options.limits)?;
        let is_read_once = path == Path::new("-") || !path.is_file();
        let path = source.path().to_owned();
        let mut lines = Lines::new(source);
        let (format, mut parser) = if let Some(built) = given {
            built
        } else {
            let format = format_of(&mut lines)?;
            formats::build(&spec(format))?
        };
        lines.cut_behind(parser.separator());
        if !is_read_once {
            preview(&mut *parser, &path, options.limits)?;
        }
        let filter = options.partition.map(PartitionFilter::new);
        let duplicates = Duplicates::new(format.writing.is_some());
        let parser = Parser { lines: parser, has_begun: false, filter, duplicates };
        let (header, records) = (Header::default(), Records::none());
        let lenient = options.lenient;
        Ok(Self {
            path,
            lines,
            line: 0,
            format,
            lenient,
            header,
            parser,
            has_more: false,
            record: Record::UNKNOWN,
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

    /// Returns the comments read so far. They are complete only at the end of the log, as comments may follow records.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the next entry; `None` at the end of the log.
    ///
    /// O(length of the line). Nothing is allocated for a record.
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, TraceError> {
        if self.has_more {
            if let Some(record) = self.parser.lines.more() {
                self.record = record;
                return Ok(Some(self.parser.entry((&self.record, 0), &self.header, &mut self.records)));
            }
            self.has_more = false;
        }
        let (found, records) = (&mut self.records.irregularities, self.records.count);
        let parsed = match self.lines.next_line()? {
            Some((whole, line)) => {
                self.line = line;
                let line = whole.strip_suffix(b"\r").unwrap_or(whole);
                found.crlf_lines += u64::from(line.len() < whole.len());
                if let aside @ ([] | [b';', ..]) = skip_blanks(line)
                    && (aside.is_empty() || !self.parser.lines.has_semicolons())
                {
                    return Ok(Some(keep_aside(aside, records, &mut self.header, found)));
                }
                // The parser gets the header just before the first line that is no comment.
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
                Ok(None) => return Ok(None),
                Ok(Some(record)) => Ok(Parsed::Record(record, 0)),
                Err(problem) => Err(problem),
            },
        };
        match parsed {
            Ok(Parsed::Record(record, surplus)) => {
                self.record = record;
                Ok(Some(self.parser.entry((&self.record, surplus), &self.header, &mut self.records)))
            }
            Ok(Parsed::NoJob) => {
                found.no_jobs += 1;
                Ok(Some(Entry::NoJob))
            }
            Ok(Parsed::Several) => {
                self.has_more = true;
                Ok(Some(Entry::NoJob))
            }
            Ok(Parsed::Part) => Ok(Some(Entry::NoJob)),
            Err(problem @ Problem::Heading(_)) => {
                Err(TraceError::Heading { path: self.path.clone(), line: self.line, problem: problem.into() })
            }
            Err(problem) if self.lenient => {
                found.skip(&problem);
                self.first_skipped.get_or_insert_with(|| (self.line, problem.clone()));
                Ok(Some(Entry::Skipped(problem)))
            }
            Err(problem) => Err(TraceError::Malformed {
                path: self.path.clone(),
                line: self.line,
                problem: problem.into(),
            }),
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
            let near = "records that stand twice within 65,536 lines (number, submission, start, end and size), which are read \
                        once";
            const { assert!(NEIGHBOURS == 65_536, "the words have the number") };
            let what = if self.format.writing.is_some() { near } else { all };
            facts.counts.push((what, self.parser.duplicates.count));
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
            lines: self.line,
            header: self.header,
            records: self.records.count,
            irregularities,
            facts,
            first_submit_s,
            first_skipped: self.first_skipped,
        })
    }
}

/// Lets the parser of the log at `path` look at its text before the first line is parsed.
fn preview(parser: &mut dyn LineParser, path: &Path, limits: LogLimits) -> Result<(), TraceError> {
    let mut opened = None;
    parser.preview(&mut || {
        let lines = match &mut opened {
            Some(lines) => lines,
            none => none.insert(Lines::new(Source::open(path, limits)?)),
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

/// Reads the log at `path` (`-` is standard input), calls `visit` with each record in the order of the file, and
/// returns the facts about the log as a whole.
///
/// Time is linear in the length of the text. Memory holds one chunk of the text and the header. If reading fails at a
/// line, `visit` was called for the records above it.
pub fn read(
    path: &Path,
    options: ReadOptions,
    mut visit: impl FnMut(&Record),
) -> Result<LogSummary, TraceError> {
    let mut reader = Reader::open(path, options)?;
    while let Some(entry) = reader.next_entry()? {
        if let Entry::Record { record, .. } = entry {
            visit(record);
        }
    }
    reader.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::facts::Facts;
    use crate::trace::summary::Irregularities;
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
        let found = Irregularities {
            crlf_lines: 2,
            tab_lines: 1,
            blank_lines: 1,
            late_comments: 1,
            surplus_field_lines: 1,
            equal_submits: 2,
            job_descents: 1,
            unterminated_lines: 1,
            ..Irregularities::default()
        };
        assert_eq!(summary.irregularities, found);
        assert_eq!((summary.lines, summary.records, summary.bytes), (6, 3, text.len() as u64));
        let header: Vec<&[u8]> = summary.header.lines().collect();
        assert_eq!(header, [&b"; MaxProcs: 4"[..], b";late"]);
        assert_eq!(total(&summary.irregularities), 10);
        Ok(())
    }

    fn total(found: &Irregularities) -> u64 {
        found.rows().iter().map(|(_, count)| count).sum()
    }

    #[test]
    fn strict_reading_stops_where_lenient_reading_counts() -> Result<(), Box<dyn std::error::Error>> {
        let text =
            format!("{JOB}\n1 2 3\n{}\n{}\n", JOB.replace("60", "6O"), JOB.replace("60", &"9".repeat(20)));
        let message = read_text(&text, ReadOptions::default()).expect_err("strict").to_string();
        assert!(message.ends_with(":2: 3 fields, expected 18; --lenient skips such lines, and `meshreplay trace convert --lenient` writes a log without them"), "{message}");
        let (records, summary) = read_text(&text, ReadOptions { lenient: true, ..ReadOptions::default() })?;
        assert_eq!((records.len(), summary.irregularities.skipped()), (1, 3));
        let found = summary.irregularities;
        assert_eq!(
            [found.skipped_too_few_fields, found.skipped_not_a_number, found.skipped_out_of_range],
            [1, 1, 1]
        );
        Ok(())
    }

    /// A format of lines with any number of job numbers, in seconds since 1970.
    struct Many(Vec<i64>);

    impl LineParser for Many {
        fn has_semicolons(&self) -> bool {
            true
        }

        fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
            let text = String::from_utf8_lossy(line).into_owned();
            if text == "bad" {
                return Err(Problem::Heading("no heading".to_owned()));
            }
            self.0 = text.split(';').rev().filter_map(|number| number.parse().ok()).collect();
            Ok(Parsed::Several)
        }

        fn more(&mut self) -> Option<Record> {
            self.0.pop().map(|job| Record { job, submit_s: 1000 - job, ..Record::UNKNOWN })
        }

        fn facts(&mut self) -> Facts {
            Facts {
                has_unix_times: true,
                max_nodes: Some(4),
                notes: vec!["odd".to_owned()],
                ..Facts::default()
            }
        }
    }

    #[test]
    fn a_line_may_have_many_records_and_the_parser_tells_facts() -> Result<(), Box<dyn std::error::Error>> {
        let read = |text: &str| -> Result<(Vec<i64>, LogSummary), Box<dyn std::error::Error>> {
            let mut file = tempfile::NamedTempFile::new()?;
            file.write_all(text.as_bytes())?;
            let mut reader =
                Reader::open(file.path(), ReadOptions { lenient: true, ..ReadOptions::default() })?;
            reader.parser.lines = Box::new(Many(Vec::new()));
            let mut jobs = Vec::new();
            while let Some(entry) = reader.next_entry()? {
                if let Entry::Record { record, .. } = entry {
                    jobs.push(record.job);
                }
            }
            Ok((jobs, reader.finish()?))
        };
        let (jobs, summary) = read("\u{feff}1;2\nx\n;3;4;5\n")?;
        assert_eq!((jobs, summary.records), (vec![1, 2, 3, 4, 5], 5));
        assert_eq!((summary.first_submit_s, summary.origin_s()), (Some(995), 995));
        assert_eq!((summary.header.max_nodes(), summary.header.unix_start_time()), (Some(4), Some(995)));
        assert_eq!(
            (summary.header.notes(), summary.irregularities.byte_order_marks),
            (vec!["odd".to_owned()], 1)
        );
        let message = read("1\nbad\n").expect_err("a bad heading").to_string();
        assert!(message.ends_with(":2: no heading"), "{message}");
        Ok(())
    }

    #[test]
    fn premas_records_are_numbered() -> Result<(), Box<dyn std::error::Error>> {
        let options = ReadOptions { format: Some(Spec::named("premas")), ..ReadOptions::default() };
        let (records, summary) = read_text("0\t4\t60\t-1\n5\t1\t9\t10\n", options)?;
        assert_eq!(records.iter().map(|record| record.job).collect::<Vec<_>>(), [1, 2]);
        assert_eq!((records[1].run_s, records[1].requested_time_s), (9, 10));
        assert_eq!(summary.irregularities, Irregularities::default());
        Ok(())
    }

    /// A format in which two lines give one job. The second line may be missing at the end of the text.
    struct Pairs {
        started: Vec<i64>,
    }

    impl LineParser for Pairs {
        fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
            let number =
                std::str::from_utf8(&line[1..]).ok().and_then(|text| text.parse().ok()).unwrap_or(-1);
            let record = Record { job: number, ..Record::UNKNOWN };
            match line[0] {
                b'B' => self.started.push(number),
                b'E' if self.started.contains(&number) => {
                    self.started.retain(|&other| other != number);
                    return Ok(Parsed::Record(record, 0));
                }
                b'E' => return Err(Problem::TooFewFields { found: 1, expected: 2 }),
                _ => return Ok(Parsed::NoJob),
            }
            Ok(Parsed::Part)
        }

        fn finish(&mut self) -> Result<Option<Record>, Problem> {
            Ok(self.started.pop().map(|job| Record { job, ..Record::UNKNOWN }))
        }
    }

    #[test]
    fn records_may_come_from_several_lines_and_at_the_end() -> Result<(), Box<dyn std::error::Error>> {
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(b"heading\nB1\nB2\nE2\nE9\nB3\n")?;
        let mut reader = Reader::open(file.path(), ReadOptions { lenient: true, ..ReadOptions::default() })?;
        reader.parser.lines = Box::new(Pairs { started: Vec::new() });
        let mut jobs = Vec::new();
        while let Some(entry) = reader.next_entry()? {
            if let Entry::Record { record, .. } = entry {
                jobs.push(record.job);
            }
        }
        let summary = reader.finish()?;
        assert_eq!((jobs, summary.records, summary.lines), (vec![2, 3, 1], 3, 6));
        assert_eq!((summary.irregularities.no_jobs, summary.irregularities.skipped()), (1, 1));
        Ok(())
    }

    #[test]
    fn a_log_whose_name_tells_nothing_is_recognised_by_its_first_line()
    -> Result<(), Box<dyn std::error::Error>> {
        let text = "; seen at Ames\n\nuser0 nqs0 128 1451 10/01/93 00:00:03\n";
        let (records, summary) = read_text(text, ReadOptions::default())?;
        assert_eq!((records.len(), records[0].run_s, summary.format.name), (1, 1451, "nas-ipsc"));
        let zone = ReadOptions { format: Some("auto:time-zone=UTC".parse()?), ..ReadOptions::default() };
        let (_, summary) = read_text(text, zone)?;
        assert!(
            summary.facts.notes[0].contains("nas-ipsc have no times without a zone"),
            "{:?}",
            summary.facts
        );
        let unit = ReadOptions { format: Some("auto:unit=cpus".parse()?), ..ReadOptions::default() };
        let message = read_text(text, unit).expect_err("no such parameter").to_string();
        assert_eq!(message, "'nas-ipsc' has no parameter 'unit' (it has none)");
        let swf = ReadOptions { format: Some(Spec::named("swf")), ..ReadOptions::default() };
        assert!(read_text(text, swf).is_err());
        Ok(())
    }
}
