//! Drawings for a terminal.

pub mod picture;
