//! The `jobs` frame: one row per job of a replay.

use std::fmt::Write;
use std::ops::Range;

use polars_core::prelude::DataFrame;

use super::column::Value::{Added, F64, I64, MaybeF64, MaybeI64, MaybeU64, Seed, U32, U64, Written};
use super::column::{Field, Value, build};
use super::detail::Replicate;
use super::{FrameError, frame};
use meshreplay_base::job::{Job, Period, Shape, Time};
use meshreplay_logs::{LogNames, NameKind};
use meshreplay_sim::engine::Record;
use meshreplay_sim::execution::JobTraffic;
use meshreplay_sim::metrics::{Dispersal, FinishedJob, Has, More, Needs, WaitCause};
use meshreplay_study::study::Outcome;

/// Facts that the jobs of a replication share.
#[derive(Clone, Copy)]
pub(super) struct SharedFacts<'a> {
    pub(super) replay: u32,
    pub(super) seed: u64,
    pub(super) names: &'a LogNames,
    pub(super) is_predicted: bool,
    pub(super) period: Option<Period>,
}

impl<'a> SharedFacts<'a> {
    fn from_outcome(replay: u32, outcome: &'a Outcome) -> Self {
        let is_predicted = outcome.summary.get("prediction_corrections").is_some();
        Self { replay, seed: outcome.seed, names: &outcome.names, is_predicted, period: outcome.period }
    }

    /// Returns the frame of these jobs of the replication.
    pub(super) fn frame(self, jobs: &'a [FinishedJob], has: Has) -> Result<DataFrame, FrameError> {
        let rows: Vec<JobRow<'_>> = jobs.iter().map(|finished| JobRow { shared: &self, finished }).collect();
        frame(build(&fields(), &rows, has))
    }
}

/// One row of the frame. It is small, as each column goes through all rows.
pub(super) struct JobRow<'a> {
    shared: &'a SharedFacts<'a>,
    finished: &'a FinishedJob,
}

impl JobRow<'_> {
    fn job(&self) -> &Job {
        &self.finished.job
    }

    fn record(&self) -> &Record {
        &self.finished.record
    }

    fn dispersal(&self) -> &Dispersal {
        &self.finished.measures.dispersal
    }

    fn more(&self) -> &More {
        self.finished.measures.more()
    }

    /// Writes the user, account, queue or partition of the job: its name in the log, or else its number.
    /// Writes nothing if the log has neither.
    fn label(&self, kind: NameKind, number: Option<i64>, to: &mut String) {
        if let Some(number) = number {
            self.shared.names.write_label(kind, number, to);
        }
    }

    /// Writes what the job did at the beginning of the period; nothing without a period.
    fn origin(&self, to: &mut String) {
        to.push_str(self.shared.period.map_or("", |period| period.origin(self.job()).word()));
    }

    /// Returns the hour of the week of the submission; `None` if the log has no dates.
    fn submit_hour(&self) -> Option<u64> {
        let after_s = self.job().logged.submit.as_micros().div_euclid(1_000_000);
        self.shared.names.hour_of_week(after_s).map(u64::from)
    }

    /// Writes the sides of the box that the nodes form; nothing if they form none, or if placements were not
    /// kept.
    fn shape_used(&self, to: &mut String) {
        if let Some(sides) = self.more().sides {
            write_shape(&Shape::Sides(sides), to);
        }
    }

    /// Returns a value of the job's record; `None` if nothing was predicted in the replay.
    fn predicted<T>(&self, value: fn(&Record) -> T) -> Option<T> {
        self.shared.is_predicted.then(|| value(self.record()))
    }

    /// Returns the time waited for a cause; `None` if the replay has no causes.
    fn waited_s(&self, cause: WaitCause) -> Option<f64> {
        self.more().why.map(|why| why[cause].as_seconds())
    }

    /// Returns the mean of a quantity over the packets of the job. `total` returns its sum over the packets.
    /// The mean is 0 if the job sent no packets, and `None` if the replay has no network.
    fn per_packet(&self, total: fn(JobTraffic) -> u64) -> Option<f64> {
        self.more().traffic.map(|traffic| total(traffic) as f64 / traffic.packets.max(1) as f64)
    }
}

/// Returns the columns of the frame, which `meshreplay schema jobs` prints. Values are null only as [`Needs`]
/// permits.
pub(super) fn fields<'a>() -> Vec<Field<JobRow<'a>>> {
    [of_schedule(), of_wait(), of_events(), of_placement(), of_log()].into_iter().flatten().collect()
}

/// Returns the columns of the request and the schedule of a job.
fn of_schedule<'a>() -> Vec<Field<JobRow<'a>>> {
    vec![
        field("replay", U32(|row| row.shared.replay))
            .meaning("number of the replay; the same in the `summary` frame"),
        field("seed", Seed(|row| row.shared.seed)).meaning("seed; replications of a replay differ in it"),
        field("job", I64(|row| row.job().number)).meaning("number of the job in the log"),
        field("submit_s", F64(|row| row.job().submit.as_seconds())).unit("s").meaning("arrival, scaled"),
        field("start_s", F64(|row| row.record().start.as_seconds())).unit("s").meaning("start"),
        field("end_s", F64(|row| row.record().end.as_seconds())).unit("s").meaning("end"),
        field("run_s", F64(|row| row.finished.service_s())).unit("s").meaning("end − start"),
        field("estimate_s", MaybeF64(|row| row.job().known_estimate().map(Time::as_seconds)))
            .unit("s")
            .meaning(
                "estimated run time used by the scheduler; the requested time if run times are predicted; \
                 null without a time limit",
            ),
        field("prediction_s", MaybeF64(|row| row.predicted(|record| record.prediction.as_seconds())))
            .needs(Needs::Predictions)
            .unit("s")
            .meaning("run time predicted at arrival"),
        field("corrections", MaybeU64(|row| row.predicted(|record| u64::from(record.corrections))))
            .needs(Needs::Predictions)
            .meaning("corrections of its prediction"),
        field("backfilled", MaybeU64(|row| row.predicted(|record| u64::from(record.backfilled))))
            .needs(Needs::Predictions)
            .meaning("1 if it started while an older job waited, otherwise 0"),
        field("procs", U32(|row| row.job().procs)).meaning("processors requested"),
        field("shape", Written(|row, to| write_shape(&row.job().shape, to)))
            .meaning("requested shape: sides such as 3x2, or a rule"),
        field("allocated", U32(|row| row.record().allocated)).meaning("nodes held"),
        field("nodes", Written(|row, to| to.push_str(&row.more().nodes)))
            .needs(Needs::Placements)
            .meaning("nodes held, ascending, as intervals such as `0-3 7`; the last ones for moved jobs"),
        field("shape_used", Written(JobRow::shape_used)).needs(Needs::Placements).meaning(
            "sides along x, y and z of the box of its nodes, as folded and turned; empty if they form \
             no box",
        ),
        field("nodes_replaced", MaybeU64(|row| row.more().replaced.map(u64::from)))
            .needs(Needs::RecordedNodes)
            .meaning("nodes outside of its recorded list; null without a list"),
    ]
}

fn of_wait<'a>() -> Vec<Field<JobRow<'a>>> {
    vec![
        field("wait_s", F64(|row| row.finished.wait_s())).unit("s").meaning("start − arrival"),
        why(WaitCause::TooLarge, "the job exceeded the machine", |row| row.waited_s(WaitCause::TooLarge)),
        why(WaitCause::NoRoom, "it exceeded the nodes that no job used", |row| {
            row.waited_s(WaitCause::NoRoom)
        }),
        why(
            WaitCause::Outage,
            "nodes were down that it needed, or it would by its limit have run into a known outage",
            |row| row.waited_s(WaitCause::Outage),
        ),
        why(
            WaitCause::Reserved,
            "it would by its limit have delayed the oldest job that did not fit",
            |row| row.waited_s(WaitCause::Reserved),
        ),
        why(WaitCause::NoPlace, "the allocator refused it although enough nodes were free", |row| {
            row.waited_s(WaitCause::NoPlace)
        }),
        why(WaitCause::Free, "it fitted, would have delayed no other, and was not started", |row| {
            row.waited_s(WaitCause::Free)
        }),
        field(
            "reason",
            Written(|row, to| row.label(NameKind::Reason, row.job().logged.reason.known(), to)),
        )
        .needs(Needs::Why)
        .meaning(
            "last reason to wait other than priority and resources, as Slurm calls it; empty if the log has \
             none",
        ),
        field("queue_delay_s", F64(|row| row.finished.queue_delay_s()))
            .unit("s")
            .meaning("time from arrival to the head of the queue, or to the start if earlier"),
        field("allocation_delay_s", F64(|row| row.finished.allocation_delay_s()))
            .unit("s")
            .meaning("time from the head of the queue to the start"),
    ]
}

/// Returns the columns of what else happened to a job.
fn of_events<'a>() -> Vec<Field<JobRow<'a>>> {
    vec![
        field("origin", Written(JobRow::origin)).needs(Needs::Period).meaning(
            "at the beginning of the period: `carried` if it ran, `queued` if it waited, `submitted` later",
        ),
        field("moves", U32(|row| row.record().moves)).meaning("moves while running"),
        field("suspended_s", F64(|row| row.record().suspended.as_seconds()))
            .unit("s")
            .meaning("time that it stood still because of moves; part of `run_s`"),
        field("restarts", U32(|row| row.record().restarts))
            .needs(Needs::Outages)
            .meaning("reruns after kills by node outages; start and end belong to the last run"),
        field("lost_s", F64(|row| row.record().lost.as_seconds()))
            .needs(Needs::Outages)
            .unit("s")
            .meaning("run time of killed runs; part of `wait_s`"),
    ]
}

/// Returns the columns that follow from where a job ran: dispersal, contention, traffic and the cost of its
/// placement.
fn of_placement<'a>() -> Vec<Field<JobRow<'a>>> {
    vec![
        field("pairwise_sum", U64(|row| row.dispersal().pairwise_sum))
            .unit("hops")
            .meaning("sum of distances over pairs of its nodes, along x, y and z or links of a tree"),
        field("pairwise_mean", F64(|row| row.dispersal().pairwise_mean()))
            .unit("hops")
            .meaning("mean distance of pairs of its nodes; 0 for one node"),
        field("diameter", U32(|row| row.dispersal().diameter))
            .unit("hops")
            .meaning("largest such distance of two of its nodes"),
        field("components", U32(|row| row.dispersal().components))
            .meaning("connected components of its nodes"),
        field("bounding_box", U32(|row| row.dispersal().bounding_box))
            .unit("nodes")
            .meaning("size of the smallest enclosing box"),
        field("contention_own", F64(|row| row.finished.contention().own))
            .needs(Needs::Contention)
            .unit("pairs")
            .meaning(
                "pairs of its messages that share a link, with messages between all pairs of its \
                      nodes",
            ),
        field("contention_others", F64(|row| row.finished.contention().others))
            .needs(Needs::Contention)
            .unit("pairs")
            .meaning(
                "pairs of its messages and messages of running jobs that share a link, at its \
                      start",
            ),
        field("packets", MaybeU64(|row| row.more().traffic.map(|traffic| traffic.packets)))
            .needs(Needs::Network)
            .meaning("packets sent"),
        field("packets_contended", MaybeU64(|row| row.more().traffic.map(|traffic| traffic.contended)))
            .needs(Needs::Network)
            .meaning("packets that waited for another job's packet"),
        field("packet_latency_cycles_mean", MaybeF64(|row| row.per_packet(|traffic| traffic.latency)))
            .needs(Needs::Network)
            .unit("cycles")
            .meaning("mean time from creation to arrival of the last flit; 0 without packets"),
        field("packet_blocked_cycles_mean", MaybeF64(|row| row.per_packet(|traffic| traffic.blocked)))
            .needs(Needs::Network)
            .unit("cycles")
            .meaning("mean time that headers waited for channels in the network"),
        field("allocate_ns", U64(|row| row.finished.measures.allocate_ns))
            .needs(Needs::Timed)
            .unit("ns")
            .meaning("duration of the allocator call that placed it"),
    ]
}

/// Returns the columns that the log alone determines, and the column that ends every frame.
fn of_log<'a>() -> Vec<Field<JobRow<'a>>> {
    vec![
        field("user", Written(|row, to| row.label(NameKind::User, row.job().logged.user.known(), to)))
            .meaning("user, by name if the log has names, otherwise by number; empty if unknown"),
        field("account", Written(|row, to| row.label(NameKind::Group, row.job().logged.group.known(), to)))
            .meaning("account or group, by name or number"),
        field("queue", Written(|row, to| row.label(NameKind::Queue, row.job().logged.queue.known(), to)))
            .meaning("queue, by name or number"),
        field(
            "partition",
            Written(|row, to| row.label(NameKind::Partition, row.job().logged.partition.known(), to)),
        )
        .meaning("partition, by name or number"),
        field("status", MaybeI64(|row| row.job().logged.status.known()))
            .meaning("recorded status: 1 completed, 0 failed, 5 cancelled; null if unknown"),
        field("submit_hour", MaybeU64(JobRow::submit_hour)).unit("h").meaning(
            "hour of the week of the recorded submission, 0 from Monday 0:00 on in the log's time zone; \
             null if date or zone are unknown",
        ),
        field("run", Added)
            .meaning("id of the run, a hash of run.json: the same in every file of a run, and in no other"),
    ]
}

/// Writes a shape.
fn write_shape(shape: &Shape, to: &mut String) {
    // A string takes all that is written to it.
    let _ = write!(to, "{shape}");
}

/// Returns the column of a cause of waiting.
fn why<'a>(
    cause: WaitCause,
    meaning: &'static str,
    value: fn(&JobRow<'a>) -> Option<f64>,
) -> Field<JobRow<'a>> {
    field(cause.column(), MaybeF64(value)).needs(Needs::Why).unit("s").meaning(meaning)
}

fn field<'a>(name: &'static str, value: Value<JobRow<'a>>) -> Field<JobRow<'a>> {
    Field::new(name, value)
}

/// Returns the jobs of one replication of replay number `replay`, in the order of the log. The frame has no
/// rows if the outcome has kept no jobs.
pub fn jobs(replay: u32, outcome: &Outcome, has: Has) -> Result<DataFrame, FrameError> {
    SharedFacts::from_outcome(replay, outcome).frame(&outcome.jobs, has)
}

/// Returns the rows of the jobs at these positions.
pub(super) fn rows(replicate: Replicate<'_>, rows: Range<usize>) -> Result<DataFrame, FrameError> {
    let Replicate { replay, outcome, has, .. } = replicate;
    SharedFacts::from_outcome(replay, outcome).frame(&outcome.jobs[rows], has)
}
