//! Worst fit: the free rectangle or cuboid whose border is taken least. A baseline for best fit, of our own.
//!
//! 1. Of all places at which a box of the job's shape is free, take the one with the fewest taken positions on its
//!    border (see `border_fit`); ties to the first in scan order (z, then y, then x).
//! 2. With `turn=yes`, try the other orientations, one by one, where there is none.
//!
//! It recognises what first fit does. O(N) per call and orientation.

use super::border_fit::BorderFit;
use super::orientations::{TURN, Turn, take_turn, tried};
use crate::allocator::seam::{Allocator, Entry, Kind, Placement, Promises, Request, fits};
use crate::machine::{Machine, Mesh};

pub(crate) const ENTRY: Entry = Entry {
    name: "worst-fit",
    summary: "the free rectangle or cuboid whose border is taken least",
    source: "a baseline of our own, after Zhu, 1992",
    parameters: TURN,
    max_dims: 3,
    kind: Kind::Contiguous,
    promises: |_| Promises { exact: false, complete: false, forgets: true },
    build: |params, _| Ok(Box::new(WorstFit { turn: take_turn(params)?, fit: BorderFit::default() })),
};

struct WorstFit {
    turn: Turn,
    fit: BorderFit,
}

impl Allocator for WorstFit {
    fn allocate(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if !fits(*request, machine) {
            return None;
        }
        tried(request, machine.mesh(), self.turn).into_iter().find_map(|sizes| {
            let (_, place) = self.fit.best(machine, sizes, |taken| -i64::from(taken))?;
            Some(Placement::of(place.nodes(machine)))
        })
    }

    fn boxes(&self, request: &Request, mesh: &Mesh) -> Option<Vec<[u32; 3]>> {
        Some(tried(request, mesh, self.turn))
    }
}
