//! Processor allocators: they decide which free nodes a job gets.
//!
//! `seam` has the trait [`Allocator`] and its types, `registry` the list of all allocators. Every family of
//! allocators is a folder, and the head of its `mod.rs` explains the idea that its members share.
//!
//! To add an allocator, write a file with an `ENTRY` in a family, add the `mod` line there, and add a row to
//! its family in [`FAMILIES`]. Names, help texts, law tests, tables and labels all come from the row.

mod anywhere;
mod best_of;
mod box_sums;
mod buddy;
pub mod compaction;
mod contiguous;
mod curve;
mod known;
mod nearest;
mod pieces;
mod recorded;
mod registry;
mod rfold;
mod seam;
mod shells;
mod slurm_torus3d;
mod snug;
mod tree;

pub use self::best_of::members as members_of_best_of;
pub use self::registry::{
    ALLOCATORS, FAMILIES, Family, RECORDED, build, family, find, follows_lists, short, short_label,
    tell_unavailable,
};
pub use self::rfold::FreeBoxes;
pub use self::seam::{
    Allocator, AllocatorEntry, Block, BlocksOf, BuildError, Builder, Built, Contiguity, Foresee, Foresight,
    JobMove, Memory, NodesFor, OnTori, OnTrees, Placement, Promises, Rearrangement, Refusal, Request, Served,
    Setup, Strategy, Submeshes,
};

use meshreplay_base::spec::{Params, SpecError};

// The parameter `search`: the published algorithm word for word, or an accelerated search with the same
// placements.
//
// Papers compare the running times of their algorithms as written. The accelerated searches have other
// costs, so only `search=plain` can be held against such a comparison.

/// Reads the parameter `search`. Returns true for `plain`.
fn take_plain(params: &mut Params) -> Result<bool, SpecError> {
    params.choose_unwritten("search", &[("fast", false), ("plain", true)])
}
