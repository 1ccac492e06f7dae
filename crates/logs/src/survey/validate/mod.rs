//! Validates a log: finds everything that is wrong or odd in it, with the lines.

use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::path::Path;
use std::{fmt, io, mem};

use crate::error::{Problem, ProblemKind, TraceError};
use crate::nodes::NodeRuns;
use crate::options::ReadOptions;
use crate::reader::{LogEntry, Reader};
use crate::record::Record;
use crate::site::SiteSize;
use crate::status;
use crate::summary::LogSummary;
use crate::unit::LogUnit;
use meshreplay_base::disk::Sorter;
use meshreplay_base::words::counted;

/// The severity of a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A replay of the log would stop or give wrong results.
    Error,
    /// The log is odd here, but can be replayed.
    Warning,
}

/// A kind of mistake or oddity in a log. [`Self::title`] describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Defect {
    severity: Severity,
    /// The place among the defects of the same severity in reports.
    place: u8,
    title: &'static str,
}

#[expect(missing_docs, reason = "the title says what each of them is")]
impl Defect {
    pub const TOO_FEW_FIELDS: Self = Self::error(0, "too few fields");
    pub const NOT_A_NUMBER: Self = Self::error(1, "not a number");
    pub const OUT_OF_RANGE: Self = Self::error(2, "number out of range");
    pub const NEGATIVE_SUBMIT: Self = Self::error(3, "submit time unknown or negative");
    pub const LARGER_THAN_MACHINE: Self = Self::error(4, "job larger than the machine");
    pub const DUPLICATE_JOB: Self = Self::error(5, "job number used before");
    pub const SHARED_NODES: Self = Self::error(6, "jobs share nodes, and processors are nodes");
    pub const REPEATED_JOB: Self =
        Self::warning(7, "job number used before, as a requeued job has one record for each run");
    pub const NO_MACHINE: Self = Self::warning(8, "no number MaxProcs or MaxNodes in the header");
    pub const RECORD_COUNT: Self = Self::warning(9, "header counts other than the jobs there are");
    pub const TOO_MANY_FIELDS: Self = Self::warning(10, "too many fields");
    pub const SUBMIT_DESCENT: Self = Self::warning(11, "submit time below the one before");
    pub const JOB_DESCENT: Self = Self::warning(12, "job number below the one before");
    pub const NO_PROCS: Self = Self::warning(13, "allocated processors unknown or 0");
    pub const NO_RUN: Self = Self::warning(14, "run time unknown");
    pub const ZERO_RUN: Self = Self::warning(15, "run time 0");
    pub const RUN_ABOVE_REQUEST: Self = Self::warning(16, "run time above requested time");
    pub const ODD_STATUS: Self = Self::warning(17, "status outside -1 to 5");
    pub const LATE_COMMENT: Self = Self::warning(18, "comment after the first job");
    pub const BLANK_LINE: Self = Self::warning(19, "blank line");
    pub const TABS: Self = Self::warning(20, "fields separated by tabs");
    pub const CARRIAGE_RETURNS: Self = Self::warning(21, "lines ending in CR LF");
    pub const UNTERMINATED: Self = Self::warning(22, "last line without a line end");
    pub const MARK: Self = Self::warning(23, "byte order mark at the start");
    pub const FEW_SHARED_NODES: Self = Self::warning(24, "jobs share nodes");
    pub const OF_FORMAT: Self = Self::warning(25, "values that are read as others");
    pub const WINDOW: Self = Self::warning(26, "window of a longer history");
    pub const IDLE: Self = Self::warning(27, "nothing runs while jobs wait that fit");
}

/// Explanation for a job with two final runs in a dump.
const ENDED: &str = ": two runs that completed or were cancelled are none of a requeued job, but the dump \
     may be made of parts that overlap";

/// The last second of the range of [`Time`](meshreplay_base::job::Time).
const LATEST_S: i64 = i64::MAX / 1_000_000;

impl Defect {
    const fn error(place: u8, title: &'static str) -> Self {
        Self { severity: Severity::Error, place, title }
    }

    const fn warning(place: u8, title: &'static str) -> Self {
        Self { severity: Severity::Warning, place, title }
    }

    /// Returns the defect in words.
    pub const fn title(self) -> &'static str {
        self.title
    }

    /// Returns the severity of the defect. A line that does not follow the format is an error, but only a
    /// warning if `lenient`, as lenient reading skips it.
    fn severity(self, lenient: bool) -> Severity {
        let is_of_line = [Self::TOO_FEW_FIELDS, Self::NOT_A_NUMBER, Self::OUT_OF_RANGE].contains(&self);
        if lenient && is_of_line { Severity::Warning } else { self.severity }
    }

    /// Returns the defect of a line that does not follow the format, by the problem of the line.
    fn of_line(problem: &Problem) -> Self {
        match problem.kind() {
            ProblemKind::TooFewFields => Self::TOO_FEW_FIELDS,
            ProblemKind::NotANumber => Self::NOT_A_NUMBER,
            ProblemKind::OutOfRange => Self::OUT_OF_RANGE,
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
    /// The wrong values; empty if the title is enough.
    pub detail: String,
}

/// The result of [`validate`].
#[derive(Clone, Debug)]
pub struct Validation {
    /// The facts about the log as a whole.
    pub summary: LogSummary,
    /// Defects found, errors first.
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
/// Duplicates are found with runs of consecutive job numbers in memory, or in a temporary file if there are
/// too many runs. Shared nodes are found with all node lists in memory.
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
    // Set at the first record, so a later comment is a late one.
    let mut procs_max = None;
    while let Some(entry) = reader.next_entry()? {
        match entry {
            LogEntry::Record { record, surplus } => {
                let record = *record;
                let line = reader.line();
                let limit = *procs_max.get_or_insert_with(|| reader.header().processors());
                check.record(line, &record, surplus, limit);
            }
            LogEntry::Comment(_) if procs_max.is_some() => {
                check.report(Defect::LATE_COMMENT, reader.line(), format_args!(""));
            }
            LogEntry::Comment(_) | LogEntry::NoJob => {}
            LogEntry::Blank => check.report(Defect::BLANK_LINE, reader.line(), format_args!("")),
            LogEntry::Skipped(problem) => {
                check.report(Defect::of_line(&problem), reader.line(), format_args!("{problem}"));
            }
        }
    }
    let summary = reader.finish()?;
    let what = "job numbers cannot be compared";
    check.late_duplicates().map_err(|source| TraceError::Temporary { what, source })?;
    check.log(&summary);
    check.site(&summary, LogUnit::new(summary.format, format.as_ref()));
    Ok(Validation { summary, tallies: check.tallies(lenient) })
}

/// Findings, with the state for finding more.
struct Check {
    shown_max: usize,
    /// The number of findings and the first findings of each defect.
    found: BTreeMap<Defect, (u64, Vec<Finding>)>,
    jobs: JobNumbers,
    /// Job numbers of final runs (completed or cancelled; a job has only one), in formats with a record per
    /// run of a requeued job; else `None`.
    ended: Option<JobNumbers>,
    previous: Option<Record>,
    /// The runs, and the processors of the largest job.
    runs: NodeRuns,
    largest: u64,
}

impl Check {
    /// Makes a check without findings.
    fn new(shown_max: usize, numbers_max: usize) -> Self {
        Self {
            shown_max,
            found: BTreeMap::new(),
            jobs: JobNumbers::new(numbers_max),
            ended: None,
            previous: None,
            runs: NodeRuns::limited(),
            largest: 0,
        }
    }

    /// Counts a finding, and keeps it if fewer than `shown_max` are kept.
    fn report(&mut self, defect: Defect, line: u64, detail: fmt::Arguments<'_>) {
        let (count, shown) = self.found.entry(defect).or_default();
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
            self.report(Defect::TOO_MANY_FIELDS, line, format_args!("{surplus} more than the format has"));
        }
        if submit_s < 0 {
            self.report(Defect::NEGATIVE_SUBMIT, line, format_args!("job {job}: {submit_s}"));
        } else if submit_s > LATEST_S {
            let detail = format_args!("job {job}: submit time {submit_s}, expected at most {LATEST_S}");
            self.report(Defect::OUT_OF_RANGE, line, detail);
        }
        if let Some((procs, limit)) = record.procs().zip(procs_max).filter(|(procs, limit)| procs > limit) {
            let procs = counted(procs, "processor");
            let detail = format_args!("job {job}: {procs}, the machine has {limit}");
            self.report(Defect::LARGER_THAN_MACHINE, line, detail);
        }
        self.number(line, job, status);
        self.runs.add_record(record);
        let procs = record.procs().and_then(|procs| u64::try_from(procs).ok());
        self.largest = self.largest.max(procs.unwrap_or(0));
        if let Some(previous) = self.previous.replace(*record) {
            if submit_s < previous.submit_s {
                let detail = format_args!("job {job}: {submit_s} after {}", previous.submit_s);
                self.report(Defect::SUBMIT_DESCENT, line, detail);
            }
            if job < previous.job {
                self.report(Defect::JOB_DESCENT, line, format_args!("{job} after {}", previous.job));
            }
        }
        if allocated_procs <= 0 {
            let requested = record.requested_procs;
            let detail = format_args!("job {job}: {allocated_procs}, requested {requested}");
            self.report(Defect::NO_PROCS, line, detail);
        }
        match run_s {
            ..0 => self.report(Defect::NO_RUN, line, format_args!("job {job}: {run_s}, status {status}")),
            0 => self.report(Defect::ZERO_RUN, line, format_args!("job {job}, status {status}")),
            _ if requested_time_s > 0 && run_s > requested_time_s => {
                let detail = format_args!("job {job}: ran {run_s} s, requested {requested_time_s} s");
                self.report(Defect::RUN_ABOVE_REQUEST, line, detail);
            }
            _ => {}
        }
        if !status::ALL.contains(&status) {
            self.report(Defect::ODD_STATUS, line, format_args!("job {job}: {status}"));
        }
    }

    /// Finds out whether the number of a job was used before.
    fn number(&mut self, line: u64, job: i64, status: i64) {
        let is_ended_twice = [status::COMPLETED, status::CANCELLED].contains(&status)
            && self.ended.as_mut().is_some_and(|ended| ended.add(job, line, false) == NumberUse::Duplicate);
        // The parts of an interrupted job share its number. Of what is known already not more is to be known
        // later.
        let may_repeat = is_ended_twice || status::PARTS.contains(&status);
        let is_known = self.jobs.add(job, line, may_repeat) == NumberUse::Duplicate;
        if is_ended_twice {
            self.report(Defect::DUPLICATE_JOB, line, format_args!("job {job}{ENDED}"));
        } else if is_known {
            let defect = if self.ended.is_some() { Defect::REPEATED_JOB } else { Defect::DUPLICATE_JOB };
            self.report(defect, line, format_args!("job {job}"));
        }
    }

    /// Finds the duplicates among the job numbers that are in a temporary file.
    fn late_duplicates(&mut self) -> io::Result<()> {
        let mut late = self.jobs.duplicates(self.shown_max)?;
        late.first.sort_unstable();
        let Some(mut ended) = self.ended.take() else {
            self.add_late(Defect::DUPLICATE_JOB, &late, "");
            return Ok(());
        };
        let mut twice = ended.duplicates(self.shown_max)?;
        twice.first.sort_unstable();
        // Jobs with two final runs also repeat their number.
        late.count = late.count.saturating_sub(twice.count);
        late.first.retain(|found| !twice.first.contains(found));
        late.first.truncate(usize::try_from(late.count).unwrap_or(usize::MAX));
        self.add_late(Defect::DUPLICATE_JOB, &twice, ENDED);
        self.add_late(Defect::REPEATED_JOB, &late, "");
        Ok(())
    }

    /// Adds duplicates found at the end. Beyond `shown_max` they are only counted.
    fn add_late(&mut self, defect: Defect, late: &Duplicates, why: &str) {
        for &(line, job) in &late.first {
            self.report(defect, line, format_args!("job {job}{why}"));
        }
        self.found.entry(defect).or_default().0 += late.count.saturating_sub(late.first.len() as u64);
    }

    /// Finds what is wrong with the log as a whole. These findings have no line.
    fn log(&mut self, summary: &LogSummary) {
        let findings = &summary.irregularities;
        for (defect, count) in [
            (Defect::TABS, findings.tab_lines),
            (Defect::CARRIAGE_RETURNS, findings.crlf_lines),
            (Defect::UNTERMINATED, findings.unterminated_lines),
            (Defect::MARK, findings.byte_order_marks),
            (Defect::NO_MACHINE, u64::from(summary.header.processors().is_none())),
        ] {
            self.found.entry(defect).or_default().0 = count;
        }
        // Each kind of such values is one finding, with their number.
        for (what, count) in &findings.of_format {
            self.report_whole_log(Defect::OF_FORMAT, format!("{what}: {count}"));
        }
        // The header may count jobs and records; both should be the number of records.
        for key in ["MaxJobs", "MaxRecords"] {
            if let Some(count) = summary.header.number(key).filter(|&count| count != summary.records as i64) {
                let detail = format!("{key} is {count}, there are {}", summary.records);
                self.report_whole_log(Defect::RECORD_COUNT, detail);
            }
        }
    }

    /// Counts and keeps a finding about the log as a whole.
    fn report_whole_log(&mut self, defect: Defect, detail: String) {
        let (count, shown) = self.found.entry(defect).or_default();
        *count += 1;
        shown.push(Finding { line: None, detail });
    }

    /// Finds out the size of the machine, the beginning of a window, maintenance, and whether jobs share
    /// nodes although processors are nodes.
    fn site(&mut self, summary: &LogSummary, unit: LogUnit) {
        let mut runs = mem::take(&mut self.runs).on_nodes(&summary.facts.names);
        let node_use = runs.node_use(&|_| true);
        let (names, origin_s) = (summary.names(), summary.origin_s());
        let date = |time_s: i64| names.date_or_seconds(time_s.saturating_sub(origin_s));
        if summary.header.processors().is_none() {
            let size = SiteSize::of_use(&node_use, &runs.levels(&|_| true), unit, self.largest);
            let detail = match size {
                SiteSize::Known(procs, source) => format!("the machine has {procs}, the {}", source.words()),
                SiteSize::Unknown(sentence) => sentence,
            };
            self.found.entry(Defect::NO_MACHINE).or_default().1.push(Finding { line: None, detail });
        }
        if let Some(window) = runs.window() {
            let detail = format!("jobs that ended before {} are missing", date(window.start));
            self.report_whole_log(Defect::WINDOW, detail);
        }
        for [from_s, to_s] in runs.idle_spans().into_iter().filter(|_| summary.format.is_of_site()) {
            self.report_whole_log(Defect::IDLE, format!("{} to {}", date(from_s), date(to_s)));
        }
        if !unit.counts_nodes(&node_use) || !node_use.is_shared() {
            return;
        }
        let defect = if unit.refuses(&node_use) { Defect::SHARED_NODES } else { Defect::FEW_SHARED_NODES };
        let share = 100.0 * node_use.shared();
        let detail = format!("{share:.1} % of the node-seconds in lists of nodes count more than once");
        self.report_whole_log(defect, detail);
    }

    /// Returns the defects that were found, errors first.
    fn tallies(self, lenient: bool) -> Vec<Tally> {
        let tally = |(defect, (count, shown)): (Defect, _)| {
            let severity = defect.severity(lenient);
            (count > 0).then_some(Tally { defect, severity, count, shown })
        };
        let mut tallies: Vec<Tally> = self.found.into_iter().filter_map(tally).collect();
        tallies.sort_by_key(|tally| tally.severity);
        tallies
    }
}

// Duplicate job numbers of a log.
//
// Most logs number jobs consecutively, so memory holds runs of consecutive numbers. Beyond a limit of runs,
// all numbers go to an external sort.

/// Limit of runs, and of single numbers, in memory.
pub(super) const MOST: usize = 1 << 20;

/// Result of adding a job number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberUse {
    /// New, or allowed to repeat.
    New,
    /// Seen before.
    Duplicate,
    /// Decided at the end.
    Deferred,
}

/// Job numbers read.
#[derive(Debug)]
struct JobNumbers {
    /// Limit of runs, and of single numbers, in memory.
    most: usize,
    /// Numbers in ascending order, as most are: first and last of each run.
    ascending: Vec<(i64, i64)>,
    others: HashSet<i64>,
    /// External sort of numbers with their lines and whether they may repeat, once memory is full.
    sorter: Option<Sorter>,
    /// The reason why a number is not in the temporary file; `None` if all are.
    error: Option<io::Error>,
}

/// Duplicates found at the end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Duplicates {
    /// Number of duplicates.
    pub(super) count: u64,
    /// The lines and the numbers of the first of them, in no order.
    pub(super) first: Vec<(u64, i64)>,
}

impl JobNumbers {
    /// Returns an empty set with this limit of runs, and of single numbers, in memory.
    pub(super) fn new(most: usize) -> Self {
        Self { most, ascending: Vec::new(), others: HashSet::new(), sorter: None, error: None }
    }

    /// Adds the job number of a line. With `may_repeat`, it is no duplicate.
    pub(super) fn add(&mut self, number: i64, line: u64, may_repeat: bool) -> NumberUse {
        if self.sorter.is_some() {
            self.sort(number, line, may_repeat);
            return NumberUse::Deferred;
        }
        let is_new = self.insert(number);
        if self.ascending.len() > self.most || self.others.len() > self.most {
            self.spill();
        }
        if is_new || may_repeat { NumberUse::New } else { NumberUse::Duplicate }
    }

    /// Adds a number in memory. Returns true if it is new.
    fn insert(&mut self, number: i64) -> bool {
        match self.ascending.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            Some((_, last)) if *last >= number => {
                let at = self.ascending.partition_point(|&(_, last)| last < number);
                let is_there = self.ascending.get(at).is_some_and(|&(first, _)| first <= number);
                return !is_there && self.others.insert(number);
            }
            _ => self.ascending.push((number, number)),
        }
        true
    }

    /// Moves the numbers in memory to the external sort. Line 0 sorts them before all later lines.
    fn spill(&mut self) {
        self.sorter = Some(Sorter::default());
        let others: Vec<i64> = mem::take(&mut self.others).into_iter().collect();
        let runs = mem::take(&mut self.ascending).into_iter().flat_map(|(first, last)| first..=last);
        runs.chain(others).for_each(|number| self.sort(number, 0, true));
    }

    /// Adds a number to the external sort.
    fn sort(&mut self, number: i64, line: u64, may_repeat: bool) {
        // After an error the rest is of no use.
        if let (Some(sorter), None) = (&mut self.sorter, &self.error) {
            self.error = sorter.add((number, line), &[u8::from(may_repeat)]).err();
        }
    }

    /// Returns the number of duplicates reported as [`NumberUse::Deferred`], and the `most` first ones. Fails
    /// if the temporary file cannot be written or read.
    pub(super) fn duplicates(&mut self, most: usize) -> io::Result<Duplicates> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let Some(sorter) = self.sorter.take() else { return Ok(Duplicates::default()) };
        let (mut ascending, mut count, mut before) = (sorter.sorted()?, 0_u64, None);
        // A max-heap by line, which keeps the first lines.
        let mut first = BinaryHeap::new();
        while let Some(((number, line), may_repeat)) = ascending.next()? {
            if before.replace(number) == Some(number) && may_repeat == [0] {
                count = count.saturating_add(1);
                first.push((line, number));
                if first.len() > most {
                    first.pop();
                }
            }
        }
        Ok(Duplicates { count, first: first.into_vec() })
    }
}

#[cfg(test)]
mod job_numbers_tests {
    use super::*;

    /// Numbers in runs, scattered ones and ones that repeat give what a set of all of them gives.
    #[test]
    fn duplicates_are_those_of_a_set() -> io::Result<()> {
        let noise = |i: i64, below: u64| ((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % below;
        let mut late = 0;
        for seed in 0..60_i64 {
            let (mut numbers, mut set) = (JobNumbers::new(40), HashSet::new());
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            for line in 1..200_u64 {
                let draw = noise(line as i64 * 31 + seed * 977, 1 << 20);
                let number = match (seed % 4, draw % 20) {
                    (0, 0) => line as i64 - 3,
                    (0, _) | (1, 2..) => line as i64,
                    (1, _) => (draw / 32 % 300) as i64 - 50,
                    (2, _) => line as i64 * 2 - (draw / 32 % 2) as i64 * 4,
                    (_, 0) => [i64::MIN, i64::MAX, -1, 0][draw as usize / 32 % 4],
                    _ => (draw / 32 % 400) as i64 * 1_000_003 - 7,
                };
                let may_repeat = draw % 7 == 0;
                if !set.insert(number) && !may_repeat {
                    expected.push((line, number));
                }
                match numbers.add(number, line, may_repeat) {
                    NumberUse::Duplicate => found.push((line, number)),
                    NumberUse::New | NumberUse::Deferred => {}
                }
            }
            late += u64::from(numbers.sorter.is_some());
            let shown = 3;
            let Duplicates { count, first } = numbers.duplicates(shown)?;
            assert_eq!(found.len() as u64 + count, expected.len() as u64, "{seed}");
            assert_eq!(first.len() as u64, count.min(shown as u64), "{seed}");
            let mut first = first;
            first.sort_unstable();
            found.extend(first);
            assert_eq!(found[..], expected[..found.len()], "{seed}");
        }
        assert!((15..=50).contains(&late), "{late}");
        Ok(())
    }
}

#[cfg(test)]
mod tests;
