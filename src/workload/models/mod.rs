//! Models that draw jobs at random, and the logs of such jobs.

mod arrival_rate;
pub(super) mod entry;
pub(super) mod logs;
pub mod lublin;
pub(super) mod model;
pub(super) mod registry;
pub(super) mod side_lengths;
mod synthetic;
mod tpu_slices;
