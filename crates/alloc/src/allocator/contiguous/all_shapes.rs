//! All shapes: a free submesh of the job's shape, or else of any other shape with as many nodes, at the
//! border of the machine if possible.
//!
//! I. Ababneh, S. Bani-Mohammad, M. Ould-Khaoua, "All shapes contiguous submesh allocation for 2D mesh
//! multicomputers", Int. J. of Parallel, Emergent and Distributed Systems 25(5), 2010.
//!
//! 1. The shapes with as many nodes as the requested one are tried one after the other: the requested shape
//!    a×b×c, its other orientations (b×a×c, a×c×b, c×a×b, c×b×a, b×c×a), then all others, those with the
//!    least sum of sides first (so 6×4 before 8×3 before 12×2), and of equals the one that is longest along
//!    x, then along y.
//! 2. Of the free submeshes of the first shape that has one, take the one with the largest contact with the
//!    border of the machine, as `max-periphery` defines it; on a tie the first in scan order (z, then y, then
//!    x of the base). With `priority=none`, take the first in scan order.
//!
//! Of the paper only the abstract was seen. It says that orientations are generalized to "all request
//! shapes", and that peripheral submeshes have priority. The order of shapes is a choice of ours, and so is
//! that a shape comes before the border. With three dimensions, boxes take the place of rectangles.
//!
//! A job is served whenever a free submesh of some shape exists. Time O(N) per shape on a machine of N nodes;
//! a number of nodes with d divisors has at most d shapes in two dimensions, and d² in three.

use super::best_place::{BestPlace, Orientations};
use super::first_fit::FirstFit;
use super::max_periphery::Contact;
use super::orientations::{orientations, row_by_row};
use crate::allocator::seam::{AllocatorEntry, Request, Submeshes};
use meshreplay_machine::machine::Mesh;

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "all-shapes",
    summary: "a free rectangle or cuboid of any shape with as many nodes, at the machine's border",
    source: "Ababneh, Bani-Mohammad, Ould-Khaoua, IJPEDS 25(5), 2010",
    parameters: "priority=border (none)",
    ..AllocatorEntry::contiguous(|params, _| {
        let at_border = params.choose("priority", &[("border", true), ("none", false)])?;
        Ok(if at_border {
            BestPlace::strategy(SUBMESHES, Orientations::OneByOne, Contact)
        } else {
            FirstFit::strategy(SUBMESHES)
        })
    })
};

const SUBMESHES: Submeshes = Submeshes { sizes: shapes, nodes: row_by_row };

/// Returns the sides of all submeshes of `mesh` with as many nodes as the shape of a request, in the order in
/// which they are tried.
fn shapes(request: &Request, mesh: &Mesh) -> Vec<[u32; 3]> {
    let Some(shape) = request.sides_on(mesh) else { return Vec::new() };
    let mut shapes = orientations(shape, mesh);
    let nodes = shape.iter().product();
    let divisors =
        |number: u32, most: u32| (1..=most.min(number)).filter(move |side| number.is_multiple_of(*side));
    let [width, length, height] = mesh.extents();
    let mut others: Vec<[u32; 3]> = divisors(nodes, height)
        .flat_map(|z| divisors(nodes / z, length).map(move |y| [nodes / z / y, y, z]))
        .filter(|&sizes| sizes[0] <= width && !shapes.contains(&sizes))
        .collect();
    others.sort_unstable_by_key(|&sizes| (sizes.iter().sum::<u32>(), std::cmp::Reverse(sizes)));
    shapes.append(&mut others);
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::seam::Setup;
    use meshreplay_machine::machine::{Machine, NodeId, Submesh};

    type Tested = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn the_requested_shape_comes_first_and_then_the_most_compact() -> Tested {
        let found = shapes(&Request::sides([3, 8, 1]), &"16x12".parse()?);
        assert_eq!(found, [[3, 8, 1], [8, 3, 1], [6, 4, 1], [4, 6, 1], [12, 2, 1], [2, 12, 1]]);
        let found = shapes(&Request::sides([4, 1, 1]), &"2x2x2".parse()?);
        assert_eq!(found, [[2, 2, 1], [2, 1, 2], [1, 2, 2]]);
        Ok(())
    }

    /// In every state of small machines, a request is served exactly if some rectangle of its area is free.
    #[test]
    fn a_job_is_served_exactly_if_a_rectangle_of_its_area_is_free() -> Tested {
        for (text, priority) in [("4x3", "border"), ("3x4", "none")] {
            let mesh: Mesh = text.parse()?;
            let [width, length, _] = mesh.extents();
            let spec = format!("all-shapes:priority={priority}").parse()?;
            let mut strategy = crate::allocator::build(&spec, &Setup::new(&mesh, 0))?.strategy;
            for busy in 0_u32..1 << mesh.nodes() {
                let nodes: Vec<NodeId> = (0..mesh.nodes()).filter(|node| busy >> node & 1 == 1).collect();
                let mut machine = Machine::new(mesh.clone());
                machine.occupy(&nodes)?;
                let is_free = |[x, y]: [u32; 2], [a, b]: [u32; 2]| {
                    x + a <= width
                        && y + b <= length
                        && (y..y + b)
                            .all(|y| (x..x + a).all(|x| machine.free().contains(mesh.node([x, y, 0]))))
                };
                let bases = || (0..length).flat_map(|y| (0..width).map(move |x| [x, y]));
                for [a, b] in [[1_u32, 1], [2, 1], [3, 1], [2, 2], [3, 2], [4, 2], [4, 3]] {
                    let fits = |sides| bases().any(|base| is_free(base, sides));
                    let of_area = (1..=a * b).filter(|side| (a * b).is_multiple_of(*side));
                    let expected = of_area.map(|side| [side, a * b / side]).any(fits);
                    let placed = strategy.propose(&Request::sides([a, b, 1]), &machine);
                    assert_eq!(placed.is_some(), expected, "{text}: {a}x{b} in {busy:b}");
                    let Some(place) = placed.and_then(|placed| Submesh::around(&mesh, &placed.nodes)) else {
                        continue;
                    };
                    let [x, y, _] = place.sizes;
                    assert_eq!((x * y, place.nodes(&machine).len() as u32), (a * b, a * b));
                    assert!(!fits([a, b]) || [x, y] == [a, b], "{text}: {a}x{b} in {busy:b}");
                }
            }
        }
        Ok(())
    }
}
