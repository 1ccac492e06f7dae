//! The closing lines from saved results, equal to the lines printed by the command that made them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::candidate::{self, ReplayResult, compared};
use super::plain::{Plain, plain};
use super::winners::Winners;
use super::{lines, primary};
use meshreplay_base::job::Time;
use meshreplay_figures::{Curve, FigureError, Results};
use meshreplay_results::frame::{JobColumns, Replication, SHAKE, SavedTable, outages, uncompared_replays};
use meshreplay_sim::metrics::{
    JobRow, JobRun, PartSums, Trim, WaitCause, WhyShares, explain, saved_backlog, shares_of,
};
use meshreplay_sim::scheduler::RECORDED;
use meshreplay_study::study::ReplaySpec;

/// The columns that identify jobs, and those that the compared numbers are computed from.
const COLUMNS: [&str; 10] = [
    "replay",
    "seed",
    "job",
    "submit_s",
    "start_s",
    "end_s",
    "procs",
    "allocated",
    "pairwise_sum",
    "estimate_s",
];
/// The columns of replays with causes of waiting that name the reasons of free seconds.
const FREE: &str = WaitCause::Free.column();
const REASON: &str = "reason";
/// The columns of the summary that count jobs left out of a replay.
const LEFT_OUT: [&str; 3] = ["never_fit", "jobs_given_up", "jobs_never_started"];

/// What is computed from the saved jobs of each replication.
type SavedParts = BTreeMap<Replication, FromJobs>;

/// What is computed from the saved jobs of a replication.
struct FromJobs {
    /// The sums over parts of the log.
    parts: PartSums,
    /// The numbers on the backlog, which summaries of version 1.0 lack, and the shares of recorded waits,
    /// which most summaries of archive logs lack.
    numbers: Vec<(&'static str, f64)>,
    /// The reasons of free seconds, see [`ReplayResult`].
    reasons: Vec<(String, f64)>,
}

/// Saved results with the sums for their comparison.
pub(crate) struct SavedAnswer<'a> {
    results: &'a Results,
    /// Empty if not all jobs were kept.
    parts: SavedParts,
    /// Whether replays may have different jobs despite equal numbers of jobs.
    may_differ: bool,
    /// The numbers of the replays that pool partitions.
    not_compared: BTreeMap<u64, String>,
}

impl<'a> SavedAnswer<'a> {
    /// Reads the jobs in `folder`, if they were kept.
    pub(crate) fn read(folder: &Path, results: &'a Results) -> Result<Self, FigureError> {
        let table = &results.table;
        let mut parts = if table.varies("replay") { parts(folder, results)? } else { SavedParts::new() };
        let leaves_out = |name: &&str| table.has_positive(name);
        let has_parts = |row| table.replication(row).is_some_and(|key| parts.contains_key(&key));
        let has_all = (0..table.height()).all(has_parts);
        if !has_all {
            parts.clear();
        }
        let may_differ = !has_all && LEFT_OUT.iter().any(leaves_out);
        Ok(Self { results, parts, may_differ, not_compared: uncompared_replays(folder)? })
    }

    /// Returns the closing lines, see [`super::verdict`], without intervals if jobs were not kept. There are
    /// no lines if nothing can be compared, or if replays may be of different jobs.
    pub(crate) fn lines(&self) -> Vec<String> {
        // Commands of a report run in the directory of the results.
        self.replays().map(|all| lines(all, self.primary(), Some(Path::new(".")))).unwrap_or_default()
    }

    /// Returns the answer in plain sentences; none in the same cases as [`Self::lines`].
    pub(crate) fn plain(&self) -> Plain {
        self.replays().map(|all| plain(all, self.primary())).unwrap_or_default()
    }

    /// Returns the replays; `None` if they may be of different jobs, or if one of them cannot be read.
    fn replays(&self) -> Option<Vec<ReplayResult<'_>>> {
        if self.may_differ {
            return None;
        }
        let table = &self.results.table;
        let column = table.column("replay")?;
        let mut rows = BTreeMap::<u64, Vec<usize>>::new();
        for row in 0..table.height() {
            rows.entry(column.whole(row)?).or_default().push(row);
        }
        let mut replays = BTreeMap::new();
        for (&number, rows) in &rows {
            replays.insert(number, self.measured(rows)?);
        }
        for (number, spec) in self.missing() {
            let not_compared = self.not_compared.get(&number).cloned();
            let replay = || ReplayResult {
                spec: Cow::Owned(spec),
                replications: Vec::new(),
                not_compared,
                reasons: Vec::new(),
            };
            replays.entry(number).or_insert_with(replay);
        }
        Some(replays.into_values().collect())
    }

    /// Returns the winners among the rows of a table; `None` if one of them cannot be read.
    pub(crate) fn winners(&self, curves: &[Curve]) -> Option<Winners> {
        let replays: Option<Vec<_>> = curves.iter().map(|curve| self.measured(&curve.rows)).collect();
        Some(Winners::new(&replays?, self.primary()))
    }

    fn primary(&self) -> &'static str {
        primary(self.results.table.column("packets").is_some())
    }

    /// Returns the replay in these rows of the summary; `None` if it cannot be read.
    pub(super) fn measured(&self, rows: &[usize]) -> Option<ReplayResult<'_>> {
        let table = &self.results.table;
        let replication = |&row: &usize| {
            let key = table.replication(row)?;
            let from_jobs = self.parts.get(&key);
            let number = |name: &str| {
                from_jobs?.numbers.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
            };
            Some(candidate::Replication {
                seed: key.seed,
                jobs: table.number("jobs", row),
                in_means: table.number("jobs_in_means", row),
                shake_percent: table.number(SHAKE, row),
                numbers: compared(|name| table.number(name, row).or_else(|| number(name))),
                parts: from_jobs.map(|from_jobs| Cow::Borrowed(&from_jobs.parts)),
            })
        };
        let first = *rows.first()?;
        let number = table.column("replay").and_then(|column| column.whole(first));
        Some(ReplayResult {
            spec: Cow::Owned(self.results.spec(first)?),
            replications: rows.iter().map(replication).collect::<Option<_>>()?,
            not_compared: number.and_then(|number| self.not_compared.get(&number).cloned()),
            reasons: table
                .replication(first)
                .and_then(|key| self.parts.get(&key))
                .map(|from_jobs| from_jobs.reasons.clone())
                .unwrap_or_default(),
        })
    }

    /// Returns the replays that run.json or study.json lists and the summary lacks, with their numbers.
    fn missing(&self) -> Vec<(u64, ReplaySpec)> {
        let missing = &self.results.table.missing;
        let Some(path) = missing.listed_by.as_ref().filter(|_| !missing.replays.is_empty()) else {
            return Vec::new();
        };
        let listed: Option<Value> =
            fs::read_to_string(path).ok().and_then(|text| serde_json::from_str(&text).ok());
        let Some(listed) = listed else { return Vec::new() };
        let list = ["replays", "cells"].iter().find_map(|name| listed.get(name)?.as_array());
        let spec = |replay: &Value| {
            let mut replay = replay.clone();
            let entries = replay.as_object_mut()?;
            // run.json has the rules once for all replays.
            if let (false, Some(rules)) = (entries.contains_key("rules"), listed.get("rules")) {
                entries.insert("rules".to_owned(), rules.clone());
            }
            let mut spec = ReplaySpec::deserialize(replay).ok()?;
            let is_its = |log: &&Value| log.get("name").and_then(Value::as_str) == Some(&*spec.log);
            let log = listed.get("logs")?.as_array()?.iter().find(is_its)?;
            spec.log_sha256 = log.get("sha256")?.as_str()?.into();
            Some(spec)
        };
        let specs = list.into_iter().flatten().zip(0..);
        specs.filter_map(|(replay, number)| Some((number, spec(replay)?))).collect()
    }
}

/// The jobs of a replication, and the time limit of each; `None` without one.
struct SavedJobs {
    key: Replication,
    jobs: Vec<JobRow>,
    limits_s: Vec<Option<f64>>,
    /// Seconds free to start by the reason of the log; `None` for jobs without.
    free_by_reason: BTreeMap<Option<String>, f64>,
}

impl SavedJobs {
    /// Adds rows of saved jobs.
    fn add(&mut self, part: &SavedTable, columns: &JobColumns<'_>, rows: Range<usize>) {
        self.jobs.extend(rows.clone().map(|i| columns.row(i)));
        let limits = part.numbers("estimate_s");
        self.limits_s.extend(rows.clone().map(|i| limits.as_ref().and_then(|limits| limits.get(i))));
        let [Some(free), Some(reasons)] = [FREE, REASON].map(|name| part.column(name)) else { return };
        for i in rows {
            let reason = reasons.text(i).filter(|reason| !reason.is_empty()).map(str::to_owned);
            *self.free_by_reason.entry(reason).or_default() +=
                free.numbers().and_then(|free| free.get(i)).unwrap_or_default();
        }
    }
}

/// Returns the shares of the waits of a recorded schedule.
fn shares(jobs: &[JobRow], limits_s: &[Option<f64>], spec: &ReplaySpec) -> [(&'static str, f64); 2] {
    let time = |seconds: f64| Time::from_micros((seconds * 1e6).round() as i64);
    let run = |(job, limit_s): (&JobRow, &Option<f64>)| {
        let [submit, start, end] = job.times_s().map(time);
        JobRun { submit, start, end, nodes: job.allocated, limit: limit_s.map(time) }
    };
    let runs: Vec<JobRun> = jobs.iter().zip(limits_s).map(run).collect();
    let sizes = [(Time::from_micros(i64::MIN), spec.machine.available())];
    let WhyShares { free, overtaking } = explain(&runs, &sizes, &[], spec.covered()).shares();
    [("wait_free_share", free), ("overtaking_share", overtaking)]
}

/// Largest number of jobs of a replication for intervals of differences. All jobs of a replication are in
/// memory at a time.
const MOST_JOBS: f64 = 2_500_000.0;

/// Returns the sums over parts of the log of the jobs in `folder`; empty if the jobs were not kept, or for
/// more than [`MOST_JOBS`].
fn parts(folder: &Path, results: &Results) -> Result<SavedParts, FigureError> {
    let table = &results.table;
    if table.numbers("jobs").is_some_and(|jobs| jobs.iter().flatten().any(|jobs| jobs > MOST_JOBS)) {
        return Ok(SavedParts::new());
    }
    let mut machines = BTreeMap::new();
    for row in 0..table.height() {
        if let Some((key, spec)) = table.replication(row).zip(results.spec(row)) {
            let trim = Trim { percent: table.number("trim_percent", row), period: spec.covered() };
            machines.insert(key, (spec, trim));
        }
    }
    // Version 1.0 left out other jobs, and its summaries have no backlog.
    if table.has_number("trim_percent") && table.column("overloaded").is_none() {
        return Ok(SavedParts::new());
    }
    let (mut found, mut has_all) = (SavedParts::new(), true);
    // The jobs do not say when nodes were down, or were planned to be.
    let has_outages = outages(folder)?.is_some();
    let mut current: Option<SavedJobs> = None;
    let mut finish = |current: Option<SavedJobs>| {
        if let Some(SavedJobs { key, jobs, limits_s, free_by_reason }) = current
            && let Some((spec, trim)) = machines.get(&key)
        {
            let (parts, backlog) =
                (PartSums::of_saved(&jobs, *trim, &spec.machine), saved_backlog(&jobs, &spec.machine));
            let mut numbers = backlog.to_vec();
            if spec.scheduler.name == RECORDED && !has_outages {
                numbers.extend(shares(&jobs, &limits_s, spec));
            }
            found.insert(key, FromJobs { parts, numbers, reasons: shares_of(free_by_reason) });
        }
    };
    let wanted: Vec<&str> = COLUMNS.into_iter().chain([FREE, REASON]).collect();
    SavedTable::visit_details::<FigureError>(folder, "jobs", &wanted, &|_| true, &mut |part| {
        has_all &= COLUMNS.iter().all(|name| part.column(name).is_some());
        let columns = JobColumns::of(part);
        // The rows of a replication are adjacent.
        for (key, rows) in part.replications() {
            if current.as_ref().is_none_or(|last| last.key != key) {
                let (jobs, limits_s, free_by_reason) = (Vec::new(), Vec::new(), BTreeMap::new());
                finish(current.replace(SavedJobs { key, jobs, limits_s, free_by_reason }));
            }
            if let Some(saved) = &mut current {
                saved.add(part, &columns, rows);
            }
        }
        Ok(())
    })?;
    finish(current);
    Ok(if has_all { found } else { SavedParts::new() })
}
