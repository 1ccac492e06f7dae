//! What a replay tells of itself while it runs, and the records that it leaves.

use crate::allocator::{Placement, Rearrangement};
use crate::job::{JobId, Time};
use crate::machine::NodeId;

/// When a job of a replay started and ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Start.
    pub start: Time,
    /// End.
    pub end: Time,
    /// Nodes that it held.
    pub allocated: u32,
    /// When it became the oldest waiting job, or started if it never was.
    pub head: Time,
    /// How often it was moved while it ran.
    pub moves: u32,
    /// How long it stood still because of that.
    pub suspended: Time,
}

/// The fate of a plan by which running jobs make room for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compaction {
    /// The allocator begins to decide.
    Begun,
    /// A job that would have moved has ended before the decision was made.
    Aborted,
    /// The jobs move.
    CarriedOut,
}

/// Is told what happens in a replay, at the instant at which it happens.
pub trait Observer {
    /// The allocator was asked for `job`, and has refused it (`None`) or proposed a placement, which was checked and
    /// carried out. It took `cost_ns`, with the allocator being told of it; 0 where calls are not timed.
    fn allocated(&mut self, job: JobId, placement: Option<&Placement>, cost_ns: u64);

    /// A job has taken nodes into use, at its start or as it moves.
    fn occupied(&mut self, _job: JobId, _nodes: &[NodeId], _now: Time) {}

    /// A job has given its nodes back, at its end or as it moves.
    fn vacated(&mut self, _nodes: &[NodeId], _now: Time) {}

    /// Running jobs are asked to make room, and do or do not.
    fn compaction(&mut self, _what: Compaction, _plan: &Rearrangement) {}

    /// An allocator was told of a release, which took it `cost_ns`.
    fn released(&mut self, cost_ns: u64);

    /// So many jobs have ended so far; reported now and then, and at the end.
    fn finished(&mut self, _jobs: usize) {}
}
