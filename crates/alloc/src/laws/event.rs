//! The events of a history.

use crate::allocator::Request;
use meshreplay_machine::machine::NodeId;

/// One event of a history. Every event means something in every state, so that a history stays one when
/// events are taken out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A job asks for nodes, and gets what the allocator proposes. It does not wait if it is refused.
    Request(Request),
    /// The allocator is asked, and nobody carries out what it proposes.
    Ask(Request),
    /// Nodes are released: the placement with this position among those that are held, the oldest first. The
    /// position counts round if fewer are held, and nothing happens if none is.
    Release(u32),
    /// Somebody else takes those of these nodes that are free, in this order. Nothing happens if none is.
    Take(Vec<NodeId>),
}
