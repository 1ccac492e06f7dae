//! Models that draw jobs at random.

pub mod lublin;
pub(super) mod side_lengths;
pub(super) mod synthetic;
