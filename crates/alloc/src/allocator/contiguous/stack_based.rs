//! Stack-based allocation: subtract the bases that submeshes in use rule out from all possible bases, with a
//! stack of regions.
//!
//! B. Yoo, C. Das, "A fast and efficient processor allocation scheme for mesh-connected multicomputers", IEEE
//! Trans. Computers 51(1), 2002.
//!
//! For each orientation of the job's shape (as requested, then turned) until a free submesh is found:
//!
//! 1. A candidate is a region of bases. The first candidate has the bases of all submeshes inside the
//!    machine. The coverage of a submesh in use is the set of bases of new submeshes that would overlap it.
//! 2. Pop the candidate on top of the stack. Look for the first coverage that overlaps the candidate and has
//!    not been subtracted from it yet. If there is none, the candidate's lowest base is the base of a free
//!    submesh.
//! 3. Otherwise subtract the coverage. At most four regions of the candidate remain (six in three
//!    dimensions). Push them so that the regions below the coverage are popped first, then the regions on its
//!    left and right, then the regions above.
//!
//! A job is served whenever a free submesh of its shape exists. The order of the regions is a choice of ours,
//! since we do not know the original order. Time O(m²) in the worst case for m submeshes in use, independent
//! of the machine's size.

use super::busy_search::{BusyList, BusySearch, Region};
use super::orientations::Turn;
use crate::allocator::seam::{AllocatorEntry, Memory, Promises};
use meshreplay_machine::machine::{Coord, Machine};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "stack-based",
    summary: "a free rectangle or cuboid from what busy ones leave of the possible bases",
    source: "Yoo, Das, IEEE Trans. Computers 51(1), 2002",
    promises: |_| Promises { exact: false, complete: false, memory: Memory::UntilIdle },
    ..AllocatorEntry::contiguous(|_, _| Ok(BusySearch::strategy(Turn::Yes, search)))
};

/// Returns the base of the free submesh that is found first; `None` if there is no free submesh of these
/// sizes.
fn search(machine: &Machine, sizes: [u32; 3], busy: &BusyList) -> Option<Coord> {
    let mesh = machine.mesh();
    let coverages = busy.coverages(mesh, sizes);
    // A candidate, and the index of the first coverage that has not been subtracted from it yet.
    let mut stack = vec![(Region::of_bases(mesh, sizes)?, 0)];
    while let Some((candidate, from)) = stack.pop() {
        let Some(met) = (from..coverages.len()).find(|&i| coverages[i].meets(&candidate)) else {
            return Some(candidate.low);
        };
        stack.extend(candidate.without(&coverages[met]).into_iter().rev().map(|left| (left, met + 1)));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_machine::machine::Submesh;

    #[test]
    fn the_running_example_is_found_above_the_busy_boxes() -> Result<(), Box<dyn std::error::Error>> {
        let machine = Machine::new("6x6".parse()?);
        let mut busy = BusyList::default();
        for (base, sizes) in [([0, 0], [2, 3]), ([2, 0], [2, 2]), ([4, 3], [2, 3])] {
            let place = Submesh { base: [base[0], base[1], 0], sizes: [sizes[0], sizes[1], 1] };
            busy.add(machine.mesh(), &place.nodes(&machine));
        }
        let sizes = [3, 2, 1];
        assert_eq!(search(&machine, sizes, &busy), Some([0, 3, 0]));
        let sizes = [5, 2, 1];
        assert_eq!(search(&machine, sizes, &busy), None);
        Ok(())
    }
}
