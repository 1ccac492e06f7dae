//! The common part of the contiguous allocators that search the list of submeshes in use instead of the
//! nodes.

use super::coverage::BusyList;
use super::orientations::Turn;
use crate::allocator::seam::{Allocator, Placement, Request, Served, Strategy, Submeshes};
use meshreplay_machine::machine::{Coord, Machine, Submesh};

/// Finds the base of a free submesh of the given sizes along x, y and z, given the submeshes in use. Returns
/// `None` if there is no free submesh of these sizes.
pub(crate) type Search = fn(&Machine, [u32; 3], &BusyList) -> Option<Coord>;

/// Tries the orientations of a job's shape one after the other with a search over the submeshes in use.
pub(crate) struct BusySearch {
    submeshes: Submeshes,
    search: Search,
    busy: BusyList,
}

impl BusySearch {
    /// Returns the strategy for an idle machine. `turn` says whether the job's shape is turned.
    pub(crate) fn strategy(turn: Turn, search: Search) -> Strategy {
        let submeshes = turn.submeshes();
        Strategy::of(Self::new(submeshes, search)).served(Served::BySubmesh(submeshes))
    }

    /// Returns the allocator for an idle machine. `submeshes` gives the sizes to try for a request.
    pub(super) fn new(submeshes: Submeshes, search: Search) -> Self {
        Self { submeshes, search, busy: BusyList::default() }
    }
}

impl Allocator for BusySearch {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let mesh = machine.mesh();
        let find = |sizes| Some(Submesh { base: (self.search)(machine, sizes, &self.busy)?, sizes });
        let place = (self.submeshes.sizes)(request, mesh).into_iter().find_map(find)?;
        Some(Placement::of((self.submeshes.nodes)(request, place, machine)))
    }

    fn taken(&mut self, placement: &Placement, machine: &Machine) {
        self.busy.add(machine.mesh(), &placement.nodes);
    }

    fn released(&mut self, placement: &Placement, machine: &Machine) {
        self.busy.remove(machine.mesh(), &placement.nodes);
    }
}
