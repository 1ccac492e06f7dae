//! Text drawings for a terminal, for the commands `show …`: machines, orders, blocks, placements, compactions and
//! running jobs; and measurements of a network.

pub mod allocation;
pub mod blocks;
pub mod compaction;
mod error;
pub mod machine;
pub mod network;
pub mod optimum;
pub mod picture;
mod state;

pub use error::ShowError;
pub use state::{Position, placed, sample};
