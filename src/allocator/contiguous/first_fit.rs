//! First fit: the first free rectangle or cuboid of the job's shape.
//!
//! Y. Zhu, "Efficient processor allocation strategies for mesh-connected parallel computers", J. Parallel and
//! Distributed Computing 16, 1992.
//!
//! 1. Of all places at which a box of the shape is free, take the first in scan order (z, then y, then x).
//! 2. With `turn=yes`, try the other orientations, one by one, where there is none.
//!
//! It recognises every free box of an orientation that it tries, and refuses where there is none, whatever is free
//! besides. The original finds places with a coverage array, O(N); here rows of bits are narrowed, O(N/64 · log a).

use super::orientations::{TURN, Turn, take_turn, tried};
use crate::allocator::seam::{Allocator, Entry, Kind, Placement, Promises, Request, fits};
use crate::machine::{Cuboid, Frames, Machine, Mesh};

pub(crate) const ENTRY: Entry = Entry {
    name: "first-fit",
    summary: "the first free rectangle or cuboid of the job's shape",
    source: "Zhu, J. Parallel and Distributed Computing 16, 1992",
    parameters: TURN,
    max_dims: 3,
    kind: Kind::Contiguous,
    promises: |_| Promises { exact: false, complete: false, forgets: true },
    build: |params, _| Ok(Box::new(FirstFit { turn: take_turn(params)?, frames: Frames::default() })),
};

struct FirstFit {
    turn: Turn,
    frames: Frames,
}

impl Allocator for FirstFit {
    fn allocate(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if !fits(*request, machine) {
            return None;
        }
        tried(request, machine.mesh(), self.turn).into_iter().find_map(|sizes| {
            self.frames.find(machine, sizes);
            let base = self.frames.first()?;
            Some(Placement::of(Cuboid { base, sizes }.nodes(machine)))
        })
    }

    fn boxes(&self, request: &Request, mesh: &Mesh) -> Option<Vec<[u32; 3]>> {
        Some(tried(request, mesh, self.turn))
    }
}
