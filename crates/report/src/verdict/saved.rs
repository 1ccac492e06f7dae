//! The closing lines from saved results, equal to the lines printed by the command that made them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::measured::{self, ReplayResult, compared};
use super::plain::{Plain, plain};
use super::winners::Winners;
use super::{lines, primary};
use meshreplay_figures::{Curve, FigureError, Results};
use meshreplay_results::frame::{JobColumns, Numbers, Replication, Table, pooling_replays};
use meshreplay_sim::metrics::{BlockSums, JobRow, METRICS, Trim};
use meshreplay_study::study::ReplaySpec;

/// The columns that identify jobs and decide whether they count in means.
const COLUMNS: [&str; 6] = ["replay", "seed", "job", "submit_s", "start_s", "procs"];
/// The columns of the summary that count jobs left out of a replay.
const LEFT_OUT: [&str; 3] = ["never_fit", "jobs_given_up", "jobs_never_started"];

/// The sums over blocks of jobs of saved replications.
type SavedBlocks = BTreeMap<Replication, BlockSums>;

/// Saved results with the sums for their comparison.
pub(crate) struct SavedAnswer<'a> {
    results: &'a Results,
    /// Empty if not all jobs were kept.
    blocks: SavedBlocks,
    /// Whether replays may have different jobs despite equal numbers of jobs.
    may_differ: bool,
    /// The numbers of the replays that pool partitions.
    pooled: BTreeSet<u64>,
}

impl<'a> SavedAnswer<'a> {
    /// Reads the jobs in `folder`, if they were kept.
    pub(crate) fn read(folder: &Path, results: &'a Results) -> Result<Self, FigureError> {
        let table = &results.table;
        let mut blocks = if table.varies("replay") { blocks(folder, results)? } else { SavedBlocks::new() };
        let leaves_out = |name: &&str| table.has_positive(name);
        let has_blocks = |row| table.replication(row).is_some_and(|key| blocks.contains_key(&key));
        let has_all = (0..table.height()).all(has_blocks);
        if !has_all {
            blocks.clear();
        }
        let may_differ = !has_all && LEFT_OUT.iter().any(leaves_out);
        Ok(Self { results, blocks, may_differ, pooled: pooling_replays(folder)? })
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
            let pools_partitions = self.pooled.contains(&number);
            let replay =
                || ReplayResult { spec: Cow::Owned(spec), replications: Vec::new(), pools_partitions };
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
    fn measured(&self, rows: &[usize]) -> Option<ReplayResult<'_>> {
        let table = &self.results.table;
        let replication = |&row: &usize| {
            let key = table.replication(row)?;
            Some(measured::Replication {
                seed: key.seed,
                jobs: table.number("jobs", row),
                in_means: table.number("jobs_in_means", row),
                numbers: compared(|name| table.number(name, row)),
                blocks: self.blocks.get(&key).map(Cow::Borrowed),
            })
        };
        let first = *rows.first()?;
        let number = table.column("replay").and_then(|column| column.whole(first));
        Some(ReplayResult {
            spec: Cow::Owned(self.results.spec(first)?),
            replications: rows.iter().map(replication).collect::<Option<_>>()?,
            pools_partitions: number.is_some_and(|number| self.pooled.contains(&number)),
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

/// Largest number of jobs of a replication for intervals of differences. All jobs of a replication are in
/// memory at a time.
const MOST_JOBS: f64 = 2_500_000.0;

/// Returns the sums over blocks of the jobs in `folder`; empty if the jobs were not kept, or for more than
/// [`MOST_JOBS`].
fn blocks(folder: &Path, results: &Results) -> Result<SavedBlocks, FigureError> {
    let jobs = results.table.numbers("jobs");
    if jobs.is_some_and(|jobs| jobs.iter().flatten().any(|jobs| jobs > MOST_JOBS)) {
        return Ok(SavedBlocks::new());
    }
    let mut names = COLUMNS.to_vec();
    names.extend(compared_columns().flat_map(|(_, (column, less))| [Some(column), less]).flatten());
    names.sort_unstable();
    names.dedup();
    let trim = Trim { percent: results.table.number("trim_percent", 0) };
    let (mut found, mut has_all) = (SavedBlocks::new(), true);
    let mut current: Option<(Replication, Reading)> = None;
    let mut finish = |current: Option<(Replication, Reading)>| {
        if let Some((key, reading)) = current {
            found.insert(key, BlockSums::of_saved(&reading.jobs, trim, &reading.numbers));
        }
    };
    Table::visit_details::<FigureError>(folder, "jobs", &names, &|_| true, &mut |part| {
        has_all &= COLUMNS.iter().all(|name| part.column(name).is_some());
        // The rows of a replication are adjacent.
        for (key, rows) in part.replications() {
            if current.as_ref().is_none_or(|(last, _)| *last != key) {
                finish(current.replace((key, Reading::default())));
            }
            let Some((_, reading)) = &mut current else { continue };
            has_all &= reading.add(part, rows).is_some();
        }
        Ok(())
    })?;
    finish(current);
    Ok(if has_all { found } else { SavedBlocks::new() })
}

/// Returns the name of each compared number, with the column of the jobs that it is a mean of, and the column
/// to subtract from it.
fn compared_columns() -> impl Iterator<Item = (&'static str, (&'static str, Option<&'static str>))> {
    let compared = METRICS.iter().filter(|metric| metric.is_compared);
    compared.filter_map(|metric| Some((metric.name(), metric.of_jobs?)))
}

/// The jobs of one replication, collected while reading.
#[derive(Default)]
struct Reading {
    jobs: Vec<JobRow>,
    /// The name of each compared number, with its value for each job.
    numbers: Vec<(&'static str, Vec<f64>)>,
}

impl Reading {
    /// Adds these rows of a part of the jobs; `None` if it lacks a column.
    fn add(&mut self, part: &Table, rows: Range<usize>) -> Option<()> {
        let jobs = JobColumns::of(part);
        self.jobs.extend(rows.clone().map(|i| jobs.row(i)));
        self.numbers.resize_with(compared_columns().count(), Default::default);
        for ((name, (column, less)), numbers) in compared_columns().zip(&mut self.numbers) {
            let (of, less) = (part.numbers(column)?, less.and_then(|less| part.numbers(less)));
            let number = |of: &Numbers, i: usize| of.get(i).unwrap_or_default();
            let value = |i: usize| number(of, i) - less.map_or(0.0, |less| number(less, i));
            numbers.0 = name;
            numbers.1.extend(rows.clone().map(value));
        }
        Some(())
    }
}
