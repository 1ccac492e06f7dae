//! Best fit: the free rectangle or cuboid whose border is taken most.
//!
//! Y. Zhu, "Efficient processor allocation strategies for mesh-connected parallel computers", J. Parallel and
//! Distributed Computing 16, 1992.
//!
//! 1. Of all places at which a box of the job's shape is free, take the one with the most taken positions on its border
//!    (see `border_fit`); ties to the first in scan order (z, then y, then x).
//! 2. With `turn=yes`, try the other orientations, one by one, where there is none.
//!
//! It recognises what first fit does. O(N) per call and orientation.

use super::border_fit::BorderFit;
use super::orientations::{TURN, Turn, take_turn, tried};
use crate::allocator::seam::{Allocator, Entry, Kind, Placement, Promises, Request, fits};
use crate::machine::{Machine, Mesh};

pub(crate) const ENTRY: Entry = Entry {
    name: "best-fit",
    summary: "the free rectangle or cuboid whose border is taken most",
    source: "Zhu, J. Parallel and Distributed Computing 16, 1992",
    parameters: TURN,
    max_dims: 3,
    kind: Kind::Contiguous,
    promises: |_| Promises { exact: false, complete: false, forgets: true },
    build: |params, _| Ok(Box::new(BestFit { turn: take_turn(params)?, fit: BorderFit::default() })),
};

struct BestFit {
    turn: Turn,
    fit: BorderFit,
}

impl Allocator for BestFit {
    fn allocate(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if !fits(*request, machine) {
            return None;
        }
        tried(request, machine.mesh(), self.turn).into_iter().find_map(|sizes| {
            let (_, place) = self.fit.best(machine, sizes, i64::from)?;
            Some(Placement::of(place.nodes(machine)))
        })
    }

    fn boxes(&self, request: &Request, mesh: &Mesh) -> Option<Vec<[u32; 3]>> {
        Some(tried(request, mesh, self.turn))
    }
}
