//! A buddy system: which blocks of a hierarchy are free, and how blocks are handed out and come back.
//!
//! V. Lo, K. Windisch, W. Liu, B. Nitzberg, "Non-contiguous processor allocation algorithms for mesh-connected
//! multicomputers", IEEE TPDS 8(7), 1997; P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation",
//! 2010, §III.
//!
//! 1. A request for k nodes is factored into block sizes, greedily from the largest.
//! 2. From the largest size requested down: take the first free block of that size; or else split the first free block
//!    of the next larger size that has one, down to the size wanted; or else, where no larger block is free, ask for as
//!    many blocks of the next smaller size instead.
//! 3. A release returns the job's blocks; siblings that are all free become their parent again.
//!
//! Free blocks of a size are ordered by location (x, y, z of the base) unless asked otherwise, then by sizes. Never
//! refuses while k nodes are free, since single nodes always do. Time O(k + b·log N) for a placement of b blocks.
//!
//! Blocks are numbered by size and, within a size, in the order in which free ones are taken, so the list of free
//! blocks of a size is a set of numbers whose first member is wanted.

use super::first_set::FirstSet;
use super::forest::Forest;
use crate::allocator::seam::Block;
use crate::machine::{Mesh, NodeId};

const NONE: u32 = u32::MAX;

/// Which of the free blocks of a size is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockOrder {
    /// By x, then y, then z of the base.
    Location,
    /// By z, then y, then x.
    Scan,
}

/// A machine's blocks and which of them are free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Buddy {
    mesh: Mesh,
    order: BlockOrder,
    fanout: u32,
    /// First number of each class of blocks, smallest first, and one behind the last.
    classes: Vec<u32>,
    /// Base node and shape of each block.
    bases: Vec<NodeId>,
    shapes: Vec<u16>,
    /// The sizes along x, y and z that shapes stand for.
    sizes: Vec<[u32; 3]>,
    parents: Vec<u32>,
    /// `fanout` children for each block above the smallest class.
    children: Vec<u32>,
    /// How many children of each block are free as a whole.
    free_children: Vec<u8>,
    /// Free blocks of each class, numbered within it.
    free: Vec<FirstSet>,
    /// The block in use that begins at each node.
    held: Vec<u32>,
    /// Blocks wanted of each class, while a request is served.
    wanted: Vec<u32>,
}

impl Buddy {
    /// Returns all blocks of `forest` with its top-level ones free. O(B log B) for B blocks.
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

    /// Lists the children of each block, in their own order.
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

    /// Returns all blocks, in use or not: small ones first, those of a size in the order in which free ones are taken.
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

    /// Returns the children of a block above the smallest class, as positions in `children`.
    fn children_of(&self, block: u32) -> std::ops::Range<usize> {
        let first = (block - self.classes[1]) * self.fanout;
        first as usize..(first + self.fanout) as usize
    }

    /// Makes a block of `class` free as a whole.
    fn put(&mut self, class: usize, block: u32) {
        self.free[class].insert(block - self.classes[class]);
        if let Some(count) = self.free_children.get_mut(self.parents[block as usize] as usize) {
            *count += 1;
        }
    }

    /// Takes a block of `class` off the list of free ones.
    fn remove(&mut self, class: usize, block: u32) {
        self.free[class].remove(block - self.classes[class]);
        if let Some(count) = self.free_children.get_mut(self.parents[block as usize] as usize) {
            *count -= 1;
        }
    }

    /// Returns the free block of `class` that is first in order.
    fn first(&self, class: usize) -> Option<u32> {
        self.free[class].first().map(|number| self.classes[class] + number)
    }

    /// Replaces a free block of `class` by its children, which are free.
    fn split(&mut self, class: usize, block: u32) {
        self.remove(class, block);
        for i in self.children_of(block) {
            self.put(class - 1, self.children[i]);
        }
    }

    /// Takes a block of `class`, splitting a larger one if need be; `None` if there is none so large.
    fn take(&mut self, class: usize) -> Option<u32> {
        self.split_larger(class)?;
        let block = self.first(class)?;
        self.remove(class, block);
        Some(block)
    }

    /// Makes a block of `class` free by splitting a larger one, if none is free; `None` if there is none so large.
    fn split_larger(&mut self, class: usize) -> Option<()> {
        let found = (class..self.free.len()).find(|&larger| self.first(larger).is_some())?;
        for larger in (class + 1..=found).rev() {
            let block = self.first(larger)?;
            self.split(larger, block);
        }
        Some(())
    }

    /// Takes and hands out free blocks of `class`, the first ones and at most `most`, as many as one operation on the
    /// list of free ones can take off it; their number.
    fn hand_out_run(&mut self, class: usize, most: u32, nodes: &mut Vec<NodeId>) -> u32 {
        let (first, mut run) = self.free[class].remove_first(most);
        let blocks = run.count_ones();
        while run != 0 {
            let block = self.classes[class] + first + run.trailing_zeros();
            // Clears the lowest bit that is set: the next block of the run.
            run &= run - 1;
            if let Some(count) = self.free_children.get_mut(self.parents[block as usize] as usize) {
                *count -= 1;
            }
            self.hand_out(block, nodes);
        }
        blocks
    }

    /// Returns the nodes of a block of `class`.
    fn nodes_of_class(&self, class: usize) -> u32 {
        self.fanout.pow(class as u32)
    }

    /// Appends the nodes of a block, row by row, and remembers that it is in use.
    fn hand_out(&mut self, block: u32, nodes: &mut Vec<NodeId>) {
        let base = self.bases[block as usize];
        self.held[base as usize] = block;
        if block < self.classes[1] {
            nodes.push(base);
            return;
        }
        let [width, length, depth] = self.sizes[usize::from(self.shapes[block as usize])];
        let [row, rows, _] = self.mesh.extents();
        for (z, y) in (0..depth).flat_map(|z| (0..length).map(move |y| (z, y))) {
            let first = base + (z * rows + y) * row;
            nodes.extend(first..first + width);
        }
    }

    /// Hands out `k` nodes by the steps of the strategy. Returns `None` if fewer are free.
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
                    // Fewer single nodes than are free: only if the caller's machine is not the one served so far.
                    self.release(&nodes);
                    return None;
                }
            }
        }
        Some(nodes)
    }

    /// Hands out a whole block of `class`, splitting a larger one if need be; `None` if there is none so large.
    pub(crate) fn hand_out_one(&mut self, class: usize) -> Option<Vec<NodeId>> {
        let block = self.take(class)?;
        let mut nodes = Vec::with_capacity(self.nodes_of_class(class) as usize);
        self.hand_out(block, &mut nodes);
        Some(nodes)
    }

    /// Hands out `k` nodes of one block, if a free one is large enough: the smallest such size, of which just the first
    /// nodes are taken, smaller and smaller blocks of it, and the rest stays free. Returns `None` if there is none.
    pub(crate) fn hand_out_within_one(&mut self, k: u32) -> Option<Vec<NodeId>> {
        let class = (0..self.free.len()).find(|&class| self.nodes_of_class(class) >= k)?;
        let mut block = self.take(class)?;
        let (mut nodes, mut left) = (Vec::with_capacity(k as usize), k);
        for class in (0..=class).rev() {
            if left == self.nodes_of_class(class) {
                self.hand_out(block, &mut nodes);
                break;
            }
            // The block is in use already: its children become free, but for those that are taken or split further.
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

    /// Takes nodes that somebody else has chosen, each as a block of its own. O(k·log N).
    pub(super) fn occupy(&mut self, nodes: &[NodeId]) {
        let [_, length, depth] = self.mesh.extents();
        for &node in nodes {
            // Blocks of the smallest class are the single nodes, in the order of the blocks.
            let [x, y, z] = self.mesh.coord(node);
            let unit = match self.order {
                BlockOrder::Location => (x * length + y) * depth + z,
                BlockOrder::Scan => node,
            };
            // Up to the free block that holds the node, which is split on the way down until the node stands alone.
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

    /// Takes back the first of `nodes`, single nodes that are no part of a block, as many as one operation on the
    /// list of free ones can put back; their number.
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

    /// Takes back the blocks of nodes that were handed out together, or nodes that were occupied.
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
                // Siblings that are all free become their parent again, and so on upwards.
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
