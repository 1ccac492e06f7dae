//! MBS and Layered MBS: the multiple buddy strategy on square blocks of a two-dimensional mesh, or of every
//! layer of a three-dimensional mesh.
//!
//! V. Lo, K. Windisch, W. Liu, B. Nitzberg, "Non-contiguous processor allocation algorithms for
//! mesh-connected multicomputers", IEEE TPDS 8(7), 1997; P. Walker, D. Bunde, V. Leung, "Faster high-quality
//! processor allocation", 2010, §III, §III-A (Layered MBS) and Fig. 10.
//!
//! 1. A mesh of w × h nodes has one top-level block at its origin, a square of side 2^⌊log₂ min(w, h)⌋. Two
//!    parts remain: the part to the right of the block, as high as the mesh, and the part above the block, as
//!    wide as the block. Each is divided in the same way. `layered-mbs` divides each layer z in this way, so
//!    its blocks are one node deep. With one layer it is the same as MBS.
//! 2. A block of side 2^j has four children of half its side, down to single nodes.
//! 3. A request for k nodes is divided into block sizes, greedily from the largest. For each size the first
//!    free blocks are taken. If too few are free, a larger block is split. If no larger block is free either,
//!    four blocks of the next smaller size replace each missing block.
//!
//! The paper does not say how meshes that are not squares are divided. Here they are divided as in the
//! authors' simulator. On a torus blocks do not wrap around.
//!
//! With `join=no`, four free siblings are not joined to their parent, so that blocks get smaller as long as
//! the machine is in use, and the free blocks of a size are a FIFO list (see `unjoined`), which begins in the
//! order of their first nodes: by x, then by y. Bani-Mohammad et al. (GABL) and Zolfaghari (QNA) describe MBS
//! without a word on joining or on the order of free blocks.

use super::allocator::BlockAllocator;
use super::system::Forest;
use super::unjoined;
use crate::allocator::seam::{AllocatorEntry, Contiguity, Memory, OnTori, OnTrees, Promises};
use meshreplay_machine::machine::Mesh;

/// The allocator's row in the registry.
pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "mbs",
    summary: "multiple buddy strategy: square blocks, several per job",
    source: "Lo, Windisch, Liu, Nitzberg, IEEE TPDS 8(7), 1997; Walker, Bunde, Leung, 2010",
    parameters: "join=yes (no)",
    max_dims: 2,
    trees: OnTrees::BY_COORDINATES,
    refuses_unavailable: None,
    kind: Contiguity::NonContiguous,
    tori: OnTori::NeverWraps("its blocks lie inside the machine, as published"),
    promises: |spec| {
        let joins = spec.params.get("join").is_none_or(|join| join == "yes");
        let memory = if joins { Memory::UntilIdle } else { Memory::Lasting };
        Promises { exact: true, complete: true, memory }
    },
    build: |params, setup| {
        let joins = params.choose_unwritten("join", &[("yes", true), ("no", false)])?;
        Ok(if joins {
            BlockAllocator::multiple(setup.mesh, layers)
        } else {
            unjoined::strategy(setup.mesh, layers)
        })
    },
};

/// The row of `layered-mbs`, the name of MBS on machines of three dimensions.
pub(crate) const LAYERED: AllocatorEntry = AllocatorEntry {
    name: "layered-mbs",
    summary: "MBS on each layer of a 3D mesh; blocks are flat squares",
    source: "Walker, Bunde, Leung, 2010",
    max_dims: 3,
    ..ENTRY
};

/// Builds the hierarchy of blocks: each layer of the machine is divided into squares.
pub(crate) fn layers(mesh: &Mesh) -> Forest {
    let [width, length, depth] = mesh.extents();
    let mut forest = Forest::new(4);
    for z in 0..depth {
        squares(&mut forest, [0, 0, z], width, length);
    }
    forest
}

/// Adds the blocks of a rectangle of `width` × `length` nodes in one layer, with its lowest corner at `base`.
fn squares(forest: &mut Forest, base: [u32; 3], width: u32, length: u32) {
    let (mut base, mut width) = (base, width);
    // The parts to the right are handled by a loop. Recursion would be as deep as a one-dimensional machine
    // is long.
    while width > 0 && length > 0 {
        let class = width.min(length).ilog2();
        let side = 1 << class;
        forest.add_tree(base, class as u8, &[0, 1]);
        squares(forest, [base[0], base[1] + side, base[2]], side, length - side);
        base[0] += side;
        width -= side;
    }
}

#[cfg(test)]
mod tests {
    use super::super::allocator::several_blocks;
    use super::super::system::{BlockOrder, Buddy};
    use super::*;
    use crate::allocator::seam::{Allocator, Request};
    use meshreplay_machine::machine::Machine;

    #[test]
    fn figure_10_a_square_and_four_single_nodes() -> Result<(), Box<dyn std::error::Error>> {
        let tops = layers(&"5x4".parse()?).tops();
        let expected: Vec<_> =
            [([0, 0, 0], [4, 4, 1])].into_iter().chain((0..4).map(|y| ([4, y, 0], [1, 1, 1]))).collect();
        assert_eq!(tops, expected);
        Ok(())
    }

    #[test]
    fn the_largest_block_of_16_by_15_is_8_by_8() -> Result<(), Box<dyn std::error::Error>> {
        let tops = layers(&"16x15".parse()?).tops();
        assert_eq!(tops.iter().map(|(_, sizes)| sizes[0]).max(), Some(8));
        assert_eq!(tops.iter().map(|(_, [a, b, _])| a * b).sum::<u32>(), 240);
        Ok(())
    }

    #[test]
    fn seven_nodes_are_one_block_of_four_and_three_single_ones() -> Result<(), Box<dyn std::error::Error>> {
        let machine = Machine::new("8x8".parse()?);
        let buddy = Buddy::new(machine.mesh(), &layers(machine.mesh()), BlockOrder::Location);
        let mut mbs = BlockAllocator::new(buddy, several_blocks);
        let fresh = mbs.buddy.clone();
        let placement = mbs.propose(&Request::of(7), &machine).ok_or("refused")?;
        let coords: Vec<_> = placement.nodes.iter().map(|&node| machine.mesh().coord(node)).collect();
        let expected = [[0, 0], [1, 0], [0, 1], [1, 1], [0, 2], [0, 3], [1, 2]];
        assert_eq!(coords, expected.map(|[x, y]| [x, y, 0]));
        mbs.accepted(&placement, &machine);
        mbs.released(&placement, &machine);
        assert_eq!(mbs.buddy, fresh);
        Ok(())
    }
}
