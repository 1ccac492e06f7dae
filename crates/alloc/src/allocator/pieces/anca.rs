//! ANCA, adaptive non-contiguous allocation: places a job in one submesh, or else in two halves, in four
//! quarters, etc.
//!
//! C.-Y. Chang, P. Mohapatra, "Performance improvement of allocation schemes for mesh-connected computers",
//! J. Parallel and Distributed Computing 52(1), 1998.
//!
//! 1. At level 0 there is one part, which has the shape of the job.
//! 2. All parts of a level are placed, the largest first. Each gets the first free submesh of its sides in
//!    scan order, in another orientation if necessary. If a part finds no free submesh, no part of the level
//!    is placed.
//! 3. Then each part is halved along its longest side, the first of equals. A side of s nodes becomes ⌈s/2⌉
//!    and ⌊s/2⌋. The next level is tried.
//! 4. `split=published` refuses the job if a part to be halved has a side of one node along a dimension of
//!    more than one node. `split=full` goes on down to single nodes. It never refuses while enough nodes for
//!    the shape are free.
//!
//! A level of f parts takes time O(f·N/64·log a) on a machine of N nodes, where a is the longest side of a
//! part.

use crate::allocator::contiguous::orientations::orientations;
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Foresight, Memory, NodesFor, Placement, Promises, Request, Served, Strategy,
};
use meshreplay_machine::machine::{FreeSubmeshes, Machine, Mesh, Submesh};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "anca",
    summary: "the job's rectangle or cuboid whole, or halved again and again, all parts of one level",
    source: "Chang, Mohapatra, J. Parallel and Distributed Computing 52(1), 1998",
    parameters: "split=published (full)",
    promises: |spec| {
        let full = spec.params.get("split").is_some_and(|split| split == "full");
        Promises { exact: false, complete: full, memory: Memory::None }
    },
    ..AllocatorEntry::non_contiguous(|params, _| {
        let split = params.choose("split", &[("published", Split::Published), ("full", Split::Full)])?;
        let strategy = Strategy::of(Anca { split, free_submeshes: FreeSubmeshes::default() });
        let served = match split {
            Split::Published => Served::ByState(Foresight::Proposes),
            Split::Full => Served::ByCount,
        };
        Ok(strategy
            .served(served)
            .with_nodes_for(|request, mesh| NodesFor::of_submesh(request.sides_on(mesh))))
    })
};

/// The rule for how far the parts of a job are halved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Split {
    /// A level with a part that is one node wide is not halved: the job is refused.
    Published,
    /// The parts are halved down to single nodes.
    Full,
}

struct Anca {
    split: Split,
    free_submeshes: FreeSubmeshes,
}

impl Allocator for Anca {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let mesh = machine.mesh();
        let shape = request.sides_on(mesh)?;
        if shape.iter().product::<u32>() > machine.free_count() {
            return None;
        }
        let mut level = vec![shape];
        loop {
            if let Some(places) = self.place_all(machine, &level) {
                let nodes = places.into_iter().flat_map(|place| place.nodes(machine)).collect();
                return Some(Placement::of(nodes));
            }
            level = self.halve(mesh, level)?;
        }
    }
}

impl Anca {
    /// Returns a free submesh for each part of a level, in order; `None` if a part finds none. The submeshes
    /// do not overlap. The parts must come in descending size.
    fn place_all(&mut self, machine: &Machine, level: &[[u32; 3]]) -> Option<Vec<Submesh>> {
        let mut left = machine.clone();
        let mut places = Vec::with_capacity(level.len());
        for &frame in level {
            let place = orientations(frame, machine.mesh()).into_iter().find_map(|sizes| {
                self.free_submeshes.find_first(&left, sizes).map(|base| Submesh { base, sizes })
            })?;
            left.occupy(&place.nodes(machine)).ok()?;
            places.push(place);
        }
        Some(places)
    }

    /// Returns the parts of the next level, the largest first; `None` if the rule gives up or all parts are
    /// single nodes.
    fn halve(&self, mesh: &Mesh, level: Vec<[u32; 3]>) -> Option<Vec<[u32; 3]>> {
        let mut next = Vec::with_capacity(2 * level.len());
        let thin = |frame: &[u32; 3]| (0..3).any(|d| mesh.extents()[d] > 1 && frame[d] == 1);
        if self.split == Split::Published && level.iter().any(thin) {
            return None;
        }
        let mut halved = false;
        for frame in level {
            let longest = frame.iter().copied().max().unwrap_or(1);
            let Some(d) = (0..3).find(|&d| frame[d] == longest && longest > 1) else {
                next.push(frame);
                continue;
            };
            for side in [longest.div_ceil(2), longest / 2] {
                let mut half = frame;
                half[d] = side;
                next.push(half);
            }
            halved = true;
        }
        next.sort_by_key(|frame| std::cmp::Reverse(frame.iter().product::<u32>()));
        halved.then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(machine: &Machine, sides: [u32; 3], split: Split) -> Option<Vec<u32>> {
        let mut strategy = Anca { split, free_submeshes: FreeSubmeshes::default() };
        strategy.propose(&Request::sides(sides), machine).map(|placement| placement.nodes)
    }

    #[test]
    fn a_job_is_halved_until_all_parts_of_a_level_fit() -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new("5x4".parse()?);
        // A cross in the middle leaves 2×2 and 2×1 in the corners.
        machine.occupy(&[2, 7, 12, 17, 10, 11, 13, 14])?;
        assert_eq!(placed(&machine, [2, 2, 1], Split::Published), Some(vec![0, 1, 5, 6]));
        // 4×2 is free nowhere; two 2×2 are.
        assert_eq!(placed(&machine, [4, 2, 1], Split::Published), Some(vec![0, 1, 5, 6, 3, 4, 8, 9]));
        Ok(())
    }

    #[test]
    fn the_published_strategy_gives_up_on_a_diagonal() -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new("3x3".parse()?);
        machine.occupy(&[1, 2, 3, 5, 6, 7])?;
        assert_eq!(placed(&machine, [2, 1, 1], Split::Published), None);
        assert_eq!(placed(&machine, [2, 1, 1], Split::Full), Some(vec![0, 4]));
        assert_eq!(placed(&machine, [3, 1, 1], Split::Full), Some(vec![0, 4, 8]));
        Ok(())
    }
}
