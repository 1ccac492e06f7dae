//! Models that draw jobs at random, and logs of them.

pub(super) mod logs;
pub mod lublin;
pub(super) mod side_lengths;
pub(super) mod synthetic;
