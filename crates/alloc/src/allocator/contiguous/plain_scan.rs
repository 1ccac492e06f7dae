//! The scan of adaptive scan as written, which fixed orientation can share.
//!
//! J. Ding, L. Bhuyan, "An adaptive submesh allocation strategy for two-dimensional mesh connected systems",
//! Int. Conf. on Parallel Processing, 1993. Every probe looks through the list of all coverages, so a scan of
//! r rows with m submeshes in use takes O(r·m²).

use super::busy_search::{BusyList, BusySearch, Region};
use crate::allocator::seam::{Allocator, Placement, Request, Served, Strategy, Submeshes};
use meshreplay_machine::machine::{Coord, Machine, Submesh};

/// Returns the first base in scan order that no coverage contains; `None` if there is no free submesh of
/// these sizes.
pub(super) fn scan(machine: &Machine, sizes: [u32; 3], busy: &BusyList) -> Option<Coord> {
    let mesh = machine.mesh();
    let coverages = busy.coverages(mesh, sizes);
    let Region { high, .. } = Region::of_bases(mesh, sizes)?;
    for (z, y) in (0..=high[2]).flat_map(|z| (0..=high[1]).map(move |y| (z, y))) {
        let mut x = 0;
        while x <= high[0] {
            let covering = coverages.iter().filter(|region| region.contains([x, y, z]));
            match covering.map(|region| region.high[0]).max() {
                None => return Some([x, y, z]),
                Some(end) => x = end + 1,
            }
        }
    }
    None
}

/// Fixed orientation with this scan. The nodes of turned jobs are in the order of their tasks, which the list
/// of submeshes in use needs row by row.
struct FixedOrientation(BusySearch);

/// Returns the strategy for an idle machine. `submeshes` gives the only orientation of a job.
pub(super) fn fixed_orientation(submeshes: Submeshes) -> Strategy {
    Strategy::of(FixedOrientation(BusySearch::new(submeshes, scan))).served(Served::BySubmesh(submeshes))
}

/// Returns a placement on the same nodes, row by row if they are a submesh.
fn by_rows(placement: &Placement, machine: &Machine) -> Placement {
    let nodes = &placement.nodes;
    let place = Submesh::around(machine.mesh(), nodes).map(|place| place.nodes(machine));
    Placement::of(place.filter(|all| all.len() == nodes.len()).unwrap_or_else(|| nodes.clone()))
}

impl Allocator for FixedOrientation {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        self.0.propose(request, machine)
    }

    fn taken(&mut self, placement: &Placement, machine: &Machine) {
        self.0.taken(&by_rows(placement, machine), machine);
    }

    fn released(&mut self, placement: &Placement, machine: &Machine) {
        self.0.released(&by_rows(placement, machine), machine);
    }
}
