//! Buddy systems: the machine is divided into a hierarchy of blocks, and each block splits into equal child
//! blocks.
//!
//! A free block that is too large is split. Children that are all free are joined to their parent block
//! again. The multiple buddy strategies (MBS) give a job several blocks with as many nodes together as
//! requested, so they never refuse while enough nodes are free. The two-dimensional buddy system (`buddy_2d`)
//! gives a job one block that is large enough.
//!
//! The strategies differ in two ways. The first is the hierarchy: `mbs` has squares, `octet_mbs` cubes, and
//! `granular_mbs` pairs of pairs. The second is whether a job is kept within one block where possible, as in
//! `round_up_mbs`.
//!
//! `system` has the hierarchies, knows which blocks are free and hands them out, `first_set` is the data
//! structure for free blocks, and `allocator` implements the trait `Allocator` for all of them.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "blocks lie within a machine of at most 2^24 nodes, so that their sides, nodes and numbers, at \
         most twice the nodes, fit 32 bits"
)]

mod allocator;
pub(super) mod buddy_2d;
pub(super) mod first_set;
pub(super) mod granular_mbs;
pub(super) mod mbs;
pub(super) mod octet_mbs;
pub(super) mod round_up_mbs;
mod system;
mod unjoined;
