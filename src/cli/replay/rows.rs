//! The summary of replays as a table for people: one row each, means with half widths over several replications.

use crate::allocator;
use crate::metrics::{Interval, Summary, TrafficSummary};
use crate::render::{Align, Table, duration_ns, grouped};
use crate::study::{Cell, Outcome, Plan};

/// The rows for a terminal; what all rows share stands in one line above.
pub(super) fn table(replays: &[(&Cell, &[Outcome])], plan: &Plan) -> String {
    let mut table = rows_table(replays, plan);
    let shared = table.drop_constant(&[
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
    if shared.is_empty() { table.text() } else { format!(" {}\n\n{}", shared.join(" · "), table.text()) }
}

/// A column of numbers: title, value, factor, decimals, unit.
type Column = (&'static str, fn(&Summary) -> f64, f64, fn(f64) -> usize, &'static str);

/// What replications are usually asked to make precise.
const TURNAROUND: Column = ("turnaround s", |summary| summary.turnaround_s_mean, 1.0, seconds, "");

/// What a network adds, instead of how placements fall apart.
const TRAFFIC: [Column; 4] = [
    ("service s", |summary| summary.service_s_mean, 1.0, seconds, ""),
    ("latency", |summary| traffic(summary).latency_mean, 1.0, |_| 1, ""),
    ("blocked", |summary| traffic(summary).blocked_mean, 1.0, |_| 1, ""),
    ("contended", |summary| traffic(summary).contended_share, 100.0, |_| 1, "%"),
];

fn traffic(summary: &Summary) -> TrafficSummary {
    summary.traffic.unwrap_or_default()
}

/// The columns of a table: with replications or a network, turnaround instead of slowdown.
fn columns_of(plan: &Plan) -> Vec<Column> {
    let mut columns = COLUMNS.to_vec();
    if plan.replications.are_several() || plan.traffic {
        columns[2] = TURNAROUND;
    }
    if plan.traffic {
        columns.splice(3.., TRAFFIC);
        columns.push(COLUMNS[4]);
    }
    columns
}

const COLUMNS: [Column; 7] = [
    ("utilization", |summary| summary.utilization, 100.0, |_| 1, "%"),
    ("wait s", |summary| summary.wait_s_mean, 1.0, seconds, ""),
    ("slowdown", |summary| summary.bounded_slowdown_mean, 1.0, |_| 1, ""),
    ("pairwise sum", |summary| summary.pairwise_sum_mean, 1.0, |_| 1, ""),
    ("pairwise mean", |summary| summary.pairwise_mean_mean, 1.0, |_| 3, ""),
    ("components", |summary| summary.components_mean, 1.0, |_| 2, ""),
    ("contiguous", |summary| summary.contiguous_share, 100.0, |_| 1, "%"),
];

/// Decimals of a time: jobs of models last seconds, those of logs hours.
fn seconds(value: f64) -> usize {
    if value.abs() < 100.0 && value.fract() != 0.0 { 2 } else { 0 }
}

pub(super) fn rows_table(replays: &[(&Cell, &[Outcome])], plan: &Plan) -> Table {
    let mut left = vec!["log", "machine", "scheduler"];
    left.extend(plan.traffic.then_some("network"));
    left.extend(["scale", "seed", "allocator"]);
    let mut columns: Vec<_> = left.into_iter().map(|title| (title, Align::Left)).collect();
    let mut right = vec!["jobs"];
    right.extend(plan.replications.are_several().then_some("replications"));
    right.extend(columns_of(plan).into_iter().map(|(title, ..)| title));
    if plan.timed {
        right.extend(["call p50", "call p99", "replay"]);
    } else {
        // Beside the times there is no room for it.
        right.push("to bound");
    }
    columns.extend(right.into_iter().map(|title| (title, Align::Right)));
    let mut table = Table::new(&columns);
    for (cell, outcomes) in replays {
        table.add(row(cell, outcomes, plan));
    }
    table
}

fn row(cell: &Cell, outcomes: &[Outcome], plan: &Plan) -> Vec<String> {
    let interval = |value: &dyn Fn(&Outcome) -> f64| {
        Interval::of(&outcomes.iter().map(value).collect::<Vec<f64>>()).unwrap_or_default()
    };
    let mut cells = vec![cell.log.clone(), cell.machine.to_string(), cell.scheduler.to_string()];
    cells.extend(plan.traffic.then(|| cell.network.to_string()));
    cells.extend([
        cell.arrival_scale.to_string(),
        cell.seed.to_string(),
        allocator::short(&cell.allocator),
        grouped(interval(&|outcome| outcome.summary.jobs as f64).mean, 0),
    ]);
    cells.extend(plan.replications.are_several().then(|| outcomes.len().to_string()));
    for (_, value, factor, decimals, unit) in columns_of(plan) {
        let Interval { mean, half_width, count } = interval(&|outcome| factor * value(&outcome.summary));
        let decimals = decimals(mean);
        let spread = if count > 1 { format!(" ±{}", grouped(half_width, decimals)) } else { String::new() };
        cells.push(grouped(mean, decimals) + &spread + unit);
    }
    if plan.timed {
        let mean_ns =
            |value: &dyn Fn(&Outcome) -> u64| interval(&|outcome| value(outcome) as f64).mean as u64;
        cells.push(duration_ns(mean_ns(&|outcome| outcome.summary.allocate.p50_ns)));
        cells.push(duration_ns(mean_ns(&|outcome| outcome.summary.allocate.p99_ns)));
        cells.push(format!("{:.3} s", interval(&|outcome| outcome.wall_s).mean));
    } else {
        cells.push(grouped(interval(&|outcome| outcome.summary.pairwise_ratio_to_bound_mean).mean, 3));
    }
    cells
}
