//! The table and the closing lines of saved results, without a report.

use std::collections::BTreeSet;
use std::path::Path;

use crate::chosen_columns::{ColumnError, text_columns};
use crate::page::summary;
use crate::verdict::SavedAnswer;
use meshreplay_figures::{FigureError, Results};
use meshreplay_results::frame::{self, Missing};
use meshreplay_results::text::{Align, TextTable};

/// Reads the results in `folder` of the replays in `numbers`, or all if it is `None`.
fn read(folder: &Path, numbers: Option<&BTreeSet<u64>>) -> Result<Results, FigureError> {
    let Some(numbers) = numbers else { return Results::read(folder) };
    let whole = frame::SavedTable::read(folder)?;
    let is_of = |row: usize| whole.column("replay").and_then(|column| column.whole(row));
    let part = whole.filtered(&|row| is_of(row).is_some_and(|number| numbers.contains(&number)))?;
    if part.height() == 0 {
        return Err(FigureError::NoRows { path: part.path });
    }
    Ok(Results::new(frame::SavedTable { missing: Missing::default(), ..part }))
}

/// Returns the closing lines of the results in `folder`, see [`crate::verdict`()], of the replays in
/// `numbers` or of all. Differences have no intervals if jobs were not kept.
pub fn saved_verdict(folder: &Path, numbers: Option<&BTreeSet<u64>>) -> Result<Vec<String>, FigureError> {
    let results = read(folder, numbers)?;
    Ok(SavedAnswer::read(folder, &results)?.lines())
}

/// Returns the table of the results in `folder`, of the replays in `numbers` or of all, a row for each: the
/// default columns of a report, or only the summary's columns in `columns` if there are any. The inner error
/// is a column that the summary lacks.
pub fn saved_table(
    folder: &Path,
    numbers: Option<&BTreeSet<u64>>,
    columns: &[String],
) -> Result<Result<TextTable, ColumnError>, FigureError> {
    let results = read(folder, numbers)?;
    if columns.is_empty() {
        let answer = SavedAnswer::read(folder, &results)?;
        let found = summary(&results, &answer, &[]);
        let is_shown = |i: &usize| !found.columns[*i].is_extra;
        let shown: Vec<usize> = (0..found.columns.len()).filter(is_shown).collect();
        let aligned = |column: &crate::ReportColumn| if column.is_words { Align::Left } else { Align::Right };
        let titles = shown.iter().map(|&i| &found.columns[i]);
        let titles: Vec<_> = titles.map(|column| (column.title.as_str(), aligned(column))).collect();
        let mut table = TextTable::new(&titles);
        for row in &found.rows {
            table.add(shown.iter().map(|&i| row[i].text.clone()).collect());
        }
        return Ok(Ok(table));
    }
    let summary = &results.table;
    let mut replications: Vec<usize> = Vec::new();
    let mut firsts = Vec::new();
    for row in 0..summary.height() {
        match replications.last_mut() {
            Some(count) if summary.label("replay", row) == summary.label("replay", row - 1) => *count += 1,
            _ => {
                replications.push(1);
                firsts.push(row);
            }
        }
    }
    Ok(text_columns(columns, summary, &replications).map(|chosen| {
        let names = results.varying.iter().map(|name| (*name, Align::Left));
        let titles = names.chain(chosen.iter().map(|column| (column.name.as_str(), Align::Right)));
        let mut table = TextTable::new(&titles.collect::<Vec<_>>());
        for (i, &row) in firsts.iter().enumerate() {
            let names = results.varying.iter().map(|name| summary.label(name, row));
            table.add(names.chain(chosen.iter().map(|column| column.cells[i].clone())).collect());
        }
        table
    }))
}
