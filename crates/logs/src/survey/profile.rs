//! The profile of a log: how many jobs it holds, how large and how long they are, and how much load they
//! bring.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Serialize;

use crate::error::TraceError;
use crate::names::{NameKind, Names};
use crate::nodes::NodeRuns;
use crate::options::ReadOptions;
use crate::reader::{LogEntry, Reader};
use crate::record::{FIELD_NAMES, FIELDS, Record};
use crate::site::{SiteSize, SizeSource};
use crate::summary::LogSummary;
use crate::unit::LogUnit;

/// Statistics of a recorded log, before any rule drops jobs. The size of a job is [`Record::procs`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Profile {
    /// The path of the log, or `standard input`.
    pub log: String,
    /// The name of the format.
    pub format: &'static str,
    /// The SHA-256 of the uncompressed text, in hexadecimal.
    pub sha256: String,
    /// The size of the uncompressed text in bytes.
    pub bytes: u64,
    /// The number of lines of any kind.
    pub lines: u64,
    /// The number of records.
    pub jobs: u64,
    /// The number of processors of the machine by the header: `MaxProcs`, or else `MaxNodes`. `None` if it
    /// has neither.
    pub procs: Option<i64>,
    /// The number of processors of the largest job; `None` if no size is known.
    pub largest_job_procs: Option<i64>,
    /// Origin of submit times in seconds since 1970; `None` if not in the header.
    pub unix_start_time: Option<i64>,
    /// The earliest submit time in seconds; `None` if no submit time is known. Negative submit times count as
    /// unknown.
    pub first_submit_s: Option<i64>,
    /// The latest submit time in seconds; `None` if no submit time is known.
    pub last_submit_s: Option<i64>,
    /// The sum of size × run time over the jobs with known size and run time, in processor-seconds.
    pub work_proc_s: f64,
    /// The number of processors of the machine: by the header, or else by its use. `None` if it is not known.
    pub machine_procs: Option<u64>,
    /// The source of the size of the machine, or what is known of it, in words.
    pub machine_source: String,
    /// The first second that the log covers, if it is a window of the site's history: jobs that ended before
    /// are missing. `None` for a whole log.
    pub window_from_s: Option<i64>,
    /// Whether too many jobs are in the log to find a window.
    pub is_window_unknown: bool,
    /// Work divided by the capacity of the machine between the first and the last submit time; in a window,
    /// the work of the jobs submitted in it and the time from its beginning. `None` if the size of the
    /// machine or no submit time is known, or if all jobs arrive at once.
    pub offered_load: Option<f64>,
    /// The sizes of the jobs whose size is known, in processors; `None` if there are none.
    pub size_procs: Option<Quantiles>,
    /// The run times of the jobs whose run time is known, in seconds; `None` if there are none.
    pub run_s: Option<Quantiles>,
    /// The share, from 0 to 1, of one-processor jobs among the jobs whose size is known; `None` if there are
    /// none.
    pub serial_share: Option<f64>,
    /// The share, from 0 to 1, of sizes that are powers of two among the jobs of more than one processor;
    /// `None` if there are none.
    pub power_of_two_share: Option<f64>,
    /// The number of jobs with each status (field 11).
    pub status: BTreeMap<i64, u64>,
    /// Who and what the jobs belong to, for each kind that the log knows.
    pub members: Vec<Members>,
    /// The nodes that lists name; `None` if the log has no lists of nodes, or more than are looked at.
    pub node_lists: Option<NodeLists>,
    /// Notes on how the log was read, such as the time zone of its times; empty if there are none.
    pub notes: Vec<String>,
    /// The fields that are unknown in some jobs; empty if there are none.
    pub missing: Vec<Missing>,
    /// The irregularities of the text; empty if there are none.
    pub irregularities: Vec<Irregularity>,
}

/// The nodes in the lists of a log.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NodeLists {
    /// The number of different nodes.
    pub nodes: u64,
    /// The share, from 0 to 1, of the node-seconds that count more than once, as several jobs had a node at
    /// the same time.
    pub shared: f64,
    /// Whether a replay counts parts of nodes only, as jobs share too many nodes to have whole ones.
    pub needs_unit: bool,
}

/// A field that is unknown in some jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// The number of the field, from 1.
    pub field: usize,
    /// The name of the field.
    pub name: &'static str,
    /// The number of jobs without it.
    pub jobs: u64,
}

/// Something odd in the text of a log, with the number of times it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Irregularity {
    /// Description.
    pub what: &'static str,
    /// The number of times.
    pub count: u64,
}

impl Profile {
    /// Reads the log at `path` and returns its profile. Quantiles are exact; memory grows with the number of
    /// jobs, up to 2^23 of them. Fails if lenient reading has skipped all of it.
    pub fn of(path: &Path, options: ReadOptions) -> Result<Self, TraceError> {
        let mut builder = ProfileBuilder { runs: NodeRuns::limited(), ..ProfileBuilder::default() };
        let format = options.format.clone();
        let mut reader = Reader::open(path, options)?;
        while let Some(entry) = reader.next_entry()? {
            if let LogEntry::Record { record, .. } = entry {
                builder.add(record);
            }
        }
        let summary = reader.finish()?;
        summary.check_jobs()?;
        let unit = LogUnit::new(summary.format, format.as_ref());
        Ok(builder.finish(summary, unit))
    }

    /// Returns the time from the first to the last submit time, in seconds; `None` if no submit time is
    /// known.
    pub fn span_s(&self) -> Option<i64> {
        Some(self.last_submit_s?.saturating_sub(self.first_submit_s?))
    }
}

/// The sums and lists that grow while the log is read.
#[derive(Default)]
struct ProfileBuilder {
    sizes: Tally,
    runs_s: Tally,
    work_proc_s: f64,
    /// First and last submit time; `None` before the first known one.
    submits_s: Option<(i64, i64)>,
    status: BTreeMap<i64, u64>,
    members: Counts,
    /// The runs.
    runs: NodeRuns,
    /// Jobs with each field unknown; field n is entry n − 1.
    missing: [u64; FIELDS],
}

impl ProfileBuilder {
    /// Counts a record.
    fn add(&mut self, record: &Record) {
        let submit_s = record.submit_s;
        if submit_s >= 0 {
            let (first, last) = self.submits_s.unwrap_or((submit_s, submit_s));
            self.submits_s = Some((first.min(submit_s), last.max(submit_s)));
        }
        record.procs().into_iter().for_each(|procs| self.sizes.add(procs));
        if record.run_s >= 0 {
            self.runs_s.add(record.run_s);
            self.work_proc_s += record.procs().unwrap_or(0) as f64 * record.run_s as f64;
        }
        *self.status.entry(record.status).or_default() += 1;
        self.members.add(record);
        self.runs.add_record(record);
        for (count, missing) in self.missing.iter_mut().zip(record.missing()) {
            *count += u64::from(missing);
        }
    }

    /// Returns the profile. `summary` holds the facts about the log as a whole.
    fn finish(self, summary: LogSummary, unit: LogUnit) -> Profile {
        let size_procs = self.sizes.quantiles();
        let largest_job_procs = size_procs.map(|sizes| sizes.max);
        let procs = summary.header.processors();
        let mut runs = self.runs.on_nodes(&summary.facts.names);
        let is_window_unknown = runs.are_too_many();
        let node_use = runs.node_use(&|_| true);
        let largest = largest_job_procs.and_then(|procs| u64::try_from(procs).ok()).unwrap_or_default();
        let size = match procs.and_then(|procs| u64::try_from(procs).ok()) {
            Some(procs) => SiteSize::Known(procs, SizeSource::Header),
            None => SiteSize::of_use(&node_use, &runs.levels(&|_| true), unit, largest),
        };
        let (machine_procs, machine_source) = match size {
            SiteSize::Known(procs, source) => (Some(procs), source.words().to_owned()),
            SiteSize::Unknown(sentence) => (None, sentence),
        };
        let window_from_s = runs.window().map(|window| window.start);
        let work_proc_s = window_from_s.map_or(self.work_proc_s, |from_s| runs.work_since(from_s));
        let node_lists = NodeLists {
            nodes: node_use.nodes,
            shared: node_use.shared(),
            needs_unit: unit.refuses(&node_use),
        };
        let origin_s = summary.origin_s();
        let offered_load = machine_procs.zip(self.submits_s).and_then(|(procs, (first, last))| {
            let first = window_from_s.unwrap_or(first);
            let capacity_proc_s = procs as f64 * last.saturating_sub(first) as f64;
            (capacity_proc_s > 0.0).then(|| work_proc_s / capacity_proc_s)
        });
        let (all, parallel) = (self.sizes.count(|_| true), self.sizes.count(|procs| procs > 1));
        // A power of two has one bit set, so p & (p − 1) is 0.
        let powers = self.sizes.count(|procs| procs > 1 && procs & (procs - 1) == 0);
        let missing = self.missing.iter().enumerate().filter(|&(_, &jobs)| jobs > 0);
        Profile {
            log: summary.path.display().to_string(),
            format: summary.format.name,
            bytes: summary.bytes,
            lines: summary.lines,
            jobs: summary.records,
            procs,
            largest_job_procs,
            unix_start_time: summary.header.unix_start_time(),
            first_submit_s: self.submits_s.map(|(first, _)| first - origin_s),
            last_submit_s: self.submits_s.map(|(_, last)| last - origin_s),
            work_proc_s: self.work_proc_s,
            machine_procs,
            machine_source,
            window_from_s: window_from_s.map(|from_s| from_s - origin_s),
            is_window_unknown,
            offered_load,
            size_procs,
            run_s: self.runs_s.quantiles(),
            serial_share: share(all - parallel, all),
            power_of_two_share: share(powers, parallel),
            status: self.status,
            members: self.members.finish(&summary.facts.names),
            node_lists: (node_lists.nodes > 0).then_some(node_lists),
            notes: summary.facts.notes.clone(),
            missing: missing.map(|(i, &jobs)| Missing { field: i + 1, name: FIELD_NAMES[i], jobs }).collect(),
            irregularities: irregularities(&summary),
            sha256: summary.sha256,
        }
    }
}

fn irregularities(summary: &LogSummary) -> Vec<Irregularity> {
    summary.irregularities.rows().into_iter().map(|(what, count)| Irregularity { what, count }).collect()
}

/// Returns `part` / `whole`; `None` if `whole` is 0.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The users of a log, or its groups, applications, queues or partitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Members {
    /// Kind in the plural, such as `users`.
    pub what: &'static str,
    /// Number of different members. Jobs with an unknown member do not count.
    pub count: u64,
    /// Up to four members with the most jobs, in descending order, ties by number: name, or number without a
    /// name, and jobs.
    pub largest: Vec<(String, u64)>,
}

/// The number of members of a kind that are named.
const SHOWN: usize = 4;

/// A function that returns the number of a member in a record.
type Field = fn(&Record) -> i64;

/// The kinds that are fields of a record, each with its field.
const KINDS: [(NameKind, Field); 5] = [
    (NameKind::User, |record| record.user),
    (NameKind::Group, |record| record.group),
    (NameKind::Executable, |record| record.executable),
    (NameKind::Queue, |record| record.queue),
    (NameKind::Partition, |record| record.partition),
];

/// The number of jobs of each member, kind by kind.
#[derive(Default)]
pub(super) struct Counts([HashMap<i64, u64>; KINDS.len()]);

impl Counts {
    /// Counts a record.
    pub(super) fn add(&mut self, record: &Record) {
        for (jobs, (_, field)) in self.0.iter_mut().zip(KINDS) {
            let number = field(record);
            if number >= 0 {
                *jobs.entry(number).or_default() += 1;
            }
        }
    }

    /// Returns the members of each kind that the log knows. `names` has the names behind the numbers.
    pub(super) fn finish(self, names: &Names) -> Vec<Members> {
        let ranked = |(jobs, (kind, _)): (HashMap<i64, u64>, (NameKind, _))| {
            let count = jobs.len() as u64;
            let mut rows: Vec<(i64, u64)> = jobs.into_iter().collect();
            rows.sort_unstable_by_key(|&(number, jobs)| (Reverse(jobs), number));
            let label =
                |number: i64| names.name(kind, number).map_or_else(|| number.to_string(), Cow::into_owned);
            let largest = rows.into_iter().take(SHOWN).map(|(number, jobs)| (label(number), jobs)).collect();
            Members { what: kind.plural(), count, largest }
        };
        self.0.into_iter().zip(KINDS).map(ranked).filter(|found| found.count > 0).collect()
    }
}

/// The quantiles of some values by nearest rank: the p-th percentile is the smallest value such that at least
/// p percent of the values are not above it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantiles {
    /// Smallest value.
    pub min: i64,
    /// Lower quartile.
    pub p25: i64,
    /// Median.
    pub p50: i64,
    /// Upper quartile.
    pub p75: i64,
    /// 90th percentile.
    pub p90: i64,
    /// 99th percentile.
    pub p99: i64,
    /// Largest value.
    pub max: i64,
    /// Arithmetic mean.
    pub mean: f64,
}

/// The values below this number that are counted in a list, with eight bytes each: a year in minutes, and six
/// days in seconds.
const LISTED: usize = 1 << 19;

/// How often each of some values comes. Memory grows with the number of different values.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// The counts of the values from 0 on, as far as one was seen.
    listed: Vec<u64>,
    /// The counts of all other values.
    others: BTreeMap<i64, u64>,
    sum: i128,
}

impl Tally {
    /// Counts a value. O(1), or O(log n) for n different values of six days in seconds and more.
    pub(super) fn add(&mut self, value: i64) {
        self.sum += i128::from(value);
        match usize::try_from(value) {
            Ok(at) if at < LISTED => {
                if at >= self.listed.len() {
                    self.listed.resize((at + 1).next_power_of_two(), 0);
                }
                self.listed[at] += 1;
            }
            _ => *self.others.entry(value).or_default() += 1,
        }
    }

    /// Returns the values with their counts, ascending.
    pub(super) fn counts(&self) -> impl Iterator<Item = (i64, u64)> {
        let negative = self.others.range(..0);
        let large = self.others.range(0..);
        let listed = self.listed.iter().zip(0..).map(|(&count, value)| (value, count));
        let pair = |(&value, &count): (&i64, &u64)| (value, count);
        negative.map(pair).chain(listed.filter(|&(_, count)| count > 0)).chain(large.map(pair))
    }

    /// Returns how many of the values `is` true of.
    pub(super) fn count(&self, is: impl Fn(i64) -> bool) -> u64 {
        self.counts().filter(|&(value, _)| is(value)).map(|(_, count)| count).sum()
    }

    /// Returns the quantiles; `None` if there are no values.
    pub(super) fn quantiles(&self) -> Option<Quantiles> {
        let (min, _) = self.counts().next()?;
        let count = self.count(|_| true);
        // Ranks from 1, in 128 bits because of the percents.
        let rank = |percent: u64| (u128::from(count) * u128::from(percent)).div_ceil(100);
        let mut wanted = [25, 50, 75, 90, 99, 100].map(rank).into_iter().peekable();
        let (mut found, mut so_far) = (Vec::with_capacity(6), 0_u128);
        for (value, count) in self.counts() {
            so_far += u128::from(count);
            while wanted.next_if(|&rank| rank <= so_far).is_some() {
                found.push(value);
            }
        }
        let &[p25, p50, p75, p90, p99, max] = found.as_slice() else { return None };
        Some(Quantiles { min, p25, p50, p75, p90, p99, max, mean: self.sum as f64 / count as f64 })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_small_log_by_hand() -> Result<(), Box<dyn std::error::Error>> {
        let mut file = tempfile::NamedTempFile::new()?;
        let rest = "-1 -1 -1 -1 -1 -1 -1";
        writeln!(file, "; MaxProcs: 8\n; UnixStartTime: 100")?;
        writeln!(file, "1 10 -1 100 4 -1 -1 4 -1 -1 1 {rest}")?;
        writeln!(file, "2 20 -1 50 1 -1 -1 1 -1 -1 1 {rest}")?;
        writeln!(file, "3 110 -1 -1 6 -1 -1 6 -1 -1 5 {rest}")?;
        writeln!(file, "4 -1 -1 10 -1 -1 -1 2 -1 -1 0 {rest}")?;
        let profile = Profile::of(file.path(), ReadOptions::default())?;
        assert_eq!((profile.jobs, profile.procs, profile.largest_job_procs), (4, Some(8), Some(6)));
        assert_eq!((profile.first_submit_s, profile.span_s()), (Some(10), Some(100)));
        assert_eq!(profile.offered_load, Some((400.0 + 50.0 + 20.0) / 800.0));
        assert_eq!(profile.serial_share, Some(0.25));
        assert_eq!(profile.power_of_two_share, Some(2.0 / 3.0));
        assert_eq!(profile.run_s.map(|run| (run.min, run.max)), Some((10, 100)));
        assert_eq!(profile.status, BTreeMap::from([(0, 1), (1, 2), (5, 1)]));
        let missing = |field| profile.missing.iter().find(|row| row.field == field).map_or(0, |row| row.jobs);
        assert_eq!([missing(2), missing(4), missing(5), missing(8), missing(9)], [1, 1, 1, 0, 4]);
        let users = |what| profile.members.iter().find(|members| members.what == what).cloned();
        assert_eq!(users("users"), None);
        Ok(())
    }

    #[test]
    fn members_with_most_jobs_come_first() -> Result<(), Box<dyn std::error::Error>> {
        let mut file = tempfile::NamedTempFile::new()?;
        for (job, user) in [(1, 7), (2, 3), (3, 9), (4, 9), (5, 1), (6, 4), (7, -1)] {
            writeln!(file, "{job} 0 -1 9 4 -1 -1 4 -1 -1 1 {user} -1 -1 0 -1 -1 -1")?;
        }
        let profile = Profile::of(file.path(), ReadOptions::default())?;
        let named =
            |pairs: &[(&str, u64)]| pairs.iter().map(|&(name, jobs)| (name.to_owned(), jobs)).collect();
        let users =
            Members { what: "users", count: 5, largest: named(&[("9", 2), ("1", 1), ("3", 1), ("4", 1)]) };
        let queues = Members { what: "queues", count: 1, largest: named(&[("0", 7)]) };
        assert_eq!(profile.members, [users, queues]);
        Ok(())
    }

    #[test]
    fn a_log_without_jobs_has_no_statistics() -> Result<(), Box<dyn std::error::Error>> {
        let mut file = tempfile::NamedTempFile::new()?;
        writeln!(file, "; MaxProcs: 8")?;
        let profile = Profile::of(file.path(), ReadOptions::default())?;
        assert_eq!((profile.jobs, profile.offered_load, profile.size_procs), (0, None, None));
        assert_eq!((profile.serial_share, profile.power_of_two_share), (None, None));
        Ok(())
    }

    fn quantiles(values: impl IntoIterator<Item = i64>) -> Option<Quantiles> {
        let mut tally = Tally::default();
        values.into_iter().for_each(|value| tally.add(value));
        tally.quantiles()
    }

    #[test]
    fn quantiles_are_by_nearest_rank() {
        let q = quantiles((1..=10).rev()).expect("values");
        assert_eq!((q.min, q.p25, q.p50, q.p75, q.p90, q.p99, q.max), (1, 3, 5, 8, 9, 10, 10));
        assert!((q.mean - 5.5).abs() < 1e-12);
        assert_eq!(quantiles([]), None);
        let same = quantiles([7]).expect("a value");
        assert_eq!((same.min, same.p25, same.p99, same.max), (7, 7, 7, 7));
    }

    /// Counting equals sorting, for values of every size.
    #[test]
    fn counted_values_have_the_quantiles_of_sorted_ones() {
        let edges = [i64::MIN, -3, -1, 0, 1, 2, 7, LISTED as i64 - 1, LISTED as i64, 1 << 40, i64::MAX];
        for count in 1..300_usize {
            let mut values: Vec<i64> = (0..count).map(|i| edges[i * i % 97 * 31 % edges.len()]).collect();
            let found = quantiles(values.iter().copied()).expect("values");
            values.sort_unstable();
            let at = |percent: usize| values[(count * percent).div_ceil(100) - 1];
            let expected = [values[0], at(25), at(50), at(75), at(90), at(99), values[count - 1]];
            let Quantiles { min, p25, p50, p75, p90, p99, max, mean } = found;
            assert_eq!([min, p25, p50, p75, p90, p99, max], expected);
            let sum: i128 = values.iter().map(|&value| i128::from(value)).sum();
            assert_eq!(mean.to_bits(), (sum as f64 / count as f64).to_bits());
        }
    }
}
