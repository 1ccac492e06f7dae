//! Hierarchies of blocks, as the buddy strategies build them.

use crate::allocator::seam::Block;
use meshreplay_machine::machine::Coord;

/// A set of trees of blocks. The roots, called top-level blocks, cover every node of the machine once. Each
/// block splits into the same number of equal children.
#[derive(Clone, Debug)]
pub(crate) struct Forest {
    /// The number of children of each block that has more than one node.
    pub(crate) fanout: u32,
    /// All blocks of all trees. A top-level block has no parent.
    pub(crate) blocks: Vec<Block>,
}

impl Forest {
    /// Returns a forest that has no blocks yet. Each block of more than one node will have `fanout` children.
    pub(crate) fn new(fanout: u32) -> Self {
        Self { fanout, blocks: Vec::new() }
    }

    /// Adds a top-level block and all blocks below it. The block has 2^`class` nodes along each dimension in
    /// `halved`, and one node along the others. A block is split by halving it along all dimensions in
    /// `halved`.
    pub(crate) fn add_tree(&mut self, base: Coord, class: u8, halved: &[usize]) {
        self.add_block(base, class, halved, None);
    }

    /// Adds a block with its parent's index, and then its children recursively.
    fn add_block(&mut self, base: Coord, class: u8, halved: &[usize], parent: Option<u32>) {
        let mut sizes = [1; 3];
        for &d in halved {
            sizes[d] = 1 << class;
        }
        let id = self.blocks.len() as u32;
        self.blocks.push(Block { base, sizes, class, parent });
        if class == 0 {
            return;
        }
        for corner in 0..self.fanout {
            // Each bit of `corner` chooses the lower or the upper half along one dimension.
            let mut child = base;
            for (bit, &d) in halved.iter().enumerate() {
                child[d] += (corner >> bit & 1) << (class - 1);
            }
            self.add_block(child, class - 1, halved, Some(id));
        }
    }
}

#[cfg(test)]
impl Forest {
    /// Returns the bases and sizes of the top-level blocks, in location order.
    pub(crate) fn tops(&self) -> Vec<(Coord, [u32; 3])> {
        let tops = self.blocks.iter().filter(|block| block.parent.is_none());
        let mut tops: Vec<_> = tops.map(|block| (block.base, block.sizes)).collect();
        tops.sort_unstable();
        tops
    }
}
