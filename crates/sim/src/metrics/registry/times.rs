//! Numbers about jobs: their counts, and their starts and ends.

use super::super::facts::share;
use super::super::gather::{IsThere, per_job};
use super::super::metric::Better::{Higher, Neither};
use super::super::metric::Display::{Percent, Plain, Seconds};
use super::super::metric::Group::{Delays, First, Network, Response};
use super::super::metric::{Metric, When};

/// The shortest run time of slowdowns in seconds. Shorter runs count as this long (bounded slowdown).
const SHORTEST_RUN_S: f64 = 10.0;

/// For every replay.
const ALWAYS: IsThere = |_| true;

/// For replays that place jobs by the lists of their log.
const BY_LISTS: IsThere = |of| of.replay.recording.replaced.is_some();

/// The rows, in the order of the columns of the `summary` frame.
pub(super) const ROWS: &[Metric] = &[
    Metric::count("jobs", |of| Some(of.totals.jobs)).meaning("jobs replayed").better(Neither).report(
        First,
        "jobs",
        |_| true,
    ),
    Metric::count("jobs_in_means", |of| Some(of.totals.in_means))
        .meaning("jobs that means cover; means over none are null")
        .better(Neither),
    Metric::count("skipped", |of| Some(of.replay.skipped)).meaning("records left out").better(Neither),
    Metric::count("never_fit", |of| Some(of.replay.never_fit))
        .meaning("records left out because their shape never fits")
        .better(Neither),
    Metric::real("makespan_s", |of| Some(of.makespan_s))
        .is("makespan", "s", "first arrival to last end")
        .interval(6),
    Metric::real("utilization", |of| Some(share(of.totals.busy_s + of.lost_node_s(), of.available_node_s)))
        .meaning("busy node-seconds divided by available nodes and makespan")
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
        "requested node-seconds of completed runs divided by available nodes and makespan: utilization \
         without internal fragmentation and lost work",
    )
    .better(Higher)
    .shown(Percent(1))
    .terminal(First, "useful util.", |of| of.unasked)
    .room(6)
    .report(First, "useful utilization %", |of| of.unasked),
    Metric::real("goodput", |of| of.outages().map(|_| share(of.totals.busy_s, of.available_node_s)))
        .room(6)
        .when(When::Outages)
        .meaning("node-seconds of completed runs divided by available node-seconds")
        .better(Higher)
        .shown(Percent(1))
        .terminal(First, "goodput", |of| of.outages)
        .report(First, "goodput %", |of| of.outages),
    Metric::real("lost_node_s", |of| of.outages().map(|outages| outages.lost_node_s))
        .when(When::Outages)
        .is("lost work", "node-s", "node-seconds of killed runs")
        .shown(Plain(0))
        .terminal(First, "lost node-s", |of| of.outages)
        .room(5)
        .report(First, "lost node-s", |of| of.outages),
    Metric::real("available_node_s", |of| of.outages().map(|_| of.available_node_s))
        .when(When::Outages)
        .is(
            "available",
            "node-s",
            "node-seconds of nodes that were up or in use, from the first arrival to the last end; the \
             denominator of utilization",
        )
        .better(Neither),
    Metric::count("node_failures", |of| of.outages().map(|outages| outages.failures))
        .when(When::Outages)
        .meaning("node outages"),
    Metric::count("jobs_killed", |of| of.outages().map(|outages| outages.kills))
        .when(When::Outages)
        .meaning("runs killed by node outages"),
    Metric::sum(
        "jobs_requeued",
        |of| of.outages().is_some(),
        per_job!(|of, i| u64::from(of.replay.records[i].restarts > 0)),
    )
    .when(When::Outages)
    .meaning("jobs killed at least once that ran again and ended")
    .terminal(First, "requeued", |of| of.outages)
    .report(First, "requeued", |of| of.outages),
    Metric::count("jobs_given_up", |of| of.outages().map(|outages| outages.given_up))
        .when(When::Outages)
        .meaning("jobs killed more often than the limit of requeues; not in `jobs` nor in means"),
    Metric::count("jobs_never_started", |of| of.outages().map(|outages| outages.never_started))
        .when(When::Outages)
        .meaning("jobs still waiting for nodes at the end; not in `jobs` nor in means")
        .terminal(First, "never started", |of| of.outages)
        .report(First, "never started", |of| of.outages),
    Metric::real("internal_fragmentation", |of| Some(share(of.totals.unasked_s, of.totals.busy_s)))
        .meaning("share of busy node-seconds beyond requests")
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
    Metric::sum(
        "starts_delayed",
        ALWAYS,
        per_job!(|of, i| { u64::from(of.start_delay_s(i).is_some_and(|delay_s| delay_s > 0.0)) }),
    )
    .when(When::Recorded)
    .meaning("jobs that started later than recorded")
    .terminal(First, "late", |of| of.recorded)
    .report(First, "started later than recorded", |of| of.recorded),
    Metric::mean("start_delay_s_mean", per_job!(|of, i| of.start_delay_s(i).unwrap_or_default()))
        .when(When::Recorded)
        .is(
            "start delay",
            "s",
            "mean delay of starts after the recorded start; 0 for jobs without a delay or with an \
             unknown recorded wait",
        )
        .shown(Seconds(1))
        .terminal(First, "late by s", |of| of.recorded)
        .report(First, "later than recorded by s", |of| of.recorded),
    Metric::sum("waits_unknown", ALWAYS, per_job!(|of, i| u64::from(of.start_delay_s(i).is_none())))
        .when(When::Recorded)
        .meaning("jobs with an unknown recorded wait")
        .better(Neither),
    Metric::sum("nodes_replaced", BY_LISTS, per_job!(|of, i| of.replaced(i).map_or(0, u64::from)))
        .when(When::RecordedNodes)
        .meaning(
            "nodes outside of the jobs' recorded lists, because listed nodes were in use, down or too \
             few",
        )
        .terminal(First, "replaced", |of| of.recorded_nodes)
        .report(First, "nodes other than recorded", |of| of.recorded_nodes),
    Metric::sum(
        "placements_replaced",
        BY_LISTS,
        per_job!(|of, i| u64::from(of.replaced(i).is_some_and(|nodes| nodes > 0))),
    )
    .when(When::RecordedNodes)
    .meaning("jobs with replaced nodes"),
    Metric::sum("lists_unknown", BY_LISTS, per_job!(|of, i| u64::from(of.replaced(i).is_none())))
        .when(When::RecordedNodes)
        .meaning("jobs without a node list in the log")
        .better(Neither),
    Metric::mean("queue_delay_s_mean", per_job!(|of, i| of.queue_delay_s(i)))
        .of_jobs("queue_delay_s")
        .is("queue delay", "s", "mean time from arrival to the head of the queue")
        .shown(Seconds(1))
        .terminal(Delays, "queue delay s", |of| of.delays)
        .room(2)
        .report(First, "queue delay s", |of| of.delays),
    Metric::mean("allocation_delay_s_mean", per_job!(|of, i| of.allocation_delay_s(i)))
        .of_jobs("allocation_delay_s")
        .is("allocation delay", "s", "mean time from the head of the queue to the start")
        .shown(Seconds(1))
        .terminal(Delays, "allocation delay s", |of| of.delays)
        .room(2)
        .report(First, "allocation delay s", |of| of.delays),
    Metric::sum("moves", ALWAYS, per_job!(|of, i| u64::from(of.replay.records[i].moves)))
        .room(3)
        .meaning("moves of running jobs to make room")
        .terminal(Delays, "moves", |of| of.delays)
        .report(First, "moves", |of| of.delays),
    Metric::sum("jobs_moved", ALWAYS, per_job!(|of, i| u64::from(of.replay.records[i].moves > 0)))
        .meaning("jobs that were moved at least once"),
    Metric::count("compactions_begun", |of| Some(of.replay.recording.compactions.begun))
        .meaning("plans for running jobs to make room for another one")
        .better(Neither),
    Metric::count("compactions", |of| Some(of.replay.recording.compactions.carried_out))
        .meaning("compactions carried out: jobs allocated by compaction")
        .better(Neither),
    Metric::count("compactions_aborted", |of| Some(of.replay.recording.compactions.aborted))
        .meaning("compactions aborted because a job to be moved ended during the decision"),
    Metric::count("compactions_delayed", |of| Some(of.replay.recording.compactions.delayed))
        .meaning("compactions carried out while a job stood still without moving"),
    Metric::count("compactions_overrun", |of| Some(of.replay.recording.compactions.overrun))
        .meaning("compactions carried out with jobs still moving when the new job could start"),
    Metric::mean("suspended_s_mean", per_job!(|of, i| of.replay.records[i].suspended.as_seconds()))
        .of_jobs("suspended_s")
        .is("suspended", "s", "mean time that jobs stood still because of moves")
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
    Metric::mean(
        "bounded_slowdown_mean",
        per_job!(|of, i| { (of.turnaround_s(i) / of.service_s(i).max(SHORTEST_RUN_S)).max(1.0) }),
    )
    .is("bounded slowdown", "", "mean of max(1, turnaround / max(run, 10 s))")
    .shown(Plain(1))
    .terminal(Response, "slowdown", |of| !(of.replicated || of.network))
    .room(5)
    .report(First, "slowdown", |_| true)
    .interval(4)
    .grouped(),
    Metric::mean(
        "bounded_slowdown_per_processor_mean",
        per_job!(|of, i| {
            let processors = f64::from(of.replay.jobs[i].procs);
            (of.turnaround_s(i) / (processors * of.service_s(i).max(SHORTEST_RUN_S))).max(1.0)
        }),
    )
    .is(
        "bounded slowdown per processor",
        "",
        "mean of max(1, turnaround / (processors · max(run, 10 s))), with requested processors",
    )
    .shown(Plain(2)),
    Metric::mean_if(
        "prediction_error_s_mean",
        |of| of.replay.is_predicted,
        per_job!(|of, i| { (of.prediction_s(i) - of.ran_s(i)).abs() }),
    )
    .when(When::Predictions)
    .is("prediction error", "s", "mean of |prediction − run| for predictions at arrival")
    .shown(Seconds(1))
    .terminal(Response, "error s", |of| of.predictions)
    .report(First, "prediction error s", |of| of.predictions),
    Metric::mean_if(
        "underpredicted_share",
        |of| of.replay.is_predicted,
        per_job!(|of, i| { f64::from(u8::from(of.prediction_s(i) < of.ran_s(i))) }),
    )
    .when(When::Predictions)
    .meaning("share of jobs that ran longer than predicted at arrival")
    .better(Neither)
    .shown(Percent(1))
    .terminal(Response, "underpredicted", |of| of.predictions)
    .report(First, "underpredicted %", |of| of.predictions),
    Metric::sum(
        "prediction_corrections",
        |of| of.replay.is_predicted,
        per_job!(|of, i| { u64::from(of.replay.records[i].corrections) }),
    )
    .when(When::Predictions)
    .meaning("corrections of predictions that jobs had outlived")
    .report(First, "corrections", |of| of.predictions),
];
