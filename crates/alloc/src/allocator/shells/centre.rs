//! A centre of shells.

use meshreplay_machine::machine::NodeId;

/// A free node as a centre, with its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Centre {
    /// The sum of L∞ distances to the k nearest free nodes.
    pub(crate) score: i64,
    /// The centre itself.
    pub(crate) node: NodeId,
}
