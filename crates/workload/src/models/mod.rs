//! Models that draw jobs at random, and the logs of such jobs.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "jobs are at most 10^8, machines have at most 2^24 nodes, and casts of numbers with fractions \
         clamp"
)]

pub(super) mod entry;
pub(super) mod logs;
pub mod lublin;
pub(super) mod lublin_jobs;
pub(super) mod model;
mod rfold_mix;
pub(super) mod side_lengths;
mod synthetic;
mod tpu_slices;
