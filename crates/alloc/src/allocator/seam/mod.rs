//! The interface between allocators and their callers.
//!
//! [`Allocator`] is the trait. It answers a [`Request`] with a [`Placement`]. [`Strategy`] is a built
//! allocator with its capabilities, and [`AllocatorEntry`] is a row of the registry of allocators.

mod entry;
mod placement;
mod request;
mod strategy;

pub use self::entry::{
    AllocatorEntry, BuildError, Builder, Built, Contiguity, Memory, OnTori, OnTrees, Promises, Setup,
};
pub use self::placement::{JobMove, Placement, Rearrangement, Refusal};
pub use self::request::Request;
pub use self::strategy::{Allocator, Block, BlocksOf, Foresee, Foresight, Served, Strategy, Submeshes};
pub use meshreplay_base::job::NodesFor;
