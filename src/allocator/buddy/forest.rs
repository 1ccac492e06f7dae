//! Hierarchies of blocks, as the strategies build them.

use crate::allocator::seam::Block;
use crate::machine::Coord;

/// Trees of blocks that tile a machine, each block splitting into the same number of equal children.
#[derive(Clone, Debug)]
pub(crate) struct Forest {
    /// Children of a block that is not a single node.
    pub(crate) fanout: u32,
    /// All blocks; which is a top-level block follows from its parent.
    pub(crate) blocks: Vec<Block>,
}

impl Forest {
    /// Returns a forest of blocks that split into `fanout` children, without blocks.
    pub(crate) fn new(fanout: u32) -> Self {
        Self { fanout, blocks: Vec::new() }
    }

    /// Adds a top-level block of 2^`class` nodes along each dimension in `halved`, and all that it splits into by
    /// halving along those.
    pub(crate) fn add_tree(&mut self, base: Coord, class: u8, halved: &[usize]) {
        self.add_block(base, class, halved, None);
    }

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
