//! Granular MBS: the multiple buddy strategy on pairs of pairs, so that there are blocks of every power of
//! two.
//!
//! P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, §III-A and Fig. 11.
//!
//! 1. At first each node is a block. There is a phase for each dimension: x, then y, then z. In a phase every
//!    top-level block looks for a buddy, which is a top-level block of the same sizes whose base lies one
//!    block further along the dimension. The two become children of a new block. Blocks look for a buddy in
//!    location order, and each block joins at most one pair per phase.
//! 2. The three phases are repeated until no block finds a buddy.
//! 3. A request is served as in MBS: it is divided into block sizes, and larger blocks are split if needed.
//!
//! The paper gives 8 × 8 as the largest block of a 16 × 15 mesh. By the paper's own construction it is 16 ×
//! 8, and this implementation follows the construction, like the authors' simulator. On a torus blocks do not
//! wrap around.

use super::allocator::BlockAllocator;
use super::system::Forest;
use crate::allocator::seam::{AllocatorEntry, Block, Memory, OnTori, Promises};
use meshreplay_machine::machine::Mesh;

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "granular-mbs",
    summary: "multiple buddy strategy on blocks of every power of two",
    source: "Walker, Bunde, Leung, 2010",
    tori: OnTori::NeverWraps("its blocks lie inside the machine, as published"),
    promises: |_| Promises { exact: true, complete: true, memory: Memory::UntilIdle },
    ..AllocatorEntry::non_contiguous(|_, setup| Ok(BlockAllocator::multiple(setup.mesh, pairs)))
};

/// The index that stands for no block.
const NONE: u32 = u32::MAX;

/// Builds the hierarchy of blocks: starting from single nodes, neighbouring blocks of equal sizes are joined
/// in pairs until no pair is left.
pub(crate) fn pairs(mesh: &Mesh) -> Forest {
    let mut forest = Forest::new(2);
    // `at` is the index of the top-level block that begins at each node; `tops` are all top-level blocks in
    // location order.
    let mut at = vec![NONE; mesh.nodes() as usize];
    let mut tops = Vec::with_capacity(at.len());
    for node in mesh.location_order() {
        at[node as usize] = tops.len() as u32;
        tops.push(tops.len() as u32);
        forest.blocks.push(Block { base: mesh.coord(node), sizes: [1; 3], class: 0, parent: None });
    }
    loop {
        let before = forest.blocks.len();
        for d in 0..3 {
            join(&mut forest, mesh, d, &mut at, &mut tops);
        }
        if forest.blocks.len() == before {
            return forest;
        }
    }
}

/// Carries out one phase: joins pairs of top-level blocks along dimension `d`. `at` and `tops` are updated.
fn join(forest: &mut Forest, mesh: &Mesh, d: usize, at: &mut [u32], tops: &mut Vec<u32>) {
    for top in tops.iter_mut() {
        let Block { base, sizes, class, parent } = forest.blocks[*top as usize];
        let mut beside = base;
        beside[d] += sizes[d];
        if parent.is_some() || beside[d] >= mesh.extents()[d] {
            continue;
        }
        let buddy = at[mesh.node(beside) as usize];
        let Some(other) = forest.blocks.get(buddy as usize).filter(|other| other.parent.is_none()) else {
            continue;
        };
        if other.sizes != sizes {
            continue;
        }
        let pair = forest.blocks.len() as u32;
        let mut doubled = sizes;
        doubled[d] *= 2;
        forest.blocks.push(Block { base, sizes: doubled, class: class + 1, parent: None });
        forest.blocks[*top as usize].parent = Some(pair);
        forest.blocks[buddy as usize].parent = Some(pair);
        *top = pair;
    }
    // The pairs become visible only after the loop, so that a new pair finds no buddy in the same phase.
    tops.retain(|&top| forest.blocks[top as usize].parent.is_none());
    for &top in &*tops {
        at[mesh.node(forest.blocks[top as usize].base) as usize] = top;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tops(machine: &str) -> Result<Vec<[u32; 3]>, Box<dyn std::error::Error>> {
        Ok(pairs(&machine.parse()?).tops().into_iter().map(|(_, sizes)| sizes).collect())
    }

    #[test]
    fn figure_11_ends_in_a_square_and_a_column() -> Result<(), Box<dyn std::error::Error>> {
        let forest = pairs(&"5x4".parse()?);
        assert_eq!(tops("5x4")?, [[4, 4, 1], [1, 4, 1]]);
        let count = |sizes| forest.blocks.iter().filter(|block| block.sizes == sizes).count();
        assert_eq!((count([2, 1, 1]), count([2, 2, 1]), count([1, 2, 1])), (8, 4, 2));
        Ok(())
    }

    #[test]
    fn other_meshes_end_in_few_large_blocks() -> Result<(), Box<dyn std::error::Error>> {
        assert_eq!(tops("10x10")?, [[8, 8, 1], [8, 2, 1], [2, 8, 1], [2, 2, 1]]);
        assert_eq!(tops("5x5x4")?, [[4, 4, 4], [4, 1, 4], [1, 4, 4], [1, 1, 4]]);
        assert_eq!(tops("16x15")?, [[16, 8, 1], [16, 4, 1], [16, 2, 1], [16, 1, 1]]);
        Ok(())
    }

    #[test]
    fn powers_of_two_end_in_one_block_with_every_smaller_one() -> Result<(), Box<dyn std::error::Error>> {
        for (machine, log) in [("16x8", 7), ("8x4x4", 7), ("32x32", 10)] {
            let forest = pairs(&machine.parse()?);
            assert_eq!(forest.tops().len(), 1);
            let count = |class| forest.blocks.iter().filter(|block| block.class == class).count();
            assert!((0..=log).all(|class| count(class) == 1 << (log - class)), "{machine}");
        }
        Ok(())
    }
}
