//! The summary of replays as a table for people: one row each, means with half widths over several replications.

use super::chosen_columns::{Chosen, ColumnError, chosen};
use crate::allocator;
use crate::frame::{FinishedRun, Sheet};
use crate::metrics::{Interval, Summary, TrafficSummary};
use crate::study::{Options, Outcome, ReplaySpec, Study};
use crate::text::{Align, Table, duration_ns, grouped};

/// The summary of a run as a table.
pub struct SummaryTable(Table);

impl SummaryTable {
    /// Returns the table of `run`, whose replays are those of `study`: the usual columns, or those of the summary that
    /// `columns` names. Fails if the summary does not have one of them.
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

    /// The table for a terminal; what all rows share stands in one line above.
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

    /// The table in Markdown.
    pub fn markdown(&self) -> String {
        self.0.markdown()
    }

    /// The table in LaTeX.
    pub fn latex(&self) -> String {
        self.0.latex(&["means over jobs".to_owned()])
    }
}

/// What a table shows.
struct Shown<'a> {
    /// The replays with their replications.
    replays: Vec<(&'a ReplaySpec, &'a [Outcome])>,
    options: &'a Options,
    /// The columns that were asked for in place of the usual ones.
    chosen: Vec<Chosen>,
}

/// A column of numbers: title, value (`None` if it is a mean over no jobs), factor, decimals, unit.
type Column = (&'static str, fn(&Summary) -> Option<f64>, f64, fn(f64) -> usize, &'static str);

/// What a cell holds that has no number.
pub(super) const NONE: &str = "-";

/// What replications are usually asked to make precise.
const TURNAROUND: Column =
    ("turnaround s", |summary| summary.over_jobs(summary.turnaround_s_mean), 1.0, seconds, "");

/// What a network adds, instead of how placements fall apart.
const TRAFFIC: [Column; 4] = [
    ("service s", |summary| summary.over_jobs(summary.service_s_mean), 1.0, seconds, ""),
    ("latency", |summary| Some(traffic(summary).latency_mean), 1.0, |_| 1, ""),
    ("blocked", |summary| Some(traffic(summary).blocked_mean), 1.0, |_| 1, ""),
    ("contended", |summary| Some(traffic(summary).contended_share), 100.0, |_| 1, "%"),
];

fn traffic(summary: &Summary) -> TrafficSummary {
    summary.traffic.unwrap_or_default()
}

/// What tells jobs apart where every placement is as good, on an array, or where running jobs make room.
const DELAYS: [Column; 4] = [
    ("queue delay s", |summary| summary.over_jobs(summary.queue_delay_s_mean), 1.0, seconds, ""),
    ("allocation delay s", |summary| summary.over_jobs(summary.allocation_delay_s_mean), 1.0, seconds, ""),
    ("moves", |summary| Some(summary.moves as f64), 1.0, |_| 0, ""),
    ("suspended s", |summary| summary.over_jobs(summary.suspended_s_mean), 1.0, seconds, ""),
];

/// The usual columns of a table: with replications or a network, turnaround instead of slowdown; with a machine of one
/// dimension, or jobs that were moved, delays too.
fn usual_columns(shown: &Shown<'_>) -> Vec<Column> {
    let options = shown.options;
    let mut columns = COLUMNS.to_vec();
    if options.replications.are_several() || options.traffic {
        columns[2] = TURNAROUND;
    }
    if options.traffic {
        columns.splice(3.., TRAFFIC);
        columns.push(COLUMNS[4]);
    }
    let has_delays = |(spec, outcomes): &(&ReplaySpec, &[Outcome])| {
        spec.machine.dims() == 1 || outcomes.iter().any(|outcome| outcome.summary.moves > 0)
    };
    if shown.replays.iter().any(has_delays) {
        columns.extend(DELAYS);
    }
    columns
}

const COLUMNS: [Column; 7] = [
    ("utilization", |summary| Some(summary.utilization), 100.0, |_| 1, "%"),
    ("wait s", |summary| summary.over_jobs(summary.wait_s_mean), 1.0, seconds, ""),
    ("slowdown", |summary| summary.over_jobs(summary.bounded_slowdown_mean), 1.0, |_| 1, ""),
    ("pairwise sum", |summary| summary.over_jobs(summary.pairwise_sum_mean), 1.0, |_| 1, ""),
    ("pairwise mean", |summary| summary.over_jobs(summary.pairwise_mean_mean), 1.0, |_| 3, ""),
    ("components", |summary| summary.over_jobs(summary.components_mean), 1.0, |_| 2, ""),
    ("contiguous", |summary| summary.over_jobs(summary.contiguous_share), 100.0, |_| 1, "%"),
];

/// Decimals of a time: jobs of models last seconds, those of logs hours.
fn seconds(value: f64) -> usize {
    if value.abs() < 100.0 && value.fract() != 0.0 { 2 } else { 0 }
}

fn rows_table(shown: &Shown<'_>) -> Table {
    let Shown { replays, options, chosen } = shown;
    let mut left = vec!["log", "machine", "scheduler"];
    left.extend(options.traffic.then_some("network"));
    left.extend(["scale", "seed", "allocator"]);
    let mut columns: Vec<_> = left.into_iter().map(|title| (title, Align::Left)).collect();
    let mut right = vec!["jobs"];
    right.extend(options.replications.are_several().then_some("replications"));
    let usual = usual_columns(shown);
    if chosen.is_empty() {
        right.extend(usual.iter().map(|(title, ..)| *title));
        if options.timed {
            right.extend(["call p50", "call p99", "replay"]);
        } else {
            // Beside the times there is no room for it.
            right.push("to bound");
        }
    } else {
        right.extend(chosen.iter().map(|column| column.name.as_str()));
    }
    columns.extend(right.into_iter().map(|title| (title, Align::Right)));
    let mut table = Table::new(&columns);
    for (i, (spec, outcomes)) in replays.iter().enumerate() {
        let mut cells = names(spec, outcomes, options);
        if chosen.is_empty() {
            cells.extend(numbers(outcomes, options, &usual));
        } else {
            cells.extend(chosen.iter().map(|column| column.cells.get(i).cloned().unwrap_or_default()));
        }
        table.add(cells);
    }
    table
}

/// What a replay is, and how many jobs and replications it has.
fn names(spec: &ReplaySpec, outcomes: &[Outcome], options: &Options) -> Vec<String> {
    let mut cells = vec![spec.log.clone(), spec.machine.to_string(), spec.scheduler.to_string()];
    cells.extend(options.traffic.then(|| spec.network.to_string()));
    let jobs = interval(outcomes, &|outcome| Some(outcome.summary.jobs as f64)).unwrap_or_default();
    cells.extend([
        spec.arrival_scale.to_string(),
        spec.seed.to_string(),
        allocator::short(&spec.allocator),
        grouped(jobs.mean, 0),
    ]);
    cells.extend(options.replications.are_several().then(|| outcomes.len().to_string()));
    cells
}

/// The mean of a number over the replications that have it; `None` if none has.
fn interval(outcomes: &[Outcome], value: &dyn Fn(&Outcome) -> Option<f64>) -> Option<Interval> {
    Interval::of(&outcomes.iter().filter_map(value).collect::<Vec<f64>>())
}

/// A mean as it is shown, with half its width if it is of several.
pub(super) fn spread(Interval { mean, half_width, count }: Interval, decimals: usize) -> String {
    let spread = if count > 1 { format!(" ±{}", grouped(half_width, decimals)) } else { String::new() };
    grouped(mean, decimals) + &spread
}

/// The usual numbers of a replay.
fn numbers(outcomes: &[Outcome], options: &Options, columns: &[Column]) -> Vec<String> {
    let mut cells = Vec::new();
    for (_, value, factor, decimals, unit) in columns {
        let found = interval(outcomes, &|outcome| value(&outcome.summary).map(|value| factor * value));
        cells.push(found.map_or_else(|| NONE.to_owned(), |found| spread(found, decimals(found.mean)) + unit));
    }
    if options.timed {
        let mean = |value: &dyn Fn(&Outcome) -> f64| {
            interval(outcomes, &|outcome| Some(value(outcome))).unwrap_or_default().mean
        };
        cells.push(duration_ns(mean(&|outcome| outcome.summary.allocate.p50_ns as f64) as u64));
        cells.push(duration_ns(mean(&|outcome| outcome.summary.allocate.p99_ns as f64) as u64));
        cells.push(format!("{:.3} s", mean(&|outcome| outcome.wall_s)));
    } else {
        let bound =
            |outcome: &Outcome| outcome.summary.over_parallel(outcome.summary.pairwise_ratio_to_bound_mean);
        cells
            .push(interval(outcomes, &bound).map_or_else(|| NONE.to_owned(), |found| grouped(found.mean, 3)));
    }
    cells
}
