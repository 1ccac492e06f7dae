//! Allocators by blocks: they differ in the hierarchy of blocks and in which blocks they choose.

use super::forest::Forest;
use super::system::{BlockOrder, Buddy};
use crate::allocator::seam::{Allocator, Placement, Request, Strategy};
use crate::machine::{Machine, Mesh, NodeId};

/// Chooses blocks for a request and hands out their nodes; `None` if the blocks that are free do not serve it.
pub(super) type HandOut = fn(&mut Buddy, &Request, &Mesh) -> Option<Vec<NodeId>>;

/// An allocator by blocks.
///
/// Blocks are set aside as they are proposed, since choosing and splitting them is one work. So nothing is left to do
/// once the proposal is accepted, and if it is not, the next call takes them back first.
pub(super) struct BlockAllocator {
    pub(super) buddy: Buddy,
    hand_out: HandOut,
    /// The nodes that are set aside for the last proposal; none once it was accepted.
    proposed: Vec<NodeId>,
}

impl BlockAllocator {
    /// Returns the allocator on an idle machine.
    pub(super) fn new(buddy: Buddy, hand_out: HandOut) -> Self {
        Self { buddy, hand_out, proposed: Vec::new() }
    }

    /// Returns the strategy on the hierarchy that `forest` builds of a machine.
    pub(super) fn strategy(
        mesh: &Mesh,
        forest: fn(&Mesh) -> Forest,
        order: BlockOrder,
        hand_out: HandOut,
    ) -> Strategy {
        let buddy = move |mesh: &Mesh| Buddy::new(mesh, &forest(mesh), order);
        Strategy::of(Self::new(buddy(mesh), hand_out)).with_blocks(move |mesh| buddy(mesh).blocks())
    }

    /// Returns a multiple buddy strategy, which serves a request by as many blocks as it takes.
    pub(super) fn multiple(mesh: &Mesh, forest: fn(&Mesh) -> Forest) -> Strategy {
        Self::strategy(mesh, forest, BlockOrder::Location, several_blocks)
    }

    /// Takes back what is set aside for a proposal that was not accepted.
    fn withdraw(&mut self) {
        self.buddy.release(&self.proposed);
        self.proposed.clear();
    }
}

/// Serves a request by blocks whose sizes add up to it.
pub(super) fn several_blocks(buddy: &mut Buddy, request: &Request, _mesh: &Mesh) -> Option<Vec<NodeId>> {
    buddy.hand_out_several(request.procs)
}

impl Allocator for BlockAllocator {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        self.withdraw();
        let nodes = (self.hand_out)(&mut self.buddy, request, machine.mesh())?;
        self.proposed.extend_from_slice(&nodes);
        Some(Placement::of(nodes))
    }

    fn accepted(&mut self, _placement: &Placement, _machine: &Machine) {
        self.proposed.clear();
    }

    fn taken(&mut self, placement: &Placement, _machine: &Machine) {
        self.withdraw();
        self.buddy.occupy(&placement.nodes);
    }

    fn released(&mut self, placement: &Placement, _machine: &Machine) {
        self.withdraw();
        self.buddy.release(&placement.nodes);
    }
}
