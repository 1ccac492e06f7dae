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
        .meaning("those that means are over; if there are none, means are null")
        .better(Neither),
    Metric::count("skipped", |of| Some(of.replay.skipped)).meaning("records left out").better(Neither),
    Metric::count("never_fit", |of| Some(of.replay.never_fit))
        .meaning("records left out because the allocator never finds a place for their shape")
        .better(Neither),
    Metric::real("makespan_s", |of| Some(of.makespan_s))
        .is("makespan", "s", "first arrival to last end")
        .interval(6),
    Metric::real("utilization", |of| Some(share(of.totals.busy_s + of.lost_node_s(), of.available_node_s)))
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
        "node-seconds that jobs asked for, of completed runs, by available nodes and makespan; below \
         utilization by internal fragmentation and lost work",
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
            "node-seconds of the nodes that were up or in use, from the first arrival to the last end; \
             utilization is by them",
        )
        .better(Neither),
    Metric::count("node_failures", |of| of.outages().map(|outages| outages.failures))
        .when(When::Outages)
        .meaning("times that a node went down"),
    Metric::count("jobs_killed", |of| of.outages().map(|outages| outages.kills))
        .when(When::Outages)
        .meaning("times that a job was killed because a node went down"),
    Metric::sum(
        "jobs_requeued",
        |of| of.outages().is_some(),
        per_job!(|of, i| u64::from(of.replay.records[i].restarts > 0)),
    )
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
    Metric::sum(
        "starts_delayed",
        ALWAYS,
        per_job!(|of, i| { u64::from(of.start_delay_s(i).is_some_and(|delay_s| delay_s > 0.0)) }),
    )
    .when(When::Recorded)
    .meaning("jobs that started later than their log says")
    .terminal(First, "late", |of| of.recorded)
    .report(First, "started later than recorded", |of| of.recorded),
    Metric::mean("start_delay_s_mean", per_job!(|of, i| of.start_delay_s(i).unwrap_or_default()))
        .when(When::Recorded)
        .is(
            "start delay",
            "s",
            "mean of how much later jobs started than their log says; 0 for those that started no later or \
             whose recorded wait is unknown",
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
        .meaning(
            "nodes that jobs with a list got although it does not have them, as nodes of it were in \
             use, down or too few",
        )
        .terminal(First, "replaced", |of| of.recorded_nodes)
        .report(First, "nodes other than recorded", |of| of.recorded_nodes),
    Metric::sum(
        "placements_replaced",
        BY_LISTS,
        per_job!(|of, i| u64::from(of.replaced(i).is_some_and(|nodes| nodes > 0))),
    )
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
        "mean of max(1, turnaround / (processors · max(run, 10 s))), by the processors that a job asks for",
    )
    .shown(Plain(2)),
    Metric::mean_if(
        "prediction_error_s_mean",
        |of| of.replay.is_predicted,
        per_job!(|of, i| { (of.prediction_s(i) - of.ran_s(i)).abs() }),
    )
    .when(When::Predictions)
    .is("prediction error", "s", "mean of |prediction − run|, of the predictions that were made on arrival")
    .shown(Seconds(1))
    .terminal(Response, "error s", |of| of.predictions)
    .report(First, "prediction error s", |of| of.predictions),
    Metric::mean_if(
        "underpredicted_share",
        |of| of.replay.is_predicted,
        per_job!(|of, i| { f64::from(u8::from(of.prediction_s(i) < of.ran_s(i))) }),
    )
    .when(When::Predictions)
    .meaning("share of jobs that ran longer than predicted on arrival")
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
    .meaning("times that a prediction was corrected because a job had outlived it")
    .report(First, "corrections", |of| of.predictions),
];
