//! The `jobs` frame: one row per job of a replay.

use std::fmt::Write;
use std::ops::Range;

use polars_core::prelude::DataFrame;

use super::column::Value::{Added, F64, I64, MaybeF64, MaybeI64, MaybeU64, U32, U64, Written};
use super::column::{Field, Value, build};
use super::detail::Replicate;
use super::{FrameError, frame};
use meshreplay_base::job::{Job, Period, Shape, Time};
use meshreplay_logs::{LogNames, NameKind};
use meshreplay_sim::engine::Record;
use meshreplay_sim::execution::{JobTraffic, Traffic};
use meshreplay_sim::metrics::{Dispersal, JobContention, Recording, When};
use meshreplay_study::study::{Options, Outcome};

/// The jobs of a replication, with the facts that they share.
#[derive(Clone, Copy)]
pub(super) struct ReplicationJobs<'a> {
    pub(super) replay: u32,
    pub(super) seed: u64,
    pub(super) names: &'a LogNames,
    pub(super) jobs: &'a [Job],
    pub(super) records: &'a [Record],
    pub(super) recording: &'a Recording,
    pub(super) traffic: Option<&'a Traffic>,
    pub(super) is_predicted: bool,
    pub(super) period: Option<Period>,
}

impl<'a> ReplicationJobs<'a> {
    /// Returns the jobs of an outcome.
    fn from_outcome(replay: u32, outcome: &'a Outcome) -> Self {
        Self {
            replay,
            seed: outcome.seed,
            names: &outcome.names,
            jobs: &outcome.jobs,
            records: &outcome.records,
            recording: &outcome.recording,
            traffic: outcome.traffic.as_ref(),
            is_predicted: outcome.summary.get("prediction_corrections").is_some(),
            period: outcome.period,
        }
    }

    /// Returns the frame of the jobs at these positions.
    pub(super) fn frame(self, rows: Range<usize>, options: &Options) -> Result<DataFrame, FrameError> {
        let rows: Vec<JobRow<'_>> = rows.map(|i| JobRow { jobs: &self, i }).collect();
        frame(build(&fields(), &rows, options))
    }
}

/// One row of the frame: job `i` of a replication. It is small, as each column goes through all rows.
pub(super) struct JobRow<'a> {
    jobs: &'a ReplicationJobs<'a>,
    i: usize,
}

impl JobRow<'_> {
    fn job(&self) -> &Job {
        &self.jobs.jobs[self.i]
    }

    fn record(&self) -> &Record {
        &self.jobs.records[self.i]
    }

    fn dispersal(&self) -> &Dispersal {
        &self.jobs.recording.dispersal[self.i]
    }

    /// Writes the user, account, queue or partition of the job: its name in the log, or else its number.
    /// Writes nothing if the log has neither.
    fn label(&self, kind: NameKind, number: Option<i64>, to: &mut String) {
        if let Some(number) = number {
            self.jobs.names.write_label(kind, number, to);
        }
    }

    /// Writes what the job did at the beginning of the period; nothing without a period.
    fn origin(&self, to: &mut String) {
        to.push_str(self.jobs.period.map_or("", |period| period.origin(self.job()).word()));
    }

    /// Returns the hour of the week of the submission; `None` if the log has no dates.
    fn submit_hour(&self) -> Option<u64> {
        let after_s = self.job().logged.submit.as_micros().div_euclid(1_000_000);
        self.jobs.names.hour_of_week(after_s).map(u64::from)
    }

    /// Writes the nodes of the job as intervals; nothing if placements were not kept.
    fn nodes(&self, to: &mut String) {
        if let Some(nodes) = self.jobs.recording.placements.get(self.i) {
            to.push_str(nodes);
        }
    }

    /// Writes the sides of the box that these nodes form; nothing if they form none, or if placements were
    /// not kept.
    fn shape_used(&self, to: &mut String) {
        if let Some(sides) = self.jobs.recording.boxes.get(self.i).copied().flatten() {
            write_shape(&Shape::Sides(sides), to);
        }
    }

    /// Returns how many of these nodes are not in the job's list; `None` if it has no list, or if jobs are
    /// not placed by lists.
    fn replaced(&self) -> Option<u64> {
        self.jobs.recording.replaced.as_ref()?.get(self.i).copied().flatten().map(u64::from)
    }

    /// Returns the contention of the job; zeros if it was not measured.
    fn contention(&self) -> JobContention {
        self.jobs.recording.contention.as_ref().map(|record| record.jobs[self.i]).unwrap_or_default()
    }

    /// Returns a value of the job's record; `None` if nothing was predicted in the replay.
    fn predicted<T>(&self, value: fn(&Record) -> T) -> Option<T> {
        self.jobs.is_predicted.then(|| value(self.record()))
    }

    /// Returns the packets of the job; `None` if the replay has no network.
    fn traffic(&self) -> Option<JobTraffic> {
        self.jobs.traffic.map(|traffic| traffic.jobs[self.i])
    }

    /// Returns the mean of a quantity over the packets of the job. `total` returns its sum over the packets.
    /// The mean is 0 if the job sent no packets, and `None` if the replay has no network.
    fn per_packet(&self, total: fn(JobTraffic) -> u64) -> Option<f64> {
        self.traffic().map(|traffic| total(traffic) as f64 / traffic.packets.max(1) as f64)
    }
}

/// Returns the columns of the frame, which `meshreplay schema jobs` prints. Values are null only as [`When`]
/// permits.
pub(super) fn fields<'a>() -> Vec<Field<JobRow<'a>>> {
    [of_schedule(), of_placement(), of_log()].into_iter().flatten().collect()
}

/// Returns the columns of the request and the schedule of a job.
fn of_schedule<'a>() -> Vec<Field<JobRow<'a>>> {
    vec![
        field("replay", U32(|row| row.jobs.replay))
            .meaning("number of the replay; the same in the `summary` frame"),
        field("seed", U64(|row| row.jobs.seed)).meaning("seed; replications of a replay differ in it"),
        field("job", I64(|row| row.job().number)).meaning("number of the job in the log"),
        field("submit_s", F64(|row| row.job().submit.as_seconds())).unit("s").meaning("arrival, scaled"),
        field("start_s", F64(|row| row.record().start.as_seconds())).unit("s").meaning("start"),
        field("end_s", F64(|row| row.record().end.as_seconds())).unit("s").meaning("end"),
        field("run_s", F64(|row| (row.record().end - row.record().start).as_seconds()))
            .unit("s")
            .meaning("end − start"),
        field("estimate_s", MaybeF64(|row| row.job().known_estimate().map(Time::as_seconds))).unit("s").meaning(
            "estimated run time used by the scheduler; the requested time if run times are predicted; null \
             without a time limit",
        ),
        field("prediction_s", MaybeF64(|row| row.predicted(|record| record.prediction.as_seconds())))
            .when(When::Predictions)
            .unit("s")
            .meaning("run time predicted at arrival"),
        field("corrections", MaybeU64(|row| row.predicted(|record| u64::from(record.corrections))))
            .when(When::Predictions)
            .meaning("corrections of its prediction"),
        field("backfilled", MaybeU64(|row| row.predicted(|record| u64::from(record.backfilled))))
            .when(When::Predictions)
            .meaning("1 if it started while an older job waited, otherwise 0"),
        field("procs", U32(|row| row.job().procs)).meaning("processors requested"),
        field("shape", Written(|row, to| write_shape(&row.job().shape, to)))
            .meaning("requested shape: sides such as 3x2, or a rule"),
        field("allocated", U32(|row| row.record().allocated)).meaning("nodes held"),
        field("nodes", Written(JobRow::nodes))
            .when(When::Placements)
            .meaning("nodes held, ascending, as intervals such as `0-3 7`; the last ones for moved jobs"),
        field("shape_used", Written(JobRow::shape_used)).when(When::Placements).meaning(
            "sides along x, y and z of the box of its nodes, as folded and turned; empty if they form \
             no box",
        ),
        field("nodes_replaced", MaybeU64(JobRow::replaced))
            .when(When::RecordedNodes)
            .meaning("nodes outside of its recorded list; null without a list"),
        field("wait_s", F64(|row| (row.record().start - row.job().submit).as_seconds()))
            .unit("s")
            .meaning("start − arrival"),
        field("queue_delay_s", F64(|row| (row.record().head - row.job().submit).as_seconds()))
            .unit("s")
            .meaning("time from arrival to the head of the queue, or to the start if earlier"),
        field("allocation_delay_s", F64(|row| (row.record().start - row.record().head).as_seconds()))
            .unit("s")
            .meaning("time from the head of the queue to the start"),
        field("origin", Written(JobRow::origin))
            .when(When::Period)
            .meaning("at the beginning of the period: `carried` if it ran, `queued` if it waited, `submitted` later"),
        field("moves", U32(|row| row.record().moves)).meaning("moves while running"),
        field("suspended_s", F64(|row| row.record().suspended.as_seconds()))
            .unit("s")
            .meaning("time that it stood still because of moves; part of `run_s`"),
        field("restarts", U32(|row| row.record().restarts))
            .when(When::Outages)
            .meaning("reruns after kills by node outages; start and end belong to the last run"),
        field("lost_s", F64(|row| row.record().lost.as_seconds()))
            .when(When::Outages)
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
            .meaning("sum of L1 distances over pairs of its nodes"),
        field("pairwise_mean", F64(|row| row.dispersal().pairwise_mean()))
            .unit("hops")
            .meaning("mean distance of pairs of its nodes; 0 for one node"),
        field("diameter", U32(|row| row.dispersal().diameter))
            .unit("hops")
            .meaning("largest L1 distance of two of its nodes"),
        field("components", U32(|row| row.dispersal().components))
            .meaning("connected components of its nodes"),
        field("bounding_box", U32(|row| row.dispersal().bounding_box))
            .unit("nodes")
            .meaning("size of the smallest enclosing box"),
        field("contention_own", F64(|row| row.contention().own))
            .when(When::Contention)
            .unit("pairs")
            .meaning(
                "pairs of its messages that share a link, with messages between all pairs of its \
                      nodes",
            ),
        field("contention_others", F64(|row| row.contention().others))
            .when(When::Contention)
            .unit("pairs")
            .meaning(
                "pairs of its messages and messages of running jobs that share a link, at its \
                      start",
            ),
        field("packets", MaybeU64(|row| row.traffic().map(|traffic| traffic.packets)))
            .when(When::Network)
            .meaning("packets sent"),
        field("packets_contended", MaybeU64(|row| row.traffic().map(|traffic| traffic.contended)))
            .when(When::Network)
            .meaning("packets that waited for another job's packet"),
        field("packet_latency_cycles_mean", MaybeF64(|row| row.per_packet(|traffic| traffic.latency)))
            .when(When::Network)
            .unit("cycles")
            .meaning("mean time from creation to arrival of the last flit; 0 without packets"),
        field("packet_blocked_cycles_mean", MaybeF64(|row| row.per_packet(|traffic| traffic.blocked)))
            .when(When::Network)
            .unit("cycles")
            .meaning("mean time that headers waited for channels in the network"),
        field("allocate_ns", U64(|row| row.jobs.recording.allocate_ns[row.i]))
            .when(When::Timed)
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

fn field<'a>(name: &'static str, value: Value<JobRow<'a>>) -> Field<JobRow<'a>> {
    Field::new(name, value)
}

/// Returns the jobs of one replication of replay number `replay`, in the order of the log. The frame has no
/// rows if the outcome has kept no jobs.
pub fn jobs(replay: u32, outcome: &Outcome, options: &Options) -> Result<DataFrame, FrameError> {
    ReplicationJobs::from_outcome(replay, outcome).frame(0..outcome.jobs.len(), options)
}

/// Returns the rows of the jobs at these positions.
pub(super) fn rows(replicate: Replicate<'_>, rows: Range<usize>) -> Result<DataFrame, FrameError> {
    ReplicationJobs::from_outcome(replicate.replay, replicate.outcome).frame(rows, replicate.options)
}
