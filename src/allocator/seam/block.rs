//! Blocks that an allocator divides a machine into.

use crate::machine::Coord;

/// A block of a hierarchy of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its node with the smallest coordinates.
    pub base: Coord,
    /// Its sizes along x, y and z.
    pub sizes: [u32; 3],
    /// How many times it splits before it is one node: its nodes are fanout^class.
    pub class: u8,
    /// The block it is a part of, by its place in the list of all; a top-level block has none.
    pub parent: Option<u32>,
}
