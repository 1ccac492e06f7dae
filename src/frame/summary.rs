//! The `summary` frame: one row per replay.

use polars::prelude::DataFrame;

use super::FrameError;
use super::column::Value::{Added, F64, MaybeF64, MaybeU64, Str, U32, U64};
use super::column::{Field, When, build};
use crate::metrics::Summary;
use crate::study::{Options, Outcome, ReplaySpec};

/// A replication of a replay.
pub(super) struct SummaryRow<'a> {
    number: u32,
    spec: &'a ReplaySpec,
    outcome: &'a Outcome,
    trim_percent: Option<f64>,
}

impl SummaryRow<'_> {
    /// A mean over the jobs, if there are any.
    fn mean(&self, value: fn(&Summary) -> f64) -> Option<f64> {
        self.outcome.summary.over_jobs(value(&self.outcome.summary))
    }

    /// A mean over the jobs of at least two nodes, if there are any.
    fn parallel_mean(&self, value: fn(&Summary) -> f64) -> Option<f64> {
        self.outcome.summary.over_parallel(value(&self.outcome.summary))
    }

    /// The columns of the frame; `meshreplay schema summary` prints them.
    pub(super) const FIELDS: [Field<Self>; 70] = [
        Field::new("replay", "", U32(|row| row.number), "number of the replay; the same in the `jobs` frame"),
        Field::new("log", "", Str(|row| row.spec.log.clone()), "what was replayed"),
        Field::new("machine", "", Str(|row| row.spec.machine.to_string()), "on what"),
        Field::new(
            "scheduler",
            "",
            Str(|row| row.spec.scheduler.to_string()),
            "spec with every default written out",
        ),
        Field::new("allocator", "", Str(|row| row.spec.allocator.to_string()), "likewise"),
        Field::new("network", "", Str(|row| row.spec.network.to_string()), "how long jobs run, likewise"),
        Field::new(
            "arrival_scale",
            "",
            F64(|row| row.spec.arrival_scale),
            "what arrival times were multiplied by",
        ),
        Field::new("seed", "", U64(|row| row.outcome.seed), "seed of everything random"),
        Field::new("rules", "", Str(|row| row.spec.rules.to_string()), "how records became jobs"),
        Field::new(
            "trim_percent",
            "%",
            MaybeF64(|row| row.trim_percent),
            "first jobs that means leave out; null if nothing is left out",
        ),
        Field::new("jobs", "", U64(|row| row.outcome.summary.jobs as u64), "jobs replayed"),
        Field::new(
            "jobs_in_means",
            "",
            U64(|row| row.outcome.summary.jobs_in_means as u64),
            "those that means are over; if there are none, means are null",
        ),
        Field::new("skipped", "", U64(|row| row.outcome.skipped), "records left out"),
        Field::new(
            "never_fit",
            "",
            U64(|row| row.outcome.never_fit),
            "records left out because the allocator never finds a place for their shape",
        ),
        Field::new("makespan_s", "s", F64(|row| row.outcome.summary.makespan_s), "first arrival to last end"),
        Field::new(
            "utilization",
            "",
            F64(|row| row.outcome.summary.utilization),
            "busy node-seconds by nodes and makespan",
        ),
        Field::new(
            "internal_fragmentation",
            "",
            F64(|row| row.outcome.summary.internal_fragmentation),
            "share of busy node-seconds that no job asked for",
        ),
        Field::new(
            "wait_s_mean",
            "s",
            MaybeF64(|row| row.mean(|summary| summary.wait_s_mean)),
            "mean of start − arrival",
        ),
        Field::new(
            "queue_delay_s_mean",
            "s",
            MaybeF64(|row| row.mean(|summary| summary.queue_delay_s_mean)),
            "mean of arrival to head of the queue",
        ),
        Field::new(
            "allocation_delay_s_mean",
            "s",
            MaybeF64(|row| row.mean(|summary| summary.allocation_delay_s_mean)),
            "mean of head of the queue to start",
        ),
        Field::new("moves", "", U64(|row| row.outcome.summary.moves), "moves of running jobs that made room"),
        Field::new(
            "jobs_moved",
            "",
            U64(|row| row.outcome.summary.jobs_moved),
            "jobs that were moved at least once",
        ),
        Field::new(
            "compactions_begun",
            "",
            U64(|row| row.outcome.summary.compactions.begun),
            "plans for running jobs to make room for another one",
        ),
        Field::new(
            "compactions",
            "",
            U64(|row| row.outcome.summary.compactions.carried_out),
            "those carried out: jobs that were allocated by compaction",
        ),
        Field::new(
            "compactions_aborted",
            "",
            U64(|row| row.outcome.summary.compactions.aborted),
            "those void because a job that would have moved ended while the decision was made",
        ),
        Field::new(
            "compactions_delayed",
            "",
            U64(|row| row.outcome.summary.compactions.delayed),
            "those carried out in which a job stood still for a while without moving",
        ),
        Field::new(
            "compactions_overrun",
            "",
            U64(|row| row.outcome.summary.compactions.overrun),
            "those carried out in which jobs were still moving when the new one could start",
        ),
        Field::new(
            "suspended_s_mean",
            "s",
            MaybeF64(|row| row.mean(|summary| summary.suspended_s_mean)),
            "mean time that jobs stood still because of that",
        ),
        Field::new(
            "service_s_mean",
            "s",
            MaybeF64(|row| row.mean(|summary| summary.service_s_mean)),
            "mean of end − start",
        ),
        Field::new(
            "turnaround_s_mean",
            "s",
            MaybeF64(|row| row.mean(|summary| summary.turnaround_s_mean)),
            "mean of end − arrival",
        ),
        Field::new(
            "turnaround_s_variance",
            "s²",
            MaybeF64(|row| row.mean(|summary| summary.turnaround_s_variance)),
            "variance of end − arrival over the jobs",
        ),
        Field::new(
            "bounded_slowdown_mean",
            "",
            MaybeF64(|row| row.mean(|summary| summary.bounded_slowdown_mean)),
            "mean of max(1, turnaround / max(run, 10 s))",
        ),
        Field::new(
            "pairwise_sum_mean",
            "hops",
            MaybeF64(|row| row.mean(|summary| summary.pairwise_sum_mean)),
            "mean Σ L1 distance over a job's pairs of nodes, serial jobs as 0",
        ),
        Field::new(
            "pairwise_mean_mean",
            "hops",
            MaybeF64(|row| row.mean(|summary| summary.pairwise_mean_mean)),
            "mean of the jobs' mean distances, serial jobs as 0",
        ),
        Field::new(
            "pairwise_mean_parallel_mean",
            "hops",
            MaybeF64(|row| row.parallel_mean(|summary| summary.pairwise_mean_parallel_mean)),
            "the same over jobs of at least two nodes",
        ),
        Field::new(
            "pairwise_ratio_to_bound_mean",
            "",
            MaybeF64(|row| row.parallel_mean(|summary| summary.pairwise_ratio_to_bound_mean)),
            "mean of pairwise sum / what no placement of so many nodes of the machine is below, over jobs of at least two nodes; null if there are none",
        ),
        Field::new(
            "components_mean",
            "",
            MaybeF64(|row| row.mean(|summary| summary.components_mean)),
            "mean number of components",
        ),
        Field::new(
            "contiguous_share",
            "",
            MaybeF64(|row| row.mean(|summary| summary.contiguous_share)),
            "share of jobs that have one",
        ),
        Field::new(
            "allocate_calls",
            "",
            U64(|row| row.outcome.summary.allocate.calls + row.outcome.summary.refused.calls),
            "calls of the allocator in all",
        ),
        Field::new("allocate_failures", "", U64(|row| row.outcome.summary.refused.calls), "those refused"),
        Field::some(
            When::Contention,
            "contention_own_mean",
            "pairs",
            MaybeF64(|row| row.mean(|summary| summary.contention.unwrap_or_default().own_mean)),
            "mean of `contention_own` of the `jobs` frame",
        ),
        Field::some(
            When::Contention,
            "contention_others_mean",
            "pairs",
            MaybeF64(|row| row.mean(|summary| summary.contention.unwrap_or_default().others_mean)),
            "mean of `contention_others`",
        ),
        Field::some(
            When::Contention,
            "contention_mean",
            "pairs",
            MaybeF64(|row| row.outcome.summary.contention.map(|contention| contention.mean)),
            "mean over the makespan of all pairs of messages that meet on a link",
        ),
        Field::some(
            When::Network,
            "packets",
            "",
            MaybeU64(|row| row.outcome.summary.traffic.map(|traffic| traffic.packets)),
            "packets that arrived",
        ),
        Field::some(
            When::Network,
            "packet_hops_mean",
            "hops",
            MaybeF64(|row| row.outcome.summary.traffic.map(|traffic| traffic.hops_mean)),
            "mean number of links that they took",
        ),
        Field::some(
            When::Network,
            "packet_latency_cycles_mean",
            "cycles",
            MaybeF64(|row| row.outcome.summary.traffic.map(|traffic| traffic.latency_mean)),
            "mean of creation to arrival of the last flit",
        ),
        Field::some(
            When::Network,
            "packet_latency_cycles_p50",
            "cycles",
            MaybeU64(|row| row.outcome.summary.traffic.map(|traffic| traffic.latency_p50)),
            "median of it",
        ),
        Field::some(
            When::Network,
            "packet_latency_cycles_p99",
            "cycles",
            MaybeU64(|row| row.outcome.summary.traffic.map(|traffic| traffic.latency_p99)),
            "99th percentile of it",
        ),
        Field::some(
            When::Network,
            "packet_blocked_cycles_mean",
            "cycles",
            MaybeF64(|row| row.outcome.summary.traffic.map(|traffic| traffic.blocked_mean)),
            "mean time that headers waited for channels in the network",
        ),
        Field::some(
            When::Network,
            "packet_blocked_cycles_p99",
            "cycles",
            MaybeU64(|row| row.outcome.summary.traffic.map(|traffic| traffic.blocked_p99)),
            "99th percentile of it",
        ),
        Field::some(
            When::Network,
            "packets_contended_share",
            "",
            MaybeF64(|row| row.outcome.summary.traffic.map(|traffic| traffic.contended_share)),
            "share of packets that waited for another job's packet",
        ),
        Field::some(
            When::Network,
            "link_utilization",
            "",
            MaybeF64(|row| row.outcome.summary.traffic.map(|traffic| traffic.link_utilization)),
            "flits by links and cycles of the makespan",
        ),
        Field::some(
            When::Network,
            "link_utilization_max",
            "",
            MaybeF64(|row| row.outcome.summary.traffic.map(|traffic| traffic.link_utilization_max)),
            "the same of the busiest link; up to 2 on a torus at the packet level",
        ),
        Field::some(
            When::Timed,
            "allocate_ns_p50",
            "ns",
            U64(|row| row.outcome.summary.allocate.p50_ns),
            "median duration of calls that placed a job",
        ),
        Field::some(
            When::Timed,
            "allocate_ns_p99",
            "ns",
            U64(|row| row.outcome.summary.allocate.p99_ns),
            "99th percentile of the duration of calls that placed a job",
        ),
        Field::some(
            When::Timed,
            "allocate_ns_max",
            "ns",
            U64(|row| row.outcome.summary.allocate.max_ns),
            "longest duration of calls that placed a job",
        ),
        Field::some(
            When::Timed,
            "allocate_ns_total",
            "ns",
            U64(|row| row.outcome.summary.allocate.total_ns),
            "duration of all calls that placed a job",
        ),
        Field::some(
            When::Timed,
            "refuse_ns_p50",
            "ns",
            U64(|row| row.outcome.summary.refused.p50_ns),
            "median duration of calls that were refused",
        ),
        Field::some(
            When::Timed,
            "refuse_ns_p99",
            "ns",
            U64(|row| row.outcome.summary.refused.p99_ns),
            "99th percentile of the duration of calls that were refused",
        ),
        Field::some(
            When::Timed,
            "refuse_ns_max",
            "ns",
            U64(|row| row.outcome.summary.refused.max_ns),
            "longest duration of calls that were refused",
        ),
        Field::some(
            When::Timed,
            "refuse_ns_total",
            "ns",
            U64(|row| row.outcome.summary.refused.total_ns),
            "duration of all calls that were refused",
        ),
        Field::some(
            When::Timed,
            "release_ns_p50",
            "ns",
            U64(|row| row.outcome.summary.release.p50_ns),
            "median duration of releases",
        ),
        Field::some(
            When::Timed,
            "release_ns_p99",
            "ns",
            U64(|row| row.outcome.summary.release.p99_ns),
            "99th percentile of the duration of releases",
        ),
        Field::some(
            When::Timed,
            "release_ns_max",
            "ns",
            U64(|row| row.outcome.summary.release.max_ns),
            "longest duration of releases",
        ),
        Field::some(
            When::Timed,
            "release_ns_total",
            "ns",
            U64(|row| row.outcome.summary.release.total_ns),
            "duration of all releases",
        ),
        Field::some(
            When::Timed,
            "replay_wall_s",
            "s",
            F64(|row| row.outcome.wall_s),
            "wall-clock time of the replay without reading the log",
        ),
        Field::new("log_sha256", "", Str(|row| row.spec.log_sha256.clone()), "SHA-256 of the log's text"),
        Field::new("version", "", Str(|_| env!("CARGO_PKG_VERSION").to_owned()), "version of meshreplay"),
        Field::new(
            "run",
            "",
            Added,
            "id of the run, a hash of run.json, or of the study, a hash of name and options in study.json: the same in \
             every file of a directory",
        ),
        Field::some(When::Study, "key", "", Added, "name of the cell: a hash of all that it depends on"),
    ];
}

/// One row per replay, in the order given; the first entry of each is its number.
pub fn summary(rows: &[(u32, &ReplaySpec, &Outcome)], options: &Options) -> Result<DataFrame, FrameError> {
    let trim_percent = options.trim.percent;
    let rows: Vec<SummaryRow<'_>> = rows
        .iter()
        .map(|&(number, spec, outcome)| SummaryRow { number, spec, outcome, trim_percent })
        .collect();
    build(&SummaryRow::FIELDS, &rows, options)
}
