//! Paired comparisons of replays of the same jobs: how much a mean over jobs differs, and how certain that
//! is.
//!
//! A replay keeps [`BlockSums`]: sums over blocks of consecutive jobs, at most 2048 for each number and any
//! length of the log. The sums of two replays of the same jobs give a [`Difference`] with a confidence
//! interval by the block bootstrap, so no replay has to keep its jobs.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positions of jobs, fewer than 2^32, times at most 2^20 blocks fit 64 bits; casts of numbers \
         with fractions clamp"
)]

mod block_length;
mod bootstrap;
mod difference;
mod sums;

pub use block_length::block_length;
pub use bootstrap::half_width;
pub use difference::Difference;
pub(super) use sums::BlockAdder;
pub use sums::{BlockFiller, BlockSums, Blocks};
