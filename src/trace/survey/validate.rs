//! Everything that is wrong or odd in a log, with its line.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use super::super::error::{Problem, TraceError};
use super::super::reader::{Entry, LogSummary, ReadOptions, Reader};
use super::super::record::Record;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A replay of the log would stop or be wrong.
    Error,
    /// Worth knowing; a replay copes.
    Warning,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`title` says what each of them is")]
pub enum Kind {
    TooFewFields,
    NotANumber,
    OutOfRange,
    NegativeSubmit,
    LargerThanMachine,
    DuplicateJob,
    NoMachine,
    RecordCount,
    TooManyFields,
    SubmitDescent,
    JobDescent,
    NoProcs,
    NoRun,
    ZeroRun,
    RunAboveRequest,
    OddStatus,
    LateComment,
    BlankLine,
    Tabs,
    CarriageReturns,
    Unterminated,
}

impl Kind {
    /// Every kind, errors first, in the order of a report.
    pub const ALL: [Self; 21] = [
        Self::TooFewFields,
        Self::NotANumber,
        Self::OutOfRange,
        Self::NegativeSubmit,
        Self::LargerThanMachine,
        Self::DuplicateJob,
        Self::NoMachine,
        Self::RecordCount,
        Self::TooManyFields,
        Self::SubmitDescent,
        Self::JobDescent,
        Self::NoProcs,
        Self::NoRun,
        Self::ZeroRun,
        Self::RunAboveRequest,
        Self::OddStatus,
        Self::LateComment,
        Self::BlankLine,
        Self::Tabs,
        Self::CarriageReturns,
        Self::Unterminated,
    ];

    /// What it is, in words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::TooFewFields => "too few fields",
            Self::NotANumber => "not a number",
            Self::OutOfRange => "number out of range",
            Self::NegativeSubmit => "submit time unknown or negative",
            Self::LargerThanMachine => "job larger than the machine",
            Self::DuplicateJob => "job number used before",
            Self::NoMachine => "no MaxProcs and no MaxNodes in the header",
            Self::RecordCount => "header counts other than the jobs there are",
            Self::TooManyFields => "too many fields",
            Self::SubmitDescent => "submit time below the one before",
            Self::JobDescent => "job number below the one before",
            Self::NoProcs => "allocated processors unknown or 0",
            Self::NoRun => "run time unknown",
            Self::ZeroRun => "run time 0",
            Self::RunAboveRequest => "run time above requested time",
            Self::OddStatus => "status outside -1 to 5",
            Self::LateComment => "comment after the first job",
            Self::BlankLine => "blank line",
            Self::Tabs => "fields separated by tabs",
            Self::CarriageReturns => "lines ending in CR LF",
            Self::Unterminated => "last line without a line end",
        }
    }

    /// How bad it is. A line that is not understood is only worth a warning to those who read leniently.
    pub const fn severity(self, lenient: bool) -> Severity {
        match self {
            Self::TooFewFields | Self::NotANumber | Self::OutOfRange if lenient => Severity::Warning,
            Self::TooFewFields
            | Self::NotANumber
            | Self::OutOfRange
            | Self::NegativeSubmit
            | Self::LargerThanMachine
            | Self::DuplicateJob => Severity::Error,
            _ => Severity::Warning,
        }
    }
}

/// All findings of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// What was found.
    pub kind: Kind,
    /// How bad it is.
    pub severity: Severity,
    /// How often.
    pub count: u64,
    /// The first of them; none where the count says everything.
    pub shown: Vec<Finding>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its line, from 1; `None` if it is about the log as a whole.
    pub line: Option<u64>,
    /// What there is to say of it, perhaps nothing.
    pub detail: String,
}

/// The outcome of [`validate`].
#[derive(Clone, Debug)]
pub struct Report {
    /// The log.
    pub summary: LogSummary,
    /// What was found at least once, errors first.
    pub tallies: Vec<Tally>,
}

impl Report {
    /// Number of findings of a severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.tallies.iter().filter(|tally| tally.severity == severity).map(|tally| tally.count).sum()
    }
}

/// Reads the whole log at `path` and reports what is wrong or odd; at most `shown_max` findings of a kind with their
/// lines. Only a log that cannot be read at all is an error here.
///
/// Memory: the job numbers, to find duplicates.
pub fn validate(path: &Path, options: ReadOptions, shown_max: usize) -> Result<Report, TraceError> {
    let mut reader = Reader::open(path, ReadOptions { lenient: true, ..options })?;
    let mut check = Check::new(shown_max);
    let mut procs_max = None;
    while let Some(entry) = reader.next_entry()? {
        match entry {
            Entry::Record { record, surplus } => {
                let line = reader.line();
                let limit = *procs_max.get_or_insert_with(|| reader.header().processors());
                check.record(line, &record, surplus, limit);
            }
            Entry::Comment(_) if procs_max.is_some() => {
                check.found(Kind::LateComment, reader.line(), format_args!(""));
            }
            Entry::Comment(_) | Entry::NoJob => {}
            Entry::Blank => check.found(Kind::BlankLine, reader.line(), format_args!("")),
            Entry::Skipped(problem) => {
                let kind = match problem {
                    Problem::TooFewFields { .. } => Kind::TooFewFields,
                    Problem::NotANumber { .. } => Kind::NotANumber,
                    Problem::OutOfRange { .. } | Problem::Sides { .. } => Kind::OutOfRange,
                };
                check.found(kind, reader.line(), format_args!("{problem}"));
            }
        }
    }
    let summary = reader.finish()?;
    check.log(&summary);
    Ok(Report { summary, tallies: check.tallies(options.lenient) })
}

struct Check {
    shown_max: usize,
    /// Count and first findings of each kind, by its place in `Kind::ALL`.
    found: Vec<(u64, Vec<Finding>)>,
    jobs: HashSet<i64>,
    previous: Option<Record>,
}

impl Check {
    fn new(shown_max: usize) -> Self {
        Self {
            shown_max,
            found: vec![(0, Vec::new()); Kind::ALL.len()],
            jobs: HashSet::new(),
            previous: None,
        }
    }

    fn found(&mut self, kind: Kind, line: u64, detail: fmt::Arguments<'_>) {
        let (count, shown) = &mut self.found[kind as usize];
        *count += 1;
        if shown.len() < self.shown_max {
            shown.push(Finding { line: Some(line), detail: detail.to_string() });
        }
    }

    fn record(&mut self, line: u64, record: &Record, surplus: usize, procs_max: Option<i64>) {
        let Record { job, submit_s, run_s, allocated_procs, requested_time_s, status, .. } = *record;
        if surplus > 0 {
            self.found(Kind::TooManyFields, line, format_args!("{surplus} more than the format has"));
        }
        if submit_s < 0 {
            self.found(Kind::NegativeSubmit, line, format_args!("job {job}: {submit_s}"));
        }
        if let Some((procs, limit)) = record.procs().zip(procs_max).filter(|(procs, limit)| procs > limit) {
            let detail = format_args!("job {job}: {procs} processors, the machine has {limit}");
            self.found(Kind::LargerThanMachine, line, detail);
        }
        // The parts of an interrupted job (status 2 to 4) share its number.
        if !self.jobs.insert(job) && !(2..=4).contains(&status) {
            self.found(Kind::DuplicateJob, line, format_args!("job {job}"));
        }
        if let Some(previous) = self.previous.replace(*record) {
            if submit_s < previous.submit_s {
                let detail = format_args!("job {job}: {submit_s} after {}", previous.submit_s);
                self.found(Kind::SubmitDescent, line, detail);
            }
            if job < previous.job {
                self.found(Kind::JobDescent, line, format_args!("{job} after {}", previous.job));
            }
        }
        if allocated_procs <= 0 {
            let requested = record.requested_procs;
            let detail = format_args!("job {job}: {allocated_procs}, requested {requested}");
            self.found(Kind::NoProcs, line, detail);
        }
        match run_s {
            ..0 => self.found(Kind::NoRun, line, format_args!("job {job}: {run_s}, status {status}")),
            0 => self.found(Kind::ZeroRun, line, format_args!("job {job}, status {status}")),
            _ if requested_time_s > 0 && run_s > requested_time_s => {
                let detail = format_args!("job {job}: ran {run_s} s, requested {requested_time_s} s");
                self.found(Kind::RunAboveRequest, line, detail);
            }
            _ => {}
        }
        if !(-1..=5).contains(&status) {
            self.found(Kind::OddStatus, line, format_args!("job {job}: {status}"));
        }
    }

    /// What concerns the log as a whole is counted without lines.
    fn log(&mut self, summary: &LogSummary) {
        let findings = &summary.findings;
        self.found[Kind::Tabs as usize].0 = findings.tab_lines;
        self.found[Kind::CarriageReturns as usize].0 = findings.crlf_lines;
        self.found[Kind::Unterminated as usize].0 = findings.unterminated_lines;
        self.found[Kind::NoMachine as usize].0 = u64::from(summary.header.processors().is_none());
        let counts = ["MaxJobs", "MaxRecords"].map(|key| (key, summary.header.number(key)));
        for (key, count) in counts {
            let Some(count) = count.filter(|&count| count != summary.records as i64) else { continue };
            let detail = format!("{key} is {count}, there are {}", summary.records);
            let (found, shown) = &mut self.found[Kind::RecordCount as usize];
            *found += 1;
            shown.push(Finding { line: None, detail });
        }
    }

    fn tallies(self, lenient: bool) -> Vec<Tally> {
        let tally = |(kind, (count, shown)): (Kind, _)| {
            let severity = kind.severity(lenient);
            (count > 0).then_some(Tally { kind, severity, count, shown })
        };
        let mut tallies: Vec<Tally> = Kind::ALL.into_iter().zip(self.found).filter_map(tally).collect();
        tallies.sort_by_key(|tally| tally.severity);
        tallies
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    type Found = Vec<(Kind, u64, Option<u64>)>;

    fn findings(text: &str, lenient: bool) -> Result<(Found, u64), Box<dyn std::error::Error>> {
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(text.as_bytes())?;
        let report = validate(file.path(), ReadOptions { lenient, ..ReadOptions::default() }, 2)?;
        let errors = report.count(Severity::Error);
        let row =
            |tally: Tally| (tally.kind, tally.count, tally.shown.first().and_then(|finding| finding.line));
        Ok((report.tallies.into_iter().map(row).collect(), errors))
    }

    fn job(number: i64, submit_s: i64, run_s: i64, procs: i64, requested_s: i64, status: i64) -> String {
        format!(
            "{number} {submit_s} -1 {run_s} {procs} -1 -1 -1 {requested_s} -1 {status} 1 1 -1 -1 -1 -1 -1\n"
        )
    }

    #[test]
    fn kinds_are_in_their_places() {
        for (place, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place, "{}", kind.title());
        }
    }

    #[test]
    fn a_sound_log_has_no_findings() -> Result<(), Box<dyn std::error::Error>> {
        let text =
            format!("; MaxProcs: 8\n; MaxJobs: 2\n{}{}", job(1, 0, 5, 8, 5, 1), job(2, 0, 5, 1, -1, 5));
        assert_eq!(findings(&text, false)?, (vec![], 0));
        Ok(())
    }

    #[test]
    fn every_kind_is_found_on_its_line() -> Result<(), Box<dyn std::error::Error>> {
        let text = [
            "; MaxProcs: 8\n; MaxJobs: 99\n".to_owned(),
            job(5, 50, 5, 8, 5, 1),
            "1 2 3\n".to_owned(),
            job(6, 60, 5, 8, 5, 1).replacen("60", "6x", 1),
            job(7, 60, 5, 8, 5, 1).replacen("60", "99999999999999999999", 1),
            job(8, -1, 5, 9, 5, 1),
            job(8, 60, 6, 0, 5, 7),
            job(8, 60, 6, 1, 6, 3).replace('\n', " 0\r\n"),
            job(4, 60, -1, 1, 5, 1).replace(' ', "\t"),
            "\n; late\n".to_owned(),
            job(9, 60, 0, 1, 5, 1).trim_end().to_owned(),
        ]
        .concat();
        let expected = vec![
            (Kind::TooFewFields, 1, Some(4)),
            (Kind::NotANumber, 1, Some(5)),
            (Kind::OutOfRange, 1, Some(6)),
            (Kind::NegativeSubmit, 1, Some(7)),
            (Kind::LargerThanMachine, 1, Some(7)),
            (Kind::DuplicateJob, 1, Some(8)),
            (Kind::RecordCount, 1, None),
            (Kind::TooManyFields, 1, Some(9)),
            (Kind::SubmitDescent, 1, Some(7)),
            (Kind::JobDescent, 1, Some(10)),
            (Kind::NoProcs, 1, Some(8)),
            (Kind::NoRun, 1, Some(10)),
            (Kind::ZeroRun, 1, Some(13)),
            (Kind::RunAboveRequest, 1, Some(8)),
            (Kind::OddStatus, 1, Some(8)),
            (Kind::LateComment, 1, Some(12)),
            (Kind::BlankLine, 1, Some(11)),
            (Kind::Tabs, 1, None),
            (Kind::CarriageReturns, 1, None),
            (Kind::Unterminated, 1, None),
        ];
        assert_eq!(findings(&text, false)?, (expected, 6));
        assert_eq!(findings(&text, true)?.1, 3);
        Ok(())
    }

    #[test]
    fn a_missing_machine_is_found_and_few_are_shown() -> Result<(), Box<dyn std::error::Error>> {
        let text: String = (1..=5).map(|number| job(number, 0, 0, 1, -1, 1)).collect();
        assert_eq!(findings(&text, false)?.0, [(Kind::NoMachine, 1, None), (Kind::ZeroRun, 5, Some(1))]);
        Ok(())
    }
}
