//! The output of a replay: one record per job, and calls to an observer while the replay runs.

use std::sync::Arc;

use crate::execution::JobTraffic;
use crate::scheduler::Waiting;
use meshreplay_alloc::allocator::{Placement, Rearrangement};
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_machine::machine::{Held, NodeId};

/// The result of a replay for one job: when it ran and on how many nodes. For a job that was killed and ran
/// again: its last run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Start.
    pub start: Time,
    /// End.
    pub end: Time,
    /// Nodes held.
    pub allocated: u32,
    /// When the job became the head of the queue, that is the oldest waiting job. For a job that never was
    /// the head: its start or, after a rearrangement, the time of the request to the allocator.
    pub head: Time,
    /// Moves while the job ran.
    pub moves: u32,
    /// Those of them for which it was suspended longer than it moved.
    pub delayed_moves: u32,
    /// Time suspended by these moves.
    pub suspended: Time,
    /// Kills after which the job returned to the queue.
    pub restarts: u32,
    /// Time spent in runs that ended by a kill.
    pub lost: Time,
    /// The prediction of the run time at arrival, or 0 without predictions.
    pub prediction: Time,
    /// Corrections of this prediction, one each time that the job outlived it.
    pub corrections: u32,
    /// Whether the job started before an older waiting job.
    pub backfilled: bool,
    /// How the job ended.
    pub fate: Fate,
}

/// How a job of a replay ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It ran to its end.
    #[default]
    Completed,
    /// It was killed more often than it may be requeued.
    GivenUp,
    /// It waited for nodes that did not come up, or was refused without them.
    NeverStarted,
}

/// A step of a rearrangement plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compaction {
    /// The allocator begins to decide which jobs move.
    Begun,
    /// The plan was dropped because a job to be moved ended before the decision was ready.
    Aborted,
    /// The decision is ready, and the jobs move.
    CarriedOut,
}

/// The nodes of a job.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The placement.
    pub placement: &'a Placement,
    /// The nodes as masks of machine words.
    pub held: &'a Arc<Held>,
}

/// Receives the events of a replay immediately.
pub trait Observer {
    /// Reports that the clock advances to `now`, an instant with a pass. All events of the instant follow.
    fn instant(&mut self, _now: Time) {}

    /// Reports that `job` joins the queue as `waiting`: it arrives, or returns after a kill.
    fn queued(&mut self, _waiting: &Waiting, _job: &Job) {}

    /// Reports that a job leaves the queue and runs on `nodes` nodes.
    fn started(&mut self, _id: JobId, _nodes: u32) {}

    /// Reports that `nodes` nodes will become free when a running job ends, because others of its nodes are
    /// down.
    fn returning(&mut self, _id: JobId, _nodes: u32) {}

    /// Reports that a job no longer runs: it has ended or was killed. Or that it leaves the queue without a
    /// start.
    fn ended(&mut self, _id: JobId) {}

    /// Reports that the allocator was asked for nodes for `job`. `placed` is the placement, already checked
    /// and carried out, or `None` if the job was refused, would have taken reserved nodes, or had its plan
    /// aborted.
    ///
    /// `cost_ns` is the duration of the allocator's calls in nanoseconds, or 0 if calls are not timed. It
    /// includes the call that accepts the proposal, but not the engine's own work.
    fn allocated(&mut self, job: JobId, placed: Option<Placed<'_>>, cost_ns: u64);

    /// Reports that a job occupies `nodes` from `now` on because it starts or moves.
    fn occupied(&mut self, _job: JobId, _nodes: &[NodeId], _now: Time) {}

    /// Reports that a job no longer occupies `nodes` from `now` on because it ends or moves.
    fn vacated(&mut self, _nodes: &[NodeId], _now: Time) {}

    /// Reports a step of `plan`.
    fn compaction(&mut self, _what: Compaction, _plan: &Rearrangement) {}

    /// Reports that a node, possibly in use, goes down or comes up.
    fn changed(&mut self, _node: NodeId, _is_down: bool, _now: Time) {}

    /// Reports that `nodes` nodes are available from `now` on: up, or still in use by a job.
    fn available(&mut self, _nodes: u32, _now: Time) {}

    /// Reports that a job was killed after running on `nodes` nodes for a time of `ran`. Its nodes are
    /// already vacated.
    fn killed(&mut self, _job: JobId, _nodes: u32, _ran: Time, _now: Time) {}

    /// Reports a release of a job's nodes. The allocator's call took `cost_ns` nanoseconds, or 0 if calls are
    /// not timed.
    fn released(&mut self, cost_ns: u64);

    /// Reports the final record of a job with its packets, if there is a network. Jobs become final in the
    /// order of the log, and no event about a job follows.
    fn on_job_final(&mut self, _job: &Job, _record: &Record, _traffic: Option<JobTraffic>) {}

    /// Reports the number of jobs that have ended. Called from time to time and at the end.
    fn finished(&mut self, _jobs: usize) {}
}
