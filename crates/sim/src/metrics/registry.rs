//! The table of the numbers of a summary, with one row per number. Frames, tables, plots, reports and replications take
//! everything that they know of a number from here.
//!
//! A new number needs one row and its function. The columns of the `summary` frame have the order of the rows.

use super::cost::Cost;
use super::facts::{Facts, share};
use super::fragmentation::FragmentationRecord;
use super::gather::{IsThere, per_job};
use super::metric::Better::{Higher, Neither};
use super::metric::Display::{Measured, Percent, Plain, Seconds};
use super::metric::Group::{Delays, First, Last, Network, Placement, Response};
use super::metric::{Metric, When};
use crate::execution::Traffic;

/// The least run time, in seconds, that slowdowns are computed with. Shorter runs count as this long (bounded
/// slowdown).
const SHORTEST_RUN_S: f64 = 10.0;

/// Every replay has the number.
const ALWAYS: IsThere = |_| true;

/// The replays have the number whose jobs are placed by the lists of their log.
const BY_LISTS: IsThere = |of| of.replay.recording.replaced.is_some();

/// Every number of a summary.
pub static METRICS: &[Metric] = &[
    Metric::count("jobs", |of| Some(of.totals.jobs))
        .meaning("jobs replayed")
        .better(Neither)
        .report(First, "jobs", |_| true),
    Metric::count("jobs_in_means", |of| Some(of.totals.in_means))
        .meaning("those that means are over; if there are none, means are null")
        .better(Neither),
    Metric::count("skipped", |of| Some(of.replay.skipped)).meaning("records left out").better(Neither),
    Metric::count("never_fit", |of| Some(of.replay.never_fit))
        .meaning("records left out because the allocator never finds a place for their shape")
        .better(Neither),
    Metric::real("makespan_s", |of| Some(of.makespan_s))
        .is("makespan", "s", "first arrival to last end")
        .interval(6),
    Metric::real("utilization", |of| {
        Some(share(of.totals.busy_s + of.lost_node_s(), of.available_node_s))
    })
    .meaning("busy node-seconds by available nodes and makespan")
    .better(Higher)
    .shown(Percent(1))
    .terminal(First, "utilization", |of| !of.unasked)
        .room(6)
    .report(First, "utilization %", |of| !of.unasked)
    .interval(5),
    Metric::real("useful_utilization", |of| {
        Some(share(of.totals.busy_s - of.totals.unasked_s, of.available_node_s))
    })
    .is(
        "useful utilization",
        "",
        "node-seconds that jobs asked for, of completed runs, by available nodes and makespan; below utilization by internal \
         fragmentation and lost work",
    )
    .better(Higher)
    .shown(Percent(1))
    .terminal(First, "useful util.", |of| of.unasked)
        .room(6)
    .report(First, "useful utilization %", |of| of.unasked),
    Metric::real("goodput", |of| of.outages().map(|_| share(of.totals.busy_s, of.available_node_s)))
        .room(6)
        .when(When::Outages)
        .meaning("node-seconds of completed runs by available node-seconds")
        .better(Higher)
        .shown(Percent(1))
        .terminal(First, "goodput", |of| of.outages)
        .report(First, "goodput %", |of| of.outages),
    Metric::real("lost_node_s", |of| of.outages().map(|outages| outages.lost_node_s))
        .when(When::Outages)
        .is("lost work", "node-s", "node-seconds of the runs in which jobs were killed")
        .shown(Plain(0))
        .terminal(First, "lost node-s", |of| of.outages)
        .room(5)
        .report(First, "lost node-s", |of| of.outages),
    Metric::real("available_node_s", |of| of.outages().map(|_| of.available_node_s))
        .when(When::Outages)
        .is(
            "available",
            "node-s",
            "node-seconds of the nodes that were up or in use, from the first arrival to the last end; utilization is by \
             them",
        )
        .better(Neither),
    Metric::count("node_failures", |of| of.outages().map(|outages| outages.failures))
        .when(When::Outages)
        .meaning("times that a node went down"),
    Metric::count("jobs_killed", |of| of.outages().map(|outages| outages.kills))
        .when(When::Outages)
        .meaning("times that a job was killed because a node went down"),
    Metric::sum("jobs_requeued", |of| of.outages().is_some(), per_job!(|of, i| u64::from(of.replay.records[i].restarts > 0)))
    .when(When::Outages)
    .meaning("jobs that were killed at least once, ran again and ended")
    .terminal(First, "requeued", |of| of.outages)
    .report(First, "requeued", |of| of.outages),
    Metric::count("jobs_given_up", |of| of.outages().map(|outages| outages.given_up))
        .when(When::Outages)
        .meaning("jobs that were killed more often than they may be requeued; not in `jobs` nor in means"),
    Metric::count("jobs_never_started", |of| of.outages().map(|outages| outages.never_started))
        .when(When::Outages)
        .meaning("jobs that waited in vain for nodes to come up; not in `jobs` nor in means")
        .terminal(First, "never started", |of| of.outages)
        .report(First, "never started", |of| of.outages),
    Metric::real("internal_fragmentation", |of| Some(share(of.totals.unasked_s, of.totals.busy_s)))
        .meaning("share of busy node-seconds that no job asked for")
        .shown(Percent(1))
        .terminal(First, "int. frag.", |of| of.unasked)
        .room(6)
        .report(First, "internal fragmentation %", |of| of.unasked),
    Metric::mean("wait_s_mean", per_job!(|of, i| of.wait_s(i)))
        .of_jobs("wait_s")
        .is("wait", "s", "mean of start − arrival")
        .shown(Seconds(1))
        .terminal(First, "wait s", |_| true)
        .room(8)
        .report(First, "wait s", |_| true)
        .interval(3)
        .compared()
        .grouped(),
    Metric::sum("starts_delayed", ALWAYS, per_job!(|of, i| {
        u64::from(of.start_delay_s(i).is_some_and(|delay_s| delay_s > 0.0))
    }))
        .when(When::Recorded)
        .meaning("jobs that started later than their log says")
        .terminal(First, "late", |of| of.recorded)
        .report(First, "started later than recorded", |of| of.recorded),
    Metric::mean("start_delay_s_mean", per_job!(|of, i| of.start_delay_s(i).unwrap_or_default()))
        .when(When::Recorded)
        .is(
            "start delay",
            "s",
            "mean of how much later jobs started than their log says; 0 for those that started no later or whose recorded \
             wait is unknown",
        )
        .shown(Seconds(1))
        .terminal(First, "late by s", |of| of.recorded)
        .report(First, "later than recorded by s", |of| of.recorded),
    Metric::sum("waits_unknown", ALWAYS, per_job!(|of, i| u64::from(of.start_delay_s(i).is_none())))
        .when(When::Recorded)
        .meaning("jobs whose recorded wait is unknown")
        .better(Neither),
    Metric::sum("nodes_replaced", BY_LISTS, per_job!(|of, i| of.replaced(i).map_or(0, u64::from)))
        .when(When::RecordedNodes)
        .meaning("nodes that jobs with a list got although it does not have them, as nodes of it were in use, down or too few")
        .terminal(First, "replaced", |of| of.recorded_nodes)
        .report(First, "nodes other than recorded", |of| of.recorded_nodes),
    Metric::sum("placements_replaced", BY_LISTS, per_job!(|of, i| u64::from(of.replaced(i).is_some_and(|nodes| nodes > 0))))
        .when(When::RecordedNodes)
        .meaning("jobs that got such nodes"),
    Metric::sum("lists_unknown", BY_LISTS, per_job!(|of, i| u64::from(of.replaced(i).is_none())))
        .when(When::RecordedNodes)
        .meaning("jobs that have no list of nodes in the log")
        .better(Neither),
    Metric::mean("queue_delay_s_mean", per_job!(|of, i| of.queue_delay_s(i)))
        .of_jobs("queue_delay_s")
        .is("queue delay", "s", "mean of arrival to head of the queue")
        .shown(Seconds(1))
        .terminal(Delays, "queue delay s", |of| of.delays)
        .room(2)
        .report(First, "queue delay s", |of| of.delays),
    Metric::mean("allocation_delay_s_mean", per_job!(|of, i| of.allocation_delay_s(i)))
        .of_jobs("allocation_delay_s")
        .is("allocation delay", "s", "mean of head of the queue to start")
        .shown(Seconds(1))
        .terminal(Delays, "allocation delay s", |of| of.delays)
        .room(2)
        .report(First, "allocation delay s", |of| of.delays),
    Metric::sum("moves", ALWAYS, per_job!(|of, i| u64::from(of.replay.records[i].moves)))
        .room(3)
        .meaning("moves of running jobs that made room")
        .terminal(Delays, "moves", |of| of.delays)
        .report(First, "moves", |of| of.delays),
    Metric::sum("jobs_moved", ALWAYS, per_job!(|of, i| u64::from(of.replay.records[i].moves > 0)))
    .meaning("jobs that were moved at least once"),
    Metric::count("compactions_begun", |of| Some(of.replay.recording.compactions.begun))
        .meaning("plans for running jobs to make room for another one")
        .better(Neither),
    Metric::count("compactions", |of| Some(of.replay.recording.compactions.carried_out))
        .meaning("those carried out: jobs that were allocated by compaction")
        .better(Neither),
    Metric::count("compactions_aborted", |of| Some(of.replay.recording.compactions.aborted))
        .meaning("those void because a job that would have moved ended while the decision was made"),
    Metric::count("compactions_delayed", |of| Some(of.replay.recording.compactions.delayed))
        .meaning("those carried out in which a job stood still for a while without moving"),
    Metric::count("compactions_overrun", |of| Some(of.replay.recording.compactions.overrun))
        .meaning("those carried out in which jobs were still moving when the new one could start"),
    Metric::mean("suspended_s_mean", per_job!(|of, i| of.replay.records[i].suspended.as_seconds()))
        .of_jobs("suspended_s")
        .is("suspended", "s", "mean time that jobs stood still because of that")
        .shown(Seconds(2))
        .terminal(Delays, "suspended s", |of| of.delays)
        .report(First, "suspended s", |of| of.delays),
    Metric::mean("service_s_mean", per_job!(|of, i| of.service_s(i)))
        .of_jobs("run_s")
        .is("service", "s", "mean of end − start")
        .shown(Seconds(1))
        .terminal(Network, "service s", |of| of.network)
        .room(3)
        .report(Network, "service s", |_| true),
    Metric::mean("turnaround_s_mean", per_job!(|of, i| of.turnaround_s(i)))
        .of_jobs_less("end_s", "submit_s")
        .is("turnaround", "s", "mean of end − arrival")
        .shown(Seconds(1))
        .terminal(Response, "turnaround s", |of| of.replicated || of.network)
        .room(7)
        .report(First, "turnaround s", |_| true)
        .interval(1)
        .compared(),
    Metric::variance("turnaround_s_variance", per_job!(|of, i| of.turnaround_s(i)))
        .is("turnaround variance", "s²", "variance of end − arrival over the jobs")
        .interval(2),
    Metric::mean("bounded_slowdown_mean", per_job!(|of, i| {
        (of.turnaround_s(i) / of.service_s(i).max(SHORTEST_RUN_S)).max(1.0)
    }))
    .is("bounded slowdown", "", "mean of max(1, turnaround / max(run, 10 s))")
    .shown(Plain(1))
    .terminal(Response, "slowdown", |of| !(of.replicated || of.network))
        .room(5)
    .report(First, "slowdown", |_| true)
    .interval(4)
        .grouped(),
    Metric::mean("bounded_slowdown_per_processor_mean", per_job!(|of, i| {
        let processors = f64::from(of.replay.jobs[i].procs);
        (of.turnaround_s(i) / (processors * of.service_s(i).max(SHORTEST_RUN_S))).max(1.0)
    }))
    .is(
        "bounded slowdown per processor",
        "",
        "mean of max(1, turnaround / (processors · max(run, 10 s))), by the processors that a job asks for",
    )
    .shown(Plain(2)),
    Metric::mean_if("prediction_error_s_mean", |of| of.replay.is_predicted, per_job!(|of, i| {
        (of.prediction_s(i) - of.ran_s(i)).abs()
    }))
    .when(When::Predictions)
    .is("prediction error", "s", "mean of |prediction − run|, of the predictions that were made on arrival")
    .shown(Seconds(1))
    .terminal(Response, "error s", |of| of.predictions)
    .report(First, "prediction error s", |of| of.predictions),
    Metric::mean_if("underpredicted_share", |of| of.replay.is_predicted, per_job!(|of, i| {
        f64::from(u8::from(of.prediction_s(i) < of.ran_s(i)))
    }))
    .when(When::Predictions)
    .meaning("share of jobs that ran longer than predicted on arrival")
    .better(Neither)
    .shown(Percent(1))
    .terminal(Response, "underpredicted", |of| of.predictions)
    .report(First, "underpredicted %", |of| of.predictions),
    Metric::sum("prediction_corrections", |of| of.replay.is_predicted, per_job!(|of, i| {
        u64::from(of.replay.records[i].corrections)
    }))
    .when(When::Predictions)
    .meaning("times that a prediction was corrected because a job had outlived it")
    .report(First, "corrections", |of| of.predictions),
    Metric::mean("pairwise_sum_mean", per_job!(|of, i| of.dispersal(i).pairwise_sum as f64))
        .of_jobs("pairwise_sum")
        .is("pairwise sum", "hops", "mean Σ L1 distance over a job's pairs of nodes, serial jobs as 0")
        .shown(Plain(1))
        .terminal(Placement, "pairwise sum", |of| !of.network)
        .room(9)
        .report(First, "pairwise sum", |_| true)
        .interval(7)
        .compared(),
    Metric::mean("pairwise_mean_mean", per_job!(|of, i| of.dispersal(i).pairwise_mean()))
        .of_jobs("pairwise_mean")
        .is("pairwise mean", "hops", "mean of the jobs' mean distances, serial jobs as 0")
        .shown(Plain(3))
        .terminal(Placement, "pairwise mean", |_| true)
        .room(3)
        .report(First, "pairwise mean", |_| true)
        .grouped(),
    Metric::parallel_mean("pairwise_mean_parallel_mean", per_job!(|of, i| of.dispersal(i).pairwise_mean()))
        .is("pairwise mean parallel", "hops", "the same over jobs of at least two nodes"),
    Metric::mean_to_bound("pairwise_ratio_to_bound_mean")
        .is(
            "pairwise ratio to bound",
            "",
            "mean of pairwise sum / what no placement of so many nodes of the machine is below, over jobs of at least two \
             nodes; null if there are none",
        )
        .shown(Plain(3))
        // The table has no room for this column beside measured times.
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
        .meaning("share of jobs that have one")
        .better(Higher)
        .shown(Percent(1))
        .terminal(Placement, "contiguous", |of| !of.network)
        .room(2),
    Metric::count("allocate_calls", |of| {
        Some(of.replay.recording.allocate.calls() + of.replay.recording.refused.calls())
    })
    .meaning("calls of the allocator in all")
    .better(Neither),
    Metric::count("allocate_failures", |of| Some(of.replay.recording.refused.calls()))
        .meaning("those refused"),
    Metric::mean_if("contention_own_mean", |of| of.replay.recording.contention.is_some(), per_job!(|of, i| of.contention(i).own))
    .when(When::Contention)
    .is("contention own", "pairs", "mean of `contention_own` of the `jobs` frame"),
    Metric::mean_if("contention_others_mean", |of| of.replay.recording.contention.is_some(), per_job!(|of, i| {
        of.contention(i).others
    }))
    .when(When::Contention)
    .is("contention others", "pairs", "mean of `contention_others`"),
    Metric::real("contention_mean", |of| {
        Some(share(of.replay.recording.contention.as_ref()?.pair_seconds, of.makespan_s))
    })
    .when(When::Contention)
    .is("contention", "pairs", "mean over the makespan of all pairs of messages that meet on a link")
    .report(First, "contention", |_| true),
    Metric::real("largest_free_submesh_mean", |of| {
        Some(fragmentation(of)?.largest)
    })
    .when(When::Fragmentation)
    .is("largest free submesh", "nodes", "mean over the makespan of the nodes of the largest free submesh")
    .better(Higher)
    .shown(Plain(1))
    .terminal(Placement, "largest free", |of| of.slices > 0)
    .room(1)
    .report(First, "largest free submesh", |_| true),
    Metric::real("external_fragmentation", |of| Some(fragmentation(of)?.external))
        .when(When::Fragmentation)
        .meaning("mean over the makespan of 1 − largest free submesh / free nodes; 0 while none is free")
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
    Metric::real("packet_hops_mean", |of| per_packet(of, |traffic| traffic.hops))
        .when(When::Network)
        .is("packet hops", "hops", "mean number of links that they took"),
    Metric::real("packet_latency_cycles_mean", |of| per_packet(of, |traffic| traffic.latency.total))
        .when(When::Network)
        .is("packet latency", "cycles", "mean of creation to arrival of the last flit")
        .shown(Plain(1))
        .terminal(Network, "latency", |of| of.network)
        .room(4)
        .report(Network, "packet latency", |_| true),
    Metric::count("packet_latency_cycles_p50", |of| Some(of.replay.traffic?.latency.quantile(0.5)))
        .when(When::Network)
        .is("packet latency", "cycles", "median of it")
        .detail(", median"),
    Metric::count("packet_latency_cycles_p99", |of| Some(of.replay.traffic?.latency.quantile(0.99)))
        .when(When::Network)
        .is("packet latency", "cycles", "99th percentile of it")
        .detail(", 99th percentile"),
    Metric::real("packet_blocked_cycles_mean", |of| per_packet(of, |traffic| traffic.blocked.total))
        .when(When::Network)
        .is("packet blocked", "cycles", "mean time that headers waited for channels in the network")
        .shown(Plain(1))
        .terminal(Network, "blocked", |of| of.network)
        .report(Network, "packet blocked", |_| true),
    Metric::count("packet_blocked_cycles_p99", |of| Some(of.replay.traffic?.blocked.quantile(0.99)))
        .when(When::Network)
        .is("packet blocked", "cycles", "99th percentile of it")
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
    .meaning("flits by links and cycles of the makespan")
    .better(Neither),
    Metric::real("link_utilization_max", |of| {
        let traffic = of.replay.traffic?;
        Some(share(traffic.flits.1 as f64, cycles(of, traffic)))
    })
    .when(When::Network)
    .meaning("the same of the busiest link; up to 2 on a torus at the packet level"),
    Metric::duration("allocate_ns_p50", ", median", |all| &all.allocate, Cost::p50_ns)
        .is("allocate", "ns", "median duration of calls that placed a job")
        .terminal(Last, "call p50", |of| of.timed)
        .room(3)
        .report(Last, "call p50 ns", |_| true),
    Metric::real("allocate_ns_trimmed_mean", |of| of.replay.recording.allocate.trimmed_mean_ns())
        .when(When::Timed)
        .is("allocate", "ns", "mean duration of calls that placed a job, without the slowest 1 %; null for up to 1,000 calls")
        .detail(", trimmed mean")
        .shown(Measured(0)),
    Metric::duration("allocate_ns_p99", ", 99th percentile", |all| &all.allocate, Cost::p99_ns)
        .is("allocate", "ns", "99th percentile of the duration of calls that placed a job")
        .terminal(Last, "call p99", |of| of.timed)
        .report(Last, "call p99 ns", |_| true),
    Metric::duration("allocate_ns_max", ", longest", |all| &all.allocate, Cost::max_ns)
        .is("allocate", "ns", "longest duration of calls that placed a job"),
    Metric::duration("allocate_ns_total", " in all", |all| &all.allocate, Cost::total_ns)
        .is("allocate", "ns", "duration of all calls that placed a job"),
    Metric::duration("refuse_ns_p50", ", median", |all| &all.refused, Cost::p50_ns)
        .is("refuse", "ns", "median duration of calls that were refused")
        .report(Last, "refused p50 ns", |of| of.refused),
    Metric::duration("refuse_ns_p99", ", 99th percentile", |all| &all.refused, Cost::p99_ns)
        .is("refuse", "ns", "99th percentile of the duration of calls that were refused")
        .report(Last, "refused p99 ns", |of| of.refused),
    Metric::duration("refuse_ns_max", ", longest", |all| &all.refused, Cost::max_ns)
        .is("refuse", "ns", "longest duration of calls that were refused"),
    Metric::duration("refuse_ns_total", " in all", |all| &all.refused, Cost::total_ns)
        .is("refuse", "ns", "duration of all calls that were refused"),
    Metric::duration("release_ns_p50", ", median", |all| &all.release, Cost::p50_ns)
        .is("release", "ns", "median duration of releases"),
    Metric::duration("release_ns_p99", ", 99th percentile", |all| &all.release, Cost::p99_ns)
        .is("release", "ns", "99th percentile of the duration of releases"),
    Metric::duration("release_ns_max", ", longest", |all| &all.release, Cost::max_ns)
        .is("release", "ns", "longest duration of releases"),
    Metric::duration("release_ns_total", " in all", |all| &all.release, Cost::total_ns)
        .is("release", "ns", "duration of all releases"),
    Metric::real("replay_wall_s", |of| Some(of.replay.wall_s))
        .when(When::Timed)
        .is("replay wall", "s", "wall-clock time of the replay, without waiting for the log to be read and for results to be summed up or written")
        .shown(Measured(3))
        .terminal(Last, "replay", |of| of.timed)
        .report(Last, "replay s", |_| true),
];

/// Returns a row for the mean number of slices that fit. Slices are counted from 1.
const fn fit<const I: usize>(name: &'static str, slice: &'static str, title: &'static str) -> Metric {
    slice_row::<I>(Metric::real(name, |of| Some(*fragmentation(of)?.fits.get(I - 1)?)), slice, title)
        .is("slices that fit", "", "mean over the makespan of how many of this slice of --fragmentation fit into the free nodes at once, taken greedily; null if fewer slices are given")
        .shown(Plain(2))
        .report(First, title, |of| of.slices >= I)
}

/// Returns a row for the share of the time in which enough slices fit. Slices are counted from 1.
const fn enough<const I: usize>(name: &'static str, slice: &'static str, title: &'static str) -> Metric {
    slice_row::<I>(Metric::real(name, |of| Some(*fragmentation(of)?.enough.get(I - 1)?)), slice, title)
        .is("time in which enough slices fit", "", "share of the makespan in which at least N of this slice fit, given as SIDES*N to --fragmentation (N is 1 if left out); null if fewer slices are given")
        .shown(Percent(1))
}

/// Returns the row with what all numbers of slice I share.
const fn slice_row<const I: usize>(row: Metric, slice: &'static str, title: &'static str) -> Metric {
    row.when(When::Fragmentation).better(Higher).detail(slice).terminal(Placement, title, |of| of.slices >= I)
}

/// Returns the fragmentation of free nodes; `None` if it was not measured.
fn fragmentation<'a>(of: &'a Facts<'_>) -> Option<&'a FragmentationRecord> {
    of.replay.recording.fragmentation.as_ref()
}

/// Returns a total of the network divided by the number of packets, or 0 if there are no packets. `None` without a
/// network.
fn per_packet(of: &Facts<'_>, total: fn(&Traffic) -> u64) -> Option<f64> {
    let traffic = of.replay.traffic?;
    Some(share(total(traffic) as f64, traffic.packets as f64))
}

/// Returns the number of network cycles from the first arrival to the last end.
fn cycles(of: &Facts<'_>, traffic: &Traffic) -> f64 {
    of.makespan_s / traffic.cycle.as_seconds()
}
