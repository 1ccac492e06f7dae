//! MM: works like Gen-Alg, but with more centres, every combination of the coordinates of free nodes.
//!
//! M. Bender et al., "Communication-aware processor allocation for supercomputers: Finding point sets of
//! small average distance", Algorithmica 50(2), 2008.
//!
//! 1. A centre is any node that shares each coordinate with some free node, whether it is free itself or not.
//! 2. A centre takes the k free nodes at the smallest L1 distances from it.
//! 3. The score of a centre is the sum of L1 distances over all pairs of its nodes. The smallest score wins;
//!    of equals the first centre.
//!
//! The sum is at most 2 − 1/(2d) times the best possible one in d dimensions: 7/4 in two, 11/6 in three. The
//! order of the centres is that of the simulator of Walker, Bunde and Leung: the x, y and z of free nodes
//! come each in order of first appearance in location order, and x varies slowest. Ties between equally
//! distant nodes are broken as in `gen-alg`. The strategy never refuses while k nodes are free. It takes time
//! O(C·(R + W + L + D)) for C centres, where R is the number of rows of the ball around a centre.
//! `search=plain` sorts the free nodes around every centre, with the same result.

use super::carried::{TIES, Ties};
use super::centres::Centres;
use super::search::Nearest;
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Contiguity, Memory, OnTori, OnTrees, Placement, Promises, Request, Strategy,
};
use crate::allocator::take_plain;
use meshreplay_machine::machine::{Machine, Mesh};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "mm",
    summary: "the free nodes nearest in hops to a combination of free nodes' coordinates; \
              smallest pairwise sum",
    source: "Bender et al., Algorithmica 50(2), 2008",
    parameters: "ties=carried (location), search=fast (plain)",
    max_dims: 3,
    trees: OnTrees::BY_COORDINATES,
    refuses_unavailable: None,
    kind: Contiguity::NonContiguous,
    tori: OnTori::Wraps,
    promises: |_| Promises { exact: true, complete: true, memory: Memory::None },
    build: |params, setup| {
        let ties = params.choose("ties", TIES)?;
        Ok(Strategy::of(Mm::new(setup.mesh, ties, take_plain(params)?)))
    },
};

/// The allocator MM. `mm-inc` starts from its placements.
pub(crate) struct Mm {
    nearest: Nearest,
}

impl Mm {
    /// Returns the allocator for machines of the shape `mesh`. `is_plain` runs the algorithm as written.
    pub(crate) fn new(mesh: &Mesh, ties: Ties, is_plain: bool) -> Self {
        Self { nearest: Nearest::new(mesh, Centres::Combinations, ties, is_plain) }
    }
}

impl Allocator for Mm {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if request.procs == machine.free_count() {
            return Some(Placement::of_all_free(machine));
        }
        let nodes = self.nearest.choose(request.procs, machine)?;
        Some(Placement::of(nodes))
    }
}
