//! The seam between allocators and those who use them: the trait, its words, and what a row of the registry holds.

mod allocator;
mod block;
mod entry;
mod placement;
mod request;
mod strategy;

pub use self::allocator::Allocator;
pub use self::block::Block;
pub use self::entry::{Builder, Built, Contiguity, Entry, Promises, Setup};
pub use self::placement::{JobMove, Placement, Rearrangement};
pub use self::request::Request;
pub use self::strategy::{BlocksOf, Foresee, Foresight, Served, Strategy, Submeshes};
pub use crate::job::NodesFor;
