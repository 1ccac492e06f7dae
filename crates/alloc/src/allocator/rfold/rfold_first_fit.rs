//! RFold's first fit: the first free box of the job's shape, turned in every way, on a torus that wraps
//! around.
//!
//! S. S. Chen et al., "Toward Co-adapting Machine Learning Job Shape and Cluster Topology", arXiv 2510.03891,
//! 2025: the policy `firstfit` of its simulator (github.com/shuoshuc/RFold).
//!
//! 1. Try the orientations (a, b, c), (a, c, b), (b, a, c), (b, c, a), (c, a, b) and (c, b, a) of the job's
//!    shape one after the other; skip orientations that do not fit the machine.
//! 2. Of all free submeshes of that orientation take the first by its base: the smallest x, then y, then z.
//!    Along the dimensions that wrap around, a submesh may begin at every node.
//!
//! It serves the same jobs as first fit with `turn=yes`, which has another order of places (z, then y, then x
//! of the base) and of turns. Time O(N) per request and orientation on a machine of N nodes.

use super::foldings::turns_on;
use crate::allocator::contiguous::first_fit::FirstFit;
use crate::allocator::contiguous::orientations::row_by_row;
use crate::allocator::seam::{AllocatorEntry, Request, Strategy, Submeshes};
use meshreplay_machine::machine::Mesh;

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "rfold-first-fit",
    summary: "RFold's first fit: every orientation in turn, bases by x, then y, then z",
    source: "Chen et al., RFold, arXiv 2510.03891, 2025: firstfit of its simulator",
    ..AllocatorEntry::contiguous(|_, _| Ok(strategy(sizes)))
};

/// Returns the strategy that takes the first free submesh in the order of x, y and z of the base. `sizes`
/// lists the sizes for a request, the preferred one first.
pub(super) fn strategy(sizes: fn(&Request, &Mesh) -> Vec<[u32; 3]>) -> Strategy {
    FirstFit::strategy_by(Submeshes { sizes, nodes: row_by_row }, |free_submeshes, machine, sizes| {
        free_submeshes.find(machine, sizes);
        // Coordinates are compared x first.
        free_submeshes.iter().min()
    })
}

/// Returns the orientations of a request's shape that fit `mesh`; empty if none fits.
fn sizes(request: &Request, mesh: &Mesh) -> Vec<[u32; 3]> {
    request.sides_on(mesh).map_or_else(Vec::new, |shape| turns_on(shape, mesh))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_machine::machine::Machine;

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
