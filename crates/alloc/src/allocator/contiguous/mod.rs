//! Contiguous allocators: a job gets one free submesh (a rectangle or cuboid) of the sides that it asks for,
//! or waits.
//!
//! The allocators differ in three ways: where they look for the base of a submesh (everywhere, at strides, or
//! next to submeshes in use), whether they turn the job's shape or try others, and how they choose among
//! several free submeshes. A job's messages stay inside its submesh. The price is that jobs wait although
//! enough nodes are free.
//!
//! In dimensions that wrap around, submeshes may wrap around too: every position is a base. Only a submesh as
//! long as the dimension has one base there, position 0, since all others would be the same submesh.
//!
//! `orientations` lists the orientations of a job's shape, and `best_place` takes the free submesh with the
//! highest score. `border` computes scores from the nodes around a submesh. `busy_search` keeps the list of
//! submeshes in use and runs the allocators that search it.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "coordinates and sides are at most 2^24, of which three are added at most; nodes around a \
         submesh are at most twice its nodes"
)]

pub(super) mod adaptive_scan;
pub(super) mod all_shapes;
pub(super) mod best_fit;
mod best_place;
mod border;
pub(super) mod busy_list;
pub(super) mod busy_search;
pub(super) mod first_fit;
pub(super) mod fixed_orientation;
pub(super) mod frame_sliding;
pub(super) mod max_periphery;
pub(super) mod orientations;
pub(super) mod qna_scan;
pub(super) mod rbs;
pub(super) mod stack_based;
pub(super) mod worst_fit;
