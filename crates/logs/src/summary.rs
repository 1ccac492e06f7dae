//! Facts about a log that was read to its end.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "lines are counted one by one, of which 2^63 cannot be read"
)]

use std::path::PathBuf;

use super::error::{Problem, ProblemKind, TraceError};
use super::facts::Facts;
use super::formats::Format;
use super::header::Header;
use super::names::LogNames;

/// Counts of what is odd in a log. Nothing of it stops reading, with one exception: a line that does not
/// follow the format is an error unless reading is lenient.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Irregularities {
    /// Lines that end in carriage return and line feed.
    pub crlf_lines: u64,
    /// Records with tabs between fields. They are counted only where the format expects spaces.
    pub tab_lines: u64,
    /// Empty lines and lines of blanks only.
    pub blank_lines: u64,
    /// Comments after the first record.
    pub late_comments: u64,
    /// Comments beyond the size of a header that is kept.
    pub unkept_comments: u64,
    /// Lines that follow the format and say nothing of any job, such as the heading of a table.
    pub no_jobs: u64,
    /// Records with more fields than the format has.
    pub surplus_field_lines: u64,
    /// Records with a submit time below that of the record above them.
    pub submit_descents: u64,
    /// Records with the same submit time as the record above them.
    pub equal_submits: u64,
    /// Records with a job number below that of the record above them.
    pub job_descents: u64,
    /// 1 if the text begins with a byte order mark of UTF-8, else 0.
    pub byte_order_marks: u64,
    /// 1 if the last line has no line end, else 0.
    pub unterminated_lines: u64,
    /// Skipped lines with too few fields.
    pub skipped_too_few_fields: u64,
    /// Skipped lines with a malformed field.
    pub skipped_not_a_number: u64,
    /// Skipped lines with a number out of range, or with sides whose product is not the number of processors.
    pub skipped_out_of_range: u64,
    /// Oddities of this format, in words with counts.
    pub of_format: Vec<(&'static str, u64)>,
}

impl Irregularities {
    /// Returns the number of lines that were skipped because they do not follow the format; 0 unless reading
    /// is lenient.
    pub fn skipped(&self) -> u64 {
        self.skipped_too_few_fields + self.skipped_not_a_number + self.skipped_out_of_range
    }

    /// Returns the irregularities found, in words with counts.
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
            ("comments beyond the limit of a header", self.unkept_comments),
            ("byte order mark at the start", self.byte_order_marks),
            ("last line without a line end", self.unterminated_lines),
            ("submit times below the one before", self.submit_descents),
            ("submit times equal to the one before", self.equal_submits),
            ("job numbers below the one before", self.job_descents),
        ];
        rows.into_iter().chain(self.of_format.iter().copied()).filter(|&(_, count)| count > 0).collect()
    }

    /// Counts a skipped line by its problem.
    pub(super) fn skip(&mut self, problem: &Problem) {
        match problem.kind() {
            ProblemKind::TooFewFields => self.skipped_too_few_fields += 1,
            ProblemKind::NotANumber => self.skipped_not_a_number += 1,
            ProblemKind::OutOfRange => self.skipped_out_of_range += 1,
        }
    }
}

/// The facts about a log that has been read to its end.
#[derive(Clone, Debug)]
pub struct LogSummary {
    /// The path of the log, or `standard input`.
    pub path: PathBuf,
    /// The format that the log was read as.
    pub format: &'static Format,
    /// The comment lines of the log.
    pub header: Header,
    /// The SHA-256 of the uncompressed text, in hexadecimal.
    pub sha256: String,
    /// The size of the uncompressed text in bytes.
    pub bytes: u64,
    /// The number of lines of any kind.
    pub lines: u64,
    /// The number of records. Skipped lines have none.
    pub records: u64,
    /// The counts of what is odd in the log.
    pub irregularities: Irregularities,
    /// Facts of the format beyond the records. The header has them too.
    pub facts: Facts,
    /// The least submit time of a record in seconds; `None` if all are unknown or negative.
    pub first_submit_s: Option<i64>,
    /// The latest submission, start or end of a record in seconds; `None` without records.
    pub last_time_s: Option<i64>,
    /// The number of records whose end and status are unknown. In logs of sites these jobs wait or run at the
    /// end of the log.
    pub open: u64,
    /// The first line that was skipped, from 1, with its problem; `None` if none was.
    pub first_skipped: Option<(u64, Problem)>,
}

impl LogSummary {
    /// Returns the names behind the numbers of the records, and when the log begins.
    pub fn names(&self) -> LogNames {
        LogNames::new(&self.facts.names, &self.header)
    }

    /// Fails if not a single line is a job although lines were skipped, since then reading leniently has
    /// hidden that the format is another one.
    pub fn check_jobs(&self) -> Result<(), TraceError> {
        match &self.first_skipped {
            Some((line, problem)) if self.records == 0 => Err(TraceError::NoJobs {
                path: self.path.clone(),
                skipped: self.irregularities.skipped(),
                format: self.format.name,
                line: *line,
                problem: Box::new(problem.clone()),
            }),
            _ => Ok(()),
        }
    }

    /// Returns the share of skipped lines among lines of jobs, as a suffix such as ` (49.3 % of the lines of
    /// jobs)`; `None` if no line was skipped.
    pub fn skipped_share(&self) -> Option<String> {
        let skipped = self.irregularities.skipped();
        let all = self.records.saturating_add(skipped);
        (skipped > 0).then(|| format!(" ({:.1} % of the lines of jobs)", 100.0 * skipped as f64 / all as f64))
    }

    /// Returns what has to be subtracted from the submit times of the records: the least of them if they
    /// count from 1970, and otherwise 0.
    pub fn origin_s(&self) -> i64 {
        self.first_submit_s.filter(|_| self.facts.has_unix_times).unwrap_or_default()
    }
}
