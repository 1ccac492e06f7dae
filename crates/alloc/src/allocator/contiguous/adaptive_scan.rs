//! Adaptive scan: the first free submesh (rectangle or cuboid), found by jumps over submeshes in use.
//!
//! J. Ding, L. Bhuyan, "An adaptive submesh allocation strategy for two-dimensional mesh connected systems",
//! Int. Conf. on Parallel Processing, 1993.
//!
//! For each orientation of the job's shape (as requested, then turned) until a free submesh is found:
//!
//! 1. The coverage of a submesh in use is the region of bases at which the new submesh would overlap it.
//! 2. Scan the rows of bases in order (z, then y). In each row start at x = 0. If coverages contain the base,
//!    continue behind the coverage that reaches furthest. If no coverage contains the base, the submesh at
//!    this base is free.
//!
//! It takes the same submesh as first fit with `turn=yes`, so a job is served whenever a free submesh of its
//! shape exists. Time O(r·m²) for r rows of bases and m submeshes in use, independent of the machine's width.
//! `search=fast` first selects the coverages of each row; `search=plain` looks through all coverages for
//! every base that it tries.

use super::busy_search::{BusyList, BusySearch, Region};
use super::orientations::Turn;
use crate::allocator::seam::{AllocatorEntry, Contiguity, Memory, OnTori, OnTrees, Promises};
use crate::allocator::take_plain;
use meshreplay_machine::machine::{Coord, Machine};

/// The allocator's row in the registry.
pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "adaptive-scan",
    summary: "first fit with turning, found by jumping over busy rectangles or cuboids",
    source: "Ding, Bhuyan, ICPP 1993",
    parameters: "search=fast (plain)",
    max_dims: 3,
    trees: OnTrees::BY_COORDINATES,
    refuses_unavailable: None,
    kind: Contiguity::Contiguous,
    tori: OnTori::Wraps,
    promises: |_| Promises { exact: false, complete: false, memory: Memory::None },
    build: |params, _| {
        let search = if take_plain(params)? { plain_scan } else { scan };
        Ok(BusySearch::strategy(Turn::Yes, search))
    },
};

/// Returns the first base in scan order that no coverage contains; `None` if there is no free submesh of
/// these sizes.
fn scan(machine: &Machine, sizes: [u32; 3], busy: &BusyList) -> Option<Coord> {
    let mesh = machine.mesh();
    let coverages = busy.coverages(mesh, sizes);
    let Region { high, .. } = Region::of_bases(mesh, sizes)?;
    let rows = (0..=high[2]).flat_map(|z| (0..=high[1]).map(move |y| (y, z)));
    let mut in_row: Vec<&Region> = Vec::new();
    for (y, z) in rows {
        // The coverages that cross this row.
        in_row.clear();
        in_row.extend(coverages.iter().filter(|region| region.contains([region.low[0], y, z])));
        let mut x = 0;
        while x <= high[0] {
            let ends = in_row.iter().filter(|region| region.low[0] <= x && x <= region.high[0]);
            match ends.map(|region| region.high[0]).max() {
                None => return Some([x, y, z]),
                Some(end) => x = end + 1,
            }
        }
    }
    None
}

/// Returns what [`scan`] returns, as written: every probe looks through the list of all coverages, so that r
/// rows with m submeshes in use take O(r·m²).
pub(super) fn plain_scan(machine: &Machine, sizes: [u32; 3], busy: &BusyList) -> Option<Coord> {
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
