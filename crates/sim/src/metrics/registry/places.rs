//! Numbers about nodes: where jobs ran, the cost of allocator calls, and the traffic between nodes.

use super::super::cost::Cost;
use super::super::facts::{Facts, share};
use super::super::fragmentation::FragmentationRecord;
use super::super::gather::per_job;
use super::super::metric::Better::{Higher, Neither};
use super::super::metric::Display::{Measured, Percent, Plain};
use super::super::metric::Group::{First, Last, Network, Placement};
use super::super::metric::{Metric, When};
use crate::execution::Traffic;

/// The rows, in the order of the columns of the `summary` frame.
pub(super) const ROWS: &[Metric] = &[
    Metric::mean("pairwise_sum_mean", per_job!(|of, i| of.dispersal(i).pairwise_sum as f64))
        .of_jobs("pairwise_sum")
        .is(
            "pairwise sum",
            "hops",
            "mean over jobs of the sum of L1 distances over pairs of nodes; 0 \
                                     for serial jobs",
        )
        .shown(Plain(1))
        .terminal(Placement, "pairwise sum", |of| !of.network)
        .room(9)
        .report(First, "pairwise sum", |_| true)
        .interval(7)
        .compared(),
    Metric::mean("pairwise_mean_mean", per_job!(|of, i| of.dispersal(i).pairwise_mean()))
        .of_jobs("pairwise_mean")
        .is(
            "pairwise mean",
            "hops",
            "mean over jobs of the mean distance of pairs of nodes; 0 for \
                                      serial jobs",
        )
        .shown(Plain(3))
        .terminal(Placement, "pairwise mean", |_| true)
        .room(3)
        .report(First, "pairwise mean", |_| true)
        .grouped(),
    Metric::parallel_mean("pairwise_mean_parallel_mean", per_job!(|of, i| of.dispersal(i).pairwise_mean()))
        .is("pairwise mean parallel", "hops", "mean of mean distances over jobs of at least two nodes"),
    Metric::mean_to_bound("pairwise_ratio_to_bound_mean")
        .is(
            "pairwise ratio to bound",
            "",
            "mean of pairwise sum / lower bound for this number of nodes, over jobs of at least two \
             nodes; null if there are none",
        )
        .shown(Plain(3))
        // The table has no room for this column next to measured times.
        .terminal(Last, "to bound", |of| !of.timed)
        .room(4)
        .report(First, "to bound", |_| true),
    Metric::mean("components_mean", per_job!(|of, i| f64::from(of.dispersal(i).components)))
        .of_jobs("components")
        .is("components", "", "mean number of components")
        .shown(Plain(2))
        .terminal(Placement, "components", |of| !of.network)
        .room(1)
        .report(First, "components", |_| true),
    Metric::mean("contiguous_share", per_job!(|of, i| f64::from(u8::from(of.dispersal(i).components == 1))))
        .meaning("share of jobs with one component")
        .better(Higher)
        .shown(Percent(1))
        .terminal(Placement, "contiguous", |of| !of.network)
        .room(2),
    Metric::count("allocate_calls", |of| {
        Some(of.replay.recording.allocate.calls() + of.replay.recording.refused.calls())
    })
    .meaning("allocator calls")
    .better(Neither),
    Metric::count("allocate_failures", |of| Some(of.replay.recording.refused.calls()))
        .meaning("allocator calls that placed no job"),
    Metric::mean_if(
        "contention_own_mean",
        |of| of.replay.recording.contention.is_some(),
        per_job!(|of, i| of.contention(i).own),
    )
    .when(When::Contention)
    .is("contention own", "pairs", "mean of `contention_own` of the `jobs` frame"),
    Metric::mean_if(
        "contention_others_mean",
        |of| of.replay.recording.contention.is_some(),
        per_job!(|of, i| { of.contention(i).others }),
    )
    .when(When::Contention)
    .is("contention others", "pairs", "mean of `contention_others`"),
    Metric::real("contention_mean", |of| {
        Some(share(of.replay.recording.contention.as_ref()?.pair_seconds, of.makespan_s))
    })
    .when(When::Contention)
    .is("contention", "pairs", "time-weighted mean of pairs of messages that share a link")
    .report(First, "contention", |_| true),
    Metric::real("largest_free_submesh_mean", |of| Some(fragmentation(of)?.largest))
        .when(When::Fragmentation)
        .is("largest free submesh", "nodes", "time-weighted mean size of the largest free submesh")
        .better(Higher)
        .shown(Plain(1))
        .terminal(Placement, "largest free", |of| of.slices > 0)
        .room(1)
        .report(First, "largest free submesh", |_| true),
    Metric::real("external_fragmentation", |of| Some(fragmentation(of)?.external))
        .when(When::Fragmentation)
        .meaning("time-weighted mean of 1 − largest free submesh / free nodes; 0 while none is free")
        .shown(Percent(1))
        .terminal(Placement, "external fragm.", |of| of.slices > 0)
        .room(1)
        .report(First, "external fragmentation %", |_| true),
    fit::<1>("slices_fit_1_mean", ", slice 1", "slice 1 fits"),
    fit::<2>("slices_fit_2_mean", ", slice 2", "slice 2 fits"),
    fit::<3>("slices_fit_3_mean", ", slice 3", "slice 3 fits"),
    fit::<4>("slices_fit_4_mean", ", slice 4", "slice 4 fits"),
    fit::<5>("slices_fit_5_mean", ", slice 5", "slice 5 fits"),
    fit::<6>("slices_fit_6_mean", ", slice 6", "slice 6 fits"),
    fit::<7>("slices_fit_7_mean", ", slice 7", "slice 7 fits"),
    fit::<8>("slices_fit_8_mean", ", slice 8", "slice 8 fits"),
    enough::<1>("slices_fit_1_share", ", slice 1", "slice 1 time"),
    enough::<2>("slices_fit_2_share", ", slice 2", "slice 2 time"),
    enough::<3>("slices_fit_3_share", ", slice 3", "slice 3 time"),
    enough::<4>("slices_fit_4_share", ", slice 4", "slice 4 time"),
    enough::<5>("slices_fit_5_share", ", slice 5", "slice 5 time"),
    enough::<6>("slices_fit_6_share", ", slice 6", "slice 6 time"),
    enough::<7>("slices_fit_7_share", ", slice 7", "slice 7 time"),
    enough::<8>("slices_fit_8_share", ", slice 8", "slice 8 time"),
    Metric::count("packets", |of| Some(of.replay.traffic?.packets))
        .when(When::Network)
        .meaning("packets that arrived")
        .better(Neither),
    Metric::real("packet_hops_mean", |of| per_packet(of, |traffic| traffic.hops)).when(When::Network).is(
        "packet hops",
        "hops",
        "mean number of links per packet",
    ),
    Metric::real("packet_latency_cycles_mean", |of| per_packet(of, |traffic| traffic.latency.total))
        .when(When::Network)
        .is("packet latency", "cycles", "mean time from creation to arrival of the last flit")
        .shown(Plain(1))
        .terminal(Network, "latency", |of| of.network)
        .room(4)
        .report(Network, "packet latency", |_| true),
    Metric::count("packet_latency_cycles_p50", |of| Some(of.replay.traffic?.latency.quantile(0.5)))
        .when(When::Network)
        .is("packet latency", "cycles", "median of the time from creation to arrival of the last flit")
        .detail(", median"),
    Metric::count("packet_latency_cycles_p99", |of| Some(of.replay.traffic?.latency.quantile(0.99)))
        .when(When::Network)
        .is("packet latency", "cycles", "99th percentile")
        .detail(", 99th percentile"),
    Metric::real("packet_blocked_cycles_mean", |of| per_packet(of, |traffic| traffic.blocked.total))
        .when(When::Network)
        .is("packet blocked", "cycles", "mean time that headers waited for channels in the network")
        .shown(Plain(1))
        .terminal(Network, "blocked", |of| of.network)
        .report(Network, "packet blocked", |_| true),
    Metric::count("packet_blocked_cycles_p99", |of| Some(of.replay.traffic?.blocked.quantile(0.99)))
        .when(When::Network)
        .is("packet blocked", "cycles", "99th percentile")
        .detail(", 99th percentile"),
    Metric::real("packets_contended_share", |of| {
        per_packet(of, |traffic| traffic.jobs.iter().map(|job| job.contended).sum())
    })
    .when(When::Network)
    .meaning("share of packets that waited for another job's packet")
    .shown(Percent(1))
    .terminal(Network, "contended", |of| of.network),
    Metric::real("link_utilization", |of| {
        let traffic = of.replay.traffic?;
        Some(share(traffic.flits.0 as f64, cycles(of, traffic) * traffic.links as f64))
    })
    .when(When::Network)
    .meaning("flits divided by links and cycles of the makespan")
    .better(Neither),
    Metric::real("link_utilization_max", |of| {
        let traffic = of.replay.traffic?;
        Some(share(traffic.flits.1 as f64, cycles(of, traffic)))
    })
    .when(When::Network)
    .meaning("utilization of the busiest link; up to 2 on a torus at the packet level"),
    Metric::duration("allocate_ns_p50", ", median", |all| &all.allocate, Cost::p50_ns)
        .is("allocate", "ns", "median duration of calls that placed a job")
        .terminal(Last, "call p50", |of| of.timed)
        .room(3)
        .report(Last, "call p50 ns", |_| true),
    Metric::real("allocate_ns_trimmed_mean", |of| of.replay.recording.allocate.trimmed_mean_ns())
        .when(When::Timed)
        .is(
            "allocate",
            "ns",
            "mean duration of calls that placed a job, without the slowest 1 %; null for \
             up to 1,000 calls",
        )
        .detail(", trimmed mean")
        .shown(Measured(0)),
    Metric::duration("allocate_ns_p99", ", 99th percentile", |all| &all.allocate, Cost::p99_ns)
        .is("allocate", "ns", "99th percentile of the duration of calls that placed a job")
        .terminal(Last, "call p99", |of| of.timed)
        .report(Last, "call p99 ns", |_| true),
    Metric::duration("allocate_ns_max", ", longest", |all| &all.allocate, Cost::max_ns).is(
        "allocate",
        "ns",
        "longest duration of calls that placed a job",
    ),
    Metric::duration("allocate_ns_total", " in all", |all| &all.allocate, Cost::total_ns).is(
        "allocate",
        "ns",
        "duration of all calls that placed a job",
    ),
    Metric::duration("refuse_ns_p50", ", median", |all| &all.refused, Cost::p50_ns)
        .is("refuse", "ns", "median duration of calls that were refused")
        .report(Last, "refused p50 ns", |of| of.refused),
    Metric::duration("refuse_ns_p99", ", 99th percentile", |all| &all.refused, Cost::p99_ns)
        .is("refuse", "ns", "99th percentile of the duration of calls that were refused")
        .report(Last, "refused p99 ns", |of| of.refused),
    Metric::duration("refuse_ns_max", ", longest", |all| &all.refused, Cost::max_ns).is(
        "refuse",
        "ns",
        "longest duration of calls that were refused",
    ),
    Metric::duration("refuse_ns_total", " in all", |all| &all.refused, Cost::total_ns).is(
        "refuse",
        "ns",
        "duration of all calls that were refused",
    ),
    Metric::duration("release_ns_p50", ", median", |all| &all.release, Cost::p50_ns).is(
        "release",
        "ns",
        "median duration of releases",
    ),
    Metric::duration("release_ns_p99", ", 99th percentile", |all| &all.release, Cost::p99_ns).is(
        "release",
        "ns",
        "99th percentile of the duration of releases",
    ),
    Metric::duration("release_ns_max", ", longest", |all| &all.release, Cost::max_ns).is(
        "release",
        "ns",
        "longest duration of releases",
    ),
    Metric::duration("release_ns_total", " in all", |all| &all.release, Cost::total_ns).is(
        "release",
        "ns",
        "duration of all releases",
    ),
    Metric::real("replay_wall_s", |of| Some(of.replay.wall_s))
        .when(When::Timed)
        .is(
            "replay wall",
            "s",
            "wall-clock time of the replay, without waiting for the log to be read and \
             for results to be summed up or written",
        )
        .shown(Measured(3))
        .terminal(Last, "replay", |of| of.timed)
        .report(Last, "replay s", |_| true),
];

/// Returns the row of the mean number of fitting slices. `I` counts from 1.
const fn fit<const I: usize>(name: &'static str, slice: &'static str, title: &'static str) -> Metric {
    slice_row::<I>(Metric::real(name, |of| Some(*fragmentation(of)?.fits.get(I - 1)?)), slice, title)
        .is(
            "slices that fit",
            "",
            "time-weighted mean number of this slice of --fragmentation that fit into the free nodes at \
             once, counted greedily; null if fewer slices are given",
        )
        .shown(Plain(2))
        .report(First, title, |of| of.slices >= I)
}

/// Returns the row of the share of time with enough fitting slices. `I` counts from 1.
const fn enough<const I: usize>(name: &'static str, slice: &'static str, title: &'static str) -> Metric {
    slice_row::<I>(Metric::real(name, |of| Some(*fragmentation(of)?.enough.get(I - 1)?)), slice, title)
        .is(
            "time in which enough slices fit",
            "",
            "share of the makespan with at least N fitting slices of this kind, from SIDES*N of \
             --fragmentation (N is 1 by default); null if fewer slices are given",
        )
        .shown(Percent(1))
}

/// Completes the row with the common properties of numbers of slice `I`.
const fn slice_row<const I: usize>(row: Metric, slice: &'static str, title: &'static str) -> Metric {
    row.when(When::Fragmentation).better(Higher).detail(slice).terminal(Placement, title, |of| of.slices >= I)
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
