//! Studies: planning, content keys and execution of replays. This crate has everything that a replay needs,
//! and does not depend on data frames.
//!
//! [`audit`] checks schedules of any tool.
#![forbid(unsafe_code)]
// Arithmetic and casts are checked, clamped, or cannot overflow for the reason that the module gives.
#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss
    )
)]

pub mod audit;
pub mod study;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
