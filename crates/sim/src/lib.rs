//! The simulation of one log: a [`scheduler`] decides when a job starts, an allocator where, and an
//! [`execution`] model how long it runs. The [`engine`] advances the time, and [`metrics`] turn records into
//! numbers. A [`guest`] is an algorithm from outside.
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

pub mod engine;
pub mod execution;
pub mod guest;
pub mod metrics;
pub mod scheduler;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
