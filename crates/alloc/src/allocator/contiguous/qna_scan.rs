//! QNA scan: the scan of QNA for the first free submesh (rectangle or cuboid). It finds for every row of
//! bases how far the row is covered from the left.
//!
//! R. Zolfaghari, "Quick non-contiguous allocation", Int. J. of Engineering and Advanced Technology, 2013,
//! procedure `Submesh_Allocation`. Two errors of the procedure are corrected here: `last` starts at −1,
//! because with a start at 0 column 0 could never be free; and for a turned request the bounds are computed
//! from the turned sides.
//!
//! For each orientation of the job's shape (as requested, then turned) until a free submesh is found:
//!
//! 1. The coverage of a submesh in use is the set of bases of new submeshes that would overlap it. Sort the
//!    coverages by their lowest x.
//! 2. `last` of a row is the last covered base of the run that begins at x = 0, or −1 if the base at x = 0 is
//!    not covered. Each coverage in turn extends the runs that it touches.
//! 3. Take the first row (by z, then y) whose run ends before the row's last base. The submesh directly
//!    behind the run is free.
//!
//! It takes the same submesh as first fit with `turn=yes`, so a job is served whenever a free submesh of its
//! shape exists. Time O(m·log m + m·r) for m submeshes in use and r rows of bases.

use super::busy_search::{BusyList, BusySearch, Region};
use super::orientations::Turn;
use crate::allocator::seam::AllocatorEntry;
use meshreplay_machine::machine::{Coord, Machine};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "qna-scan",
    summary: "first fit with turning, found by how far rows are covered from the left",
    source: "Zolfaghari, IJEAT 2013, repaired",
    ..AllocatorEntry::contiguous(|_, _| Ok(BusySearch::strategy(Turn::Yes, scan)))
};

/// Returns the first base in scan order that no coverage contains; `None` if there is no free submesh of
/// these sizes.
pub(crate) fn scan(machine: &Machine, sizes: [u32; 3], busy: &BusyList) -> Option<Coord> {
    let mesh = machine.mesh();
    let mut coverages = busy.coverages(mesh, sizes);
    let Region { high, .. } = Region::of_bases(mesh, sizes)?;
    coverages.sort_by_key(|region| region.low[0]);
    let rows = (high[1] + 1) as usize;
    // `next` is `last` + 1, so that it starts at 0: the first base behind the covered run of each row.
    let mut next = vec![0; rows * (high[2] + 1) as usize];
    for Region { low, high } in &coverages {
        for z in low[2]..=high[2] {
            for next in &mut next[z as usize * rows..][low[1] as usize..=high[1] as usize] {
                if (low[0]..=high[0]).contains(next) {
                    *next = high[0] + 1;
                }
            }
        }
    }
    let at = next.iter().position(|&next| next <= high[0])?;
    Some([next[at], (at % rows) as u32, (at / rows) as u32])
}
