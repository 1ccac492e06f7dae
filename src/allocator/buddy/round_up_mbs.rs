//! Round-up MBS: Granular MBS that keeps a job within one block where it can.
//!
//! The simulator of P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, has a strategy of
//! this name, which the paper does not describe: the request is rounded up to one block size, and the job gets only a
//! part of the block. What is fixed here:
//!
//! 1. The blocks are those of Granular MBS; k is rounded up to the next power of two.
//! 2. If a block of that size is free, or a larger one can be split into it, the job gets the first k nodes of it in
//!    the order of its children: whole children while they fit, then a part of the next one, and so on. The children
//!    that are left stay free.
//! 3. Where no block is that large, the request is served as Granular MBS serves it.
//!
//! So no node is wasted, and it never refuses while k nodes are free.

use super::allocator::BlockAllocator;
use super::granular_mbs::pairs;
use super::system::{BlockOrder, Buddy};
use crate::allocator::seam::{Contiguity, Entry, Promises, Request};
use crate::machine::{Mesh, NodeId};

pub(crate) const ENTRY: Entry = Entry {
    name: "round-up-mbs",
    summary: "Granular MBS within one block, of which the rest stays free",
    source: "the simulator of Walker, Bunde, Leung, 2010, completed",
    parameters: "",
    max_dims: 3,
    kind: Contiguity::NonContiguous,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |_, setup| {
        Ok(BlockAllocator::strategy(setup.mesh, pairs, BlockOrder::Location, one_block_or_several))
    },
};

/// Serves a request by a part of one block or, where none is that large, by several blocks.
fn one_block_or_several(buddy: &mut Buddy, request: &Request, _mesh: &Mesh) -> Option<Vec<NodeId>> {
    buddy.hand_out_within_one(request.procs).or_else(|| buddy.hand_out_several(request.procs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::seam::Allocator;
    use crate::machine::Machine;

    #[test]
    fn a_job_stays_within_one_block_and_the_rest_is_free() -> Result<(), Box<dyn std::error::Error>> {
        let machine = Machine::new("4x4".parse()?);
        let buddy = Buddy::new(machine.mesh(), &pairs(machine.mesh()), BlockOrder::Location);
        let mut strategy = BlockAllocator::new(buddy, one_block_or_several);
        let fresh = strategy.buddy.clone();
        let placement = strategy.propose(&Request::of(5), &machine).ok_or("refused")?;
        // The lower 4x2 block, whose children are the 2x2 blocks at (0, 0) and (2, 0).
        assert_eq!(placement.nodes, [0, 1, 4, 5, 2]);
        strategy.accepted(&placement, &machine);
        strategy.released(&placement, &machine);
        assert_eq!(strategy.buddy, fresh);
        Ok(())
    }
}
