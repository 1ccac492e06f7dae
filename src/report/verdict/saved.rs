//! The answer in words from saved results: the sentences that the command printed when it made them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use super::measured::{Measured, Replication, compared};
use super::sentences;
use crate::figure::{FigureError, Results};
use crate::frame::Sheet;
use crate::metrics::{BlockSums, METRICS, SavedJob, Trim};

/// The columns of the jobs that say which jobs were replayed, and which of them count in means.
const COLUMNS: [&str; 6] = ["replay", "seed", "job", "submit_s", "start_s", "procs"];
/// The columns of the summary that count jobs that some replays have and others have not.
const LEFT_OUT: [&str; 3] = ["never_fit", "jobs_given_up", "jobs_never_started"];

/// The sums over blocks of jobs of saved replications, by replay and seed.
type SavedBlocks = BTreeMap<(String, String), BlockSums>;

/// Returns the sentences on the saved results in `folder`, see [`super::verdict`]. Where jobs were not kept differences have
/// no intervals. The list is empty if nothing can be compared, or if it is not certain that replays are of the same jobs.
pub(in crate::report) fn verdict_of_saved(
    folder: &Path,
    results: &Results,
) -> Result<Vec<String>, FigureError> {
    let sheet = &results.sheet;
    let Some(replays) = sheet.column("replay") else { return Ok(Vec::new()) };
    let mut rows = BTreeMap::<String, Vec<usize>>::new();
    let mut order = Vec::new();
    for row in 0..sheet.height() {
        let of = rows.entry(replays.label(row)).or_default();
        if of.is_empty() {
            order.push(replays.label(row));
        }
        of.push(row);
    }
    if order.len() < 2 {
        return Ok(Vec::new());
    }
    let mut blocks = blocks(folder, results)?;
    let has_all = (0..sheet.height()).all(|row| blocks.contains_key(&key(sheet, row)));
    let leaves_out = |name: &&str| {
        sheet.numbers(name).is_some_and(|counts| counts.iter().flatten().any(|&count| count > 0.0))
    };
    if !has_all {
        blocks.clear();
        if LEFT_OUT.iter().any(leaves_out) {
            return Ok(Vec::new());
        }
    }
    let number = |row: usize, name: &str| sheet.numbers(name).and_then(|numbers| numbers[row]);
    let mut measured = Vec::new();
    for replay in order {
        let rows = &rows[&replay];
        let Some(spec) = results.spec(rows[0]) else { return Ok(Vec::new()) };
        let replication = |&row: &usize| Replication {
            jobs: number(row, "jobs"),
            numbers: compared(|name| number(row, name)),
            blocks: blocks.get(&key(sheet, row)).map(Cow::Borrowed),
        };
        let replications = rows.iter().map(replication).collect();
        measured.push(Measured { spec: Cow::Owned(spec), replications });
    }
    Ok(sentences(&measured, sheet.column("packets").is_some()))
}

/// Returns the replay and the seed of a row.
fn key(sheet: &Sheet, row: usize) -> (String, String) {
    let label = |name: &str| sheet.column(name).map(|column| column.label(row)).unwrap_or_default();
    (label("replay"), label("seed"))
}

/// Returns the sums over blocks of the jobs in `folder`; none if the jobs were not kept.
fn blocks(folder: &Path, results: &Results) -> Result<SavedBlocks, FigureError> {
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
    let Some(jobs) = Sheet::read_jobs(folder, &names, &|_| true)? else { return Ok(SavedBlocks::new()) };
    let trim = Trim { percent: results.sheet.numbers("trim_percent").and_then(|percent| percent[0]) };
    let mut found = SavedBlocks::new();
    let mut start = 0;
    while start < jobs.height() {
        let first = key(&jobs, start);
        let is_same = |name: &str, i: usize| jobs.column(name).is_some_and(|column| column.is_same(start, i));
        let is_of_first = |i: &usize| is_same("replay", *i) && is_same("seed", *i);
        let end = (start + 1..jobs.height()).find(|i| !is_of_first(i)).unwrap_or(jobs.height());
        let column = |name: &str| Some(&jobs.numbers(name)?[start..end]);
        let Some(saved) = saved_jobs(&column) else { return Ok(SavedBlocks::new()) };
        let values = |(column_name, less): (&str, Option<&str>)| {
            let (of, less) = (column(column_name)?, less.map(column));
            let value = |i: usize| {
                of[i].unwrap_or_default() - less.flatten().map_or(0.0, |less| less[i].unwrap_or_default())
            };
            Some((0..of.len()).map(value).collect::<Vec<f64>>())
        };
        let numbers: Option<Vec<_>> =
            compared.iter().map(|(name, columns)| Some((*name, values(*columns)?))).collect();
        let Some(numbers) = numbers else { return Ok(SavedBlocks::new()) };
        found.insert(first, BlockSums::of_saved(&saved, trim, &numbers));
        start = end;
    }
    Ok(found)
}

/// Returns the jobs of one replication; `None` if a column is missing. `column` returns its part of a column.
fn saved_jobs<'a>(column: &impl Fn(&str) -> Option<&'a [Option<f64>]>) -> Option<Vec<SavedJob>> {
    let [number, submit, start, procs] = ["job", "submit_s", "start_s", "procs"].map(column);
    let (number, submit, start, procs) = (number?, submit?, start?, procs?);
    let job = |i: usize| SavedJob {
        number: number[i].unwrap_or_default() as i64,
        submit_s: submit[i].unwrap_or_default(),
        start_s: start[i].unwrap_or_default(),
        procs: procs[i].unwrap_or_default() as u32,
    };
    Some((0..number.len()).map(job).collect())
}
