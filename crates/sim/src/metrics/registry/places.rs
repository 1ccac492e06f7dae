//! Numbers about nodes: where jobs ran, the cost of allocator calls, and the traffic between nodes. And the
//! causes of waiting.

use super::super::cost::Cost;
use super::super::dispersal::Dispersal;
use super::super::facts::{Facts, share};
use super::super::fragmentation::FragmentationRecord;
use super::super::gather::Compute::{
    Count, Duration, Mean, MeanTime, ParallelMean, ParallelMeanToBound, Real, TreeMean,
};
use super::super::gather::per_job;
use super::super::metric::Better::{Higher, Neither};
use super::super::metric::Display::{Measured, Percent, Plain, Seconds};
use super::super::metric::Group::{Delays, First, Last, Network, Placement};
use super::super::metric::{Metric, Needs, Shown, row};
use super::super::recorder::Recording;
use super::super::why::WaitCause;
use crate::execution::Traffic;

/// The rows, in the order of the columns of the `summary` frame.
pub(super) const ROWS: &[Metric] = &[
    row("pairwise_sum_mean", Mean(per_job!(|job| job.measures.dispersal.pairwise_sum as f64)))
        .of_jobs("pairwise_sum")
        .describe(
            "pairwise sum",
            "hops",
            "mean over jobs of the sum of distances over pairs of nodes, along x, y and z or links of a \
             tree; 0 for serial jobs",
        )
        .shown(Plain(1))
        .terminal(Placement, "pairwise sum", 9, Shown::Unless(Needs::Network))
        .report(First, "pairwise sum", Shown::Always)
        .interval(7)
        .compared(),
    row("pairwise_mean_mean", Mean(per_job!(|job| job.measures.dispersal.pairwise_mean())))
        .of_jobs("pairwise_mean")
        .describe(
            "pairwise mean",
            "hops",
            "mean over jobs of the mean distance of pairs of nodes; 0 \
                                            for serial jobs",
        )
        .shown(Plain(3))
        .terminal(Placement, "pairwise mean", 3, Shown::Always)
        .report(First, "pairwise mean", Shown::Always)
        .compared()
        .grouped(),
    row("pairwise_mean_parallel_mean", ParallelMean(per_job!(|job| job.measures.dispersal.pairwise_mean())))
        .describe(
            "pairwise mean parallel",
            "hops",
            "mean of mean distances over jobs of at least two \
                                                     nodes",
        ),
    row("pairwise_ratio_to_bound_mean", ParallelMeanToBound)
        .describe(
            "pairwise ratio to bound",
            "",
            "mean of pairwise sum / lower bound for this number of nodes, over jobs of at least two \
             nodes; null if there are none",
        )
        .shown(Plain(3))
        .terminal(Placement, "to bound", 4, Shown::Always)
        .report(First, "to bound", Shown::Always)
        .compared(),
    row("components_mean", Mean(per_job!(|job| f64::from(job.measures.dispersal.components))))
        .of_jobs("components")
        .describe("components", "", "mean number of components")
        .shown(Plain(2))
        .terminal(Placement, "components", 1, Shown::Unless(Needs::Network))
        .report(First, "components", Shown::Always),
    row(
        "contiguous_share",
        Mean(per_job!(|job| f64::from(u8::from(job.measures.dispersal.components == 1)))),
    )
    .meaning("share of jobs with one component")
    .better(Higher)
    .shown(Percent(1))
    .terminal(Placement, "contiguous", 2, Shown::Unless(Needs::Network)),
    row("leaves_excess_mean", TreeMean(|of, leaf| Some(f64::from(of.components - of.nodes.div_ceil(leaf)))))
        .needs(Needs::Trees)
        .describe(
            "excess leaves",
            "",
            "mean over jobs of the leaves with their nodes, less the fewest leaves with as many nodes",
        )
        .shown(Plain(2))
        .terminal(Placement, "excess leaves", 2, Shown::Always)
        .report(First, "excess leaves", Shown::Always),
    row("one_leaf_share", TreeMean(one_leaf))
        .needs(Needs::Trees)
        .describe("jobs in one leaf", "", "share in one leaf of the jobs of two to a leaf's number of nodes")
        .better(Higher)
        .shown(Percent(1))
        .terminal(Placement, "one leaf", 3, Shown::Always)
        .report(First, "jobs in one leaf %", Shown::Always),
    row(
        "allocate_calls",
        Count(|of| Some(of.replay.recording.allocate.calls() + of.replay.recording.refused.calls())),
    )
    .meaning("allocator calls")
    .better(Neither),
    row("allocate_failures", Count(|of| Some(of.replay.recording.refused.calls())))
        .meaning("allocator calls that placed no job"),
    row("contention_own_mean", Mean(per_job!(|job| job.contention().own))).needs(Needs::Contention).describe(
        "contention own",
        "pairs",
        "mean of `contention_own` of the `jobs` frame",
    ),
    row("contention_others_mean", Mean(per_job!(|job| job.contention().others)))
        .needs(Needs::Contention)
        .describe("contention others", "pairs", "mean of `contention_others`"),
    row("contention_mean", Real(|of| Some(share(of.replay.recording.pair_seconds?, of.makespan_s))))
        .needs(Needs::Contention)
        .describe("contention", "pairs", "time-weighted mean of pairs of messages that share a link")
        .report(First, "contention", Shown::Always),
    row("largest_free_submesh_mean", Real(|of| Some(fragmentation(of)?.largest)))
        .needs(Needs::Fragmentation)
        .describe("largest free submesh", "nodes", "time-weighted mean size of the largest free submesh")
        .better(Higher)
        .shown(Plain(1))
        .terminal(Placement, "largest free", 1, Shown::Always)
        .report(First, "largest free submesh", Shown::Always),
    row("external_fragmentation", Real(|of| Some(fragmentation(of)?.external)))
        .needs(Needs::Fragmentation)
        .meaning("time-weighted mean of 1 − largest free submesh / free nodes; 0 while none is free")
        .shown(Percent(1))
        .terminal(Placement, "external fragm.", 1, Shown::Always)
        .report(First, "external fragmentation %", Shown::Always),
    row("slurm_fragmentation_mean", Real(|of| fragmentation(of)?.slurm))
        .needs(Needs::TreeFragmentation)
        .describe(
            "Slurm's fragmentation",
            "nodes",
            "time-weighted mean of the number by which Slurm's topology/block measures fragmentation: nodes \
             in use, and nodes of blocks of 1, 2, 4, 8 and 16 leaves that are not idle",
        )
        .shown(Plain(1)),
    row("packets", Count(|of| Some(of.replay.traffic?.packets)))
        .needs(Needs::Network)
        .meaning("packets that arrived")
        .better(Neither),
    row("packet_hops_mean", Real(|of| per_packet(of, |traffic| traffic.hops)))
        .needs(Needs::Network)
        .describe("packet hops", "hops", "mean number of links per packet"),
    row("packet_latency_cycles_mean", Real(|of| per_packet(of, |traffic| traffic.latency.total)))
        .needs(Needs::Network)
        .describe("packet latency", "cycles", "mean time from creation to arrival of the last flit")
        .shown(Plain(1))
        .terminal(Network, "latency", 4, Shown::If(Needs::Network))
        .report(Network, "packet latency", Shown::Always),
    row("packet_latency_cycles_p50", Count(|of| Some(of.replay.traffic?.latency.quantile(0.5))))
        .needs(Needs::Network)
        .describe(
            "packet latency",
            "cycles",
            "median of the time from creation to arrival of the last \
                                               flit",
        )
        .detail(", median"),
    row("packet_latency_cycles_p99", Count(|of| Some(of.replay.traffic?.latency.quantile(0.99))))
        .needs(Needs::Network)
        .describe("packet latency", "cycles", "99th percentile")
        .detail(", 99th percentile"),
    row("packet_blocked_cycles_mean", Real(|of| per_packet(of, |traffic| traffic.blocked.total)))
        .needs(Needs::Network)
        .describe("packet blocked", "cycles", "mean time that headers waited for channels in the network")
        .shown(Plain(1))
        .terminal(Network, "blocked", 0, Shown::If(Needs::Network))
        .report(Network, "packet blocked", Shown::Always),
    row("packet_blocked_cycles_p99", Count(|of| Some(of.replay.traffic?.blocked.quantile(0.99))))
        .needs(Needs::Network)
        .describe("packet blocked", "cycles", "99th percentile")
        .detail(", 99th percentile"),
    row("packets_contended_share", Real(|of| per_packet(of, |traffic| traffic.contended)))
        .needs(Needs::Network)
        .meaning("share of packets that waited for another job's packet")
        .shown(Percent(1))
        .terminal(Network, "contended", 0, Shown::If(Needs::Network)),
    row(
        "link_utilization",
        Real(|of| {
            let traffic = of.replay.traffic?;
            Some(share(traffic.flits.0 as f64, cycles(of, traffic) * traffic.links as f64))
        }),
    )
    .needs(Needs::Network)
    .meaning("flits divided by links and cycles of the makespan")
    .better(Neither),
    row(
        "link_utilization_max",
        Real(|of| {
            let traffic = of.replay.traffic?;
            Some(share(traffic.flits.1 as f64, cycles(of, traffic)))
        }),
    )
    .needs(Needs::Network)
    .meaning("utilization of the busiest link; up to 2 on a torus at the packet level"),
    duration("allocate_ns_p50", &ALLOCATE, &MEDIAN, "median duration of calls that placed a job"),
    row("calls_ns_per_job", Real(|of| of.replay.recording.calls_ns_per_job()))
        .needs(Needs::Timed)
        .describe(
            "allocator calls",
            "ns",
            "duration of the allocator's calls per started job: placing (trimmed mean), refusals and \
             releases (medians), without the cost of reading the clock",
        )
        .detail(" per job")
        .shown(Plain(0))
        .terminal(Last, "ns per job", 3, Shown::Always)
        .report(Last, "ns per job", Shown::Always),
    row("allocate_ns_trimmed_mean", Real(|of| of.replay.recording.allocate.trimmed_mean_ns()))
        .needs(Needs::Timed)
        .describe(
            "allocate",
            "ns",
            "mean duration of calls that placed a job, without the slowest 1 %; null for \
             up to 1,000 calls",
        )
        .detail(", trimmed mean")
        .shown(Measured(0)),
    duration(
        "allocate_ns_p99",
        &ALLOCATE,
        &P99,
        "99th percentile of the duration of calls that placed a job",
    )
    .terminal(Last, "call p99", 0, Shown::Always)
    .report(Last, "call p99 ns", Shown::Always),
    duration("allocate_ns_max", &ALLOCATE, &LONGEST, "longest duration of calls that placed a job"),
    duration("allocate_ns_total", &ALLOCATE, &TOTAL, "duration of all calls that placed a job"),
    duration("refuse_ns_p50", &REFUSE, &MEDIAN, "median duration of calls that were refused").report(
        Last,
        "refused p50 ns",
        Shown::If(Needs::Refusals),
    ),
    duration("refuse_ns_p99", &REFUSE, &P99, "99th percentile of the duration of calls that were refused")
        .report(Last, "refused p99 ns", Shown::If(Needs::Refusals)),
    duration("refuse_ns_max", &REFUSE, &LONGEST, "longest duration of calls that were refused"),
    duration("refuse_ns_total", &REFUSE, &TOTAL, "duration of all calls that were refused"),
    duration("release_ns_p50", &RELEASE, &MEDIAN, "median duration of releases"),
    duration("release_ns_p99", &RELEASE, &P99, "99th percentile of the duration of releases"),
    duration("release_ns_max", &RELEASE, &LONGEST, "longest duration of releases"),
    duration("release_ns_total", &RELEASE, &TOTAL, "duration of all releases"),
    duration(
        "allocate_ns_p90",
        &ALLOCATE,
        &P90,
        "90th percentile of the duration of calls that placed a job",
    )
    .needs(Needs::Latency),
    duration(
        "allocate_ns_p999",
        &ALLOCATE,
        &P999,
        "99.9th percentile of the duration of calls that placed a job",
    )
    .needs(Needs::Latency),
    duration("refuse_ns_p90", &REFUSE, &P90, "90th percentile of the duration of calls that were refused")
        .needs(Needs::Latency),
    duration(
        "refuse_ns_p999",
        &REFUSE,
        &P999,
        "99.9th percentile of the duration of calls that were refused",
    )
    .needs(Needs::Latency),
    duration("release_ns_p90", &RELEASE, &P90, "90th percentile of the duration of releases")
        .needs(Needs::Latency),
    duration("release_ns_p999", &RELEASE, &P999, "99.9th percentile of the duration of releases")
        .needs(Needs::Latency),
    row(
        "refusals_per_job",
        Real(|of| {
            let Recording { allocate, refused, .. } = of.replay.recording;
            (allocate.calls() > 0).then(|| refused.calls() as f64 / allocate.calls() as f64)
        }),
    )
    .needs(Needs::Latency)
    .meaning("refused calls per started job")
    .shown(Plain(2)),
    row("replay_wall_s", Real(|of| Some(of.replay.wall_s)))
        .needs(Needs::Timed)
        .describe(
            "replay wall",
            "s",
            "wall-clock time of the replay, without waiting for the log to be read and \
             for results to be summed up or written",
        )
        .shown(Measured(3))
        .terminal(Last, "replay", 0, Shown::Always)
        .report(Last, "replay s", Shown::Always),
    cause::<0>("too large", "the job exceeded the machine"),
    in_tables("no room s", cause::<1>("no room", "the job exceeded the nodes that no job used")),
    cause::<2>(
        "outage",
        "nodes were down that the job needed, or it would by its limit have run into a known outage",
    )
    .terminal(Delays, "outage s", 4, Shown::If(Needs::Outages))
    .report(Delays, "outage s", Shown::If(Needs::Outages)),
    in_tables(
        "reserved s",
        cause::<3>("reserved", "the job would by its limit have delayed the oldest job that did not fit"),
    ),
    in_tables(
        "no place s",
        cause::<4>("no place", "the allocator refused the job although enough nodes were free"),
    ),
    in_tables(
        "free to start s",
        cause::<5>("free to start", "the job fitted, would have delayed no other, and was not started"),
    ),
    row("wait_free_share", Real(|of| of.replay.recording.share_of_waits("wait_free_share")))
        .needs(Needs::Why)
        .meaning("share of the waiting time of all jobs in which they were free to start"),
    row("wait_free_share_peak", Real(|of| of.replay.recording.share_of_waits("wait_free_share_peak")))
        .needs(Needs::Why)
        .meaning(
            "the same if the machine had only as many nodes as were in use at most within 3 hours; null \
             unless the recorded schedule of a machine of unknown size is replayed",
        ),
    row("overtaking_share", Real(|of| of.replay.recording.share_of_waits("overtaking_share")))
        .needs(Needs::Why)
        .meaning("share of the starts that overtook a waiting job with an earlier arrival")
        .better(Neither)
        .shown(Percent(1)),
];

/// One kind of allocator calls.
struct Calls {
    title: &'static str,
    cost: fn(&Recording) -> &Cost,
}

const ALLOCATE: Calls = Calls { title: "allocate", cost: |all| &all.allocate };
const REFUSE: Calls = Calls { title: "refuse", cost: |all| &all.refused };
const RELEASE: Calls = Calls { title: "release", cost: |all| &all.release };

/// A statistic of durations.
struct Statistic {
    /// The text after the unit in labels.
    detail: &'static str,
    value: fn(&Cost) -> u64,
}

const MEDIAN: Statistic = Statistic { detail: ", median", value: Cost::p50_ns };
const P90: Statistic = Statistic { detail: ", 90th percentile", value: Cost::p90_ns };
const P999: Statistic = Statistic { detail: ", 99.9th percentile", value: Cost::p999_ns };
const P99: Statistic = Statistic { detail: ", 99th percentile", value: Cost::p99_ns };
const LONGEST: Statistic = Statistic { detail: ", longest", value: Cost::max_ns };
const TOTAL: Statistic = Statistic { detail: " in all", value: Cost::total_ns };

/// Returns the row of a statistic of the durations of calls, in nanoseconds.
const fn duration(name: &'static str, calls: &Calls, of: &Statistic, meaning: &'static str) -> Metric {
    row(name, Duration(calls.cost, of.value))
        .describe(calls.title, "ns", meaning)
        .detail(of.detail)
        .needs(Needs::Timed)
        .shown(Measured(0))
}

/// Returns 1 if a placement that fits a leaf is in one leaf, and 0 otherwise; `None` for larger placements
/// and single nodes.
fn one_leaf(of: &Dispersal, leaf: u32) -> Option<f64> {
    (2..=leaf).contains(&of.nodes).then(|| f64::from(u8::from(of.components == 1)))
}

/// Returns the fragmentation of free nodes, if measured.
fn fragmentation<'a>(of: &'a Facts<'_>) -> Option<&'a FragmentationRecord> {
    of.replay.recording.fragmentation.as_ref()
}

/// Returns a total of the network per packet, or 0 without packets. `None` without a network.
fn per_packet(of: &Facts<'_>, total: fn(&Traffic) -> u64) -> Option<f64> {
    let traffic = of.replay.traffic?;
    Some(share(total(traffic) as f64, traffic.packets as f64))
}

/// Returns the network cycles from the first arrival to the last end.
fn cycles(of: &Facts<'_>, traffic: &Traffic) -> f64 {
    of.makespan_s / traffic.cycle.as_seconds()
}

/// Returns the row of the mean time waited for the cause at position `I`.
const fn cause<const I: usize>(title: &'static str, meaning: &'static str) -> Metric {
    row(
        WaitCause::ALL[I].mean_column(),
        MeanTime(|of, _| Some(of.measures.more().why?[WaitCause::ALL[I]].as_seconds())),
    )
    .needs(Needs::Why)
    .describe(title, "s", meaning)
    .shown(Seconds(1))
    .grouped()
}

/// Shows a row in tables for people under a title with its unit.
const fn in_tables(title: &'static str, metric: Metric) -> Metric {
    let shown = Shown::If(Needs::SimulatedWhy);
    metric.terminal(Delays, title, 4, shown).report(Delays, title, shown)
}
