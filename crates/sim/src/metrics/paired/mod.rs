//! Paired comparisons of replays of the same jobs: how much a mean over jobs differs, and whether more jobs
//! of the same kind would show the same difference.
//!
//! A replay keeps [`PartSums`]: sums over the five parts of its log. The sums of two replays of the same jobs
//! give a [`Difference`] with a confidence interval, so no replay has to keep its jobs.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "jobs are fewer than 2^32 per part, and positions times five fit 64 bits"
)]

mod difference;
mod parts;

pub(super) use difference::FEWEST_JOBS;
pub use difference::{Difference, Interval95, Uncertainty};
pub(super) use parts::{PartAdder, in_means, ranks};
pub use parts::{PartFiller, PartSums, Parts};
