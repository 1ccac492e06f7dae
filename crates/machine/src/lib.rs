//! Meshes, tori and joined cubes; sets of their nodes, orders, outages. [`yardstick`] has the optimum and its
//! bounds.
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

pub mod machine;
pub mod yardstick;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
