//! Right of busy submeshes: a free rectangle or cuboid that borders on the right side of a busy one, or on the
//! machine's left side.
//!
//! G.-M. Chiu, S.-K. Chen, "An efficient submesh allocation scheme for two-dimensional meshes with little overhead",
//! IEEE TPDS 10(5), 1999; in three dimensions and with turning as S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L.
//! Mackenzie, "A fast and efficient strategy for sub-mesh allocation in 3D mesh multicomputers", 2006.
//!
//! 1. Candidates are the machine's left side, that is all bases of x = 0; and of every submesh in use, by falling y
//!    of its far end, the bases right behind it in x at which a new submesh would touch its right side.
//! 2. From each candidate take away the bases at which a new submesh would meet one in use.
//! 3. The place is the lowest base (z, then y) that is left of the first candidate of which anything is.
//! 4. With `turn=yes`, try the other orientations, one by one, where there is none.
//!
//! It recognises every free submesh of an orientation that it tries: a free submesh can be moved left until it is at
//! one of these bases. The order of candidates is a choice of ours. The original subtracts intervals, O(m²) for m
//! submeshes in use; here free places are found for all bases at once (see [`Frames`]) and looked up, O(N/64 · log a
//! + m·rows).

use super::busy_search::BusySearch;
use super::coverage::{BusyList, Region};
use super::orientations::{TURN, take_turn};
use crate::allocator::seam::{Contiguity, Entry, Promises};
use crate::machine::{Coord, Cuboid, Frames, Machine};

pub(crate) const ENTRY: Entry = Entry {
    name: "rbs",
    summary: "a free rectangle or cuboid right of a busy one, or at the machine's left side",
    source: "Chiu, Chen, IEEE TPDS 10(5), 1999",
    parameters: TURN,
    max_dims: 3,
    kind: Contiguity::Contiguous,
    promises: |_| Promises { exact: false, complete: false, forgets: true },
    build: |params, _| Ok(BusySearch::strategy(take_turn(params)?, search)),
};

/// Returns the base that is found first.
pub(crate) fn search(machine: &Machine, sizes: [u32; 3], busy: &BusyList) -> Option<Coord> {
    let all = Region::of_bases(machine.mesh(), sizes)?;
    let mut frames = Frames::default();
    frames.find(machine, sizes);
    frames.first()?;
    let left = Region { high: [0, all.high[1], all.high[2]], ..all };
    if let Some(base) = lowest(left, &frames) {
        return Some(base);
    }
    let mut boxes: Vec<&Cuboid> = busy.boxes().iter().collect();
    boxes.sort_by_key(|held| std::cmp::Reverse(held.base[1] + held.sizes[1]));
    let right = boxes.into_iter().filter_map(|held| right_of(held, sizes, &all));
    right.into_iter().find_map(|candidate| lowest(candidate, &frames))
}

/// Returns the bases right behind a submesh at which a new one would touch it.
fn right_of(held: &Cuboid, sizes: [u32; 3], all: &Region) -> Option<Region> {
    let x = held.base[0] + held.sizes[0];
    let low = |d: usize| (held.base[d] + 1).saturating_sub(sizes[d]);
    let high = |d: usize| (held.base[d] + held.sizes[d] - 1).min(all.high[d]);
    let region = Region { low: [x, low(1), low(2)], high: [x, high(1), high(2)] };
    (x <= all.high[0] && (1..3).all(|d| region.low[d] <= region.high[d])).then_some(region)
}

/// Returns the lowest base of a candidate at which a submesh is free.
fn lowest(Region { low, high }: Region, frames: &Frames) -> Option<Coord> {
    let bases = (low[2]..=high[2]).flat_map(|z| (low[1]..=high[1]).map(move |y| [low[0], y, z]));
    bases.into_iter().find(|&base| frames.contains(base))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;

    #[test]
    fn the_running_example_is_found_at_the_left_side() -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new("6x6".parse()?);
        let mut busy = BusyList::default();
        for (base, sizes) in [([0, 0, 0], [2, 3, 1]), ([2, 0, 0], [2, 2, 1]), ([4, 3, 0], [2, 3, 1])] {
            let nodes = Cuboid { base, sizes }.nodes(&machine);
            busy.add(machine.mesh(), &nodes);
            machine.occupy(&nodes)?;
        }
        // First fit would place 2×2 at (4, 0).
        for (sizes, base) in [([3, 2, 1], Some([0, 3, 0])), ([2, 2, 1], Some([0, 3, 0])), ([5, 2, 1], None)] {
            assert_eq!(search(&machine, sizes, &busy), base, "{sizes:?}");
        }
        Ok(())
    }
}
