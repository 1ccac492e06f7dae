//! Gen-Alg: takes the k free nodes nearest to a free node, such that their pairwise sum of distances is
//! smallest.
//!
//! S. Krumke, M. Marathe, H. Noltemeier, V. Radhakrishnan, S. Ravi, D. Rosenkrantz, "Compact location
//! problems", Theoretical Computer Science 181(2), 1997.
//!
//! 1. Every free node is a centre, in location order.
//! 2. A centre takes the k free nodes at the smallest L1 distances from it.
//! 3. The score of a centre is the sum of L1 distances over all pairs of its nodes. The smallest score wins;
//!    of equal scores the centre that is first in location order.
//!
//! `plain` is this definition in code. Of two nodes, the first in location order has the smaller x, then y,
//! then z. The sum is at most (2 − 2/k) times the best possible one. The publication leaves the choice among
//! equally distant nodes open. `ties=carried` takes them in the order of the simulator of Walker, Bunde and
//! Leung: by the distance to the previous centre in location order, then to the one before, and so on.
//! `ties=location` takes the first in location order. The strategy never refuses while k nodes are free. It
//! takes time O(F·(R + W + L + D)) for F free nodes on a W × L × D machine, where R is the number of rows of
//! the ball around a centre. Centres are scored in the order of lower bounds of their scores, and most are
//! never scored. On machines of at most 128 nodes, a centre costs some tens of instructions. `search=plain`
//! sorts the free nodes around every centre, as published, with the same result.

use super::carried::TIES;
use super::centres::Centres;
use super::search::Nearest;
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Contiguity, Memory, OnTori, OnTrees, Placement, Promises, Request, Strategy,
};
use crate::allocator::take_plain;
use meshreplay_machine::machine::Machine;

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "gen-alg",
    summary: "the free nodes nearest in hops to a free node; smallest pairwise sum",
    source: "Krumke et al., TCS 181(2), 1997",
    parameters: "ties=carried (location), search=fast (plain)",
    max_dims: 3,
    trees: OnTrees::BY_COORDINATES,
    refuses_unavailable: None,
    kind: Contiguity::NonContiguous,
    tori: OnTori::Wraps,
    promises: |_| Promises { exact: true, complete: true, memory: Memory::None },
    build: |params, setup| {
        let ties = params.choose("ties", TIES)?;
        let is_plain = take_plain(params)?;
        Ok(Strategy::of(GenAlg { nearest: Nearest::new(setup.mesh, Centres::Free, ties, is_plain) }))
    },
};

struct GenAlg {
    nearest: Nearest,
}

impl Allocator for GenAlg {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        // All centres take all free nodes, so distances give no rank order.
        if request.procs == machine.free_count() {
            return Some(Placement::of_all_free(machine));
        }
        let nodes = self.nearest.choose(request.procs, machine)?;
        Some(Placement::of(nodes))
    }
}
