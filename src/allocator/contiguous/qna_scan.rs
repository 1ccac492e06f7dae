//! The scan of QNA for a free rectangle or cuboid: for every row of bases, how far it is covered from the left.
//!
//! R. Zolfaghari, "Quick non-contiguous allocation", Int. J. of Engineering and Advanced Technology, 2013, procedure
//! `Submesh_Allocation`, repaired: `last` starts at −1 and not at 0, which could not say that column 0 is free, and the
//! bounds of a turned request are its own.
//!
//! For each orientation of the job's shape, as it is and then turned, until a place is found:
//!
//! 1. Sort the coverages of the submeshes in use (the bases at which a new submesh would meet them) by their lowest x.
//! 2. `last` of a row is the last base of the covered run that begins at x = 0, −1 if that is free. In their order,
//!    each coverage extends the runs that it touches.
//! 3. The first row (z, then y) whose run ends before the last base has a place, right behind the run.
//!
//! So it takes the place that first fit with turning takes, and recognises every free submesh. Time O(m·log m +
//! m·rows).

use super::busy_search::BusySearch;
use super::coverage::{BusyList, Region};
use super::orientations::Turn;
use crate::allocator::seam::{Contiguity, Entry, Promises};
use crate::machine::{Coord, Machine};

pub(crate) const ENTRY: Entry = Entry {
    name: "qna-scan",
    summary: "first fit with turning, found by how far rows are covered from the left",
    source: "Zolfaghari, IJEAT 2013, repaired",
    parameters: "",
    max_dims: 3,
    kind: Contiguity::Contiguous,
    promises: |_| Promises { exact: false, complete: false, forgets: true },
    build: |_, _| Ok(BusySearch::strategy(Turn::Yes, scan)),
};

/// Returns the first base in scan order that no coverage contains.
pub(crate) fn scan(machine: &Machine, sizes: [u32; 3], busy: &BusyList) -> Option<Coord> {
    let mesh = machine.mesh();
    let mut coverages = busy.coverages(mesh, sizes);
    let Region { high, .. } = Region::of_bases(mesh, sizes)?;
    coverages.sort_by_key(|region| region.low[0]);
    let rows = (high[1] + 1) as usize;
    // One more than the `last` of the procedure, so that it starts at 0: the first base behind the run.
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
