//! The `jobs` frame: one row per job of a replay.

use polars::prelude::DataFrame;

use super::FrameError;
use super::column::Value::{Added, F64, I64, MaybeF64, MaybeU64, Str, U32, U64};
use super::column::{Field, When, build};
use crate::engine::Record;
use crate::execution::JobTraffic;
use crate::job::Job;
use crate::metrics::{Dispersal, JobContention};
use crate::study::{Options, Outcome};

/// A job of a replication.
pub(super) struct JobRow<'a> {
    replay: u32,
    outcome: &'a Outcome,
    i: usize,
}

impl JobRow<'_> {
    fn job(&self) -> &Job {
        &self.outcome.jobs[self.i]
    }

    fn record(&self) -> &Record {
        &self.outcome.records[self.i]
    }

    fn dispersal(&self) -> &Dispersal {
        &self.outcome.recording.dispersal[self.i]
    }

    fn nodes(&self) -> String {
        self.outcome.recording.placements.get(self.i).cloned().unwrap_or_default()
    }

    fn contention(&self) -> JobContention {
        self.outcome.recording.contention.as_ref().map(|record| record.jobs[self.i]).unwrap_or_default()
    }

    fn traffic(&self) -> Option<JobTraffic> {
        self.outcome.traffic.as_ref().map(|traffic| traffic.jobs[self.i])
    }

    fn per_packet(&self, total: fn(JobTraffic) -> u64) -> Option<f64> {
        self.traffic().map(|traffic| total(traffic) as f64 / traffic.packets.max(1) as f64)
    }
}

impl JobRow<'_> {
    /// The columns of the frame; `meshreplay schema jobs` prints them. There are no nulls but those that [`When`] says.
    pub(super) const FIELDS: [Field<Self>; 30] = [
        Field::new(
            "replay",
            "",
            U32(|row| row.replay),
            "number of the replay; the same in the `summary` frame",
        ),
        Field::new(
            "seed",
            "",
            U64(|row| row.outcome.seed),
            "its seed: replications of a replay differ in it",
        ),
        Field::new("job", "", I64(|row| row.job().number), "the log's own number of the job"),
        Field::new("submit_s", "s", F64(|row| row.job().submit.as_seconds()), "arrival, scaled"),
        Field::new("start_s", "s", F64(|row| row.record().start.as_seconds()), "start"),
        Field::new("end_s", "s", F64(|row| row.record().end.as_seconds()), "end"),
        Field::new(
            "run_s",
            "s",
            F64(|row| (row.record().end - row.record().start).as_seconds()),
            "end − start",
        ),
        Field::new(
            "estimate_s",
            "s",
            F64(|row| row.job().estimate.as_seconds()),
            "how long the scheduler believed that it would run",
        ),
        Field::new("procs", "", U32(|row| row.job().procs), "processors requested"),
        Field::new(
            "shape",
            "",
            Str(|row| row.job().shape.to_string()),
            "the shape that they are to have: sides such as 3x2, or a rule",
        ),
        Field::new("allocated", "", U32(|row| row.record().allocated), "nodes held"),
        Field::some(
            When::Placements,
            "nodes",
            "",
            Str(JobRow::nodes),
            "those nodes, ascending, as intervals such as `0-3 7`; of a job that was moved the last ones",
        ),
        Field::new(
            "wait_s",
            "s",
            F64(|row| (row.record().start - row.job().submit).as_seconds()),
            "start − arrival",
        ),
        Field::new(
            "queue_delay_s",
            "s",
            F64(|row| (row.record().head - row.job().submit).as_seconds()),
            "arrival to head of the queue, or to the start if that is before",
        ),
        Field::new(
            "allocation_delay_s",
            "s",
            F64(|row| (row.record().start - row.record().head).as_seconds()),
            "from there to the start",
        ),
        Field::new("moves", "", U32(|row| row.record().moves), "how often it was moved while it ran"),
        Field::new(
            "suspended_s",
            "s",
            F64(|row| row.record().suspended.as_seconds()),
            "how long it stood still because of that; part of `run_s`",
        ),
        Field::new(
            "pairwise_sum",
            "hops",
            U64(|row| row.dispersal().pairwise_sum),
            "Σ L1 distance over unordered pairs of its nodes",
        ),
        Field::new(
            "pairwise_mean",
            "hops",
            F64(|row| row.dispersal().pairwise_mean()),
            "the same per pair; 0 for one node",
        ),
        Field::new(
            "diameter",
            "hops",
            U32(|row| row.dispersal().diameter),
            "largest L1 distance of two of its nodes",
        ),
        Field::new(
            "components",
            "",
            U32(|row| row.dispersal().components),
            "connected components of its nodes",
        ),
        Field::new(
            "bounding_box",
            "nodes",
            U32(|row| row.dispersal().bounding_box),
            "size of the smallest enclosing box",
        ),
        Field::some(
            When::Contention,
            "contention_own",
            "pairs",
            F64(|row| row.contention().own),
            "pairs of its messages that meet on a link if each node sends one to each other",
        ),
        Field::some(
            When::Contention,
            "contention_others",
            "pairs",
            F64(|row| row.contention().others),
            "pairs of one of those and one of a job that ran as it started",
        ),
        Field::some(
            When::Network,
            "packets",
            "",
            MaybeU64(|row| row.traffic().map(|traffic| traffic.packets)),
            "packets that it sent",
        ),
        Field::some(
            When::Network,
            "packets_contended",
            "",
            MaybeU64(|row| row.traffic().map(|traffic| traffic.contended)),
            "those that waited for another job's packet",
        ),
        Field::some(
            When::Network,
            "packet_latency_cycles_mean",
            "cycles",
            MaybeF64(|row| row.per_packet(|traffic| traffic.latency)),
            "mean of creation to arrival of the last flit; 0 without packets",
        ),
        Field::some(
            When::Network,
            "packet_blocked_cycles_mean",
            "cycles",
            MaybeF64(|row| row.per_packet(|traffic| traffic.blocked)),
            "mean time that headers waited for channels in the network",
        ),
        Field::some(
            When::Timed,
            "allocate_ns",
            "ns",
            U64(|row| row.outcome.recording.allocate_ns[row.i]),
            "duration of the allocator call that placed it",
        ),
        Field::new(
            "run",
            "",
            Added,
            "id of the run, a hash of run.json: the same in every file of a run, and in no other",
        ),
    ];
}

/// The jobs of a replication of replay number `replay`, in the order of the log; none unless the plan wants jobs.
pub fn jobs(replay: u32, outcome: &Outcome, options: &Options) -> Result<DataFrame, FrameError> {
    let rows: Vec<JobRow<'_>> = (0..outcome.jobs.len()).map(|i| JobRow { replay, outcome, i }).collect();
    build(&JobRow::FIELDS, &rows, options)
}
