//! The packets of messages.

use meshreplay_machine::machine::NodeId;

/// A packet as its sender hands it to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// The slot of its job among the jobs that communicate.
    pub(super) job: u32,
    /// The index of its sender in the job.
    pub(super) sender: u32,
    /// The key by which requests of one cycle are ordered.
    pub(super) key: u64,
    /// Its number among the packets of its sender, from 0.
    pub(super) number: u64,
    /// The cycle in which it was created.
    pub(super) created: i64,
    /// The node of the sender.
    pub(super) source: NodeId,
    /// The node of the receiver.
    pub(super) target: NodeId,
}
