//! What logs hold, and what is wrong with them.

pub(super) mod profile;
pub(super) mod validate;
