//! The closing lines from saved results: those that the command printed when it made them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::measured::{Measured, Replication, compared};
use super::winners::Winners;
use super::{lines, primary};
use meshreplay_figures::{Curve, FigureError, Results};
use meshreplay_results::frame::{Sheet, pooling_replays};
use meshreplay_sim::metrics::{BlockSums, METRICS, SavedJob, Trim};
use meshreplay_study::study::ReplaySpec;

/// The columns of the jobs that say which jobs were replayed, and which of them count in means.
const COLUMNS: [&str; 6] = ["replay", "seed", "job", "submit_s", "start_s", "procs"];
/// The columns of the summary that count jobs that some replays have and others have not.
const LEFT_OUT: [&str; 3] = ["never_fit", "jobs_given_up", "jobs_never_started"];

/// The sums over blocks of jobs of saved replications, by replay and seed.
type SavedBlocks = BTreeMap<(String, String), BlockSums>;

/// Saved results with what they are compared by.
pub(crate) struct SavedAnswer<'a> {
    results: &'a Results,
    /// Empty if not all jobs were kept.
    blocks: SavedBlocks,
    /// Whether replays may be of different jobs although they have as many.
    may_differ: bool,
    /// The numbers of the replays that pool partitions.
    pooled: BTreeSet<u64>,
}

impl<'a> SavedAnswer<'a> {
    /// Reads the jobs in `folder`, if they were kept.
    pub(crate) fn read(folder: &Path, results: &'a Results) -> Result<Self, FigureError> {
        let sheet = &results.sheet;
        let is_one = sheet
            .column("replay")
            .is_none_or(|replays| (0..sheet.height()).all(|row| replays.is_same(0, row)));
        let mut blocks = if is_one { SavedBlocks::new() } else { blocks(folder, results)? };
        let leaves_out = |name: &&str| {
            sheet.numbers(name).is_some_and(|counts| counts.iter().flatten().any(|&count| count > 0.0))
        };
        let has_all = (0..sheet.height()).all(|row| blocks.contains_key(&key(sheet, row)));
        if !has_all {
            blocks.clear();
        }
        let may_differ = !has_all && LEFT_OUT.iter().any(leaves_out);
        Ok(Self { results, blocks, may_differ, pooled: pooling_replays(folder)? })
    }

    /// Returns the closing lines, see [`super::verdict`]. Where jobs were not kept differences have no intervals. There are none if
    /// nothing can be compared, or if it is not certain that replays are of the same jobs.
    pub(crate) fn lines(&self) -> Vec<String> {
        if self.may_differ {
            return Vec::new();
        }
        let sheet = &self.results.sheet;
        let Some(column) = sheet.column("replay") else { return Vec::new() };
        let mut rows = BTreeMap::<u64, Vec<usize>>::new();
        for row in 0..sheet.height() {
            let Ok(number) = column.label(row).parse() else { return Vec::new() };
            rows.entry(number).or_default().push(row);
        }
        let mut replays = BTreeMap::new();
        for (&number, rows) in &rows {
            let Some(replay) = self.measured(rows) else { return Vec::new() };
            replays.insert(number, replay);
        }
        for (number, spec) in self.missing() {
            let pools_partitions = self.pooled.contains(&number);
            let replay = || Measured { spec: Cow::Owned(spec), replications: Vec::new(), pools_partitions };
            replays.entry(number).or_insert_with(replay);
        }
        // Commands of a report run in the directory of the results.
        lines(replays.into_values().collect(), self.primary(), Some(Path::new(".")))
    }

    /// Returns the winners among the rows of a table; `None` if one of them cannot be read.
    pub(crate) fn winners(&self, curves: &[Curve]) -> Option<Winners> {
        let replays: Option<Vec<_>> = curves.iter().map(|curve| self.measured(&curve.rows)).collect();
        Some(Winners::new(&replays?, self.primary()))
    }

    fn primary(&self) -> &'static str {
        primary(self.results.sheet.column("packets").is_some())
    }

    /// Returns the replay in these rows of the summary; `None` if it cannot be read.
    fn measured(&self, rows: &[usize]) -> Option<Measured<'_>> {
        let sheet = &self.results.sheet;
        let number = |row: usize, name: &str| sheet.numbers(name).and_then(|numbers| numbers[row]);
        let replication = |&row: &usize| {
            let key = key(sheet, row);
            Some(Replication {
                seed: key.1.parse().ok()?,
                jobs: number(row, "jobs"),
                in_means: number(row, "jobs_in_means"),
                numbers: compared(|name| number(row, name)),
                blocks: self.blocks.get(&key).map(Cow::Borrowed),
            })
        };
        let first = *rows.first()?;
        let number = sheet.column("replay").and_then(|column| column.label(first).parse().ok());
        Some(Measured {
            spec: Cow::Owned(self.results.spec(first)?),
            replications: rows.iter().map(replication).collect::<Option<_>>()?,
            pools_partitions: number.is_some_and(|number| self.pooled.contains(&number)),
        })
    }

    /// Returns the replays that run.json or study.json lists and the summary lacks, with their numbers.
    fn missing(&self) -> Vec<(u64, ReplaySpec)> {
        let missing = &self.results.sheet.missing;
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

/// Returns the replay and the seed of a row.
fn key(sheet: &Sheet, row: usize) -> (String, String) {
    let label = |name: &str| sheet.column(name).map(|column| column.label(row)).unwrap_or_default();
    (label("replay"), label("seed"))
}

/// The number of jobs of a replication up to which differences have intervals. More would take much memory: all jobs of
/// a replication are in memory at a time.
const MOST_JOBS: f64 = 2_500_000.0;

/// Returns the sums over blocks of the jobs in `folder`; none if the jobs were not kept, or if there are very many.
fn blocks(folder: &Path, results: &Results) -> Result<SavedBlocks, FigureError> {
    let jobs = results.sheet.numbers("jobs").unwrap_or_default();
    if jobs.iter().flatten().any(|&jobs| jobs > MOST_JOBS) {
        return Ok(SavedBlocks::new());
    }
    let compared: Vec<_> = METRICS
        .iter()
        .filter(|metric| metric.is_compared)
        .filter_map(|metric| Some((metric.name(), metric.of_jobs?)))
        .collect();
    let mut names = COLUMNS.to_vec();
    for (_, (column, less)) in &compared {
        names.extend([Some(*column), *less].into_iter().flatten());
    }
    names.sort_unstable();
    names.dedup();
    let trim = Trim { percent: results.sheet.numbers("trim_percent").and_then(|percent| percent[0]) };
    let mut found = SavedBlocks::new();
    let mut reading = Reading { names: &names, key: None, columns: Vec::new() };
    let mut has_all = true;
    let mut add = |reading: &mut Reading<'_>| {
        let Some(key) = reading.key.take() else { return };
        match reading.sums(&compared, trim) {
            Some(sums) => drop(found.insert(key, sums)),
            None => has_all = false,
        }
    };
    let mut part = |sheet: &Sheet| -> Result<(), FigureError> {
        let is_same =
            |name: &str, i: usize| sheet.column(name).is_some_and(|column| column.is_same(i, i - 1));
        for i in 0..sheet.height() {
            // The rows of a replication stand together.
            let is_new = if i > 0 {
                !(is_same("replay", i) && is_same("seed", i))
            } else {
                reading.key.as_ref() != Some(&key(sheet, 0))
            };
            if is_new {
                add(&mut reading);
                reading.begin(key(sheet, i), sheet);
            }
            reading.push(sheet, i);
        }
        Ok(())
    };
    Sheet::visit_details(folder, "jobs", &names, &|_| true, &mut part)?;
    add(&mut reading);
    Ok(if has_all { found } else { SavedBlocks::new() })
}

/// The columns of one replication, as they are read.
struct Reading<'a> {
    names: &'a [&'static str],
    /// The replay and the seed; `None` before the first row.
    key: Option<(String, String)>,
    /// The numbers of each column; empty for a column that the jobs lack.
    columns: Vec<Option<Vec<f64>>>,
}

impl Reading<'_> {
    /// Begins with another replication, whose first row is in `sheet`.
    fn begin(&mut self, key: (String, String), sheet: &Sheet) {
        self.key = Some(key);
        self.columns = self.names.iter().map(|name| sheet.numbers(name).map(|_| Vec::new())).collect();
    }

    /// Adds a row.
    fn push(&mut self, sheet: &Sheet, i: usize) {
        for (name, column) in self.names.iter().zip(&mut self.columns) {
            if let (Some(values), Some(numbers)) = (column.as_mut(), sheet.numbers(name)) {
                values.push(numbers[i].unwrap_or_default());
            }
        }
    }

    /// Returns the numbers of a column; `None` if the jobs lack it.
    fn column(&self, name: &str) -> Option<&[f64]> {
        let at = self.names.iter().position(|other| *other == name)?;
        self.columns.get(at)?.as_deref()
    }

    /// Returns the sums over blocks of the replication; `None` if a column is missing.
    fn sums(
        &self,
        compared: &[(&'static str, (&'static str, Option<&'static str>))],
        trim: Trim,
    ) -> Option<BlockSums> {
        let saved = self.saved_jobs()?;
        let values = |(name, less): (&str, Option<&str>)| {
            let (of, less) = (self.column(name)?, less.map(|less| self.column(less)));
            let value = |i: usize| of[i] - less.flatten().map_or(0.0, |less| less[i]);
            Some((0..of.len()).map(value).collect::<Vec<f64>>())
        };
        let numbers: Option<Vec<_>> =
            compared.iter().map(|(name, columns)| Some((*name, values(*columns)?))).collect();
        Some(BlockSums::of_saved(&saved, trim, &numbers?))
    }

    /// Returns the jobs of the replication; `None` if a column is missing.
    fn saved_jobs(&self) -> Option<Vec<SavedJob>> {
        let [number, submit, start, procs] =
            ["job", "submit_s", "start_s", "procs"].map(|name| self.column(name));
        let (number, submit, start, procs) = (number?, submit?, start?, procs?);
        let job = |i: usize| SavedJob {
            number: number[i] as i64,
            submit_s: submit[i],
            start_s: start[i],
            procs: procs[i] as u32,
        };
        Some((0..number.len()).map(job).collect())
    }
}
