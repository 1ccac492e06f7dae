//! Worst fit: the free submesh (rectangle or cuboid) whose border is taken least. It is a baseline of our own
//! for best fit.
//!
//! 1. The border of a submesh consists of the positions one step outside that share a face with it. Positions
//!    outside the machine count as taken.
//! 2. Of all free submeshes of the job's shape, take the one with the fewest taken border positions; on a
//!    tie, the first in scan order (z, then y, then x of the base).
//! 3. If there is none and `turn=yes` is given, try the other orientations of the shape one after the other.
//!
//! It serves the same jobs as first fit in the same state of the machine. Time O(N) per request and
//! orientation on a machine of N nodes.

use super::best_place::{BestPlace, Orientations};
use super::border::BorderScore;
use super::orientations::{TURN, take_turn};
use crate::allocator::seam::AllocatorEntry;

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "worst-fit",
    summary: "the free rectangle or cuboid whose border is taken least",
    source: "a baseline of our own, after Zhu, 1992",
    parameters: TURN,
    ..AllocatorEntry::contiguous(|params, _| {
        let submeshes = take_turn(params)?.submeshes();
        Ok(BestPlace::strategy(submeshes, Orientations::OneByOne, BorderScore::least()))
    })
};
