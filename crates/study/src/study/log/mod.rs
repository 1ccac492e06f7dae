//! The logs of a study: their sources, their jobs, and how they are read.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a log has at most 2^32 jobs, so that some hundred bytes for each fit 64 bits; sums of times \
         are in 128 bits"
)]

mod extent;
mod recorded_nodes;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(super) use self::extent::Extent;
pub use self::extent::MOST_KEPT;
pub use self::recorded_nodes::RecordedNodesError;
pub(super) use self::recorded_nodes::{RecordedNodes, recorded_nodes};
use crate::study::replay_spec::ReplaySpec;
use meshreplay_base::job::{Job, JobId, Period, Time};
use meshreplay_base::memory;
use meshreplay_base::spec::SpecError;
use meshreplay_base::words::counted;
use meshreplay_logs::{
    CANCELLED_EARLY, Format, LogEntry, LogNames, LogSummary, Partitions, ReadOptions, Reader, Record,
    TraceError, formats,
};
use meshreplay_workload::{Model, Reason, Rules, Workload, WorkloadBuilder, with_limit};

/// A log, before it is read, or a workload model in its place.
#[derive(Clone, Debug)]
pub struct LogSource {
    /// Name in results: the file name without directory and extensions, or the spec of the model.
    pub name: String,
    /// The log as the study file or the command line spells it.
    pub file: String,
    /// Path of the log's file. `-` is standard input. Empty for a model.
    pub path: PathBuf,
    /// The options for reading the file.
    pub read: ReadOptions,
    /// The workload model; `None` for a file.
    pub model: Option<Model>,
}

impl LogSource {
    /// Returns the log or the model that `file` names. A log is at `path`. Fails for a workload model with
    /// wrong parameters.
    pub fn new(file: &str, path: PathBuf, read: ReadOptions) -> Result<Self, SpecError> {
        let file = file.to_owned();
        if !Model::is_spec(&file) {
            return Ok(Self { name: log_name(&path), file, path, read, model: None });
        }
        let model = Model::new(&file.parse()?)?;
        Ok(Self { name: model.to_string(), file, path: PathBuf::new(), read, model: Some(model) })
    }

    /// Returns the command-line argument for the log or the model.
    pub fn argument(&self) -> String {
        match &self.model {
            Some(model) => model.spec().to_string(),
            None => self.path.display().to_string(),
        }
    }
}

/// The date at time 0 of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogStart {
    /// The date, in seconds since 1970.
    pub unix_s: i64,
    /// The name of the time zone, or its offset such as `+01:00`.
    pub time_zone: String,
}

impl LogStart {
    /// Returns the date of a log with these names; `None` if it is unknown.
    pub(super) fn of(names: &LogNames) -> Option<Self> {
        names.start().map(|(unix_s, time_zone)| Self { unix_s, time_zone })
    }
}

/// A log after it was read.
#[derive(Debug)]
pub struct LoadedLog {
    /// The file name without directory and extensions.
    pub name: String,
    /// Counts and irregularities.
    pub summary: Arc<LogSummary>,
    /// Jobs by the workload rules; empty if there are too many to keep.
    pub workload: Workload,
    /// Statistics of jobs that are not kept; `None` if they are.
    pub(super) extent: Option<Arc<Extent>>,
    /// Names behind the numbers of the jobs, and the start of the log.
    pub names: Arc<LogNames>,
}

impl LoadedLog {
    /// Returns the jobs of a replay that covers a period, in the order of the log: those that had not ended
    /// at its beginning and were submitted before its end. Jobs whose end is not known follow, which hold
    /// their nodes to the end of the period or of their limit, whichever is later.
    pub(super) fn jobs_in(&self, period: Period, spec: &ReplaySpec) -> Vec<Job> {
        let mut jobs: Vec<Job> = self.jobs_of(spec.partition.as_ref()).iter().copied().collect();
        let open = self.workload.open.iter().filter_map(|record| {
            let to_end_s = period.to.as_micros() / 1_000_000 - record.submit_s - record.wait_s;
            let run_s = record.requested_time_s.max(to_end_s);
            let job = spec.rules.job(&with_limit(&Record { run_s, ..*record }, self.summary.format)).ok()?;
            Some(job).filter(|_| to_end_s > 0)
        });
        jobs.extend(self.in_partitions(open.collect(), spec.partition.as_ref()));
        jobs.retain(|job| period.has(job));
        jobs
    }

    /// Returns the jobs of these partitions, in the order of the log; all jobs for `None`. Ignores partitions
    /// without jobs, which planning has refused.
    pub(super) fn jobs_of(&self, partitions: Option<&Partitions>) -> Cow<'_, [Job]> {
        match partitions {
            Some(_) => Cow::Owned(self.in_partitions(self.workload.jobs.to_vec(), partitions)),
            None => Cow::Borrowed(&self.workload.jobs),
        }
    }

    /// Returns those of `jobs` that are in these partitions; all for `None`.
    fn in_partitions(&self, mut jobs: Vec<Job>, partitions: Option<&Partitions>) -> Vec<Job> {
        let Some(partitions) = partitions else { return jobs };
        let known = self.workload.jobs.iter().filter_map(|job| job.logged.partition.known());
        let known: BTreeSet<i64> = known.collect();
        let numbers = self.names.partition_numbers(partitions, &known.iter().copied()).unwrap_or_default();
        jobs.retain(|job| job.logged.partition.known().is_some_and(|number| numbers.contains(&number)));
        jobs
    }

    /// Returns the number of jobs, whether they are kept or not.
    pub(super) fn jobs(&self) -> u64 {
        self.extent.as_ref().map_or(self.workload.jobs.len() as u64, |extent| extent.jobs)
    }

    /// Returns notes on the log of this name, on records that were left out and on lines with too many
    /// fields. A `period` has the jobs that run at its end.
    pub(super) fn notes(&self, name: &str, period: Option<Period>) -> Vec<String> {
        let mut notes = Vec::new();
        let open = if period.is_some() { self.workload.open.len() as u64 } else { 0 };
        let left_out = self.workload.left_out.without(Reason::NoRunTime, open);
        if left_out.total() > 0 {
            let share = self.summary.skipped_share().unwrap_or_default();
            notes.push(format!("{name}: left out {left_out}{share}"));
        }
        let surplus = self.summary.irregularities.surplus_field_lines;
        if surplus > 0 {
            notes.push(format!(
                "{name}: {} with more fields than the format has; the rest is ignored",
                counted(surplus, "line")
            ));
        }
        let said = self.summary.facts.notes.iter().cloned();
        // The reason for jobs that are left out counts these jobs already.
        let is_left_out = self.workload.left_out.count(Reason::CancelledEarly) > 0;
        let counts = self.summary.facts.counts.iter();
        let counts = counts.filter(|(what, _)| !is_left_out || *what != CANCELLED_EARLY);
        let counted = counts.map(|(what, count)| format!("{what}: {count}"));
        notes.extend(said.chain(counted).map(|note| format!("{name}: {note}")));
        notes
    }
}

/// Reads the log at `path` (`-` for standard input) and returns the jobs that `rules` make of its records.
/// Unix submit times are counted from the first one instead. Fails if the log cannot be read or its jobs do
/// not fit into memory.
pub fn load(path: &Path, options: ReadOptions, rules: Rules) -> Result<LoadedLog, TraceError> {
    load_most(path, options, rules, usize::MAX, &mut |_, _| {})
}

/// Reads the log at `path` like [`load`], and calls `visit` with each job, whose submit time is still as
/// recorded. Keeps no job if there are more than `most`.
pub(super) fn load_most(
    path: &Path,
    options: ReadOptions,
    rules: Rules,
    most: usize,
    visit: &mut dyn FnMut(&Format, &Job),
) -> Result<LoadedLog, TraceError> {
    let mut builder = WorkloadBuilder::new(rules);
    let mut extent: Option<Extent> = None;
    let mut reader = Reader::open(path, options)?;
    let format = reader.format();
    while let Some(entry) = reader.next_entry()? {
        let LogEntry::Record { record, .. } = entry else { continue };
        let Some(job) = builder.job(&with_limit(record, format)) else { continue };
        visit(format, &job);
        match &mut extent {
            Some(extent) => {
                extent.add(&job);
                check_count(path, reader.line(), extent.jobs)?;
            }
            None if builder.jobs().len() < most => {
                builder.keep(job);
                let jobs = builder.jobs().len();
                if jobs >= MANY_JOBS && jobs.is_power_of_two() {
                    check_memory(path, reader.line(), jobs)?;
                }
            }
            None => {
                let mut counted = Extent::of(&builder.take_jobs());
                counted.add(&job);
                extent = Some(counted);
            }
        }
    }
    let summary = reader.finish()?;
    let mut workload = builder.finish(summary.irregularities.skipped());
    let origin = Time::from_seconds(summary.origin_s());
    if origin != Time::ZERO {
        for job in Arc::make_mut(&mut workload.jobs) {
            (job.submit, job.logged.submit) = (job.submit - origin, job.logged.submit - origin);
        }
        workload.open.iter_mut().for_each(|record| record.submit_s -= summary.origin_s());
    }
    let names = Arc::new(summary.names());
    let extent = extent.map(|extent| Arc::new(extent.since(origin)));
    Ok(LoadedLog { name: log_name(path), summary: Arc::new(summary), workload, extent, names })
}

/// Most jobs of a log: 32-bit numbers from 0, and one more as the end of a range.
const MOST_JOBS: u64 = JobId::MAX as u64;

/// Fails if a log has more jobs than numbers. Lists in memory are shorter.
fn check_count(path: &Path, line: u64, jobs: u64) -> Result<(), TraceError> {
    if jobs <= MOST_JOBS {
        Ok(())
    } else {
        Err(TraceError::Uncountable { path: path.to_owned(), line, most: MOST_JOBS })
    }
}

/// Threshold of the memory check in jobs, a power of two.
const MANY_JOBS: usize = 1 << 20;

/// Bytes per job of a replay in addition to the lists of jobs: its record, its dispersal, its entry in the
/// queue.
const REPLAYED_JOB: usize = 300;

/// Fails if the list of jobs, which grows to twice its length now, and its replay would not fit into memory.
/// The list is copied when it grows, and again when arrival times are scaled.
fn check_memory(path: &Path, line: u64, jobs: usize) -> Result<(), TraceError> {
    let needed_bytes = 2 * jobs as u64 * (2 * size_of::<Job>() + REPLAYED_JOB) as u64;
    match memory::lacking(needed_bytes) {
        Some(free_bytes) => {
            Err(TraceError::TooManyJobs { path: path.to_owned(), line, jobs, needed_bytes, free_bytes })
        }
        None => Ok(()),
    }
}

/// Returns the name of the log at `path` in results: the file name without extensions, such as
/// `NASA-iPSC-1993-3.1-cln` for `…/NASA-iPSC-1993-3.1-cln.swf.gz`, or `stdin` for `-`.
pub fn log_name(path: &Path) -> String {
    let file = path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
    let stem = formats::without_extensions(&file);
    if stem == "-" { "stdin".to_owned() } else { stem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Jobs beyond 2^32 would get the numbers of the first ones again.
    #[test]
    fn logs_of_more_jobs_than_numbers_are_refused() {
        assert!(check_count(Path::new("a.swf"), 7, u64::from(u32::MAX)).is_ok());
        let error = check_count(Path::new("a.swf"), 7, 1 << 32).err().map(|error| error.to_string());
        let expected = "a.swf:7: more than 4294967295 jobs, which is as many as a replay can number";
        assert!(error.is_some_and(|error| error.starts_with(expected)));
    }

    #[test]
    fn logs_are_named_by_their_files() {
        for (path, name) in [
            ("a/b/NASA-iPSC-1993-3.1-cln.swf.gz", "NASA-iPSC-1993-3.1-cln"),
            ("x.premas", "x"),
            ("plain", "plain"),
            ("-", "stdin"),
        ] {
            assert_eq!(log_name(Path::new(path)), name);
        }
    }
}
