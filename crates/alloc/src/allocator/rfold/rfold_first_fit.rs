//! RFold's first fit: the first free box of the job's shape, turned in every way, on a torus that wraps
//! around.
//!
//! S. S. Chen et al., "Toward Co-adapting Machine Learning Job Shape and Cluster Topology", arXiv 2510.03891,
//! 2025: the policy `firstfit` of its simulator (github.com/shuoshuc/RFold).
//!
//! 1. Try the orientations (a, b, c), (a, c, b), (b, a, c), (b, c, a), (c, a, b) and (c, b, a) of the job's
//!    shape one after the other; leave out those that do not fit the machine.
//! 2. Of all free submeshes of that orientation take the first by its base: the smallest x, then y, then z.
//!    Along the dimensions that wrap around, a submesh may begin at every node.
//!
//! It serves the same jobs as first fit with `turn=yes`, which has another order of places (z, then y, then x
//! of the base) and of turns. Time O(N) per request and orientation on a machine of N nodes.

use super::turns::turns_on;
use crate::allocator::contiguous::orientations::row_by_row;
use crate::allocator::seam::{
    Allocator, Contiguity, Entry, Memory, OnTori, Placement, Promises, Request, Served, Strategy, Submeshes,
};
use meshreplay_machine::machine::{FreeSubmeshes, Machine, Mesh, Submesh};

/// The allocator's row in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "rfold-first-fit",
    summary: "RFold's first fit: every orientation in turn, bases by x, then y, then z",
    source: "Chen et al., RFold, arXiv 2510.03891, 2025: firstfit of its simulator",
    parameters: "",
    max_dims: 3,
    refuses_unavailable: None,
    kind: Contiguity::Contiguous,
    tori: OnTori::Wraps,
    promises: |_| Promises { exact: false, complete: false, memory: Memory::None },
    build: |_, _| Ok(strategy(sizes)),
};

/// Returns the strategy that takes the first free submesh in the order of x, y and z of the base. `sizes`
/// says which sizes serve a request, the preferred one first.
pub(super) fn strategy(sizes: fn(&Request, &Mesh) -> Vec<[u32; 3]>) -> Strategy {
    let submeshes = Submeshes { sizes, nodes: row_by_row };
    Strategy::of(CornerScan { submeshes, free_submeshes: FreeSubmeshes::default() })
        .served(Served::BySubmesh(submeshes))
}

/// Returns the orientations of a request's shape that fit `mesh`; empty if none fits.
fn sizes(request: &Request, mesh: &Mesh) -> Vec<[u32; 3]> {
    request.sides_on(mesh).map_or_else(Vec::new, |shape| turns_on(shape, mesh))
}

/// Takes the first free submesh that can serve a request, with bases sorted by x, then y, then z.
struct CornerScan {
    submeshes: Submeshes,
    /// The free submeshes of the current request. The field exists only to reuse memory.
    free_submeshes: FreeSubmeshes,
}

impl Allocator for CornerScan {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        (self.submeshes.sizes)(request, machine.mesh()).into_iter().find_map(|sizes| {
            self.free_submeshes.find(machine, sizes);
            // Coordinates are compared x first.
            let place = Submesh { base: self.free_submeshes.iter().min()?, sizes };
            Some(Placement::of((self.submeshes.nodes)(request, place, machine)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_tried_at_every_base_before_the_next_turn() -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new("3x3".parse()?);
        let mut placed = |busy: &[u32], sides| -> Result<_, Box<dyn std::error::Error>> {
            machine.occupy(busy)?;
            let found = strategy(sizes).propose(&Request::sides(sides), &machine);
            machine.vacate(busy);
            Ok(found.map(|placement| placement.nodes))
        };
        // Node (0, 0) is the first base in every order, (0, 1) comes before (1, 0) here.
        assert_eq!(placed(&[], [2, 1, 1])?, Some(vec![0, 1]));
        assert_eq!(placed(&[0], [1, 1, 1])?, Some(vec![3]));
        // A row of two is free in the last row only, and is taken there before it is turned.
        assert_eq!(placed(&[0, 2, 4], [2, 1, 1])?, Some(vec![6, 7]));
        assert_eq!(placed(&[1, 4, 7], [2, 1, 1])?, Some(vec![0, 3]));
        assert_eq!(placed(&[], [4, 1, 1])?, None);
        Ok(())
    }
}
