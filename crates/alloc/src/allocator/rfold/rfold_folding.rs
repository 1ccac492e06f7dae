//! RFold's folding: first fit for the folding of the job's shape that has the shortest longest side.
//!
//! S. S. Chen et al., "Toward Co-adapting Machine Learning Job Shape and Cluster Topology", arXiv 2510.03891,
//! 2025: the policy `folding` of its simulator (github.com/shuoshuc/RFold).
//!
//! 1. List the foldings of the job's shape, where blocks have the shortest side of the machine. For a row of
//!    nodes the list has every box of as many nodes. Remove foldings with a side above the shortest side of
//!    the machine.
//! 2. If the list is empty, keep the shape. Otherwise take the folding with the shortest longest side. Of
//!    several, take the one with the most sides above 1, then that with the smallest sides, shortest first.
//!    (The simulator takes whichever its set yields first.)
//! 3. Place the shape as `rfold-first-fit` does.
//!
//! From two sides A, B above 1, foldings are {A/2, B, 2} and {A, B/2, 2}. If the machine's shortest side is
//! 4, they are also {A/4, B, 4}, {A/2, B/2, 4} and {A, B/4, 4}, and a side of 2 may become 4 while another is
//! halved. Sides of 1 do not count, and a row may become any box.
//!
//! A folded job may be refused although its own shape would fit. Time as of `rfold-first-fit`.

use super::foldings::{boxes, foldings, rank, turns_on};
use super::rfold_first_fit::strategy;
use crate::allocator::seam::{AllocatorEntry, Request};
use meshreplay_machine::machine::Mesh;

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "rfold-folding",
    summary: "RFold's folding: first fit for the folded shape with the shortest longest side",
    source: "Chen et al., RFold, arXiv 2510.03891, 2025: folding of its simulator",
    ..AllocatorEntry::contiguous(|_, _| Ok(strategy(sizes)))
};

/// Returns the orientations of a request's folded shape that fit `mesh`; empty if none fits.
fn sizes(request: &Request, mesh: &Mesh) -> Vec<[u32; 3]> {
    request.sides_on(mesh).map_or_else(Vec::new, |shape| turns_on(folded(shape, mesh), mesh))
}

/// Returns the folding of `shape` that is placed on `mesh`, or `shape` itself if none is better.
fn folded(shape: [u32; 3], mesh: &Mesh) -> [u32; 3] {
    let shortest = mesh.extents()[..mesh.dims()].iter().copied().min().unwrap_or(1);
    let candidates =
        if rank(shape) == 1 { boxes(shape.iter().product(), shortest) } else { foldings(shape, shortest) };
    let longest = |folded: &[u32; 3]| folded.iter().copied().max();
    let fits = |folded: &[u32; 3]| longest(folded) <= Some(shortest) && !turns_on(*folded, mesh).is_empty();
    // Of equal ones `min_by_key` takes the first.
    candidates.into_iter().filter(fits).min_by_key(longest).unwrap_or(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_folded_towards_cubes() -> Result<(), meshreplay_machine::machine::mesh::MeshError> {
        for (shape, machine, expected) in [
            ([1, 2, 8], "torus:8x8x8", [2, 2, 4]),
            ([8, 1, 6], "torus:8x8x8", [2, 4, 6]),
            ([2, 2, 8], "torus:8x8x8", [2, 2, 8]),
            ([1, 1, 16], "torus:8x8x8", [2, 2, 4]),
            ([1, 13, 1], "torus:16x8x8", [1, 13, 1]),
            ([2, 2, 8], "4x4x4", [2, 4, 4]),
            // Two dimensions: nothing is folded into the third.
            ([6, 2, 1], "8x8", [6, 2, 1]),
            ([6, 1, 1], "8x8", [1, 2, 3]),
        ] {
            assert_eq!(folded(shape, &machine.parse()?), expected, "{shape:?} on {machine}");
        }
        Ok(())
    }
}
