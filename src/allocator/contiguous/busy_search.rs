//! What contiguous allocators share that look at the boxes in use instead of at nodes.

use super::coverage::BusyList;
use super::orientations::{Turn, tried};
use crate::allocator::seam::{Allocator, Placement, Request, fits};
use crate::machine::{Coord, Cuboid, Machine, Mesh};

/// Finds the base of a free box of these sizes, given the boxes in use.
pub(crate) type Search = fn(&Machine, [u32; 3], &BusyList) -> Option<Coord>;

/// Tries the orientations of a job's shape, one by one, with a search over the boxes in use.
pub(crate) struct BusySearch {
    turn: Turn,
    search: Search,
    busy: BusyList,
}

impl BusySearch {
    /// On an idle machine.
    pub(crate) fn new(turn: Turn, search: Search) -> Self {
        Self { turn, search, busy: BusyList::default() }
    }
}

impl Allocator for BusySearch {
    fn allocate(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if !fits(*request, machine) {
            return None;
        }
        let mesh = machine.mesh();
        let find = |sizes| Some(Cuboid { base: (self.search)(machine, sizes, &self.busy)?, sizes });
        let nodes = tried(request, mesh, self.turn).into_iter().find_map(find)?.nodes(machine);
        self.busy.add(mesh, &nodes);
        Some(Placement::of(nodes))
    }

    fn boxes(&self, request: &Request, mesh: &Mesh) -> Option<Vec<[u32; 3]>> {
        Some(tried(request, mesh, self.turn))
    }

    fn occupied(&mut self, placement: &Placement, machine: &Machine) {
        self.busy.add(machine.mesh(), &placement.nodes);
    }

    fn released(&mut self, placement: &Placement, machine: &Machine) {
        self.busy.remove(machine.mesh(), &placement.nodes);
    }
}
