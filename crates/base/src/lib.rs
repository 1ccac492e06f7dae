//! Foundations of meshreplay: jobs and times, specs such as `curve:order=hilbert`, random streams, the switch
//! that stops a replay, predictions of run times, and files that are either whole or absent.
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

pub mod disk;
pub mod job;
pub mod memory;
pub mod prediction;
pub mod spec;
pub mod stop;
pub mod words;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
