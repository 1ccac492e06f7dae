//! Round-up MBS: Granular MBS that keeps a job within one block where possible.
//!
//! The simulator of P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, has a
//! strategy of this name, which the paper does not describe: the request is rounded up to one block size, and
//! the job gets only a part of the block. The details below are choices of ours.
//!
//! 1. The blocks are the same as in Granular MBS. The number k of requested processors is rounded up to the
//!    next power of two.
//! 2. If a block of that size is free, or a larger block can be split, the job gets k nodes of the block.
//!    These are the nodes of its first children, as many whole children as fit, and then a part of the next
//!    child in the same way. The other children stay free.
//! 3. If no free block is large enough, the request is served as in Granular MBS.
//!
//! No node is wasted, and the strategy never refuses while k nodes are free.

use super::allocator::BlockAllocator;
use super::granular_mbs::{self, pairs};
use super::system::{BlockOrder, Buddy};
use crate::allocator::seam::{AllocatorEntry, Request};
use meshreplay_machine::machine::{Mesh, NodeId};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "round-up-mbs",
    summary: "Granular MBS within one block; the rest of the block stays free",
    source: "the simulator of Walker, Bunde, Leung, 2010, completed",
    build: |_, setup| {
        Ok(BlockAllocator::strategy(setup.mesh, pairs, BlockOrder::Location, one_block_or_several))
    },
    ..granular_mbs::ENTRY
};

/// Gives a job a part of one block or, if no free block is large enough, several blocks. Returns the nodes;
/// `None` if fewer are free than requested.
fn one_block_or_several(buddy: &mut Buddy, request: &Request, _mesh: &Mesh) -> Option<Vec<NodeId>> {
    buddy.hand_out_within_one(request.procs).or_else(|| buddy.hand_out_several(request.procs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::seam::Allocator;
    use meshreplay_machine::machine::Machine;

    #[test]
    fn a_job_stays_within_one_block_and_the_rest_is_free() -> Result<(), Box<dyn std::error::Error>> {
        let machine = Machine::new("4x4".parse()?);
        let buddy = Buddy::new(machine.mesh(), &pairs(machine.mesh()), BlockOrder::Location);
        let mut strategy = BlockAllocator::new(buddy, one_block_or_several);
        let fresh = strategy.buddy.clone();
        let placement = strategy.propose(&Request::of(5), &machine).ok_or("refused")?;
        // The lower 4×2 block. Its children are the 2×2 blocks at (0, 0) and (2, 0).
        assert_eq!(placement.nodes, [0, 1, 4, 5, 2]);
        strategy.accepted(&placement, &machine);
        strategy.released(&placement, &machine);
        assert_eq!(strategy.buddy, fresh);
        Ok(())
    }
}
