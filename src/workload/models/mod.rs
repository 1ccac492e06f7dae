//! Models that draw jobs at random, and the logs of such jobs.

mod arrival_rate;
pub(super) mod entry;
mod log_normal;
pub(super) mod logs;
pub mod lublin;
pub(super) mod model;
pub(super) mod registry;
mod rfold_mix;
pub(super) mod side_lengths;
mod synthetic;
mod tpu_slices;
