//! Octet MBS: the multiple buddy strategy on cubes.
//!
//! P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, §III-A.
//!
//! 1. A mesh of w × h × d nodes has one top-level block at its origin, a cube of side s = 2^⌊log₂ min(w, h,
//!    d)⌋. Three parts remain beyond the cube: one along x (s high and s deep), one along y (w wide and s
//!    deep), and one along z (w wide and h high). Each is divided in the same way.
//! 2. A block has eight children of half its side, down to single nodes.
//! 3. A request is served as in MBS: it is divided into block sizes, and larger blocks are split if needed.
//!
//! On a two-dimensional mesh all blocks are single nodes, so a job gets the first free nodes in location
//! order. Meshes that are not cubes are divided as in the authors' simulator. On a torus blocks do not wrap
//! around.

use super::allocator::BlockAllocator;
use super::granular_mbs;
use super::system::Forest;
use crate::allocator::seam::AllocatorEntry;
use meshreplay_machine::machine::Mesh;

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "octet-mbs",
    summary: "multiple buddy strategy on cubes; eight children per block",
    build: |_, setup| Ok(BlockAllocator::multiple(setup.mesh, cubes)),
    ..granular_mbs::ENTRY
};

/// Builds the hierarchy of blocks: the machine is divided into cubes.
pub(crate) fn cubes(mesh: &Mesh) -> Forest {
    let mut forest = Forest::new(8);
    // A list of the parts still to divide, instead of recursion: a flat mesh has as many parts as nodes.
    let mut parts = vec![([0, 0, 0], mesh.extents())];
    while let Some((base, sizes)) = parts.pop() {
        let [width, length, depth] = sizes;
        let least = width.min(length).min(depth);
        if least == 0 {
            continue;
        }
        let class = least.ilog2();
        let side = 1 << class;
        forest.add_tree(base, class as u8, &[0, 1, 2]);
        let [x, y, z] = base;
        parts.push(([x + side, y, z], [width - side, side, side]));
        parts.push(([x, y + side, z], [width, length - side, side]));
        parts.push(([x, y, z + side], [width, length, depth - side]));
    }
    forest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_mesh_is_single_nodes_and_a_cube_one_block() -> Result<(), Box<dyn std::error::Error>> {
        assert!(cubes(&"3x2".parse()?).tops().iter().all(|(_, sizes)| *sizes == [1; 3]));
        assert_eq!(cubes(&"4x4x4".parse()?).tops(), [([0; 3], [4; 3])]);
        let tops = cubes(&"5x5x4".parse()?).tops();
        assert_eq!((tops[0], tops.len()), (([0; 3], [4; 3]), 1 + 36));
        Ok(())
    }
}
