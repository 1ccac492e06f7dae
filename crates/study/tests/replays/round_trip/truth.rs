//! The expected results of reading and replaying a generated log, and the differences from them.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use meshreplay_logs::{self as trace, LogSummary, NameKind, NodeList, ReadOptions, Record, TraceError};
use meshreplay_workload::Rules;

use super::cluster::{Cluster, Fate, How, Job, seconds};
use super::replayed::replayed;

/// The statuses of the Standard Workload Format.
pub(crate) const FAILED: i64 = 0;
pub(crate) const COMPLETED: i64 = 1;
pub(crate) const CANCELLED: i64 = 5;

/// Alternative words for a line, and the least and the greatest number in it.
pub(crate) type Stated = (&'static [&'static str], u64, u64);

/// A log of a cluster, and the expected results.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// The file name. Some formats are recognised by name.
    pub(crate) file: &'static str,
    pub(crate) text: String,
    /// The spec of the format with parameters.
    pub(crate) format: String,
    /// The jobs in the order of their lines, each once.
    pub(crate) jobs: Vec<Want>,
    /// Required counts: alternative words for the line, and the least and the greatest number.
    pub(crate) stated: Vec<Stated>,
    /// Whether processors are nodes with names, so that the allocator `recorded` can be replayed.
    pub(crate) has_lists: bool,
    /// Whether the format has waits, so that the scheduler `recorded` can be replayed.
    pub(crate) has_waits: bool,
    /// Whether jobs share nodes, so that nodes cannot be the unit.
    pub(crate) is_shared: bool,
    /// Words of notes on tasks of an array with the same number.
    pub(crate) excuses: &'static [&'static str],
    /// Words of permitted errors for this log.
    pub(crate) refusals: &'static [&'static str],
    /// Words of notes or errors on ambiguous times. Empty if times are unambiguous.
    pub(crate) may_be_misread: &'static [&'static str],
}

impl Written {
    /// Returns a log of jobs with waits and without required counts.
    pub(crate) fn new(file: &'static str, format: String, text: String, jobs: Vec<Want>) -> Self {
        Self {
            file,
            text,
            format,
            jobs,
            stated: Vec::new(),
            has_lists: false,
            has_waits: true,
            is_shared: false,
            excuses: &[],
            refusals: &[],
            may_be_misread: &[],
        }
    }
}

/// The expected fields of a job. Numbers are seconds since 1970 or counts; `None` for any value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Want {
    /// The number and the task of the job.
    pub(crate) id: (i64, Option<i64>),
    pub(crate) submit_s: i64,
    pub(crate) start_s: Option<i64>,
    pub(crate) end_s: Option<i64>,
    pub(crate) procs: Option<i64>,
    pub(crate) limit_s: Option<i64>,
    pub(crate) nodes: Option<Vec<String>>,
    pub(crate) status: Option<i64>,
    /// User, group, queue and partition.
    pub(crate) names: [Option<String>; 4],
    /// Whether a time of the job is ambiguous because clocks are put back.
    pub(crate) is_ambiguous: bool,
}

const KINDS: [NameKind; 4] = [NameKind::User, NameKind::Group, NameKind::Queue, NameKind::Partition];

impl Want {
    /// All fields of a job in whole seconds, with nodes as processors.
    pub(crate) fn of(cluster: &Cluster, job: &Job) -> Self {
        let start_s = job.start_ms().map(seconds);
        let names = [job.user, job.group, job.queue, cluster.partitions[job.partition].0];
        let list = || cluster.node_names(job).into_iter().map(str::to_owned).collect();
        Self {
            id: job.task.map_or((job.number, None), |(array, task)| (array, Some(task))),
            submit_s: seconds(job.submit_ms),
            start_s,
            end_s: job.end_ms().filter(|_| start_s.is_some()).map(seconds),
            procs: start_s.map(|_| job.nodes.len() as i64),
            limit_s: job.limit_s,
            nodes: start_s.map(|_| list()),
            status: Some(match job.fate {
                Fate::Ended { how: How::Completed, .. } => COMPLETED,
                Fate::Ended { how: How::Cancelled, .. } | Fate::Cancelled { .. } => CANCELLED,
                Fate::Ended { .. } => FAILED,
                Fate::Runs { .. } | Fate::Waits => -1,
            }),
            names: names.map(|name| Some(name.to_owned())),
            is_ambiguous: false,
        }
    }

    /// Start and end, if the job ran and the default rules replay it. They skip a job that was cancelled
    /// after 0 s.
    pub(crate) fn run_s(&self) -> Option<(i64, i64)> {
        let (start_s, end_s) = self.start_s.zip(self.end_s)?;
        (self.procs.is_some_and(|procs| procs > 0) && (self.status != Some(CANCELLED) || end_s > start_s))
            .then_some((start_s, end_s))
    }
}

/// The notes on a log, and its counts.
pub(crate) struct Said(pub(crate) Vec<String>);

impl Said {
    fn of(summary: &LogSummary) -> Self {
        let facts = &summary.facts;
        let counts = facts.counts.iter().map(|(what, count)| format!("{what}: {count}"));
        let rows = summary.irregularities.rows();
        let rows = rows.iter().map(|(what, count)| format!("{what}: {count}"));
        Self(facts.notes.iter().cloned().chain(counts).chain(rows).collect())
    }

    /// Whether a line has one of the words.
    pub(crate) fn has(&self, words: &[&str]) -> bool {
        self.0.iter().any(|line| words.iter().any(|word| line.contains(word)))
    }

    /// Whether a line with one of the words has a number from `least` to `most`.
    fn counts(&self, &(words, least, most): &Stated) -> bool {
        let has_number = |line: &String| {
            let line = line.replace(',', "");
            let mut numbers = line.split(|c: char| !c.is_ascii_digit()).filter_map(|text| text.parse().ok());
            numbers.any(|number: u64| (least..=most).contains(&number))
        };
        let has_word = |line: &&String| words.iter().any(|word| line.contains(word));
        self.0.iter().filter(has_word).any(has_number)
    }
}

/// Reads a log and replays it. Returns a difference from the truth that no note mentions.
pub(crate) fn difference(written: &Written, folder: &Path) -> Option<String> {
    let path = folder.join(written.file);
    if let Err(error) = std::fs::write(&path, &written.text) {
        return Some(error.to_string());
    }
    let (records, summary) = match read(written, &path) {
        Ok(found) => found,
        Err(error) => {
            let words = written.may_be_misread.iter().chain(written.refusals);
            let is_expected = words.into_iter().any(|word| error.to_string().contains(word));
            return (!is_expected).then(|| format!("refused: {error}"));
        }
    };
    let said = Said::of(&summary);
    let found = differing(written, &records, &summary, &said)
        .or_else(|| unstated(written, &said))
        .or_else(|| replayed(written, &path, &said));
    let is_declared = said.has(written.may_be_misread);
    found.filter(|_| !is_declared).map(|problem| format!("{problem}\nsaid: {:#?}", said.0))
}

fn read(written: &Written, path: &Path) -> Result<(Vec<Record>, LogSummary), TraceError> {
    let format = written.format.parse().expect("a spec");
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let mut records = Vec::new();
    let summary = trace::read(path, options, |record| records.push(*record))?;
    Ok((records, summary))
}

/// Compares records with the expected jobs, one by one.
fn differing(written: &Written, records: &[Record], summary: &LogSummary, said: &Said) -> Option<String> {
    if records.len() != written.jobs.len() {
        return Some(format!("{} jobs, expected {}", records.len(), written.jobs.len()));
    }
    let first = |want: &Want| if summary.facts.has_unix_times { 0 } else { want.submit_s };
    let base_s = written.jobs.iter().map(first).min().unwrap_or(0);
    let least = records.iter().map(|record| record.submit_s).min().unwrap_or(0);
    let base_s = if summary.facts.has_unix_times { 0 } else { base_s - least };
    let mut numbers: HashMap<(i64, Option<i64>), i64> = HashMap::new();
    let mut ids: HashMap<i64, (i64, Option<i64>)> = HashMap::new();
    let ambiguous = written.jobs.iter().filter(|want| want.is_ambiguous).count() as u64;
    for (record, want) in records.iter().zip(&written.jobs) {
        let number = *numbers.entry(want.id).or_insert(record.job);
        let id = *ids.entry(record.job).or_insert(want.id);
        let is_own = (number, id) == (record.job, want.id) || said.has(written.excuses);
        if !is_own || want.id.1.is_none() && record.job != want.id.0 {
            return Some(format!("job {:?} is number {}, and {id:?} is {number}", want.id, record.job));
        }
        let Some(problem) = of_one(record, want, summary, (base_s, written.has_waits)) else { continue };
        // An ambiguous local time may be read either way if a note counts it.
        let is_declared = want.is_ambiguous && ambiguous > 0 && said.has(&["clocks are put"]);
        if !is_declared {
            return Some(format!("job {:?}: {problem}", want.id));
        }
    }
    None
}

/// Compares a record with the expected job.
fn of_one(
    record: &Record,
    want: &Want,
    summary: &LogSummary,
    (base_s, has_waits): (i64, bool),
) -> Option<String> {
    let known = |value: i64| (value >= 0).then_some(value);
    let mut found = vec![("submission", Some(record.submit_s + base_s), Some(want.submit_s))];
    if let Some(start_s) = want.start_s {
        found.extend(has_waits.then(|| ("wait", known(record.wait_s), Some(start_s - want.submit_s))));
        if let Some(end_s) = want.end_s {
            found.push(("run time", known(record.run_s), Some(end_s - start_s)));
        }
    }
    if want.procs.is_some() {
        found.push(("processors", known(record.allocated_procs), want.procs));
    }
    if want.limit_s.is_some() {
        found.push(("limit", known(record.requested_time_s), want.limit_s));
    }
    if want.status.is_some() {
        found.push(("status", Some(record.status), want.status));
    }
    for (what, found, meant) in found {
        if found != meant {
            return Some(format!("{what} {found:?}, expected {meant:?}"));
        }
    }
    let numbers = [record.user, record.group, record.queue, record.partition];
    for ((kind, number), meant) in KINDS.into_iter().zip(numbers).zip(&want.names) {
        let Some(meant) = meant else { continue };
        let name = summary.facts.names.name(kind, number);
        let found = name.map_or_else(|| number.to_string(), std::borrow::Cow::into_owned);
        if found != *meant {
            return Some(format!("{} {found:?}, expected {meant:?}", kind.word()));
        }
    }
    let list = |number| summary.facts.names.name(NameKind::Nodes, i64::from(number));
    let nodes = record.nodes.and_then(list).and_then(|text| NodeList::parse(&text).ok());
    let nodes = nodes.map(|list| list.names().collect::<BTreeSet<String>>());
    let meant = want.nodes.clone().map(|names| names.into_iter().collect::<BTreeSet<String>>());
    if meant.is_some() && nodes != meant {
        return Some(format!("nodes {nodes:?}, expected {meant:?}"));
    }
    let is_job = Rules::default().job(record).is_ok();
    (is_job != runs(want)).then(|| format!("replayed: {is_job}, expected {}: {record:?}", runs(want)))
}

/// Whether a job is replayed.
fn runs(want: &Want) -> bool {
    want.run_s().is_some()
}

/// Returns the first required count that is in no note.
fn unstated(written: &Written, said: &Said) -> Option<String> {
    // A job that was cancelled an hour after its start may have equal local times for both.
    if said.has(&["clocks are put"]) {
        return None;
    }
    let mut missing = written.stated.iter().filter(|stated| stated.1 > 0 && !said.counts(stated));
    missing.next().map(|(words, count, _)| format!("nothing said of {count}: {words:?}"))
}

/// The jobs of all dumps, each once, and the number of repeated lines.
pub(crate) fn once<'a>(cluster: &'a Cluster, is_written: &dyn Fn(&Job) -> bool) -> (Vec<&'a Job>, u64) {
    let mut seen = BTreeSet::new();
    let (mut jobs, mut twice) = (Vec::new(), 0);
    for (job, is_second) in cluster.dumps().into_iter().flatten().filter(|(job, _)| is_written(job)) {
        if is_second && seen.contains(&std::ptr::from_ref(job)) {
            twice += 1;
        } else {
            seen.insert(std::ptr::from_ref(job));
            jobs.push(job);
        }
    }
    (jobs, twice)
}
