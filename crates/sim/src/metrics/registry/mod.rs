//! The table of the numbers of a summary, one row per number. Frames, tables, plots, reports and replications
//! derive everything about a number from its row.
//!
//! A new number needs one row and its function. The columns of the `summary` frame have the order of the
//! rows: numbers about jobs, then those of `places`.

mod places;

use super::facts::{offered_load, share};
use super::gather::Compute::{Count, Mean, MeanTime, OfWaits, Real, Sum, Variance};
use super::gather::per_job;
use super::metric::Better::{Higher, Neither};
use super::metric::Display::{Percent, Plain, Seconds};
use super::metric::Group::{Delays, First, Network, Response};
use super::metric::{Metric, Needs, Shown, row};

/// Every number of a summary.
pub static METRICS: &[Metric] = &joined::<{ ROWS.len() + places::ROWS.len() }>();

/// Concatenates the rows of both parts.
const fn joined<const N: usize>() -> [Metric; N] {
    let mut all = [ROWS[0]; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < ROWS.len() { ROWS[i] } else { places::ROWS[i - ROWS.len()] };
        i += 1;
    }
    all
}

/// The shortest run time of slowdowns in seconds. Shorter runs count as this long (bounded slowdown).
const SHORTEST_RUN_S: f64 = 10.0;

/// The rows of numbers about jobs, in the order of the columns of the `summary` frame.
const ROWS: &[Metric] = &[
    row("jobs", Count(|of| Some(of.totals.jobs))).meaning("jobs replayed").better(Neither).report(
        First,
        "jobs",
        Shown::Always,
    ),
    row("jobs_in_means", Count(|of| Some(of.totals.in_means)))
        .meaning("jobs that means cover; means over none are null")
        .better(Neither),
    row("skipped", Count(|of| Some(of.replay.skipped))).meaning("records left out").better(Neither),
    row("never_fit", Count(|of| Some(of.replay.never_fit)))
        .meaning("records left out because their shape never fits")
        .better(Neither),
    row("makespan_s", Real(|of| Some(of.makespan_s)))
        .describe("makespan", "s", "first arrival to last end")
        .interval(6),
    row("utilization", Real(|of| Some(share(of.totals.busy_s + of.lost_node_s(), of.available_node_s))))
        .meaning("busy node-seconds divided by available nodes and makespan")
        .better(Higher)
        .shown(Percent(1))
        .terminal(First, "utilization", 6, Shown::Unless(Needs::Unasked))
        .report(First, "utilization %", Shown::Unless(Needs::Unasked))
        .interval(5),
    row(
        "useful_utilization",
        Real(|of| Some(share(of.totals.busy_s - of.totals.unasked_s, of.available_node_s))),
    )
    .describe(
        "useful utilization",
        "",
        "requested node-seconds of completed runs divided by available nodes and makespan: utilization \
         without internal fragmentation and lost work",
    )
    .better(Higher)
    .shown(Percent(1))
    .terminal(First, "useful util.", 6, Shown::If(Needs::Unasked))
    .report(First, "useful utilization %", Shown::If(Needs::Unasked)),
    row("offered_load", Real(offered_load))
        .meaning(
            "requested node-seconds divided by available nodes and the time from the first to the last \
             submission, or the length of the period; null if all jobs arrive at once",
        )
        .better(Neither)
        .shown(Plain(2)),
    row("carried_refused", Count(|of| of.replay.trim.period.map(|_| of.totals.refused)))
        .meaning(
            "jobs that ran at the beginning of the period and found no place on the machine then; they \
             waited at the head of the queue",
        )
        .needs(Needs::Period)
        .better(Neither),
    row(
        "carried_refused_share",
        Real(|of| of.replay.trim.period.map(|_| share(of.totals.refused_s, of.totals.busy_s))),
    )
    .meaning("their share of the node-seconds of all runs inside the period")
    .needs(Needs::Period)
    .better(Neither)
    .shown(Percent(1)),
    row("overloaded", Count(|of| Some(u64::from(of.totals.backlog.is_overload(of.replay.mesh)))))
        .meaning(
            "1 if much work waited when submissions ended, so that waits grow with the length of the log, \
             otherwise 0",
        )
        .better(Neither),
    row("backlog_share", Real(|of| Some(of.totals.backlog.share())))
        .meaning("share of busy node-seconds of jobs that had not started at the last submission")
        .shown(Percent(1)),
    row("backlog_days", Real(|of| Some(of.totals.backlog.machine_days(of.replay.mesh))))
        .describe(
            "backlog",
            "d",
            "node-seconds of jobs that had not started at the last submission, divided by available nodes",
        )
        .shown(Plain(1)),
    row("backlog_jobs_share", Real(|of| Some(of.totals.backlog.jobs_share())))
        .meaning("share of jobs that had not started at the last submission")
        .shown(Percent(1)),
    row("goodput", Real(|of| of.outages().map(|_| share(of.totals.busy_s, of.available_node_s))))
        .needs(Needs::Outages)
        .meaning("node-seconds of completed runs divided by available node-seconds")
        .better(Higher)
        .shown(Percent(1))
        .terminal(First, "goodput", 6, Shown::Always)
        .report(First, "goodput %", Shown::Always),
    row("lost_node_s", Real(|of| of.outages().map(|outages| outages.lost_node_s)))
        .needs(Needs::Outages)
        .describe("lost work", "node-s", "node-seconds of killed runs")
        .shown(Plain(0))
        .terminal(First, "lost node-s", 5, Shown::Always)
        .report(First, "lost node-s", Shown::Always),
    row("available_node_s", Real(|of| of.outages().map(|_| of.available_node_s)))
        .needs(Needs::Outages)
        .describe(
            "available",
            "node-s",
            "node-seconds of nodes that were up or in use, from the first arrival to the last end; the \
             denominator of utilization",
        )
        .better(Neither),
    row("node_failures", Count(|of| of.outages().map(|outages| outages.failures)))
        .needs(Needs::Outages)
        .meaning("node outages"),
    row("jobs_killed", Count(|of| of.outages().map(|outages| outages.kills)))
        .needs(Needs::Outages)
        .meaning("runs killed by node outages"),
    row("jobs_requeued", Sum(per_job!(|job| u64::from(job.record.restarts > 0))))
        .needs(Needs::Outages)
        .meaning("jobs killed at least once that ran again and ended")
        .terminal(First, "requeued", 0, Shown::Always)
        .report(First, "requeued", Shown::Always),
    row("jobs_given_up", Count(|of| of.outages().map(|outages| outages.given_up)))
        .needs(Needs::Outages)
        .meaning("jobs killed more often than the limit of requeues; not in `jobs` nor in means"),
    row("jobs_never_started", Count(|of| of.outages().map(|outages| outages.never_started)))
        .needs(Needs::Outages)
        .meaning("jobs still waiting for nodes at the end; not in `jobs` nor in means")
        .terminal(First, "never started", 0, Shown::Always)
        .report(First, "never started", Shown::Always),
    row("internal_fragmentation", Real(|of| Some(share(of.totals.unasked_s, of.totals.busy_s))))
        .meaning("share of busy node-seconds beyond requests")
        .shown(Percent(1))
        .terminal(First, "int. frag.", 6, Shown::If(Needs::Unasked))
        .report(First, "internal fragmentation %", Shown::If(Needs::Unasked)),
    row("wait_s_mean", MeanTime(|of, trim| Some(trim.wait_s(of))))
        .of_jobs("wait_s")
        .describe("wait", "s", "mean of start − arrival, or of the part of it inside the period")
        .shown(Seconds(1))
        .terminal(First, "wait s", 8, Shown::Always)
        .report(First, "wait s", Shown::Always)
        .interval(3)
        .compared()
        .grouped(),
    row("wait_s_median", OfWaits(|of| of.waits.median_s))
        .describe("wait", "s", "median of start − arrival: the mean of the middle two for an even number")
        .detail(", median")
        .shown(Seconds(1)),
    row("wait_s_p95", OfWaits(|of| of.waits.p95_s))
        .describe("wait", "s", "shortest wait that at least 95 % of the jobs do not exceed")
        .detail(", 95th percentile")
        .shown(Seconds(1)),
    row("wait_s_max", OfWaits(|of| of.waits.longest_s))
        .describe("wait", "s", "longest wait")
        .detail(", longest")
        .shown(Seconds(1)),
    row("wait_s_by_work_mean", OfWaits(|of| (of.work_s > 0.0).then(|| of.waited_work_s2 / of.work_s)))
        .describe("wait", "s", "mean of start − arrival, weighted by requested processors times run time")
        .detail(", weighted by work")
        .shown(Seconds(1)),
    row("backfilled_share", Mean(per_job!(|job| f64::from(u8::from(job.record.backfilled)))))
        .meaning("share of jobs that started while an older job waited")
        .better(Neither)
        .shown(Percent(1)),
    row(
        "starts_delayed",
        Sum(per_job!(|job| u64::from(job.start_delay_s().is_some_and(|delay_s| delay_s > 0.0)))),
    )
    .needs(Needs::Recorded)
    .meaning("jobs that started later than recorded")
    .terminal(First, "late", 0, Shown::Always)
    .report(First, "started later than recorded", Shown::Always),
    row("start_delay_s_mean", Mean(per_job!(|job| job.start_delay_s().unwrap_or_default())))
        .needs(Needs::Recorded)
        .describe(
            "start delay",
            "s",
            "mean delay of starts after the recorded start; 0 for jobs without a delay or with an \
             unknown recorded wait",
        )
        .shown(Seconds(1))
        .terminal(First, "late by s", 0, Shown::Always)
        .report(First, "later than recorded by s", Shown::Always),
    row("waits_unknown", Sum(per_job!(|job| u64::from(job.start_delay_s().is_none()))))
        .needs(Needs::Recorded)
        .meaning("jobs with an unknown recorded wait")
        .better(Neither),
    row("nodes_replaced", Sum(per_job!(|job| job.measures.more().replaced.map_or(0, u64::from))))
        .needs(Needs::RecordedNodes)
        .meaning(
            "nodes outside of the jobs' recorded lists, because listed nodes were in use, down or too \
             few",
        )
        .terminal(First, "replaced", 0, Shown::Always)
        .report(First, "nodes other than recorded", Shown::Always),
    row(
        "placements_replaced",
        Sum(per_job!(|job| u64::from(job.measures.more().replaced.is_some_and(|nodes| nodes > 0)))),
    )
    .needs(Needs::RecordedNodes)
    .meaning("jobs with replaced nodes"),
    row("lists_unknown", Sum(per_job!(|job| u64::from(job.measures.more().replaced.is_none()))))
        .needs(Needs::RecordedNodes)
        .meaning("jobs without a node list in the log")
        .better(Neither),
    row("queue_delay_s_mean", MeanTime(|of, trim| Some(trim.inside_s(of.job.submit, of.record.head))))
        .of_jobs("queue_delay_s")
        .describe("queue delay", "s", "mean time from arrival to the head of the queue")
        .shown(Seconds(1))
        .terminal(Delays, "queue delay s", 2, Shown::If(Needs::Moves))
        .report(First, "queue delay s", Shown::If(Needs::Moves)),
    row("allocation_delay_s_mean", MeanTime(|of, trim| Some(trim.inside_s(of.record.head, of.record.start))))
        .of_jobs("allocation_delay_s")
        .describe("allocation delay", "s", "mean time from the head of the queue to the start")
        .shown(Seconds(1))
        .terminal(Delays, "allocation delay s", 2, Shown::If(Needs::Moves))
        .report(First, "allocation delay s", Shown::If(Needs::Moves)),
    row("moves", Sum(per_job!(|job| u64::from(job.record.moves))))
        .meaning("moves of running jobs to make room")
        .terminal(Delays, "moves", 3, Shown::If(Needs::Moves))
        .report(First, "moves", Shown::If(Needs::Moves)),
    row("jobs_moved", Sum(per_job!(|job| u64::from(job.record.moves > 0))))
        .meaning("jobs that were moved at least once"),
    row("compactions_begun", Count(|of| Some(of.replay.recording.compactions.begun)))
        .meaning("plans for running jobs to make room for another one")
        .better(Neither),
    row("compactions", Count(|of| Some(of.replay.recording.compactions.carried_out)))
        .meaning("compactions carried out: jobs allocated by compaction")
        .better(Neither),
    row("compactions_aborted", Count(|of| Some(of.replay.recording.compactions.aborted)))
        .meaning("compactions aborted because a job to be moved ended during the decision"),
    row("compactions_delayed", Count(|of| Some(of.replay.recording.compactions.delayed)))
        .meaning("compactions carried out while a job stood still without moving"),
    row("compactions_overrun", Count(|of| Some(of.replay.recording.compactions.overrun)))
        .meaning("compactions carried out with jobs still moving when the new job could start"),
    row("suspended_s_mean", Mean(per_job!(|job| job.record.suspended.as_seconds())))
        .of_jobs("suspended_s")
        .describe("suspended", "s", "mean time that jobs stood still because of moves")
        .shown(Seconds(2))
        .terminal(Delays, "suspended s", 0, Shown::If(Needs::Moves))
        .report(First, "suspended s", Shown::If(Needs::Moves)),
    row("service_s_mean", Mean(per_job!(|job| job.service_s())))
        .of_jobs("run_s")
        .describe("service", "s", "mean of end − start")
        .shown(Seconds(1))
        .terminal(Network, "service s", 3, Shown::If(Needs::Network))
        .report(Network, "service s", Shown::Always),
    row("turnaround_s_mean", Mean(per_job!(|job| job.turnaround_s())))
        .of_jobs_less("end_s", "submit_s")
        .describe("turnaround", "s", "mean of end − arrival")
        .shown(Seconds(1))
        .terminal(Response, "turnaround s", 7, Shown::If(Needs::Turnaround))
        .report(First, "turnaround s", Shown::Always)
        .interval(1)
        .compared(),
    row("turnaround_s_variance", Variance(per_job!(|job| job.turnaround_s())))
        .describe("turnaround variance", "s²", "variance of end − arrival over the jobs")
        .interval(2),
    row(
        "bounded_slowdown_mean",
        Mean(per_job!(|job| (job.turnaround_s() / job.service_s().max(SHORTEST_RUN_S)).max(1.0))),
    )
    .describe("bounded slowdown", "", "mean of max(1, turnaround / max(run, 10 s))")
    .shown(Plain(1))
    .terminal(Response, "slowdown", 5, Shown::Unless(Needs::Turnaround))
    .report(First, "slowdown", Shown::Always)
    .interval(4)
    .compared()
    .grouped(),
    row(
        "bounded_slowdown_per_processor_mean",
        Mean(per_job!(|job| {
            let processors = f64::from(job.job.procs);
            (job.turnaround_s() / (processors * job.service_s().max(SHORTEST_RUN_S))).max(1.0)
        })),
    )
    .describe(
        "bounded slowdown per processor",
        "",
        "mean of max(1, turnaround / (processors · max(run, 10 s))), with requested processors",
    )
    .shown(Plain(2)),
    row(
        "prediction_error_s_mean",
        Mean(per_job!(|job| (job.record.prediction.as_seconds() - job.ran_s()).abs())),
    )
    .needs(Needs::Predictions)
    .describe("prediction error", "s", "mean of |prediction − run| for predictions at arrival")
    .shown(Seconds(1))
    .terminal(Response, "error s", 0, Shown::Always)
    .report(First, "prediction error s", Shown::Always),
    row(
        "underpredicted_share",
        Mean(per_job!(|job| f64::from(u8::from(job.record.prediction.as_seconds() < job.ran_s())))),
    )
    .needs(Needs::Predictions)
    .meaning("share of jobs that ran longer than predicted at arrival")
    .better(Neither)
    .shown(Percent(1))
    .terminal(Response, "underpredicted", 0, Shown::Always)
    .report(First, "underpredicted %", Shown::Always),
    row("prediction_corrections", Sum(per_job!(|job| u64::from(job.record.corrections))))
        .needs(Needs::Predictions)
        .meaning("corrections of predictions that jobs had outlived")
        .report(First, "corrections", Shown::Always),
];
