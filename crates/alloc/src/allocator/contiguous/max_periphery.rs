//! Max periphery: the free submesh (rectangle or cuboid) that has most of its sides on the border of the
//! machine.
//!
//! A strategy of the simulator of P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation",
//! 2010, which the paper does not describe ("maximum periphery length").
//!
//! 1. Look at all free submeshes of the job's shape, in all orientations, that touch the border of the
//!    machine.
//! 2. The contact of a submesh is a sum over the dimensions. A dimension counts the nodes of the submesh's
//!    face if the submesh touches the machine's border in this dimension, otherwise 1. Take the submesh with
//!    the largest contact; on a tie the first orientation wins, then the first base in scan order (z, then y,
//!    then x).
//! 3. If no free submesh touches the border, take the first free submesh.
//!
//! A dimension that wraps around has no border. On a torus, where all of them do, this is first fit with
//! `turn=yes`.
//!
//! A job is served whenever a free submesh of its shape exists. Time O(N) per request and orientation on a
//! machine of N nodes.

use super::best_place::{BestPlace, Orientations, Score};
use super::orientations::Turn;
use crate::allocator::seam::AllocatorEntry;
use meshreplay_machine::machine::{Machine, Mesh, Submesh};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "max-periphery",
    summary: "the free rectangle or cuboid with most of its sides on the machine's border",
    source: "the simulator of Walker, Bunde, Leung, 2010",
    ..AllocatorEntry::contiguous(|_, _| {
        Ok(BestPlace::strategy(Turn::Yes.submeshes(), Orientations::Together, Contact))
    })
};

/// The score of a submesh by its contact with the machine's border.
pub(crate) struct Contact;

impl Score for Contact {
    /// Returns the contact. It is 0 for a submesh that does not touch the border, so any submesh that touches
    /// it is better.
    fn score(&self, machine: &Machine, place: Submesh) -> i64 {
        i64::from(contact(machine.mesh(), place))
    }
}

/// Returns the contact of a submesh with the machine's border; 0 if the submesh does not touch the border.
fn contact(mesh: &Mesh, place: Submesh) -> u32 {
    let extents = mesh.extents();
    let touches =
        |d: usize| !mesh.wraps(d) && (place.base[d] == 0 || place.base[d] + place.sizes[d] == extents[d]);
    let nodes: u32 = place.sizes.iter().product();
    let dims = 0..mesh.dims();
    if !dims.clone().any(touches) {
        return 0;
    }
    dims.map(|d| if touches(d) { nodes / place.sizes[d] } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::seam::{Allocator, Request};

    #[test]
    fn corners_come_before_sides_and_sides_before_the_middle() -> Result<(), Box<dyn std::error::Error>> {
        let mesh: Mesh = "6x5".parse()?;
        let contact = |base: [u32; 2], [a, b]: [u32; 2]| {
            contact(&mesh, Submesh { base: [base[0], base[1], 0], sizes: [a, b, 1] })
        };
        assert_eq!(contact([0, 0], [3, 2]), 2 + 3);
        assert_eq!(contact([2, 3], [3, 2]), 1 + 3);
        assert_eq!(contact([3, 1], [3, 2]), 2 + 1);
        assert_eq!(contact([1, 1], [3, 2]), 0);
        let mut machine = Machine::new(mesh.clone());
        // As a row, 3×1, the job has free submeshes only in the middle. Turned, it has one that touches the
        // upper border.
        machine.occupy(&[0, 1, 2, 3, 4, 5, 6, 11, 12, 17, 18, 23, 26, 27])?;
        let mut strategy = BestPlace::new(Turn::Yes.submeshes(), Orientations::Together, Contact);
        let nodes = strategy.propose(&Request::sides([3, 1, 1]), &machine).ok_or("refused")?.nodes;
        assert_eq!(nodes, [13, 19, 25]);
        Ok(())
    }
}
