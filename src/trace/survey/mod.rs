//! Surveys a log: its profile ([`profile`]) and its defects ([`validate`]).

pub(super) mod members;
pub(super) mod profile;
mod text;
pub(super) mod validate;
