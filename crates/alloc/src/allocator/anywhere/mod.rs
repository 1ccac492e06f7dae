//! Allocators that take free nodes wherever they are, without looking for nodes that lie close together.
//!
//! `naive` takes the first free nodes in row-major order, `paging` takes the first free pages, which are
//! squares of equal size, and `random` draws free nodes. These allocators are fast and serve as a baseline
//! for all others. The nodes of a job may be scattered over the whole machine. `naive` and `random` never
//! refuse while enough nodes are free; `paging` never refuses while enough whole pages are free.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "numbers of pages and nodes are at most 2^24, and sort keys of pages are in 128 bits"
)]

pub(super) mod naive;
pub(super) mod paging;
pub(super) mod random;
