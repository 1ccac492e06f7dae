//! Best fit: the free rectangle or cuboid whose border is taken most.
//!
//! Y. Zhu, "Efficient processor allocation strategies for mesh-connected parallel computers", J. Parallel and
//! Distributed Computing 16, 1992.
//!
//! 1. Of all places at which a submesh of the job's shape is free, take the one with the most taken positions on its
//!    border (see `border`); ties to the first in scan order (z, then y, then x).
//! 2. With `turn=yes`, try the other orientations, one by one, where there is none.
//!
//! It recognises what first fit does. O(N) per call and orientation.

use super::best_place::{BestPlace, Orientations};
use super::border::BorderScore;
use super::orientations::{TURN, take_turn};
use crate::allocator::seam::{Contiguity, Entry, Promises};

pub(crate) const ENTRY: Entry = Entry {
    name: "best-fit",
    summary: "the free rectangle or cuboid whose border is taken most",
    source: "Zhu, J. Parallel and Distributed Computing 16, 1992",
    parameters: TURN,
    max_dims: 3,
    kind: Contiguity::Contiguous,
    promises: |_| Promises { exact: false, complete: false, forgets: true },
    build: |params, _| {
        let submeshes = take_turn(params)?.submeshes();
        Ok(BestPlace::strategy(submeshes, Orientations::OneByOne, BorderScore::most()))
    },
};
