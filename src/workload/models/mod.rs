//! Models that draw jobs at random, and the logs of such jobs.

pub(super) mod logs;
pub mod lublin;
pub(super) mod side_lengths;
pub(super) mod synthetic;
