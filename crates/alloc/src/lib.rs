//! Processor allocators, and the laws that every one of them keeps.
//!
//! [`allocator`] has the trait and a folder for each family. [`laws`] plays random histories of requests and
//! releases to an allocator and returns the smallest one that breaks a law.
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

pub mod allocator;
pub mod laws;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
