//! Busy list: of the free submeshes in corners formed by submeshes in use or by the machine's sides, take the
//! one whose border is taken most.
//!
//! D. Das Sharma, D. Pradhan, "Submesh allocation in mesh multicomputers using busy-list: a best-fit approach
//! with complete recognition capability", J. Parallel and Distributed Computing 36, 1996.
//!
//! 1. Along each dimension a candidate begins at the near side of the machine, ends at its far side, begins
//!    directly behind a submesh in use, or ends directly before one. All combinations over the dimensions are
//!    candidates, in every orientation of the job's shape.
//! 2. Of the free candidates take the one with the most taken positions on its border; positions outside the
//!    machine count as taken. On a tie the first orientation wins, then the first base in scan order (z, then
//!    y, then x).
//!
//! In a dimension that wraps around, the machine has no sides. A candidate also begins at position 0 there,
//! in case no submesh is in use.
//!
//! Any free submesh can be shifted down along one dimension after the other until it touches something. So a
//! job is served whenever a free submesh of its shape exists. The score is a choice of ours, after Zhu's best
//! fit. Time O(N + m) for each orientation on a machine of N nodes with m submeshes in use, in passes over
//! whole rows.

use super::border::Border;
use super::busy_search::{BusyList, Region};
use super::orientations::Turn;
use crate::allocator::seam::{Allocator, AllocatorEntry, Placement, Request, Served, Strategy, Submeshes};
use meshreplay_machine::machine::{FreeSubmeshes, Machine, Mesh, Submesh, set_bits};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "busy-list",
    summary: "the free rectangle or cuboid at corners of busy ones whose border is taken most",
    source: "Das Sharma, Pradhan, J. Parallel and Distributed Computing 36, 1996",
    ..AllocatorEntry::contiguous(|_, _| {
        let submeshes = Turn::Yes.submeshes();
        Ok(Strategy::of(BusyCorners::new(submeshes)).served(Served::BySubmesh(submeshes)))
    })
};

/// Chooses among the corners of submeshes in use.
struct BusyCorners {
    submeshes: Submeshes,
    busy: BusyList,
    border: Border,
    /// The free submeshes of one orientation. The field exists only to reuse memory.
    free_submeshes: FreeSubmeshes,
    corners: Corners,
}

/// The least number of free candidates in a row for counting the borders of the whole row.
const MANY: u32 = 16;

impl BusyCorners {
    /// Returns the allocator for an idle machine.
    fn new(submeshes: Submeshes) -> Self {
        let (busy, border) = (BusyList::default(), Border::default());
        let (free_submeshes, corners) = (FreeSubmeshes::default(), Corners::default());
        Self { submeshes, busy, border, free_submeshes, corners }
    }
}

impl Allocator for BusyCorners {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let mesh = machine.mesh();
        let orientations = (self.submeshes.sizes)(request, mesh);
        let widest = orientations.iter().map(|sizes| sizes[0]).max()?;
        let (mut is_prepared, mut row_of) = (false, Vec::new());
        let mut best: Option<(i32, Submesh)> = None;
        for sizes in orientations {
            self.free_submeshes.find(machine, sizes);
            if !self.corners.find(mesh, sizes, &self.busy) {
                continue;
            }
            for ([y, z], bits) in self.free_submeshes.rows() {
                if !self.corners.has_row([y, z]) {
                    continue;
                }
                row_of.clear();
                row_of.extend(bits.iter().zip(&self.corners.xs).map(|(free, corner)| free & corner));
                let candidates: u32 = row_of.iter().map(|word| word.count_ones()).sum();
                if candidates > 0 && !std::mem::replace(&mut is_prepared, true) {
                    self.border.prepare(machine, widest);
                }
                let counted: &[i32] =
                    if candidates < MANY { &[] } else { self.border.taken_in_row(machine, [y, z], sizes) };
                // The strict comparison keeps the first candidate on a tie.
                let mut offer = |x: u32, taken: i32| {
                    if best.is_none_or(|(most, _)| taken > most) {
                        best = Some((taken, Submesh { base: [x, y, z], sizes }));
                    }
                };
                if candidates < MANY {
                    for x in set_bits(&row_of) {
                        offer(x, self.border.taken(machine, Submesh { base: [x, y, z], sizes }) as i32);
                    }
                } else {
                    set_bits(&row_of).for_each(|x| offer(x, counted[x as usize]));
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

/// The start positions of candidates along each dimension. All combinations are candidates.
#[derive(Debug, Default)]
struct Corners {
    /// One bit for each x.
    xs: Vec<u64>,
    ys: Vec<bool>,
    zs: Vec<bool>,
}

impl Corners {
    /// Finds the positions for candidates of these sizes. Returns false if the sizes exceed the machine.
    fn find(&mut self, mesh: &Mesh, sizes: [u32; 3], busy: &BusyList) -> bool {
        let Some(all) = Region::of_bases(mesh, sizes) else { return false };
        let (extents, rings) = (mesh.extents(), all.rings(mesh));
        let [width, length, depth] = extents.map(|extent| extent as usize);
        self.xs.clear();
        self.xs.resize(width.div_ceil(64), 0);
        for (marks, extent) in [(&mut self.ys, length), (&mut self.zs, depth)] {
            marks.clear();
            marks.resize(extent, false);
        }
        for d in 0..3 {
            let (xs, ys, zs) = (&mut self.xs, &mut self.ys, &mut self.zs);
            let mut mark = |at: u32| {
                if at > all.high[d] {
                    return;
                }
                match d {
                    0 => xs[at as usize / 64] |= 1 << (at % 64),
                    1 => ys[at as usize] = true,
                    _ => zs[at as usize] = true,
                }
            };
            // The two sides of the machine, then directly behind and directly before each submesh in use.
            mark(0);
            if !rings[d] {
                mark(all.high[d]);
            }
            for held in busy.boxes() {
                let (behind, before) = (held.base[d] + held.sizes[d], held.base[d].checked_sub(sizes[d]));
                if rings[d] {
                    mark(behind % extents[d]);
                    mark(before.unwrap_or(held.base[d] + extents[d] - sizes[d]));
                } else {
                    mark(behind);
                    before.into_iter().for_each(&mut mark);
                }
            }
        }
        true
    }

    /// Returns whether candidates begin at y and z.
    fn has_row(&self, [y, z]: [u32; 2]) -> bool {
        self.ys[y as usize] && self.zs[z as usize]
    }
}
