//! First fit: the first free rectangle or cuboid of the job's shape.
//!
//! Y. Zhu, "Efficient processor allocation strategies for mesh-connected parallel computers", J. Parallel and
//! Distributed Computing 16, 1992.
//!
//! 1. Of all places at which a submesh of the shape is free, take the first in scan order (z, then y, then x).
//! 2. With `turn=yes`, try the other orientations, one by one, where there is none.
//!
//! It recognises every free submesh of an orientation that it tries, and refuses where there is none, whatever is free
//! besides. The original finds places with a coverage array, O(N); here rows of bits are narrowed, O(N/64 · log a).

use super::orientations::{TURN, take_turn};
use crate::allocator::seam::{
    Allocator, Contiguity, Entry, Placement, Promises, Request, Served, Strategy, Submeshes,
};
use crate::machine::{Cuboid, Frames, Machine};

pub(crate) const ENTRY: Entry = Entry {
    name: "first-fit",
    summary: "the first free rectangle or cuboid of the job's shape",
    source: "Zhu, J. Parallel and Distributed Computing 16, 1992",
    parameters: TURN,
    max_dims: 3,
    kind: Contiguity::Contiguous,
    promises: |_| Promises { exact: false, complete: false, forgets: true },
    build: |params, _| Ok(FirstFit::strategy(take_turn(params)?.submeshes())),
};

/// First fit among the submeshes that serve a request.
pub(crate) struct FirstFit {
    submeshes: Submeshes,
    /// The free places of the call at hand; kept between calls for its memory only.
    frames: Frames,
}

impl FirstFit {
    /// Returns the strategy for these submeshes.
    pub(crate) fn strategy(submeshes: Submeshes) -> Strategy {
        Strategy::of(Self { submeshes, frames: Frames::default() }).served(Served::BySubmesh(submeshes))
    }
}

impl Allocator for FirstFit {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        (self.submeshes.sizes)(request, machine.mesh()).into_iter().find_map(|sizes| {
            self.frames.find(machine, sizes);
            let place = Cuboid { base: self.frames.first()?, sizes };
            Some(Placement::of((self.submeshes.nodes)(request, place, machine)))
        })
    }
}
