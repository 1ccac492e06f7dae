//! Round-up MBS: Granular MBS that keeps a job within one block where it can.
//!
//! The simulator of P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, has a strategy of
//! this name, which the paper does not describe: the request is rounded up to one block size, and the job gets only a
//! part of the block. What is fixed here:
//!
//! 1. The blocks are those of Granular MBS; k is rounded up to the next power of two.
//! 2. If a block of that size is free, or a larger one can be split into it, the job gets the first k nodes of it in the
//!    order of its children: whole children while they fit, then a part of the next one, and so on. The children that
//!    are left stay free.
//! 3. Where no block is that large, the request is served as Granular MBS serves it.
//!
//! So no node is wasted, and it never refuses while k nodes are free.

use super::granular_mbs::pairs;
use super::system::Buddy;
use crate::allocator::seam::Block;
use crate::allocator::seam::{Allocator, Entry, Kind, Placement, Promises, Request};
use crate::machine::Machine;

pub(crate) const ENTRY: Entry = Entry {
    name: "round-up-mbs",
    summary: "Granular MBS within one block, of which the rest stays free",
    source: "the simulator of Walker, Bunde, Leung, 2010, completed",
    parameters: "",
    max_dims: 3,
    kind: Kind::NonContiguous,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |_, setup| Ok(Box::new(RoundUpMbs { buddy: Buddy::new(setup.mesh, &pairs(setup.mesh)) })),
};

struct RoundUpMbs {
    buddy: Buddy,
}

impl Allocator for RoundUpMbs {
    fn allocate(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        self.buddy.allocate_within_one(*request, machine).or_else(|| self.buddy.allocate(*request, machine))
    }

    fn occupied(&mut self, placement: &Placement, _machine: &Machine) {
        self.buddy.occupy(placement);
    }

    fn released(&mut self, placement: &Placement, _machine: &Machine) {
        self.buddy.release(placement);
    }

    fn blocks(&self) -> Vec<Block> {
        self.buddy.blocks()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_stays_within_one_block_and_the_rest_is_free() -> Result<(), Box<dyn std::error::Error>> {
        let machine = Machine::new("4x4".parse()?);
        let mut strategy = RoundUpMbs { buddy: Buddy::new(machine.mesh(), &pairs(machine.mesh())) };
        let fresh = strategy.buddy.clone();
        let placement = strategy.allocate(&Request::of(5), &machine).ok_or("refused")?;
        // The lower 4x2 block, whose children are the 2x2 blocks at (0, 0) and (2, 0).
        assert_eq!(placement.nodes, [0, 1, 4, 5, 2]);
        strategy.released(&placement, &machine);
        assert_eq!(strategy.buddy, fresh);
        Ok(())
    }
}
