//! The free nodes of balls by *slices*: for every centre and radius the number of free nodes at each position of each axis.
//!
//! A slice of a ball across an axis is a ball of fewer dimensions, whose radius is what the hops along the axis leave. So one
//! table of such numbers for each axis and radius, with an entry for each node of the machine, has the slices of all balls.
//! A table follows from those of smaller radii by a few additions for each entry (see `tables`). `look` finds lower bounds of the
//! pairwise sums of neighbouring centres from them, whatever the radius is to the ends of lines and rings, and `rim` closer ones. `search`
//! tries the centres that can win. `taken` finds which last nodes they take, and `idle` knows the sums of those that have no busy nodes near them.
#![expect(
    clippy::inline_always,
    reason = "functions that are not inlined into the one that was compiled for the processor at hand do not use its \
              vector instructions"
)]

mod axis;
mod idle;
mod look;
mod question;
mod rim;
pub(super) mod search;
mod tables;
mod taken;
