//! Fixed orientation: first fit after every job was laid along the machine's longer side.
//!
//! C. Chang, P. Mohapatra, "An integrated processor management scheme for the mesh-connected multicomputer systems",
//! 1998.
//!
//! 1. The job's sides are sorted and laid along the machine's dimensions, longest along longest; of equal dimensions
//!    the first counts as longer, so that jobs on a square machine are at least as wide as high.
//! 2. Of all places at which a submesh of these sides is free, the first in scan order (z, then y, then x) is taken;
//!    no other orientation is tried.
//! 3. A job that was turned runs as it would have unturned: task (i, j) of it is on node (j, i) of the submesh.
//!
//! It recognises every free submesh of its one orientation. What the paper calls rotation is the order of the nodes
//! here. Three dimensions are a choice of ours. A submesh that fits the machine fits in this orientation too. Cost as
//! first fit.

use super::first_fit::FirstFit;
use crate::allocator::seam::{Contiguity, Entry, Promises, Request, Submeshes};
use crate::machine::{Cuboid, Machine, Mesh, NodeId};

pub(crate) const ENTRY: Entry = Entry {
    name: "fixed-orientation",
    summary: "first fit, every job laid along the machine's longer side",
    source: "Chang, Mohapatra, 1998, §2.2",
    parameters: "",
    max_dims: 3,
    kind: Contiguity::Contiguous,
    promises: |_| Promises { exact: false, complete: false, forgets: true },
    build: |_, _| Ok(FirstFit::strategy(Submeshes { sizes, nodes })),
};

/// Returns the machine's dimension along which each side of the job lies.
fn axes(shape: [u32; 3], mesh: &Mesh) -> [usize; 3] {
    let longest_first = |lengths: [u32; 3]| {
        let mut order = [0, 1, 2];
        order.sort_by_key(|&d| std::cmp::Reverse(lengths[d]));
        order
    };
    let (sides, dimensions) = (longest_first(shape), longest_first(mesh.extents()));
    let mut along = [0; 3];
    for (side, dimension) in sides.into_iter().zip(dimensions) {
        along[side] = dimension;
    }
    along
}

/// Returns the sides of a request's one orientation along the machine's dimensions; nothing if it does not fit.
fn sizes(request: &Request, mesh: &Mesh) -> Vec<[u32; 3]> {
    let laid = |shape: [u32; 3]| {
        let along = axes(shape, mesh);
        let mut sizes = [1; 3];
        for d in 0..3 {
            sizes[along[d]] = shape[d];
        }
        sizes
    };
    let fits = |sizes: &[u32; 3]| (0..3).all(|d| sizes[d] <= mesh.extents()[d]);
    request.sides_on(mesh).map(laid).filter(fits).into_iter().collect()
}

/// Returns the nodes of the submesh that `request` has at a place, in the order of the job's own coordinates.
fn nodes(request: &Request, place: Cuboid, machine: &Machine) -> Vec<NodeId> {
    let mesh = machine.mesh();
    let shape = request.sides_on(mesh).unwrap_or(place.sizes);
    let along = axes(shape, mesh);
    let [a, b, c] = shape;
    let mut nodes = Vec::with_capacity((a * b * c) as usize);
    for k in 0..c {
        for j in 0..b {
            for i in 0..a {
                let mut at = place.base;
                for (d, step) in [i, j, k].into_iter().enumerate() {
                    at[along[d]] += step;
                }
                nodes.push(mesh.node(at));
            }
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turned_jobs_keep_their_own_coordinates() -> Result<(), Box<dyn std::error::Error>> {
        let machine = Machine::new("4x3".parse()?);
        let placed = |sides| {
            let mut strategy = FirstFit::strategy(Submeshes { sizes, nodes });
            strategy.propose(&Request::sides(sides), &machine).map(|placement| placement.nodes)
        };
        assert_eq!(placed([3, 2, 1]), Some(vec![0, 1, 2, 4, 5, 6]));
        // Task (i, j) of 2×3 is on node (j, i).
        assert_eq!(placed([2, 3, 1]), Some(vec![0, 4, 1, 5, 2, 6]));
        assert_eq!(placed([1, 4, 1]), Some(vec![0, 1, 2, 3]));
        assert_eq!((placed([5, 1, 1]), placed([2, 2, 2])), (None, None));
        Ok(())
    }

    #[test]
    fn sides_lie_along_the_dimensions_of_their_rank() -> Result<(), Box<dyn std::error::Error>> {
        for (shape, machine, along) in [
            ([2, 3, 1], "4x4", [1, 0, 2]),
            ([2, 2, 1], "4x4", [0, 1, 2]),
            ([3, 2, 1], "4x5", [1, 0, 2]),
            ([1, 2, 3], "4x6x5", [0, 2, 1]),
        ] {
            assert_eq!(axes(shape, &machine.parse()?), along, "{shape:?} on {machine}");
        }
        Ok(())
    }
}
