//! Buddy systems: the machine is a hierarchy of blocks, each of which splits into equal children.
//!
//! A free block that is too large splits, and children that are all free become their parent again. The multiple buddy
//! strategies (MBS) serve a request by several blocks whose sizes add up to it, so that they never refuse while enough
//! nodes are free; the two-dimensional buddy system gives one block that is large enough. The strategies differ in the
//! hierarchy: squares and what remains (`mbs`), cubes (`octet_mbs`), pairs (`granular_mbs`), and in
//! whether a request is rounded up (`round_up_mbs`). `forest` builds hierarchies, `system` keeps which blocks are
//! free and hands them out, `first_set` is its list of free blocks, `allocator` is what they all are to the engine.

mod allocator;
pub(super) mod buddy_2d;
pub(super) mod first_set;
mod forest;
pub(super) mod granular_mbs;
pub(super) mod mbs;
pub(super) mod octet_mbs;
pub(super) mod round_up_mbs;
mod system;
