//! Packets.

use meshreplay_machine::machine::NodeId;

/// A packet as injected by its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// The slot of its job among the communicating jobs.
    pub(super) job: u32,
    /// The index of its sender in the job.
    pub(super) sender: u32,
    /// The key that orders requests of one cycle.
    pub(super) key: u64,
    /// The number among the packets of its sender, from 0.
    pub(super) number: u64,
    /// The cycle of its creation.
    pub(super) created: i64,
    /// The node of the sender.
    pub(super) source: NodeId,
    /// The node of the receiver.
    pub(super) target: NodeId,
}
