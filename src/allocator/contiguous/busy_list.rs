//! Busy list: of the free submeshes in corners formed by submeshes in use or by the machine's sides, take the one whose
//! border is taken most.
//!
//! D. Das Sharma, D. Pradhan, "Submesh allocation in mesh multicomputers using busy-list: a best-fit approach with
//! complete recognition capability", J. Parallel and Distributed Computing 36, 1996.
//!
//! 1. Along each dimension a candidate begins at the near side of the machine, ends at its far side, begins directly
//!    behind a submesh in use, or ends directly before one. All combinations over the dimensions are candidates, in
//!    every orientation of the job's shape.
//! 2. Of the free candidates take the one with the most taken positions on its border; positions outside the machine
//!    count as taken. On a tie the first orientation wins, then the first base in scan order (z, then y, then x).
//!
//! In a dimension that wraps around, the machine has no sides. A candidate also begins at position 0 there, as there may
//! be no submesh in use to touch.
//!
//! Any free submesh can be shifted down along one dimension after the other until it touches something. So a job is
//! served whenever a free submesh of its shape exists. The score is a choice of ours, after Zhu's best fit. Time O(c)
//! for c candidates after O(N) to count the free nodes of a machine of N nodes. In two dimensions c is O(m²) for m
//! submeshes in use.

use super::border::Border;
use super::coverage::{BusyList, Region};
use super::orientations::Turn;
use crate::allocator::seam::{
    Allocator, Contiguity, Entry, OnTori, Placement, Promises, Request, Served, Strategy, Submeshes,
};
use crate::machine::{Coord, Machine, Mesh, Submesh};

/// The allocator's row in the registry.
pub(crate) const ENTRY: Entry = Entry {
    name: "busy-list",
    summary: "the free rectangle or cuboid at corners of busy ones whose border is taken most",
    source: "Das Sharma, Pradhan, J. Parallel and Distributed Computing 36, 1996",
    parameters: "",
    max_dims: 3,
    refuses_unavailable: None,
    kind: Contiguity::Contiguous,
    tori: OnTori::Wraps,
    promises: |_| Promises { exact: false, complete: false, forgets: true },
    build: |_, _| {
        let (submeshes, busy, border) = (Turn::Yes.submeshes(), BusyList::default(), Border::default());
        Ok(Strategy::of(BusyCorners { submeshes, busy, border }).served(Served::BySubmesh(submeshes)))
    },
};

/// Chooses among the corners of submeshes in use.
struct BusyCorners {
    submeshes: Submeshes,
    busy: BusyList,
    border: Border,
}

impl Allocator for BusyCorners {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let mesh = machine.mesh();
        self.border.prepare(machine);
        let mut best: Option<(u32, Submesh)> = None;
        for sizes in (self.submeshes.sizes)(request, mesh) {
            for base in corners(mesh, sizes, &self.busy) {
                let place = Submesh { base, sizes };
                if !self.border.is_free(place) {
                    continue;
                }
                let taken = self.border.taken(machine, place);
                // The strict comparison keeps the first candidate on a tie.
                if best.is_none_or(|(most, _)| taken > most) {
                    best = Some((taken, place));
                }
            }
        }
        best.map(|(_, place)| Placement::of(place.nodes(machine)))
    }

    fn taken(&mut self, placement: &Placement, machine: &Machine) {
        self.busy.add(machine.mesh(), &placement.nodes);
    }

    fn released(&mut self, placement: &Placement, machine: &Machine) {
        self.busy.remove(machine.mesh(), &placement.nodes);
    }
}

/// Returns the bases of all candidates of these sizes, in scan order; empty if the sizes exceed the machine.
fn corners(mesh: &Mesh, sizes: [u32; 3], busy: &BusyList) -> Vec<Coord> {
    let Some(all) = Region::of_bases(mesh, sizes) else { return Vec::new() };
    let rings = all.rings(mesh);
    let [xs, ys, zs] = [0, 1, 2].map(|d| {
        // The two sides of the machine, then directly behind and directly before each submesh in use.
        let mut found = if rings[d] { vec![0] } else { vec![0, all.high[d]] };
        for held in busy.boxes() {
            let (behind, before) = (held.base[d] + held.sizes[d], held.base[d].checked_sub(sizes[d]));
            if rings[d] {
                let extent = mesh.extents()[d];
                found.extend([behind % extent, before.unwrap_or(held.base[d] + extent - sizes[d])]);
            } else {
                found.push(behind);
                found.extend(before);
            }
        }
        found.retain(|&at| at <= all.high[d]);
        found.sort_unstable();
        found.dedup();
        found
    });
    let mut bases = Vec::with_capacity(xs.len() * ys.len() * zs.len());
    for &z in &zs {
        for &y in &ys {
            bases.extend(xs.iter().map(|&x| [x, y, z]));
        }
    }
    bases
}
