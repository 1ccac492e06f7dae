//! Studies: which replays there are, what each is named by, how they run. This crate is everything that a
//! replay needs; it knows nothing of data frames.
//!
//! [`audit`] checks schedules, whatever tool has produced them.
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
