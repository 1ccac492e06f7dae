//! Surveys of a log: what it holds ([`profile`]), and what is wrong with it ([`validate`]).

pub(super) mod profile;
mod text;
pub(super) mod validate;
