//! The compaction family: contiguous allocation on a linear array, where running jobs move aside for a
//! waiting one.
//!
//! If no free block is long enough for a job although enough processors are free, running tasks move. The
//! strategies differ in the direction: left, right, the better of both, or all to the left at no cost. A
//! placement then carries a rearrangement, which the engine carries out: the jobs that move are suspended for
//! a while, and the new job starts later. `rows` has the allocators, among them first fit without moves.
//! `array` decides which tasks move, and when each element of a task moves. `compactor` turns these decisions
//! into placements.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "tasks lie on an array of at most 2^24 processors, each moves at most once across it, and steps \
         are at most twice that; casts of numbers with fractions clamp"
)]

pub mod array;
mod compactor;
pub(super) mod rows;
