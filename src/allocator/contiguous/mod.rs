//! Contiguous allocators: a job gets one free rectangle or cuboid of the sides that it asks for, or waits.
//!
//! They differ in where they look for a base (everywhere, at strides, beside busy jobs), in whether the sides may turn,
//! and in the score by which one of several free places is chosen. Communication stays inside the place, but jobs wait
//! although enough nodes are free. `orientations` lists the ways a request's sides may lie, `best_place`
//! takes the place of highest score, `border` scores by what is taken around a place, `busy_search` runs the strategies
//! that look at the submeshes in use, of which `coverage` keeps a list.

pub(super) mod adaptive_scan;
pub(super) mod best_fit;
mod best_place;
mod border;
pub(super) mod busy_list;
pub(super) mod busy_search;
pub(super) mod coverage;
pub(super) mod first_fit;
pub(super) mod fixed_orientation;
pub(super) mod frame_sliding;
pub(super) mod max_periphery;
pub(super) mod orientations;
pub(super) mod qna_scan;
pub(super) mod rbs;
pub(super) mod stack_based;
pub(super) mod worst_fit;
