//! A buddy system: it knows which blocks of a hierarchy are free, hands blocks out and takes them back.
//!
//! V. Lo, K. Windisch, W. Liu, B. Nitzberg, "Non-contiguous processor allocation algorithms for
//! mesh-connected multicomputers", IEEE TPDS 8(7), 1997; P. Walker, D. Bunde, V. Leung, "Faster high-quality
//! processor allocation", 2010, §III.
//!
//! 1. A request for k nodes is divided into block sizes, greedily from the largest.
//! 2. The sizes are served from the largest requested size down. Take the first free block of the size. If
//!    there is none, split the first free block of the next larger size that has one, down to the wanted
//!    size. If no larger block is free either, request as many blocks of the next smaller size as have the
//!    same number of nodes.
//! 3. A release frees the job's blocks. Siblings that are all free are joined to their parent block again.
//!
//! Free blocks of a size are ordered by location (x, then y, then z of the base), or in scan order for
//! [`BlockOrder::Scan`]. On a tie the sizes decide. The strategy never refuses while k nodes are free, since
//! single nodes can always serve the rest. Time O(k + b·log N) for a placement of b blocks on a machine of N
//! nodes.
//!
//! Blocks are numbered by size and, within a size, in the order of allocation. So the free blocks of a size
//! are a set of numbers, and the first free block is its smallest member.

use super::first_set::FirstSet;
use crate::allocator::seam::Block;
use meshreplay_machine::machine::{Coord, Mesh, NodeId};

/// The number that stands for no block.
const NONE: u32 = u32::MAX;

/// The order of free blocks of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockOrder {
    /// By x, then y, then z of the base.
    Location,
    /// By z, then y, then x of the base.
    Scan,
}

/// All blocks of a machine, and which of them are free. A block's number is its index in `bases`, `shapes`,
/// `parents` and `free_children`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Buddy {
    mesh: Mesh,
    order: BlockOrder,
    /// The number of children of each block of more than one node.
    fanout: u32,
    /// The number of the first block of each class, from the smallest class on, and at the end the number of
    /// all blocks.
    classes: Vec<u32>,
    /// The first node of each block.
    bases: Vec<NodeId>,
    /// The index in `sizes` of each block's sizes.
    shapes: Vec<u16>,
    /// The different sizes along x, y and z that blocks have.
    sizes: Vec<[u32; 3]>,
    /// The number of each block's parent; `NONE` for a top-level block.
    parents: Vec<u32>,
    /// The children of all blocks of more than one node: `fanout` entries for each such block.
    children: Vec<u32>,
    /// How many children of each block are free as a whole.
    free_children: Vec<u8>,
    /// The free blocks of each class, as offsets from the first block of the class.
    free: Vec<FirstSet>,
    /// The block in use whose first node is this node; `NONE` if no block in use begins here.
    held: Vec<u32>,
    /// Working memory of [`Self::hand_out_several`]: how many blocks of each class are still wanted.
    wanted: Vec<u32>,
}

impl Buddy {
    /// Returns the system of all blocks of `forest` with all nodes free. Time O(B log B) for B blocks.
    pub(crate) fn new(mesh: &Mesh, forest: &Forest, by: BlockOrder) -> Self {
        let blocks = &forest.blocks;
        let mut order: Vec<u32> = (0..blocks.len() as u32).collect();
        let key = |&id: &u32| {
            let Block { base, sizes, class, .. } = blocks[id as usize];
            let [x, y, z] = base;
            let rank = if by == BlockOrder::Scan { [z, y, x] } else { base };
            (class, rank, sizes)
        };
        order.sort_unstable_by_key(key);
        let mut numbers = vec![0; blocks.len()];
        for (number, &id) in (0..).zip(&order) {
            numbers[id as usize] = number;
        }
        // The highest class, and the first number of each class, found by binary search in the sorted order.
        let top = order.last().map_or(0, |&id| blocks[id as usize].class);
        let class_start = |class: u8| order.partition_point(|&id| blocks[id as usize].class < class) as u32;
        let classes: Vec<u32> = (0..=top + 1).map(class_start).collect();
        let mut sizes: Vec<[u32; 3]> = blocks.iter().map(|block| block.sizes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let shape = |block: &Block| sizes.partition_point(|other| *other < block.sizes) as u16;
        let sorted = || order.iter().map(|&id| &blocks[id as usize]);
        let mut buddy = Self {
            mesh: mesh.clone(),
            order: by,
            fanout: forest.fanout,
            bases: sorted().map(|block| mesh.node(block.base)).collect(),
            shapes: sorted().map(shape).collect(),
            parents: sorted().map(|block| block.parent.map_or(NONE, |id| numbers[id as usize])).collect(),
            children: Vec::new(),
            free_children: vec![0; blocks.len()],
            free: classes.windows(2).map(|ends| FirstSet::empty((ends[1] - ends[0]) as usize)).collect(),
            held: vec![NONE; mesh.nodes() as usize],
            wanted: vec![0; usize::from(top) + 1],
            sizes,
            classes,
        };
        buddy.link_children();
        for block in 0..buddy.parents.len() as u32 {
            if buddy.parents[block as usize] == NONE {
                buddy.put(buddy.class_of(block), block);
            }
        }
        buddy
    }

    /// Fills `children`: lists the children of each block, ordered by their numbers.
    fn link_children(&mut self) {
        let units = self.classes[1];
        self.children = vec![NONE; ((self.parents.len() as u32 - units) * self.fanout) as usize];
        for (block, &parent) in (0..).zip(&self.parents) {
            if parent != NONE {
                let first = ((parent - units) * self.fanout) as usize;
                let siblings = &mut self.children[first..first + self.fanout as usize];
                if let Some(place) = siblings.iter_mut().find(|sibling| **sibling == NONE) {
                    *place = block;
                }
            }
        }
    }

    /// Returns all blocks, in use or not. Smaller blocks come first, blocks of equal size in the order of
    /// allocation.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        let block = |number: u32| Block {
            base: self.mesh.coord(self.bases[number as usize]),
            sizes: self.sizes[usize::from(self.shapes[number as usize])],
            class: self.class_of(number) as u8,
            parent: Some(self.parents[number as usize]).filter(|&parent| parent != NONE),
        };
        (0..self.bases.len() as u32).map(block).collect()
    }

    fn class_of(&self, block: u32) -> usize {
        self.classes.partition_point(|&start| start <= block) - 1
    }

    /// Returns the range of indices in `children` with the children of a block, which must have more than one
    /// node.
    fn children_of(&self, block: u32) -> std::ops::Range<usize> {
        let first = (block - self.classes[1]) * self.fanout;
        first as usize..(first + self.fanout) as usize
    }

    /// Adds a block of `class` to the free blocks.
    fn put(&mut self, class: usize, block: u32) {
        self.free[class].insert(block - self.classes[class]);
        if let Some(count) = self.free_children.get_mut(self.parents[block as usize] as usize) {
            *count += 1;
        }
    }

    /// Removes a block of `class` from the free blocks.
    fn remove(&mut self, class: usize, block: u32) {
        self.free[class].remove(block - self.classes[class]);
        if let Some(count) = self.free_children.get_mut(self.parents[block as usize] as usize) {
            *count -= 1;
        }
    }

    /// Returns the first free block of `class` in the order of blocks; `None` if no block of this class is
    /// free.
    fn first(&self, class: usize) -> Option<u32> {
        self.free[class].first().map(|number| self.classes[class] + number)
    }

    /// Replaces a free block of `class` by its children, which become free.
    fn split(&mut self, class: usize, block: u32) {
        self.remove(class, block);
        for i in self.children_of(block) {
            self.put(class - 1, self.children[i]);
        }
    }

    /// Removes a block of `class` from the free blocks and returns it. Splits a larger block if needed.
    /// Returns `None` if no free block is large enough.
    fn take(&mut self, class: usize) -> Option<u32> {
        self.split_larger(class)?;
        let block = self.first(class)?;
        self.remove(class, block);
        Some(block)
    }

    /// Makes sure that a block of `class` is free, and splits a larger block if needed. Returns `None` if no
    /// free block is large enough.
    fn split_larger(&mut self, class: usize) -> Option<()> {
        let smallest = (class..self.free.len()).find(|&larger| self.first(larger).is_some())?;
        for larger in (class + 1..=smallest).rev() {
            let block = self.first(larger)?;
            self.split(larger, block);
        }
        Some(())
    }

    /// Hands out the first free blocks of `class`, at most `most` of them, and returns how many. It takes
    /// only blocks in the same word of the bitset, so that one operation removes all of them. At least one
    /// block of `class` must be free.
    fn hand_out_run(&mut self, class: usize, most: u32, nodes: &mut Vec<NodeId>) -> u32 {
        let (first, mut run) = self.free[class].remove_first(most);
        let blocks = run.count_ones();
        // Single nodes are gathered here: a list in memory would be made longer one by one.
        let (mut single, mut singles) = ([0; 64], 0);
        while run != 0 {
            let block = self.classes[class] + first + run.trailing_zeros();
            // Clears the lowest set bit, which stands for the current block.
            run &= run - 1;
            if let Some(count) = self.free_children.get_mut(self.parents[block as usize] as usize) {
                *count -= 1;
            }
            if class == 0 {
                let node = self.bases[block as usize];
                self.held[node as usize] = block;
                single[singles] = node;
                singles += 1;
            } else {
                self.hand_out(block, nodes);
            }
        }
        nodes.extend_from_slice(&single[..singles]);
        blocks
    }

    /// Returns the number of nodes of a block of `class`.
    fn nodes_of_class(&self, class: usize) -> u32 {
        self.fanout.pow(class as u32)
    }

    /// Appends the nodes of a block to `nodes`, row by row, and marks the block as in use.
    fn hand_out(&mut self, block: u32, nodes: &mut Vec<NodeId>) {
        let base = self.bases[block as usize];
        self.held[base as usize] = block;
        let [width, length, depth] = self.sizes[usize::from(self.shapes[block as usize])];
        let [row, rows, _] = self.mesh.extents();
        for z in 0..depth {
            for y in 0..length {
                let first = base + (z * rows + y) * row;
                nodes.extend(first..first + width);
            }
        }
    }

    /// Hands out several blocks with exactly `k` nodes together, as described at the head of this file.
    /// Returns the nodes; `None` if fewer than `k` are free.
    pub(crate) fn hand_out_several(&mut self, k: u32) -> Option<Vec<NodeId>> {
        let mut left = k;
        for class in (0..self.free.len()).rev() {
            self.wanted[class] = left / self.nodes_of_class(class);
            left %= self.nodes_of_class(class);
        }
        let mut nodes = Vec::with_capacity(k as usize);
        for class in (0..self.free.len()).rev() {
            while self.wanted[class] > 0 {
                if self.split_larger(class).is_some() {
                    self.wanted[class] -= self.hand_out_run(class, self.wanted[class], &mut nodes);
                } else if let Some(smaller) = class.checked_sub(1) {
                    self.wanted[smaller] += self.wanted[class] * self.fanout;
                    self.wanted[class] = 0;
                } else {
                    // Fewer than `k` nodes are free. This happens only if the caller's machine and this
                    // system differ.
                    self.release(&nodes);
                    return None;
                }
            }
        }
        Some(nodes)
    }

    /// Hands out a whole block of `class` and splits a larger block if needed. Returns the nodes; `None` if
    /// no free block is large enough.
    pub(crate) fn hand_out_one(&mut self, class: usize) -> Option<Vec<NodeId>> {
        let block = self.take(class)?;
        let mut nodes = Vec::with_capacity(self.nodes_of_class(class) as usize);
        self.hand_out(block, &mut nodes);
        Some(nodes)
    }

    /// Hands out the first `k` nodes of the smallest free block that has at least `k` nodes. The rest of the
    /// block stays free. Returns the nodes; `None` if no free block is large enough.
    pub(crate) fn hand_out_within_one(&mut self, k: u32) -> Option<Vec<NodeId>> {
        let class = (0..self.free.len()).find(|&class| self.nodes_of_class(class) >= k)?;
        let mut block = self.take(class)?;
        let (mut nodes, mut left) = (Vec::with_capacity(k as usize), k);
        for class in (0..=class).rev() {
            if left == self.nodes_of_class(class) {
                self.hand_out(block, &mut nodes);
                break;
            }
            // The block is no longer free, so only its unused children have to be marked as free. Each child
            // is either used as a whole, used in part (the next block to divide), or unused.
            let mut next = NONE;
            for i in self.children_of(block) {
                let (child, size) = (self.children[i], self.nodes_of_class(class - 1));
                if next != NONE || left == 0 {
                    self.put(class - 1, child);
                } else if left > size {
                    self.hand_out(child, &mut nodes);
                    left -= size;
                } else {
                    next = child;
                }
            }
            block = next;
        }
        Some(nodes)
    }

    /// Marks nodes as in use that another allocator has chosen, each as a block of one node. Time O(k·log N)
    /// for k nodes.
    pub(super) fn occupy(&mut self, nodes: &[NodeId]) {
        let [_, length, depth] = self.mesh.extents();
        for &node in nodes {
            // Blocks of class 0 are the single nodes, numbered in the order of blocks.
            let [x, y, z] = self.mesh.coord(node);
            let unit = match self.order {
                BlockOrder::Location => (x * length + y) * depth + z,
                BlockOrder::Scan => node,
            };
            // Climb from the single node to the free block that contains it. Then split this block and the
            // blocks below it on the path, until the node is a free block of its own.
            let mut path = vec![unit];
            while let Some(&block) = path.last()
                && block != NONE
                && !self.free[path.len() - 1].contains(block - self.classes[path.len() - 1])
            {
                path.push(self.parents[block as usize]);
            }
            for class in (1..path.len()).rev() {
                self.split(class, path[class]);
            }
            self.remove(0, unit);
            self.held[node as usize] = unit;
        }
    }

    /// Frees the first nodes of `nodes` that are top-level blocks of one node, and returns how many. It takes
    /// only blocks in the same word of the bitset, so that one operation frees all of them. Returns 0 if the
    /// first node belongs to another block.
    fn release_run(&mut self, nodes: &[NodeId]) -> usize {
        let (mut word, mut bits, mut taken) = (0, 0, 0);
        for &node in nodes {
            let block = self.held[node as usize];
            let alone = block < self.classes[1] && self.parents[block as usize] == NONE;
            if !alone || taken > 0 && block / 64 != word {
                break;
            }
            self.held[node as usize] = NONE;
            word = block / 64;
            bits |= 1 << (block % 64);
            taken += 1;
        }
        if taken > 0 {
            self.free[0].insert_bits(word as usize, bits);
        }
        taken
    }

    /// Frees nodes that one call has handed out, in the order of that call, or nodes that were occupied.
    pub(super) fn release(&mut self, nodes: &[NodeId]) {
        let mut rest = nodes;
        loop {
            rest = &rest[self.release_run(rest)..];
            let [base, ..] = *rest else { return };
            let mut block = std::mem::replace(&mut self.held[base as usize], NONE);
            let mut class = self.class_of(block);
            rest = &rest[self.nodes_of_class(class) as usize..];
            self.put(class, block);
            loop {
                // Siblings that are all free are joined to their parent, and so on up the tree.
                let parent = self.parents[block as usize];
                let complete = |count: &u8| u32::from(*count) == self.fanout;
                if !self.free_children.get(parent as usize).is_some_and(complete) {
                    break;
                }
                for i in self.children_of(parent) {
                    self.remove(class, self.children[i]);
                }
                (block, class) = (parent, class + 1);
                self.put(class, block);
            }
        }
    }
}

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
