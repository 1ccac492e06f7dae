//! The summary of a run as a table for readers: one row for each replay. Several replications give means with half the
//! width of the confidence interval.

use super::chosen_columns::{Chosen, ColumnError, NONE, chosen, spread};
use crate::allocator;
use crate::frame::{FinishedRun, Sheet};
use crate::metrics::{Circumstances, Display, Group, Interval, METRICS, Metric, TableColumn, When};
use crate::study::{Options, Outcome, ReplaySpec, Study};
use crate::text::{Align, Table, duration_ns, grouped};

/// The summary of a run, formatted as a table.
pub struct SummaryTable(Table);

impl SummaryTable {
    /// Returns the table of `run`, with the replays of `study`. It shows the default columns, or only the summary's
    /// columns in `columns` if there are any. Fails if the summary lacks one of them.
    pub fn new(study: &Study, run: &FinishedRun, columns: &[String]) -> Result<Self, ColumnError> {
        let replays: Vec<(&ReplaySpec, &[Outcome])> = run
            .replays
            .iter()
            .map(|(number, outcomes)| (&study.cells[*number as usize].spec, outcomes.as_slice()))
            .collect();
        let replications: Vec<usize> = replays.iter().map(|(_, outcomes)| outcomes.len()).collect();
        let chosen = if columns.is_empty() {
            Vec::new()
        } else {
            chosen(columns, &Sheet::of_frame(&run.summary)?, &replications)?
        };
        Ok(Self(rows_table(&Shown { replays, options: &study.options, chosen })))
    }

    /// Returns the table for a terminal. Values that all rows share are removed from the table and stand in one line
    /// above it.
    pub fn text(mut self) -> String {
        let shared = self.0.drop_constant(&[
            "log",
            "machine",
            "scheduler",
            "network",
            "scale",
            "seed",
            "jobs",
            "replications",
        ]);
        let shared: Vec<String> = shared.iter().map(|(title, cell)| format!("{title} {cell}")).collect();
        if shared.is_empty() {
            self.0.text()
        } else {
            format!(" {}\n\n{}", shared.join(" · "), self.0.text())
        }
    }

    /// Returns the table in Markdown.
    pub fn markdown(&self) -> String {
        self.0.markdown()
    }

    /// Returns the table in LaTeX.
    pub fn latex(&self) -> String {
        self.0.latex(&["means over jobs".to_owned()])
    }
}

/// The replays and columns that a table shows.
struct Shown<'a> {
    /// The replays, each with its replications.
    replays: Vec<(&'a ReplaySpec, &'a [Outcome])>,
    options: &'a Options,
    /// The columns that the user asked for; empty for the default columns.
    chosen: Vec<Chosen>,
}

/// Returns the default numbers of the table, each with its column.
fn default_numbers(shown: &Shown<'_>) -> Vec<(&'static Metric, TableColumn)> {
    let moves = |outcome: &Outcome| outcome.summary.get("moves").is_some_and(|moves| moves > 0.0);
    let has_delays =
        |(spec, outcomes): &(&ReplaySpec, &[Outcome])| spec.machine.dims() == 1 || outcomes.iter().any(moves);
    let circumstances = Circumstances {
        timed: shown.options.timed,
        replicated: shown.options.replications.are_several(),
        network: shown.options.traffic,
        recorded: shown.options.recorded,
        delays: shown.replays.iter().any(has_delays),
        outages: shown.options.outages.is_some(),
        predictions: shown.options.predictions,
        ..Circumstances::default()
    };
    let column = |metric: &'static Metric| {
        Some((metric, metric.terminal.filter(|column| column.is_shown(&circumstances))?))
    };
    let mut numbers: Vec<_> = METRICS.iter().filter_map(column).collect();
    // The sort is stable: within a group, numbers keep the order of METRICS.
    numbers.sort_by_key(|(_, column)| column.group);
    numbers
}

/// Returns the table with all columns and one row for each replay.
fn rows_table(shown: &Shown<'_>) -> Table {
    let Shown { replays, options, chosen } = shown;
    let mut left = vec!["log", "machine", "scheduler"];
    left.extend(options.traffic.then_some("network"));
    left.extend(["scale", "seed", "allocator"]);
    let mut columns: Vec<_> = left.into_iter().map(|title| (title, Align::Left)).collect();
    let mut right = vec!["jobs"];
    right.extend(options.replications.are_several().then_some("replications"));
    let numbers = if chosen.is_empty() { default_numbers(shown) } else { Vec::new() };
    right.extend(numbers.iter().map(|(_, column)| column.title));
    right.extend(chosen.iter().map(|column| column.name.as_str()));
    columns.extend(right.into_iter().map(|title| (title, Align::Right)));
    let mut table = Table::new(&columns);
    for (i, (spec, outcomes)) in replays.iter().enumerate() {
        let mut cells = names(spec, outcomes, options);
        cells.extend(numbers.iter().map(|(metric, column)| number(metric, column.group, outcomes)));
        cells.extend(chosen.iter().map(|column| column.cells.get(i).cloned().unwrap_or_default()));
        table.add(cells);
    }
    table
}

/// Returns the cells that identify a replay, then its number of jobs and, if there are several, its number of
/// replications.
fn names(spec: &ReplaySpec, outcomes: &[Outcome], options: &Options) -> Vec<String> {
    let mut cells = vec![spec.log.clone(), spec.machine.to_string(), spec.scheduler.to_string()];
    cells.extend(options.traffic.then(|| spec.network.to_string()));
    let jobs: Vec<f64> = outcomes.iter().filter_map(|outcome| outcome.summary.get("jobs")).collect();
    cells.extend([
        spec.arrival_scale.to_string(),
        spec.seed.to_string(),
        allocator::short(&spec.allocator),
        grouped(Interval::of(&jobs).unwrap_or_default().mean, 0),
    ]);
    cells.extend(options.replications.are_several().then(|| outcomes.len().to_string()));
    cells
}

/// Returns the mean of a number over its replications, as text. Replications without the number do not count, and the
/// text is `-` if none has it.
fn number(metric: &Metric, group: Group, outcomes: &[Outcome]) -> String {
    // A replay without a network sends no packets, so its numbers of the network are 0.
    let absent = (metric.column.when == When::Network).then_some(0.0);
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
