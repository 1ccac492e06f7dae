//! Processor allocators: which free nodes a job gets. The trait, its words, and the registry.
//!
//! Allocators stand in families, each a folder whose first lines say the family's idea. Adding one is a file with an
//! `ENTRY` in its family, the `mod` line there, and a row in [`ALLOCATORS`]; names, help, laws, tables and labels all
//! come from the row.

mod anywhere;
mod best_of;
mod buddy;
pub mod compaction;
mod contiguous;
mod curve;
mod nearest;
mod pieces;
mod registry;
mod seam;
mod shells;
mod snug;

pub use self::registry::{ALLOCATORS, build, find, short, short_label};
pub use self::seam::{
    Allocator, Block, BlocksOf, Builder, Built, Contiguity, Entry, Foresee, Foresight, JobMove, NodesFor,
    Placement, Promises, Rearrangement, Request, Served, Setup, Strategy, Submeshes,
};
