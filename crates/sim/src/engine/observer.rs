//! The output of a replay: one record per job, and calls to an observer while the replay runs.

use std::sync::Arc;

use meshreplay_alloc::allocator::{Placement, Rearrangement};
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_machine::machine::{Held, NodeId};

/// The result of a replay for one job: when it ran and how many nodes it held. If it was killed and ran
/// again, this is about its last run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The time of its start.
    pub start: Time,
    /// The time of its end.
    pub end: Time,
    /// The number of nodes that it held.
    pub allocated: u32,
    /// The time at which it became the head of the queue, the oldest waiting job. If it never was the head:
    /// the time of its start or, if running jobs moved for it, the time at which the allocator was asked for
    /// this.
    pub head: Time,
    /// The number of times that it was moved while it ran.
    pub moves: u32,
    /// The total time that it stood still because of these moves.
    pub suspended: Time,
    /// The number of times that it was killed and returned to the queue.
    pub restarts: u32,
    /// The total time of the runs in which it was killed.
    pub lost: Time,
    /// Its predicted run time on arrival; 0 if nothing is predicted.
    pub prediction: Time,
    /// The number of times that it has outlived its prediction, which was then corrected.
    pub corrections: u32,
    /// Whether it started although an older job waited.
    pub backfilled: bool,
    /// How it ended.
    pub fate: Fate,
}

/// How a job of a replay ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It has run.
    #[default]
    Completed,
    /// It was killed, and did not return to the queue because it had done so too often.
    GivenUp,
    /// It waited for nodes that did not come up, or was refused without them.
    NeverStarted,
}

/// A step of a plan by which running jobs make room for a waiting job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compaction {
    /// The allocator begins to decide which jobs move.
    Begun,
    /// The plan was dropped: a job that it would have moved ended before the decision was ready.
    Aborted,
    /// The decision was ready, and the jobs move.
    CarriedOut,
}

/// The nodes that a job gets.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The placement.
    pub placement: &'a Placement,
    /// Its nodes as the machine holds them.
    pub held: &'a Arc<Held>,
}

/// Receives the events of a replay, each at the instant at which it happens.
pub trait Observer {
    /// Reports that the allocator was asked for nodes for `job`. `placed` is the placement, which was checked
    /// and carried out. It is `None` if the job was refused, also because it would have taken reserved nodes,
    /// or if its plan was aborted.
    ///
    /// `cost_ns` is the time that the allocator took, in nanoseconds; 0 if calls are not timed. It includes
    /// the call by which the allocator is told that its proposal is accepted, and not the engine's own work.
    fn allocated(&mut self, job: JobId, placed: Option<Placed<'_>>, cost_ns: u64);

    /// Reports that a job occupies `nodes` from `now` on, because it starts or moves.
    fn occupied(&mut self, _job: JobId, _nodes: &[NodeId], _now: Time) {}

    /// Reports that a job no longer occupies `nodes` from `now` on, because it ends or moves.
    fn vacated(&mut self, _nodes: &[NodeId], _now: Time) {}

    /// Reports a step of `plan`, by which running jobs make room for another job.
    fn compaction(&mut self, _what: Compaction, _plan: &Rearrangement) {}

    /// Reports that a node goes down or comes up. It may be in use.
    fn changed(&mut self, _node: NodeId, _is_down: bool, _now: Time) {}

    /// Reports that from `now` on `nodes` nodes are available: they are up, or a job still runs on them.
    fn available(&mut self, _nodes: u32, _now: Time) {}

    /// Reports that a job was killed that had held `nodes` nodes for a time of `ran`. Its nodes are vacated
    /// already.
    fn killed(&mut self, _job: JobId, _nodes: u32, _ran: Time, _now: Time) {}

    /// Reports that the allocator was told of the end of a job. The call took `cost_ns` nanoseconds; 0 if
    /// calls are not timed.
    fn released(&mut self, cost_ns: u64);

    /// Reports that a job leaves the replay with its final record. Jobs leave in the order of the log, and
    /// nothing is reported of a job after it has left.
    fn left(&mut self, _job: &Job, _record: &Record) {}

    /// Reports that `jobs` jobs have ended so far. It is called now and then, and at the end.
    fn finished(&mut self, _jobs: usize) {}
}
