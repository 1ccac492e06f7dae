//! Fixed orientation: first fit, with the longest side of every job along the longest side of the machine.
//!
//! C. Chang, P. Mohapatra, "An integrated processor management scheme for the mesh-connected multicomputer
//! systems", 1998.
//!
//! 1. Sort the sides of the job and the dimensions of the machine by length, and lay the longest side along
//!    the longest dimension, and so on. Of two equal dimensions the first counts as longer, so jobs on a
//!    square machine are at least as wide as high.
//! 2. Of all free submeshes of these sides take the first in scan order (z, then y, then x of the base). No
//!    other orientation is tried.
//! 3. A job that was turned keeps the order of its tasks: task (i, j) runs on node (j, i) of the submesh.
//!
//! A job is served whenever a free submesh of this one orientation exists. A shape that fits an idle machine
//! in some orientation also fits in this one. The paper calls step 3 rotation. Three dimensions are a choice
//! of ours. The cost is that of first fit. `search=plain` uses the scan of `adaptive-scan:search=plain`, so
//! that both can be compared by their number of orientations alone.

use super::adaptive_scan::plain_scan;
use super::busy_search::BusySearch;
use super::first_fit::FirstFit;
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Contiguity, Memory, OnTori, OnTrees, Placement, Promises, Request, Served,
    Strategy, Submeshes,
};
use crate::allocator::take_plain;
use meshreplay_machine::machine::{Machine, Mesh, NodeId, Submesh};

/// The allocator's row in the registry.
pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "fixed-orientation",
    summary: "first fit, every job laid along the machine's longer side",
    source: "Chang, Mohapatra, 1998, §2.2",
    parameters: "search=fast (plain)",
    max_dims: 3,
    trees: OnTrees::BY_COORDINATES,
    refuses_unavailable: None,
    kind: Contiguity::Contiguous,
    tori: OnTori::Wraps,
    promises: |_| Promises { exact: false, complete: false, memory: Memory::None },
    build: |params, _| {
        let submeshes = Submeshes { sizes, nodes };
        let is_plain = take_plain(params)?;
        Ok(if is_plain { plain(submeshes) } else { FirstFit::strategy(submeshes) })
    },
};

/// Returns for each side of the job the dimension of the machine along which it lies.
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

/// Returns the sizes along x, y and z of the only orientation in which the job is placed; empty if it does
/// not fit the machine.
fn sizes(request: &Request, mesh: &Mesh) -> Vec<[u32; 3]> {
    let laid = |shape: [u32; 3]| {
        let along = axes(shape, mesh);
        let mut sizes = [1; 3];
        for d in 0..3 {
            sizes[along[d]] = shape[d];
        }
        sizes
    };
    request.sides_on(mesh).map(laid).filter(|&sizes| mesh.fits(sizes)).into_iter().collect()
}

/// Returns the nodes of the submesh in rank order, which follows the coordinates of the job before it was
/// turned.
fn nodes(request: &Request, place: Submesh, machine: &Machine) -> Vec<NodeId> {
    let mesh = machine.mesh();
    let shape = request.sides_on(mesh).unwrap_or(place.sizes);
    let along = axes(shape, mesh);
    if along == [0, 1, 2] {
        // The job was not turned.
        return place.nodes(machine);
    }
    // Node numbers are sums of one number per coordinate.
    let [columns, rows, layers] = [0, 1, 2].map(|side| {
        let d = along[side];
        let position = |step| -> NodeId {
            let mut steps = [0; 3];
            steps[d] = step;
            let mut coord = [0; 3];
            coord[d] = place.at(mesh, steps)[d];
            mesh.node(coord)
        };
        (0..shape[side]).map(position).collect::<Vec<NodeId>>()
    });
    let mut nodes = Vec::with_capacity(columns.len() * rows.len() * layers.len());
    for layer in layers {
        for row in &rows {
            nodes.extend(columns.iter().map(|column| column + row + layer));
        }
    }
    nodes
}

/// Fixed orientation with the scan of adaptive scan as written. The nodes of turned jobs are in the order of
/// their tasks, which the list of submeshes in use needs row by row.
struct FixedOrientation(BusySearch);

/// Returns the strategy for an idle machine. `submeshes` gives the only orientation of a job.
fn plain(submeshes: Submeshes) -> Strategy {
    Strategy::of(FixedOrientation(BusySearch::new(submeshes, plain_scan)))
        .served(Served::BySubmesh(submeshes))
}

/// Returns a placement on the same nodes, row by row if they are a submesh.
fn by_rows(placement: &Placement, machine: &Machine) -> Placement {
    let nodes = &placement.nodes;
    let place = Submesh::around(machine.mesh(), nodes).map(|place| place.nodes(machine));
    Placement::of(place.filter(|all| all.len() == nodes.len()).unwrap_or_else(|| nodes.clone()))
}

impl Allocator for FixedOrientation {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        self.0.propose(request, machine)
    }

    fn taken(&mut self, placement: &Placement, machine: &Machine) {
        self.0.taken(&by_rows(placement, machine), machine);
    }

    fn released(&mut self, placement: &Placement, machine: &Machine) {
        self.0.released(&by_rows(placement, machine), machine);
    }
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
        // Task (i, j) of 2×3 runs on node (j, i).
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
