//! Stack-based allocation: what busy submeshes leave of the possible bases, taken apart on a stack.
//!
//! B. Yoo, C. Das, "A fast and efficient processor allocation scheme for mesh-connected multicomputers", IEEE Trans.
//! Computers 51(1), 2002.
//!
//! For each orientation of the job's shape, as it is and then turned, until a place is found:
//!
//! 1. A candidate is a region of bases; the first is all of them. The coverage of a busy submesh are the bases at
//!    which a new submesh would meet it.
//! 2. Take the candidate on top of the stack and look for the first coverage, of those that it was not yet held
//!    against, that meets it. If there is none, the place is the candidate's lowest base.
//! 3. Else put what the coverage leaves of it back as candidates, at most four (six in three dimensions): those above,
//!    beside and below, so that those below come first.
//!
//! It recognises every free submesh. The order of what is put back is a choice of ours; the original's is not known
//! to us. Time O(m²) at worst for m busy submeshes, independent of the machine's size.

use super::busy_search::BusySearch;
use super::coverage::{BusyList, Region};
use super::orientations::Turn;
use crate::allocator::seam::{Contiguity, Entry, Promises};
use crate::machine::{Coord, Machine};

pub(crate) const ENTRY: Entry = Entry {
    name: "stack-based",
    summary: "a free rectangle or cuboid from what busy ones leave of the possible bases",
    source: "Yoo, Das, IEEE Trans. Computers 51(1), 2002",
    parameters: "",
    max_dims: 3,
    kind: Contiguity::Contiguous,
    promises: |_| Promises { exact: false, complete: false, forgets: true },
    build: |_, _| Ok(BusySearch::strategy(Turn::Yes, search)),
};

/// Returns the base that the stack finds first.
fn search(machine: &Machine, sizes: [u32; 3], busy: &BusyList) -> Option<Coord> {
    let mesh = machine.mesh();
    let coverages = busy.coverages(mesh, sizes);
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
    use crate::machine::Cuboid;

    #[test]
    fn the_running_example_is_found_above_the_busy_boxes() -> Result<(), Box<dyn std::error::Error>> {
        let machine = Machine::new("6x6".parse()?);
        let mut busy = BusyList::default();
        for (base, sizes) in [([0, 0], [2, 3]), ([2, 0], [2, 2]), ([4, 3], [2, 3])] {
            let place = Cuboid { base: [base[0], base[1], 0], sizes: [sizes[0], sizes[1], 1] };
            busy.add(machine.mesh(), &place.nodes(&machine));
        }
        let sizes = [3, 2, 1];
        assert_eq!(search(&machine, sizes, &busy), Some([0, 3, 0]));
        let sizes = [5, 2, 1];
        assert_eq!(search(&machine, sizes, &busy), None);
        Ok(())
    }
}
