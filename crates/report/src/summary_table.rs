//! The summary of a run, or of saved results, as a table for readers: one row for each replay. Several
//! replications give means with half the width of the confidence interval.

use std::collections::BTreeSet;
use std::path::Path;

use super::chosen_columns::{ColumnError, NONE, TextColumn, spread, text_columns};
use super::page::summary;
use super::verdict::{OVERLOADED, SavedAnswer, Winners};
use meshreplay_figures::{FigureError, Results};
use meshreplay_results::frame::{self, FinishedRun, Missing};
use meshreplay_results::text::{Align, Screen, TextTable, duration_ns, grouped};
use meshreplay_sim::metrics::{
    Better, Display, Group, Has, Interval, METRICS, Metric, Needs, OF_WAITS, Slice, Slices, TableColumn,
};
use meshreplay_study::study::{Coordinate, Options, Outcome, ReplaySpec, Study};

/// The summary of a run, formatted as a table.
pub struct SummaryTable {
    table: TextTable,
    /// The titles of the columns of numbers, the least useful first.
    by_use: Vec<String>,
    /// Whether the number of jobs was requested, so that it stays in the table even if all rows share it.
    keeps_jobs: bool,
}

impl SummaryTable {
    /// Returns the table of `run`, with the replays of `study`. It shows the default columns, or only the
    /// summary's columns in `columns` if there are any. Rows have the order of the replays, or begin with the
    /// best by the number `sort`. Fails if the summary lacks one of the columns.
    pub fn new(
        study: &Study,
        run: &FinishedRun,
        columns: &[String],
        sort: Option<&Metric>,
    ) -> Result<Self, ColumnError> {
        let replays: Vec<(&ReplaySpec, &[Outcome])> = run
            .replays
            .iter()
            .map(|(number, outcomes)| (&study.cells[*number as usize].spec, outcomes.as_slice()))
            .collect();
        let replications: Vec<usize> = replays.iter().map(|(_, outcomes)| outcomes.len()).collect();
        let chosen = if columns.is_empty() {
            Vec::new()
        } else {
            text_columns(columns, &frame::SavedTable::of_frame(&run.summary)?, &replications)?
        };
        let mut order: Vec<usize> = (0..replays.len()).collect();
        if let Some(metric) = sort {
            sort_by(&mut order, &replays, metric);
        }
        let winners = Winners::of_run(study, run);
        let content = TableContent { replays, options: &study.options, has: study.has, chosen, winners };
        let keeps_jobs = !content.has_jobs();
        let mut numbers = default_numbers(&content);
        numbers.reverse();
        numbers.sort_by_key(|(metric, _)| metric.room_rank);
        let slices = slice_columns(&content).into_iter().rev().map(|(title, _)| title);
        let by_use = slices.chain(numbers.into_iter().map(|(_, column)| column.title.to_owned())).collect();
        Ok(Self { table: rows_table(&content, &order), by_use, keeps_jobs })
    }

    /// Returns the table as text. Shared values of all rows move into a line above the table: values that
    /// identify replays, and also numbers if the screen has a width. A narrow screen leaves out the least
    /// useful columns, and a line below the table names them.
    pub fn text(mut self, screen: Screen) -> String {
        let shared = names().into_iter().map(Coordinate::title).filter(|title| *title != ALLOCATOR);
        let mut constant: Vec<&str> = shared.chain(["replications"]).collect();
        constant.extend((!self.keeps_jobs).then_some("jobs"));
        if screen.width.is_some() && self.table.height() > 1 {
            constant.extend(self.by_use.iter().rev().map(String::as_str));
        }
        let shared = self.table.drop_constant(&constant);
        let shared: Vec<String> = shared.iter().map(|(title, cell)| format!("{title} {cell}")).collect();
        let gap = if shared.is_empty() { "" } else { "\n" };
        let by_use: Vec<&str> = self.by_use.iter().map(String::as_str).collect();
        screen.items(&shared) + gap + &screen.table(&self.table, &by_use)
    }

    /// Returns the table itself, with all of its columns.
    pub fn table(&self) -> &TextTable {
        &self.table
    }

    /// Returns the table in Markdown.
    pub fn markdown(&self) -> String {
        self.table.markdown()
    }

    /// Returns the table in LaTeX.
    pub fn latex(&self) -> String {
        self.table.latex("means over jobs", &[])
    }
}

/// Sorts replays by the mean of a number, the best first, and those without the number last.
fn sort_by(order: &mut [usize], replays: &[(&ReplaySpec, &[Outcome])], metric: &Metric) {
    let sign = if metric.better == Better::Higher { -1.0 } else { 1.0 };
    let value = |&i: &usize| mean(metric, replays[i].1).map_or(f64::INFINITY, |value| sign * value);
    order.sort_by(|a, b| value(a).total_cmp(&value(b)));
}

/// Returns the mean of a number over replications; `None` if none has it.
fn mean(metric: &Metric, outcomes: &[Outcome]) -> Option<f64> {
    let values: Vec<f64> = outcomes.iter().filter_map(|outcome| outcome.summary.get(metric.name())).collect();
    Interval::of(&values).map(|interval| interval.mean)
}

/// The replays and columns that a table shows.
struct TableContent<'a> {
    /// The replays, each with its replications.
    replays: Vec<(&'a ReplaySpec, &'a [Outcome])>,
    options: &'a Options,
    /// What the replays have.
    has: Has,
    /// The requested columns; empty for the default columns.
    chosen: Vec<TextColumn>,
    winners: Winners,
}

impl TableContent<'_> {
    /// Returns whether the number of jobs follows the names of replays. A requested column `jobs` keeps its
    /// requested place.
    fn has_jobs(&self) -> bool {
        !self.chosen.iter().any(|column| column.name == "jobs")
    }
}

fn default_numbers(content: &TableContent<'_>) -> Vec<(&'static Metric, TableColumn)> {
    let moves = |outcome: &Outcome| outcome.summary.get("moves").is_some_and(|moves| moves > 0.0);
    let has_delays =
        |(spec, outcomes): &(&ReplaySpec, &[Outcome])| spec.machine.is_array() || outcomes.iter().any(moves);
    let has_unasked = |(_, outcomes): &(&ReplaySpec, &[Outcome])| {
        outcomes
            .iter()
            .any(|outcome| outcome.summary.get("internal_fragmentation").is_some_and(|share| share > 0.0))
    };
    let is_turnaround = content.options.replications.are_several() || content.has.has(Needs::Network);
    let has = content
        .has
        .with(Needs::Turnaround, is_turnaround)
        .with(Needs::Moves, content.replays.iter().any(has_delays))
        .with(Needs::Unasked, content.replays.iter().any(has_unasked))
        .with(Needs::SimulatedWhy, content.options.why);
    let column = |metric: &'static Metric| Some((metric, metric.in_terminal(has)?));
    let mut numbers: Vec<_> = METRICS.iter().filter_map(column).collect();
    // The sort is stable: within a group, numbers keep the order of METRICS.
    numbers.sort_by_key(|(_, column)| column.group);
    numbers
}

/// Returns the default columns on the slices of `--fragmentation`, which are not in the summary: their
/// titles, and the text of a replay. Empty without slices.
fn slice_columns(content: &TableContent<'_>) -> Vec<(String, impl Fn(&[Outcome]) -> String)> {
    let slices = content.options.fragmentation.iter().flat_map(Slices::all);
    let slices = slices.enumerate().filter(|_| content.chosen.is_empty());
    let column = |(i, slice): (usize, &Slice), is_share: bool| {
        let (factor, decimals, unit) = if is_share { (100.0, 1, "%") } else { (1.0, 2, "") };
        let cell = move |outcomes: &[Outcome]| {
            let value = |outcome: &Outcome| {
                let fit = outcome.recording.fragmentation.as_ref()?.slices.get(i)?;
                Some(factor * if is_share { fit.enough } else { fit.fit })
            };
            let values: Vec<f64> = outcomes.iter().filter_map(value).collect();
            Interval::of(&values).map_or_else(|| NONE.to_owned(), |found| spread(found, decimals) + unit)
        };
        (format!("{slice} {}", if is_share { "time" } else { "fits" }), cell)
    };
    let means = slices.clone().map(|slice| column(slice, false));
    means.chain(slices.map(|slice| column(slice, true))).collect()
}

/// Returns the table with all columns and one row for each replay, in this order. The best numbers are
/// marked.
fn rows_table(content: &TableContent<'_>, order: &[usize]) -> TextTable {
    let TableContent { replays, options, has, chosen, winners } = content;
    // A network is named if any replay has one.
    let is_given = |row: &&Coordinate| match row.column_info().needs {
        Needs::Partitions => has.has(Needs::Partitions),
        _ => row.default().is_none() || replays.iter().any(|(spec, _)| !row.is_default(spec)),
    };
    let left: Vec<&Coordinate> = names().into_iter().filter(is_given).collect();
    let mut columns: Vec<_> = left.iter().map(|row| (row.title(), Align::Left)).collect();
    let has_jobs = content.has_jobs();
    let mut right = Vec::new();
    right.extend(has_jobs.then_some("jobs"));
    right.extend(options.replications.are_several().then_some("replications"));
    let numbers = if chosen.is_empty() { default_numbers(content) } else { Vec::new() };
    let slices = slice_columns(content);
    right.extend(numbers.iter().map(|(_, column)| column.title));
    right.extend(slices.iter().map(|(title, _)| title.as_str()));
    right.extend(chosen.iter().map(|column| column.name.as_str()));
    columns.extend(right.into_iter().map(|title| (title, Align::Right)));
    let mut table = TextTable::new(&columns);
    for &i in order {
        let (spec, outcomes) = replays[i];
        let mut cells: Vec<String> = left.iter().map(|row| name(row, spec, outcomes)).collect();
        let jobs: Vec<f64> = outcomes.iter().filter_map(|outcome| outcome.summary.get("jobs")).collect();
        cells.extend(has_jobs.then(|| grouped(Interval::of(&jobs).unwrap_or_default().mean, 0)));
        cells.extend(options.replications.are_several().then(|| outcomes.len().to_string()));
        cells.extend(numbers.iter().map(|(metric, column)| {
            let text = number(metric, column.group, outcomes);
            marked(metric.name(), winners.is_overloaded(i), text)
        }));
        cells.extend(slices.iter().map(|(_, cell)| cell(outcomes)));
        cells.extend(chosen.iter().map(|column| {
            let text = column.cells.get(i).cloned().unwrap_or_default();
            marked(&column.name, winners.is_overloaded(i), text)
        }));
        table.add(cells);
    }
    let mut row_of = vec![None; replays.len()];
    for (row, &i) in order.iter().enumerate() {
        row_of[i] = Some(row);
    }
    for (metric, column) in &numbers {
        let texts: Vec<String> =
            replays.iter().map(|(_, outcomes)| number(metric, column.group, outcomes)).collect();
        let values: Vec<Option<f64>> = replays.iter().map(|(_, outcomes)| mean(metric, outcomes)).collect();
        for row in winners.best_rows(metric, &texts, &values).into_iter().filter_map(|i| row_of[i]) {
            table.mark(row, column.title);
        }
    }
    table
}

/// Returns the text of a number, with the mark of overload if the number depends on waits.
fn marked(name: &str, is_overloaded: bool, text: String) -> String {
    if is_overloaded && OF_WAITS.contains(&name) { format!("{OVERLOADED} {text}") } else { text }
}

/// Returns a coordinate of a replay as a cell. A factor of arrival times other than 1 has the offered load
/// beside it.
fn name(row: &Coordinate, spec: &ReplaySpec, outcomes: &[Outcome]) -> String {
    let load = outcomes.first().and_then(|outcome| outcome.summary.get("offered_load"));
    if let (Some(period), "period", Some(outcome)) = (spec.period, row.name, outcomes.first()) {
        let [from, to] =
            [period.from, period.to].map(|time| outcome.names.date_or_seconds(time.as_micros() / 1_000_000));
        return format!("{from} to {to}");
    }
    let is_scaled = row.name == "arrival_scale" && spec.arrival_scale.to_string() != "1";
    match load.filter(|_| is_scaled) {
        Some(load) => format!("{} (load {load:.2})", row.cell(spec)),
        None => row.cell(spec),
    }
}

/// The coordinate next to the numbers.
const ALLOCATOR: &str = "allocator";

/// Returns the coordinates that name the rows, in the order of the columns. The rules are the same for all
/// replays of a run.
fn names() -> Vec<&'static Coordinate> {
    let mut rows = Coordinate::by_column();
    rows.retain(|row| row.name != "rules");
    // The sort is stable.
    rows.sort_by_key(|row| row.name == ALLOCATOR);
    rows
}

/// Returns the mean of a number over the replications that have it, as text; `-` if none has it.
fn number(metric: &Metric, group: Group, outcomes: &[Outcome]) -> String {
    // A replay without a network sends no packets, so its numbers of the network are 0.
    let absent = (metric.column.needs == Needs::Network).then_some(0.0);
    let value =
        |outcome: &Outcome| Some(metric.display.factor() * outcome.summary.get(metric.name()).or(absent)?);
    let values: Vec<f64> = outcomes.iter().filter_map(value).collect();
    let Some(found) = Interval::of(&values) else { return NONE.to_owned() };
    let (mean, decimals) = (found.mean, metric.display.decimals());
    match metric.display {
        Display::Measured(_) if metric.column.unit == "ns" => duration_ns(mean as u64),
        Display::Measured(_) => format!("{mean:.decimals$} {}", metric.column.unit),
        Display::Percent(_) => spread(found, decimals) + "%",
        // Jobs of workload models last seconds and need decimals. Jobs of logs last hours.
        Display::Seconds(_) => spread(found, if mean.abs() < 100.0 && mean.fract() != 0.0 { 2 } else { 0 }),
        Display::Plain(_) if group == Group::Last => grouped(mean, decimals),
        Display::Plain(_) => spread(found, decimals),
    }
}

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

/// Returns the closing lines of the results in `folder`, see [`super::verdict`()], of the replays in
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
        let aligned = |column: &super::ReportColumn| if column.is_words { Align::Left } else { Align::Right };
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
