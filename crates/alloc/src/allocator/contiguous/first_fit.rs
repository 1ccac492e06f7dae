//! First fit: the first free submesh (rectangle or cuboid) of the job's shape.
//!
//! Y. Zhu, "Efficient processor allocation strategies for mesh-connected parallel computers", J. Parallel and
//! Distributed Computing 16, 1992.
//!
//! 1. Of all free submeshes of the job's shape, take the first in scan order (z, then y, then x of the base).
//! 2. If there is none and `turn=yes` is given, try the other orientations of the shape one after the other.
//!
//! A job is served whenever a free submesh exists in an orientation that is tried, and waits otherwise,
//! however many nodes are free. The original finds submeshes with a coverage array in O(N) on a machine of N
//! nodes. Here they are found by shifts and ANDs of bit rows, in O(N/64 · log a) for a longest side of a
//! nodes.

use super::orientations::{TURN, take_turn};
use crate::allocator::seam::{Allocator, AllocatorEntry, Placement, Request, Served, Strategy, Submeshes};
use meshreplay_machine::machine::{Coord, FreeSubmeshes, Machine, Submesh};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "first-fit",
    summary: "the first free rectangle or cuboid of the job's shape",
    source: "Zhu, J. Parallel and Distributed Computing 16, 1992",
    parameters: TURN,
    ..AllocatorEntry::contiguous(|params, _| Ok(FirstFit::strategy(take_turn(params)?.submeshes())))
};

/// Finds the base of a free submesh of the given sizes; `None` if there is none. It may use the memory of the
/// [`FreeSubmeshes`].
type Find = fn(&mut FreeSubmeshes, &Machine, [u32; 3]) -> Option<Coord>;

/// Takes the first free submesh that can serve a request.
pub(crate) struct FirstFit {
    submeshes: Submeshes,
    find: Find,
    /// The free submeshes of the current request. The field exists only to reuse memory.
    free_submeshes: FreeSubmeshes,
}

impl FirstFit {
    /// Returns the strategy that takes the first free submesh in scan order. `submeshes` gives the sizes for
    /// a request and the rank order of its nodes.
    pub(crate) fn strategy(submeshes: Submeshes) -> Strategy {
        Self::strategy_by(submeshes, FreeSubmeshes::find_first)
    }

    /// Returns the strategy that takes the free submesh that `find` finds.
    pub(crate) fn strategy_by(submeshes: Submeshes, find: Find) -> Strategy {
        Strategy::of(Self { submeshes, find, free_submeshes: FreeSubmeshes::default() })
            .served(Served::BySubmesh(submeshes))
    }
}

impl Allocator for FirstFit {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        (self.submeshes.sizes)(request, machine.mesh()).into_iter().find_map(|sizes| {
            let place = Submesh { base: (self.find)(&mut self.free_submeshes, machine, sizes)?, sizes };
            Some(Placement::of((self.submeshes.nodes)(request, place, machine)))
        })
    }
}
