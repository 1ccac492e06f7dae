//! The blocks into which a buddy allocator divides a machine.

use meshreplay_machine::machine::Coord;

/// A rectangle or cuboid of nodes in a hierarchy of blocks. A block of more than one node splits into equal
/// child blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The node of the block with the smallest coordinates.
    pub base: Coord,
    /// The numbers of nodes along x, y and z.
    pub sizes: [u32; 3],
    /// The number of splits from this block down to single nodes; 0 for a single node. If a block splits into
    /// f children, a block of class c has f^c nodes.
    pub class: u8,
    /// The index of the parent block in the list of all blocks; `None` for a top-level block.
    pub parent: Option<u32>,
}
