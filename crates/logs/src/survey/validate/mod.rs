//! Validates a log: finds everything that is wrong or odd in it, with the lines.

use std::fmt;
use std::path::Path;
use std::{io, mem};

use super::job_numbers::{Duplicates, JobNumbers, MOST, Seen};
use super::profile::add_run;
use crate::error::{Problem, TraceError};
use crate::formats::LogUnit;
use crate::nodes::NodeRuns;
use crate::options::ReadOptions;
use crate::reader::{Entry, Reader};
use crate::record::Record;
use crate::status;
use crate::summary::LogSummary;
use meshreplay_base::words::counted;

use Severity::{Error, Warning};

/// The severity of a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A replay of the log would stop or give wrong results.
    Error,
    /// The log is odd here, but can be replayed.
    Warning,
}

/// A kind of mistake or oddity in a log. [`Self::title`] describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`title` says what each of them is")]
pub enum Defect {
    TooFewFields,
    NotANumber,
    OutOfRange,
    NegativeSubmit,
    LargerThanMachine,
    DuplicateJob,
    SharedNodes,
    RepeatedJob,
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
    Mark,
    FewSharedNodes,
    OfFormat,
}

/// Every defect with its severity and its title, in the order of the enum and of reports.
const DEFECTS: [(Defect, Severity, &str); 26] = [
    (Defect::TooFewFields, Error, "too few fields"),
    (Defect::NotANumber, Error, "not a number"),
    (Defect::OutOfRange, Error, "number out of range"),
    (Defect::NegativeSubmit, Error, "submit time unknown or negative"),
    (Defect::LargerThanMachine, Error, "job larger than the machine"),
    (Defect::DuplicateJob, Error, "job number used before"),
    (Defect::SharedNodes, Error, "jobs share nodes, and processors are nodes"),
    (Defect::RepeatedJob, Warning, "job number used before, as a requeued job has one record for each run"),
    (Defect::NoMachine, Warning, "no number MaxProcs or MaxNodes in the header"),
    (Defect::RecordCount, Warning, "header counts other than the jobs there are"),
    (Defect::TooManyFields, Warning, "too many fields"),
    (Defect::SubmitDescent, Warning, "submit time below the one before"),
    (Defect::JobDescent, Warning, "job number below the one before"),
    (Defect::NoProcs, Warning, "allocated processors unknown or 0"),
    (Defect::NoRun, Warning, "run time unknown"),
    (Defect::ZeroRun, Warning, "run time 0"),
    (Defect::RunAboveRequest, Warning, "run time above requested time"),
    (Defect::OddStatus, Warning, "status outside -1 to 5"),
    (Defect::LateComment, Warning, "comment after the first job"),
    (Defect::BlankLine, Warning, "blank line"),
    (Defect::Tabs, Warning, "fields separated by tabs"),
    (Defect::CarriageReturns, Warning, "lines ending in CR LF"),
    (Defect::Unterminated, Warning, "last line without a line end"),
    (Defect::Mark, Warning, "byte order mark at the start"),
    (Defect::FewSharedNodes, Warning, "jobs share nodes"),
    (Defect::OfFormat, Warning, "values that are read as others"),
];

/// What is said of a job of which a dump has two runs that ended for good.
const ENDED: &str = ": two runs that completed or were cancelled are none of a requeued job, but the dump \
     may be made of parts that overlap";

/// The last second of the range of [`Time`](meshreplay_base::job::Time).
const LATEST_S: i64 = i64::MAX / 1_000_000;

impl Defect {
    /// Returns the defect in words.
    pub const fn title(self) -> &'static str {
        DEFECTS[self as usize].2
    }

    /// Returns the severity of the defect. A line that does not follow the format is an error, but only a
    /// warning if `lenient`, as lenient reading skips it.
    pub const fn severity(self, lenient: bool) -> Severity {
        match self {
            Self::TooFewFields | Self::NotANumber | Self::OutOfRange if lenient => Warning,
            _ => DEFECTS[self as usize].1,
        }
    }

    /// Returns the defect of a line that does not follow the format, by the problem of the line.
    const fn of_line(problem: &Problem) -> Self {
        match problem {
            Problem::TooFewFields { .. } => Self::TooFewFields,
            Problem::NotANumber { .. }
            | Problem::Column { .. }
            | Problem::Value { .. }
            | Problem::Rule(_)
            | Problem::Heading(_) => Self::NotANumber,
            Problem::OutOfRange { .. } | Problem::Sides { .. } => Self::OutOfRange,
        }
    }
}

/// All findings of one defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The defect.
    pub defect: Defect,
    /// The severity of the defect.
    pub severity: Severity,
    /// The number of findings.
    pub count: u64,
    /// The first findings. It is empty for defects that are only counted.
    pub shown: Vec<Finding>,
}

/// One place in a log with a defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The number of the line, from 1; `None` if the finding is about the log as a whole.
    pub line: Option<u64>,
    /// The wrong values in words; empty if the title of the defect says everything.
    pub detail: String,
}

/// The result of [`validate`].
#[derive(Clone, Debug)]
pub struct Validation {
    /// The facts about the log as a whole.
    pub summary: LogSummary,
    /// The defects that were found at least once, errors first; empty if the log has none.
    pub tallies: Vec<Tally>,
}

impl Validation {
    /// Returns the number of findings of a severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.tallies.iter().filter(|tally| tally.severity == severity).map(|tally| tally.count).sum()
    }
}

/// Reads the whole log at `path` and returns everything that is wrong or odd in it. At most `shown_max`
/// findings of each defect are kept; the others are counted. The result is an error only if the log cannot be
/// read at all.
///
/// To find duplicates, memory holds runs of consecutive job numbers; a temporary file holds numbers of which
/// there are too many runs. To find shared nodes, memory holds the lists of nodes.
pub fn validate(path: &Path, options: ReadOptions, shown_max: usize) -> Result<Validation, TraceError> {
    validate_within(path, options, shown_max, MOST)
}

/// Does what [`validate`] does, with at most `numbers_max` runs of job numbers in memory.
fn validate_within(
    path: &Path,
    options: ReadOptions,
    shown_max: usize,
    numbers_max: usize,
) -> Result<Validation, TraceError> {
    let (lenient, format) = (options.lenient, options.format.clone());
    let mut reader = Reader::open(path, ReadOptions { lenient: true, ..options })?;
    let mut check = Check::new(shown_max, numbers_max);
    if reader.format().repeats_jobs {
        check.ended = Some(JobNumbers::new(numbers_max));
    }
    // Set at the first record, so that it also tells whether a comment comes late.
    let mut procs_max = None;
    while let Some(entry) = reader.next_entry()? {
        match entry {
            Entry::Record { record, surplus } => {
                let record = *record;
                let line = reader.line();
                let limit = *procs_max.get_or_insert_with(|| reader.header().processors());
                check.record(line, &record, surplus, limit);
            }
            Entry::Comment(_) if procs_max.is_some() => {
                check.found(Defect::LateComment, reader.line(), format_args!(""));
            }
            Entry::Comment(_) | Entry::NoJob => {}
            Entry::Blank => check.found(Defect::BlankLine, reader.line(), format_args!("")),
            Entry::Skipped(problem) => {
                check.found(Defect::of_line(&problem), reader.line(), format_args!("{problem}"));
            }
        }
    }
    let summary = reader.finish()?;
    check.late_duplicates().map_err(TraceError::Uncounted)?;
    check.log(&summary);
    check.shared_nodes(&summary, LogUnit::new(summary.format, format.as_ref()));
    Ok(Validation { summary, tallies: check.tallies(lenient) })
}

/// The findings so far, with what is needed to find more.
struct Check {
    shown_max: usize,
    /// The number of findings and the first findings of each defect, by its index in [`DEFECTS`].
    found: Vec<(u64, Vec<Finding>)>,
    jobs: JobNumbers,
    /// The numbers of the runs that completed or were cancelled, of which a job has one, in a format with a
    /// record for each run of a requeued job; `None` in other formats.
    ended: Option<JobNumbers>,
    previous: Option<Record>,
    /// The runs with lists of nodes.
    runs: NodeRuns,
}

impl Check {
    /// Makes a check without findings.
    fn new(shown_max: usize, numbers_max: usize) -> Self {
        Self {
            shown_max,
            found: vec![(0, Vec::new()); DEFECTS.len()],
            jobs: JobNumbers::new(numbers_max),
            ended: None,
            previous: None,
            runs: NodeRuns::limited(),
        }
    }

    /// Counts a finding, and keeps it if fewer than `shown_max` are kept.
    fn found(&mut self, defect: Defect, line: u64, detail: fmt::Arguments<'_>) {
        let (count, shown) = &mut self.found[defect as usize];
        *count += 1;
        if shown.len() < self.shown_max {
            shown.push(Finding { line: Some(line), detail: detail.to_string() });
        }
    }

    /// Finds what is wrong with one record. `procs_max` is the number of processors of the machine, if it is
    /// known.
    fn record(&mut self, line: u64, record: &Record, surplus: usize, procs_max: Option<i64>) {
        let Record { job, submit_s, run_s, allocated_procs, requested_time_s, status, .. } = *record;
        if surplus > 0 {
            self.found(Defect::TooManyFields, line, format_args!("{surplus} more than the format has"));
        }
        if submit_s < 0 {
            self.found(Defect::NegativeSubmit, line, format_args!("job {job}: {submit_s}"));
        } else if submit_s > LATEST_S {
            let detail = format_args!("job {job}: submit time {submit_s}, expected at most {LATEST_S}");
            self.found(Defect::OutOfRange, line, detail);
        }
        if let Some((procs, limit)) = record.procs().zip(procs_max).filter(|(procs, limit)| procs > limit) {
            let procs = counted(procs, "processor");
            let detail = format_args!("job {job}: {procs}, the machine has {limit}");
            self.found(Defect::LargerThanMachine, line, detail);
        }
        self.number(line, job, status);
        add_run(&mut self.runs, record);
        if let Some(previous) = self.previous.replace(*record) {
            if submit_s < previous.submit_s {
                let detail = format_args!("job {job}: {submit_s} after {}", previous.submit_s);
                self.found(Defect::SubmitDescent, line, detail);
            }
            if job < previous.job {
                self.found(Defect::JobDescent, line, format_args!("{job} after {}", previous.job));
            }
        }
        if allocated_procs <= 0 {
            let requested = record.requested_procs;
            let detail = format_args!("job {job}: {allocated_procs}, requested {requested}");
            self.found(Defect::NoProcs, line, detail);
        }
        match run_s {
            ..0 => self.found(Defect::NoRun, line, format_args!("job {job}: {run_s}, status {status}")),
            0 => self.found(Defect::ZeroRun, line, format_args!("job {job}, status {status}")),
            _ if requested_time_s > 0 && run_s > requested_time_s => {
                let detail = format_args!("job {job}: ran {run_s} s, requested {requested_time_s} s");
                self.found(Defect::RunAboveRequest, line, detail);
            }
            _ => {}
        }
        if !status::ALL.contains(&status) {
            self.found(Defect::OddStatus, line, format_args!("job {job}: {status}"));
        }
    }

    /// Finds out whether the number of a job was used before.
    fn number(&mut self, line: u64, job: i64, status: i64) {
        let is_ended_twice = [status::COMPLETED, status::CANCELLED].contains(&status)
            && self.ended.as_mut().is_some_and(|ended| ended.add(job, line, false) == Seen::Before);
        // The parts of an interrupted job share its number. Of what is known already not more is to be known
        // later.
        let may_repeat = is_ended_twice || status::PARTS.contains(&status);
        let is_known = self.jobs.add(job, line, may_repeat) == Seen::Before;
        if is_ended_twice {
            self.found(Defect::DuplicateJob, line, format_args!("job {job}{ENDED}"));
        } else if is_known {
            let defect = if self.ended.is_some() { Defect::RepeatedJob } else { Defect::DuplicateJob };
            self.found(defect, line, format_args!("job {job}"));
        }
    }

    /// Finds the duplicates among the job numbers that are in a temporary file.
    fn late_duplicates(&mut self) -> io::Result<()> {
        let mut late = self.jobs.duplicates(self.shown_max)?;
        late.first.sort_unstable();
        let Some(mut ended) = self.ended.take() else {
            self.add_late(Defect::DuplicateJob, &late, "");
            return Ok(());
        };
        let mut twice = ended.duplicates(self.shown_max)?;
        twice.first.sort_unstable();
        // Those that ended twice are among those that were there before.
        late.count = late.count.saturating_sub(twice.count);
        late.first.retain(|found| !twice.first.contains(found));
        late.first.truncate(usize::try_from(late.count).unwrap_or(usize::MAX));
        self.add_late(Defect::DuplicateJob, &twice, ENDED);
        self.add_late(Defect::RepeatedJob, &late, "");
        Ok(())
    }

    /// Adds duplicates that are known at the end. Those that are not shown are counted.
    fn add_late(&mut self, defect: Defect, late: &Duplicates, why: &str) {
        for &(line, job) in &late.first {
            self.found(defect, line, format_args!("job {job}{why}"));
        }
        self.found[defect as usize].0 += late.count.saturating_sub(late.first.len() as u64);
    }

    /// Finds what is wrong with the log as a whole. These findings have no line.
    fn log(&mut self, summary: &LogSummary) {
        let findings = &summary.irregularities;
        self.found[Defect::Tabs as usize].0 = findings.tab_lines;
        self.found[Defect::CarriageReturns as usize].0 = findings.crlf_lines;
        self.found[Defect::Unterminated as usize].0 = findings.unterminated_lines;
        self.found[Defect::Mark as usize].0 = findings.byte_order_marks;
        // Each kind of such values is one finding, with their number.
        for (what, count) in &findings.of_format {
            let (found, shown) = &mut self.found[Defect::OfFormat as usize];
            *found += 1;
            shown.push(Finding { line: None, detail: format!("{what}: {count}") });
        }
        self.found[Defect::NoMachine as usize].0 = u64::from(summary.header.processors().is_none());
        let counts = ["MaxJobs", "MaxRecords"].map(|key| (key, summary.header.number(key)));
        // The header may count jobs and records; both should be the number of records.
        for (key, count) in counts {
            let Some(count) = count.filter(|&count| count != summary.records as i64) else { continue };
            let detail = format!("{key} is {count}, there are {}", summary.records);
            let (found, shown) = &mut self.found[Defect::RecordCount as usize];
            *found += 1;
            shown.push(Finding { line: None, detail });
        }
    }

    /// Finds out whether jobs share nodes although processors are nodes.
    fn shared_nodes(&mut self, summary: &LogSummary, unit: LogUnit) {
        let runs = mem::take(&mut self.runs);
        let node_use = runs.on_nodes(&summary.facts.names).node_use(&|_| true);
        if !unit.counts_nodes(&node_use) || !node_use.is_shared() {
            return;
        }
        let defect = if unit.refuses(&node_use) { Defect::SharedNodes } else { Defect::FewSharedNodes };
        let share = 100.0 * node_use.shared();
        let detail = format!("{share:.1} % of the node-seconds in lists of nodes count more than once");
        self.found[defect as usize] = (1, vec![Finding { line: None, detail }]);
    }

    /// Returns the defects that were found, errors first.
    fn tallies(self, lenient: bool) -> Vec<Tally> {
        let tally = |((defect, ..), (count, shown)): ((Defect, _, _), _)| {
            let severity = defect.severity(lenient);
            (count > 0).then_some(Tally { defect, severity, count, shown })
        };
        let mut tallies: Vec<Tally> = DEFECTS.into_iter().zip(self.found).filter_map(tally).collect();
        tallies.sort_by_key(|tally| tally.severity);
        tallies
    }
}

#[cfg(test)]
mod tests;
