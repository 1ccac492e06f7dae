//! Drawings of what replays work with, as text for a terminal: orders, blocks, placements, compactions, running jobs.

pub mod allocation;
pub mod blocks;
pub mod compaction;
mod error;
pub mod optimum;
pub mod picture;
mod state;

pub use error::ShowError;
pub use state::Position;
