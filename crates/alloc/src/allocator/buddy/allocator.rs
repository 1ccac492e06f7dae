//! The implementation of `Allocator` that all buddy strategies share. A strategy chooses the hierarchy of
//! blocks and the function that selects blocks for a request.

use super::system::{BlockOrder, Buddy, Forest};
use crate::allocator::seam::{Allocator, Placement, Request, Strategy};
use meshreplay_machine::machine::{Machine, Mesh, NodeId};

/// Selects blocks for a request and marks them as in use. Returns the nodes of the job in rank order; `None`
/// if the free blocks do not serve the request.
type HandOut = fn(&mut Buddy, &Request, &Mesh) -> Option<Vec<NodeId>>;

/// An allocator on a hierarchy of blocks.
///
/// A proposal marks its blocks as in use at once, because selecting and splitting blocks cannot be separated.
/// If the proposal is accepted, nothing is left to do. If it is not accepted, the next call frees its blocks
/// first.
pub(super) struct BlockAllocator {
    /// The hierarchy of blocks. The blocks of the last proposal are marked as in use.
    pub(super) buddy: Buddy,
    hand_out: HandOut,
    /// The nodes of the last proposal, which are marked as in use; empty if it was accepted or if there is no
    /// proposal.
    proposed: Vec<NodeId>,
}

impl BlockAllocator {
    /// Returns an allocator for the machine of `buddy`.
    pub(super) fn new(buddy: Buddy, hand_out: HandOut) -> Self {
        Self { buddy, hand_out, proposed: Vec::new() }
    }

    /// Returns a strategy for an idle machine, with a hierarchy of blocks by `forest`, the order of free
    /// blocks of a size, and the function that selects the blocks for a request.
    pub(super) fn strategy(
        mesh: &Mesh,
        forest: fn(&Mesh) -> Forest,
        order: BlockOrder,
        hand_out: HandOut,
    ) -> Strategy {
        let buddy = move |mesh: &Mesh| Buddy::new(mesh, &forest(mesh), order);
        Strategy::of(Self::new(buddy(mesh), hand_out)).with_blocks(move |mesh| buddy(mesh).blocks())
    }

    /// Returns a multiple buddy strategy, which gives a job as many blocks as needed.
    pub(super) fn multiple(mesh: &Mesh, forest: fn(&Mesh) -> Forest) -> Strategy {
        Self::strategy(mesh, forest, BlockOrder::Location, several_blocks)
    }

    /// Frees the blocks of the last proposal if it was not accepted.
    fn withdraw(&mut self) {
        self.buddy.release(&self.proposed);
        self.proposed.clear();
    }
}

/// Gives a job several blocks with exactly as many nodes together as requested. Returns the nodes; `None` if
/// fewer are free.
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
