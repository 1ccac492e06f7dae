//! RBS (right of busy submeshes): a free submesh that touches the right side of a submesh in use, or the left
//! side of the machine.
//!
//! G.-M. Chiu, S.-K. Chen, "An efficient submesh allocation scheme for two-dimensional meshes with little
//! overhead", IEEE TPDS 10(5), 1999; in three dimensions and with turning as S. Bani-Mohammad, M.
//! Ould-Khaoua, I. Ababneh, L. Mackenzie, "A fast and efficient strategy for sub-mesh allocation in 3D mesh
//! multicomputers", 2006.
//!
//! 1. The first candidate has all bases at the left side of the machine, with x = 0. Each submesh in use adds
//!    a candidate: the bases of new submeshes that begin directly behind it in x and touch its right side.
//!    These candidates are sorted by the upper end of the submesh in y, highest first.
//! 2. Remove from each candidate the bases of submeshes that would overlap a submesh in use.
//! 3. Take the first candidate that has bases left, and of these the lowest (by z, then y).
//! 4. If there is none and `turn=yes` is given, try the other orientations of the shape one after the other.
//!
//! Where x wraps around, the machine has no left side. The bases with x = 0 are the first candidate all the
//! same: rows without a submesh in use need one.
//!
//! A job is served whenever a free submesh exists in an orientation that is tried, because any free submesh
//! can be shifted left until it begins at one of these bases. The order of the candidates is a choice of
//! ours. The original subtracts intervals in O(m²) for m submeshes in use. Here the free submeshes at all
//! bases are found at once (see [`FreeSubmeshes`]) and then looked up, in O(N/64 · log a + m·r) on a machine
//! of N nodes with r rows, for a longest side of a nodes.

use super::busy_search::{BusyList, BusySearch, Region, Span};
use super::orientations::{TURN, take_turn};
use crate::allocator::seam::{AllocatorEntry, Memory, Promises};
use meshreplay_machine::machine::{Coord, FreeSubmeshes, Machine, Submesh};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "rbs",
    summary: "a free rectangle or cuboid right of a busy one, or at the machine's left side",
    source: "Chiu, Chen, IEEE TPDS 10(5), 1999",
    parameters: TURN,
    promises: |_| Promises { exact: false, complete: false, memory: Memory::UntilIdle },
    ..AllocatorEntry::contiguous(|params, _| Ok(BusySearch::strategy(take_turn(params)?, search)))
};

/// Returns the base of the free submesh that is found first; `None` if there is no free submesh of these
/// sizes.
pub(crate) fn search(machine: &Machine, sizes: [u32; 3], busy: &BusyList) -> Option<Coord> {
    let all = Region::of_bases(machine.mesh(), sizes)?;
    let mut free_submeshes = FreeSubmeshes::default();
    free_submeshes.find(machine, sizes);
    // No candidate can succeed if no submesh of these sizes is free anywhere.
    free_submeshes.first()?;
    let left = Region { high: [0, all.high[1], all.high[2]], ..all };
    if let Some(base) = lowest(left, &free_submeshes) {
        return Some(base);
    }
    let mut boxes: Vec<&Submesh> = busy.boxes().iter().collect();
    boxes.sort_by_key(|held| std::cmp::Reverse(held.base[1] + held.sizes[1]));
    let rings = all.rings(machine.mesh());
    boxes.into_iter().find_map(|held| {
        // The bases of new submeshes that begin directly behind `held` in x and touch its right side.
        let end = held.base[0] + held.sizes[0];
        let x = if rings[0] && end > all.high[0] { end - all.high[0] - 1 } else { end };
        let beside = Span { first: x, length: 1, before: 0 };
        let [ys, zs] = [1, 2].map(|d| Span::covered(held, d, sizes));
        let candidate = all.parts([beside, ys, zs], rings);
        candidate.filter_map(|part| lowest(part, &free_submeshes)).min_by_key(|&[_, y, z]| (z, y))
    })
}

/// Returns the lowest base of a free submesh in a candidate; `None` if there is none.
fn lowest(Region { low, high }: Region, free_submeshes: &FreeSubmeshes) -> Option<Coord> {
    let bases = (low[2]..=high[2]).flat_map(|z| (low[1]..=high[1]).map(move |y| [low[0], y, z]));
    bases.into_iter().find(|&base| free_submeshes.contains(base))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_machine::machine::Machine;

    #[test]
    fn the_running_example_is_found_at_the_left_side() -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new("6x6".parse()?);
        let mut busy = BusyList::default();
        for (base, sizes) in [([0, 0, 0], [2, 3, 1]), ([2, 0, 0], [2, 2, 1]), ([4, 3, 0], [2, 3, 1])] {
            let nodes = Submesh { base, sizes }.nodes(&machine);
            busy.add(machine.mesh(), &nodes);
            machine.occupy(&nodes)?;
        }
        // First fit would choose (4, 0) for 2×2.
        for (sizes, base) in [([3, 2, 1], Some([0, 3, 0])), ([2, 2, 1], Some([0, 3, 0])), ([5, 2, 1], None)] {
            assert_eq!(search(&machine, sizes, &busy), base, "{sizes:?}");
        }
        Ok(())
    }
}
