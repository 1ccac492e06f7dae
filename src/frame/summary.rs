//! The `summary` frame: one row per replay.

use polars::prelude::{Column, DataFrame, NamedFrom, Series};

use super::{FrameError, frame, name};
use crate::metrics::{ContentionSummary, CostSummary, TrafficSummary};
use crate::study::{Cell, Outcome, Plan};

/// The cost of one kind of allocator calls.
type CostOf = fn(&Outcome) -> &CostSummary;

/// The kinds of allocator calls.
const CALLS: [(&str, CostOf); 3] = [
    ("allocate", |outcome| &outcome.summary.allocate),
    ("refuse", |outcome| &outcome.summary.refused),
    ("release", |outcome| &outcome.summary.release),
];

/// One row per replay, in the order given; the first entry of each is its number.
///
/// | column | type | unit | meaning |
/// |---|---|---|---|
/// | `replay` | u32 | | number of the replay; the same in the `jobs` frame |
/// | `log`, `machine` | str | | what was replayed, and on what |
/// | `scheduler`, `allocator` | str | | specs with every default written out |
/// | `network` | str | | how long jobs run, likewise |
/// | `arrival_scale` | f64 | | what arrival times were multiplied by |
/// | `seed` | u64 | | seed of everything random |
/// | `rules` | str | | how records became jobs |
/// | `trim_percent` | f64 | % | first jobs that means leave out; null if nothing is left out |
/// | `jobs`, `jobs_in_means`, `skipped` | u64 | | jobs replayed; those that means are over; records left out |
/// | `never_fit` | u64 | | records left out because the allocator never finds a place for their shape |
/// | `makespan_s` | f64 | s | first arrival to last end |
/// | `utilization` | f64 | | busy node-seconds by nodes and makespan |
/// | `internal_fragmentation` | f64 | | share of busy node-seconds that no job asked for |
/// | `wait_s_mean` | f64 | s | mean of start − arrival |
/// | `queue_delay_s_mean`, `allocation_delay_s_mean` | f64 | s | mean of arrival to head of the queue, of head to start |
/// | `moves` | u64 | | moves of running jobs that made room |
/// | `suspended_s_mean` | f64 | s | mean time that jobs stood still because of that |
/// | `service_s_mean` | f64 | s | mean of end − start |
/// | `turnaround_s_mean` | f64 | s | mean of end − arrival |
/// | `turnaround_s_variance` | f64 | s² | variance of end − arrival over the jobs |
/// | `bounded_slowdown_mean` | f64 | | mean of max(1, turnaround / max(run, 10 s)) |
/// | `pairwise_sum_mean` | f64 | hops | mean Σ L1 distance over a job's pairs of nodes, serial jobs as 0 |
/// | `pairwise_mean_mean` | f64 | hops | mean of the jobs' mean distances, serial jobs as 0 |
/// | `pairwise_mean_parallel_mean` | f64 | hops | the same over jobs of at least two nodes |
/// | `pairwise_ratio_to_bound_mean` | f64 | | mean of pairwise sum / what no placement of so many nodes of the machine is below, over jobs of at least two nodes; 0 if there are none |
/// | `components_mean`, `contiguous_share` | f64 | | mean number of components; share of jobs that have one |
/// | `allocate_calls`, `allocate_failures` | u64 | | calls of the allocator in all; those refused |
/// | `contention_own_mean`, `contention_others_mean` | f64 | pairs | means of the columns of the `jobs` frame |
/// | `contention_mean` | f64 | pairs | mean over the makespan of all pairs of messages that meet on a link |
/// | `packets` | u64 | | packets that arrived |
/// | `packet_hops_mean` | f64 | hops | mean number of links that they took |
/// | `packet_latency_cycles_mean` | f64 | cycles | mean of creation to arrival of the last flit |
/// | `packet_latency_cycles_p50`, `_p99` | u64 | cycles | quantiles of it |
/// | `packet_blocked_cycles_mean` | f64 | cycles | mean time that headers waited for channels in the network |
/// | `packet_blocked_cycles_p99` | u64 | cycles | quantile of it |
/// | `packets_contended_share` | f64 | | share of packets that waited for another job's packet |
/// | `link_utilization`, `link_utilization_max` | f64 | | flits by links and cycles of the makespan; of the busiest link (up to 2 on a torus at the packet level) |
/// | `allocate_ns_p50`, `_p99`, `_max`, `_total` | u64 | ns | duration of calls that placed a job |
/// | `refuse_ns_p50`, `_p99`, `_max`, `_total` | u64 | ns | duration of calls that were refused |
/// | `release_ns_p50`, `_p99`, `_max`, `_total` | u64 | ns | duration of releases |
/// | `replay_wall_s` | f64 | s | wall-clock time of the replay without reading the log |
/// | `log_sha256` | str | | SHA-256 of the log's text |
/// | `version` | str | | version of meshreplay |
///
/// The `_ns` columns and `replay_wall_s` are absent if the plan is not timed, those of contention unless it is estimated,
/// those of packets and links unless a cell of
/// the plan has a network; they are null for cells that have none.
pub fn summary(rows: &[(u32, &Cell, &Outcome)], plan: &Plan) -> Result<DataFrame, FrameError> {
    let text = |label: &str, value: &dyn Fn(&Cell) -> String| -> Column {
        Series::new(name(label), rows.iter().map(|(_, cell, _)| value(cell)).collect::<Vec<String>>()).into()
    };
    let real = |label: &str, value: &dyn Fn(&Outcome) -> f64| -> Column {
        Series::new(name(label), rows.iter().map(|(.., outcome)| value(outcome)).collect::<Vec<f64>>()).into()
    };
    let whole = |label: &str, value: &dyn Fn(&Cell, &Outcome) -> u64| -> Column {
        let values: Vec<u64> = rows.iter().map(|(_, cell, outcome)| value(cell, outcome)).collect();
        Series::new(name(label), values).into()
    };
    let numbers: Vec<u32> = rows.iter().map(|(number, ..)| *number).collect();
    let scales: Vec<f64> = rows.iter().map(|(_, cell, _)| cell.arrival_scale).collect();
    let mut columns = vec![
        Series::new(name("replay"), numbers).into(),
        text("log", &|cell| cell.log.clone()),
        text("machine", &|cell| cell.machine.to_string()),
        text("scheduler", &|cell| cell.scheduler.to_string()),
        text("allocator", &|cell| cell.allocator.to_string()),
        text("network", &|cell| cell.network.to_string()),
        Series::new(name("arrival_scale"), scales).into(),
        whole("seed", &|_, outcome| outcome.seed),
        text("rules", &|cell| cell.rules.clone()),
        Series::new(name("trim_percent"), vec![plan.trim.percent; rows.len()]).into(),
        whole("jobs", &|_, outcome| outcome.summary.jobs as u64),
        whole("jobs_in_means", &|_, outcome| outcome.summary.jobs_in_means as u64),
        whole("skipped", &|_, outcome| outcome.skipped),
        whole("never_fit", &|_, outcome| outcome.never_fit),
        real("makespan_s", &|outcome| outcome.summary.makespan_s),
        real("utilization", &|outcome| outcome.summary.utilization),
        real("internal_fragmentation", &|outcome| outcome.summary.internal_fragmentation),
        real("wait_s_mean", &|outcome| outcome.summary.wait_s_mean),
        real("queue_delay_s_mean", &|outcome| outcome.summary.queue_delay_s_mean),
        real("allocation_delay_s_mean", &|outcome| outcome.summary.allocation_delay_s_mean),
        whole("moves", &|_, outcome| outcome.summary.moves),
        real("suspended_s_mean", &|outcome| outcome.summary.suspended_s_mean),
        real("service_s_mean", &|outcome| outcome.summary.service_s_mean),
        real("turnaround_s_mean", &|outcome| outcome.summary.turnaround_s_mean),
        real("turnaround_s_variance", &|outcome| outcome.summary.turnaround_s_variance),
        real("bounded_slowdown_mean", &|outcome| outcome.summary.bounded_slowdown_mean),
        real("pairwise_sum_mean", &|outcome| outcome.summary.pairwise_sum_mean),
        real("pairwise_mean_mean", &|outcome| outcome.summary.pairwise_mean_mean),
        real("pairwise_mean_parallel_mean", &|outcome| outcome.summary.pairwise_mean_parallel_mean),
        real("pairwise_ratio_to_bound_mean", &|outcome| outcome.summary.pairwise_ratio_to_bound_mean),
        real("components_mean", &|outcome| outcome.summary.components_mean),
        real("contiguous_share", &|outcome| outcome.summary.contiguous_share),
        whole("allocate_calls", &|_, o| o.summary.allocate.calls + o.summary.refused.calls),
        whole("allocate_failures", &|_, outcome| outcome.summary.refused.calls),
    ];
    if plan.contention {
        columns.extend(contention(rows));
    }
    if plan.traffic {
        columns.extend(traffic(rows));
    }
    if plan.timed {
        for (kind, cost) in CALLS {
            columns.push(whole(&format!("{kind}_ns_p50"), &|_, outcome| cost(outcome).p50_ns));
            columns.push(whole(&format!("{kind}_ns_p99"), &|_, outcome| cost(outcome).p99_ns));
            columns.push(whole(&format!("{kind}_ns_max"), &|_, outcome| cost(outcome).max_ns));
            columns.push(whole(&format!("{kind}_ns_total"), &|_, outcome| cost(outcome).total_ns));
        }
        columns.push(real("replay_wall_s", &|outcome| outcome.wall_s));
    }
    columns.push(text("log_sha256", &|cell| cell.log_sha256.clone()));
    columns.push(text("version", &|_| env!("CARGO_PKG_VERSION").to_owned()));
    frame(columns)
}

/// The columns of contention.
fn contention(rows: &[(u32, &Cell, &Outcome)]) -> [Column; 3] {
    let real = |label: &str, value: fn(ContentionSummary) -> f64| -> Column {
        let found = rows.iter().map(|(.., outcome)| outcome.summary.contention.map(value));
        Series::new(name(label), found.collect::<Vec<Option<f64>>>()).into()
    };
    [
        real("contention_own_mean", |contention| contention.own_mean),
        real("contention_others_mean", |contention| contention.others_mean),
        real("contention_mean", |contention| contention.mean),
    ]
}

/// The columns of packets and links.
fn traffic(rows: &[(u32, &Cell, &Outcome)]) -> [Column; 10] {
    let found: Vec<Option<TrafficSummary>> =
        rows.iter().map(|(.., outcome)| outcome.summary.traffic).collect();
    let real = |label: &str, value: fn(TrafficSummary) -> f64| -> Column {
        let values: Vec<Option<f64>> = found.iter().map(|traffic| traffic.map(value)).collect();
        Series::new(name(label), values).into()
    };
    let whole = |label: &str, value: fn(TrafficSummary) -> u64| -> Column {
        let values: Vec<Option<u64>> = found.iter().map(|traffic| traffic.map(value)).collect();
        Series::new(name(label), values).into()
    };
    [
        whole("packets", |traffic| traffic.packets),
        real("packet_hops_mean", |traffic| traffic.hops_mean),
        real("packet_latency_cycles_mean", |traffic| traffic.latency_mean),
        whole("packet_latency_cycles_p50", |traffic| traffic.latency_p50),
        whole("packet_latency_cycles_p99", |traffic| traffic.latency_p99),
        real("packet_blocked_cycles_mean", |traffic| traffic.blocked_mean),
        whole("packet_blocked_cycles_p99", |traffic| traffic.blocked_p99),
        real("packets_contended_share", |traffic| traffic.contended_share),
        real("link_utilization", |traffic| traffic.link_utilization),
        real("link_utilization_max", |traffic| traffic.link_utilization_max),
    ]
}
