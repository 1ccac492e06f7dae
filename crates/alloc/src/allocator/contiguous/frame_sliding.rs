//! Frame sliding: a frame of the job's shape slides over the machine in steps of its own size.
//!
//! P.-J. Chuang, N.-F. Tzeng, "Allocating precise submeshes in mesh connected systems", IEEE TPDS 5(2), 1994.
//!
//! 1. The first frame has its base at the first free node in scan order (z, then y, then x).
//! 2. While the frame is not free or leaves the machine, slide it along x by its width. At the side of the
//!    machine slide it up by its length, and continue in the opposite direction. The columns of the bases are
//!    always whole widths away from the first base. In three dimensions, after the last row of a layer, slide
//!    it up along z by its depth, and visit the rows in the opposite direction.
//! 3. If no frame is free, the job waits.
//!
//! In a dimension that wraps around, the machine has no side: the frame slides on in the same direction while
//! its base is less than one round beyond the first one.
//!
//! The shape is not turned, unless `turn=yes` is given: then its other orientations are tried one after the
//! other. Free submeshes between the positions of the frame are not found, which is the known weakness of the
//! strategy. Details of the slide are choices of ours. Time O(N) per request to find the free submeshes of a
//! machine of N nodes, and O(1) for each position of the frame.

use super::busy_search::Region;
use super::first_fit::FirstFit;
use super::orientations::{TURN, take_turn_unwritten};
use crate::allocator::seam::{AllocatorEntry, Foresight, NodesFor, Served};
use meshreplay_machine::machine::{Coord, FreeSubmeshes, Machine, Mesh};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "frame-sliding",
    summary: "a frame of the job's shape that slides in steps of its own size",
    source: "Chuang, Tzeng, IEEE TPDS 5(2), 1994",
    parameters: TURN,
    ..AllocatorEntry::contiguous(|params, _| {
        let submeshes = take_turn_unwritten(params)?.submeshes();
        let strategy = FirstFit::strategy_by(submeshes, find);
        Ok(strategy.served(Served::ByState(Foresight::Proposes)).with_nodes_for(move |request, mesh| {
            NodesFor::of_submesh((submeshes.sizes)(request, mesh).first().copied())
        }))
    })
};

/// Finds the base of the first free submesh at the positions of a sliding frame.
fn find(free_submeshes: &mut FreeSubmeshes, machine: &Machine, sizes: [u32; 3]) -> Option<Coord> {
    let mesh = machine.mesh();
    let first = mesh.coord(machine.free().iter().next()?);
    free_submeshes.find(machine, sizes);
    slide(mesh, sizes, first).into_iter().find(|&base| free_submeshes.contains(base))
}

/// Returns the bases of the positions that the frame visits, in this order; empty if the sizes exceed the
/// machine.
fn slide(mesh: &Mesh, sizes: [u32; 3], first: Coord) -> Vec<Coord> {
    let Some(Region { high, .. }) = Region::of_bases(mesh, sizes) else { return Vec::new() };
    let rings = Region { low: [0; 3], high }.rings(mesh);
    // The bases form a grid of the frame's sizes that contains the first base.
    let [xs, ys, zs] = [0, 1, 2].map(|d| {
        let (size, extent) = (sizes[d] as usize, mesh.extents()[d]);
        if rings[d] {
            (first[d]..first[d] + extent).step_by(size).map(|at| at % extent).collect::<Vec<u32>>()
        } else if mesh.wraps(d) {
            // A frame that goes all the way round has one base.
            vec![0]
        } else {
            (first[d] % sizes[d]..=high[d]).step_by(size).collect()
        }
    });
    let (mut bases, mut x_falls, mut y_falls) = (Vec::new(), false, false);
    for &z in zs.iter().filter(|&&z| z >= first[2]) {
        // In the first layer, the rows below the first free node have no free node. The first free node's row
        // has none before it.
        let from = |&&y: &&u32| z > first[2] || y >= first[1];
        let mut rows: Vec<u32> = ys.iter().filter(from).copied().collect();
        if y_falls {
            rows.reverse();
        }
        for y in rows {
            let mut columns = xs.clone();
            if x_falls {
                columns.reverse();
            }
            bases.extend(columns.into_iter().map(|x| [x, y, z]));
            x_falls = !x_falls && !rings[0];
        }
        y_falls = !y_falls && !rings[1];
    }
    bases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_goes_to_and_fro() -> Result<(), Box<dyn std::error::Error>> {
        let flat = |bases: Vec<Coord>| bases.into_iter().map(|[x, y, _]| [x, y]).collect::<Vec<_>>();
        let mesh: Mesh = "6x6".parse()?;
        // The example of the paper: the first free node is (4, 0).
        assert_eq!(flat(slide(&mesh, [3, 2, 1], [4, 0, 0])), [[1, 0], [1, 2], [1, 4]]);
        let found = flat(slide(&mesh, [2, 2, 1], [0, 1, 0]));
        assert_eq!(found, [[0, 1], [2, 1], [4, 1], [4, 3], [2, 3], [0, 3]]);
        let mesh: Mesh = "2x2x2".parse()?;
        let found = slide(&mesh, [1, 1, 1], [0, 0, 0]);
        let expected =
            [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 0, 1], [0, 0, 1]];
        assert_eq!(found, expected);
        // Round a ring it goes on in one direction, and the last frame overlaps the first one.
        let mesh: Mesh = "5x4:wrap=x".parse()?;
        let found = flat(slide(&mesh, [2, 2, 1], [3, 0, 0]));
        assert_eq!(found, [[3, 0], [0, 0], [2, 0], [3, 2], [0, 2], [2, 2]]);
        assert_eq!(flat(slide(&mesh, [5, 2, 1], [3, 1, 0])), [[0, 1]]);
        Ok(())
    }
}
