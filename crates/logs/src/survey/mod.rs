//! Surveys a log: its profile ([`profile`]) and its defects ([`validate`]).
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_wrap,
    reason = "jobs and findings are counted one by one; submit times that count are at least 0 and at least \
         the origin"
)]

pub(super) mod profile;
mod text;
pub(super) mod validate;
