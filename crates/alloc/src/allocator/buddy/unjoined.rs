//! MBS whose buddies are never joined, with unsorted lists of free blocks.
//!
//! The free blocks of a size are a FIFO queue. On an idle machine they are in the order of their first nodes,
//! by x, then by y, then by z; so are the children of a block. A request takes blocks at the front. If there
//! is none, the block at the front of the next larger size that has one is split, and its children go to the
//! back of their queue. A release puts the blocks of the job to the back of their queues. As nothing is
//! joined, blocks get smaller as long as the machine is in use. O(k + blocks of the job) for a request of k
//! nodes.

use std::collections::{BTreeMap, VecDeque};

use super::system::{BlockOrder, Buddy, Forest};
use crate::allocator::seam::{Allocator, Block, Placement, Request, Strategy};
use meshreplay_machine::machine::{Coord, Machine, Mesh, NodeId};

/// Returns the strategy for an idle machine, with the hierarchy of blocks of `forest`.
pub(super) fn strategy(mesh: &Mesh, forest: fn(&Mesh) -> Forest) -> Strategy {
    let blocks = move |mesh: &Mesh| Buddy::new(mesh, &forest(mesh), BlockOrder::Location).blocks();
    Strategy::of(Unjoined::new(forest(mesh))).with_blocks(blocks)
}

/// The free blocks of each class, as indices of blocks.
type Queues = Vec<VecDeque<usize>>;

/// An allocator on blocks that are split and never joined.
struct Unjoined {
    blocks: Vec<Block>,
    /// The children of each block.
    children: Vec<Vec<usize>>,
    fanout: u32,
    free: Queues,
    /// The queues before the last proposal; `None` if it was carried out or if there is none.
    before: Option<Queues>,
    /// The blocks of the last proposal.
    proposed: Vec<usize>,
    /// The blocks in use, by their first node.
    held: BTreeMap<NodeId, usize>,
}

impl Unjoined {
    /// Returns an allocator for an idle machine. Blocks of a class begin in location order.
    pub(super) fn new(forest: Forest) -> Self {
        let Forest { fanout, blocks } = forest;
        let mut children = vec![Vec::new(); blocks.len()];
        let top = blocks.iter().map(|block| usize::from(block.class)).max().unwrap_or(0);
        let mut free: Queues = vec![VecDeque::new(); top + 1];
        let mut order: Vec<usize> = (0..blocks.len()).collect();
        order.sort_unstable_by_key(|&i| blocks[i].base);
        for i in order {
            match blocks[i].parent {
                Some(parent) => children[parent as usize].push(i),
                None => free[usize::from(blocks[i].class)].push_back(i),
            }
        }
        Self { blocks, children, fanout, free, before: None, proposed: Vec::new(), held: BTreeMap::new() }
    }

    /// Takes a block of `class`; `None` if no block is large enough.
    fn take(&mut self, class: usize) -> Option<usize> {
        let found = (class..self.free.len()).find(|&larger| !self.free[larger].is_empty())?;
        for larger in (class + 1..=found).rev() {
            let block = self.free[larger].pop_front()?;
            self.free[larger - 1].extend(&self.children[block]);
        }
        self.free[class].pop_front()
    }

    /// Takes blocks of `k` nodes in all, which must be free.
    fn take_several(&mut self, k: u32) -> Vec<usize> {
        let (mut taken, mut left) = (Vec::new(), k);
        let mut wanted: Vec<u32> = vec![0; self.free.len()];
        for class in (0..wanted.len()).rev() {
            let nodes = self.fanout.pow(class as u32);
            wanted[class] = left / nodes;
            left %= nodes;
        }
        for class in (0..wanted.len()).rev() {
            while wanted[class] > 0 {
                match (self.take(class), class.checked_sub(1)) {
                    (Some(block), _) => {
                        taken.push(block);
                        wanted[class] -= 1;
                    }
                    (None, Some(smaller)) => {
                        wanted[smaller] += wanted[class] * self.fanout;
                        wanted[class] = 0;
                    }
                    (None, None) => return taken,
                }
            }
        }
        taken
    }

    /// Restores the queues if the last proposal was not carried out.
    fn withdraw(&mut self) {
        if let Some(before) = self.before.take() {
            self.free = before;
        }
    }

    /// Marks a node as in use that somebody else has chosen, as a block of its own.
    fn occupy(&mut self, node: NodeId, mesh: &Mesh) {
        let coord = mesh.coord(node);
        let holds = |block: &Block| {
            (0..3).all(|d| (block.base[d]..block.base[d] + block.sizes[d]).contains(&coord[d]))
        };
        for class in (0..self.free.len()).rev() {
            let Some(at) = self.free[class].iter().position(|&i| holds(&self.blocks[i])) else { continue };
            let block = self.free[class].remove(at);
            match (block, class.checked_sub(1)) {
                (Some(block), Some(smaller)) => self.free[smaller].extend(&self.children[block]),
                (Some(block), None) => {
                    self.held.insert(node, block);
                }
                (None, _) => {}
            }
        }
    }
}

/// Returns the nodes of a block, row by row.
fn nodes(block: &Block, mesh: &Mesh) -> Vec<NodeId> {
    let Block { base, sizes, .. } = *block;
    let [columns, rows, layers] = [0, 1, 2].map(|axis| base[axis]..base[axis] + sizes[axis]);
    let coords = layers.flat_map(|z| {
        let columns = columns.clone();
        rows.clone().flat_map(move |y| columns.clone().map(move |x| -> Coord { [x, y, z] }))
    });
    coords.map(|coord| mesh.node(coord)).collect()
}

impl Allocator for Unjoined {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        self.withdraw();
        self.before = Some(self.free.clone());
        self.proposed = self.take_several(request.procs);
        let blocks = self.proposed.iter().map(|&i| &self.blocks[i]);
        Some(Placement::of(blocks.flat_map(|block| nodes(block, machine.mesh())).collect()))
    }

    fn accepted(&mut self, _placement: &Placement, machine: &Machine) {
        self.before = None;
        for i in std::mem::take(&mut self.proposed) {
            self.held.insert(machine.mesh().node(self.blocks[i].base), i);
        }
    }

    fn taken(&mut self, placement: &Placement, machine: &Machine) {
        self.withdraw();
        for &node in &placement.nodes {
            self.occupy(node, machine.mesh());
        }
    }

    fn released(&mut self, placement: &Placement, _machine: &Machine) {
        self.withdraw();
        for node in &placement.nodes {
            if let Some(i) = self.held.remove(node) {
                self.free[usize::from(self.blocks[i].class)].push_back(i);
            }
        }
    }
}
