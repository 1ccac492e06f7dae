//! RFold: jobs are folded so that they need few cubes, and then put together from parts of cubes.
//!
//! S. S. Chen et al., "Toward Co-adapting Machine Learning Job Shape and Cluster Topology", arXiv 2510.03891,
//! 2025: the policy `rfold` of its simulator (github.com/shuoshuc/RFold).
//!
//! 1. A job with one side above 1 is laid along a path (2 to 4). For any other shape, list its foldings that
//!    need no more cubes than the shape. If there are any, exchange the shape for the one with the fewest
//!    cubes. Of several, take the one with the most sides above 1, then that with the smallest sides,
//!    shortest first. (The simulator takes whichever its set yields first.) Then place it as `rfold-reconfig`
//!    does.
//! 2. A path takes cubes with more than one free node: first all partial cubes, and then entire ones from the
//!    last to the first, until their free nodes are enough. Sort these cubes by their free nodes, most first,
//!    and take them until their free nodes are enough.
//! 3. All these cubes but the last are taken with all their free nodes. In the last one, find a path through
//!    exactly as many nodes as are missing, from face to face of the cube along z, otherwise y, otherwise x.
//!    A cube wraps around here.
//! 4. If there is no such path, as for a single missing node, place the job as `rfold-reconfig` does. The
//!    search gives up after 100,000 steps; the simulator gives up after 10 s of wall time.
//!
//! From two sides A, B above 1, foldings are {A/2, B, 2} and {A, B/2, 2}. With cubes of side 4 they are also
//! {A/4, B, 4}, {A/2, B/2, 4} and {A, B/4, 4}, and a side of 2 may become 4 while another is halved. Sides of
//! 1 do not count. Time as of `rfold-reconfig`, and that of the search for paths.

use super::foldings::{foldings, rank};
use super::path::Cube;
use super::pieces::cubes_for;
use super::rfold_reconfig::{Reconfig, strategy};
use crate::allocator::seam::{Allocator, AllocatorEntry, Memory, OnTori, Placement, Promises, Request};
use meshreplay_machine::machine::{Coord, Machine, NodeId};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "rfold",
    summary: "RFold: shapes folded into few cubes, which optical switches join",
    source: "Chen et al., RFold, arXiv 2510.03891, 2025",
    tori: OnTori::NeverWraps("each part of a box lies inside its cube"),
    promises: |_| Promises { exact: false, complete: false, memory: Memory::None },
    ..AllocatorEntry::non_contiguous(|_, setup| Ok(strategy(RFold { reconfig: Reconfig::on(setup.mesh) })))
};

/// Folds jobs and puts them together from parts of cubes.
struct RFold {
    reconfig: Reconfig,
}

impl Allocator for RFold {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let shape = request.sides_on(machine.mesh())?;
        if rank(shape) == 1 {
            let row = self.row(shape.iter().product(), machine);
            row.map(Placement::of).or_else(|| self.reconfig.place(shape, machine))
        } else {
            let folded = folded(shape, self.reconfig.cube);
            self.reconfig.place(folded, machine)
        }
    }
}

/// Returns the shape that is placed for `shape` on cubes with these sides.
fn folded(shape: [u32; 3], cube: [u32; 3]) -> [u32; 3] {
    let block = if cube == [cube[0]; 3] { cube[0] } else { 0 };
    let (cubes, most) = (|folded: &[u32; 3]| cubes_for(*folded, cube), cubes_for(shape, cube));
    let foldings = foldings(shape, block).into_iter().filter(|folded| cubes(folded) <= most);
    // Of equal ones `min_by_key` takes the first.
    foldings.min_by_key(cubes).unwrap_or(shape)
}

impl RFold {
    /// Returns the nodes of a row of `size` nodes that is laid along paths through cubes; `None` if there is
    /// no path.
    fn row(&self, size: u32, machine: &Machine) -> Option<Vec<NodeId>> {
        let free = |cube: u32| self.nodes(cube, machine).filter(|&node| machine.free().contains(node));
        let taken = self.cubes_of_row(size, |cube| free(cube).count() as u32)?;
        let (&last, entire) = taken.split_last()?;
        let mut nodes: Vec<NodeId> = entire.iter().flat_map(|&cube| free(cube)).collect();
        let mesh = machine.mesh();
        let node = |[x, y, z]: Coord| mesh.node([x, y, last * self.reconfig.cube[2] + z]);
        let cube = Cube::new(self.reconfig.cube, |at| machine.free().contains(node(at)));
        let missing = size - nodes.len() as u32;
        // Along every dimension of one node both faces are the whole cube, so one such search stands for all.
        let mut was_flat = false;
        let is_new = |&d: &usize| self.reconfig.cube[d] > 1 || !std::mem::replace(&mut was_flat, true);
        let path = [2, 1, 0].into_iter().filter(is_new).find_map(|d| cube.path(missing, d))?;
        nodes.extend(path.into_iter().map(node));
        Some(nodes)
    }

    /// Returns the cubes for a row of `size` nodes, in the order of use; `None` if their free nodes are not
    /// enough. `free` returns the number of free nodes of a cube.
    fn cubes_of_row(&self, size: u32, free: impl Fn(u32) -> u32) -> Option<Vec<u32>> {
        let all: u32 = self.reconfig.cube.iter().product();
        let counted: Vec<(u32, u32)> = (0..self.reconfig.cubes).map(|cube| (free(cube), cube)).collect();
        let usable = counted.iter().copied().filter(|&(free, _)| free > 1);
        let (mut entire, mut offered): (Vec<_>, Vec<_>) = usable.partition(|&(free, _)| free == all);
        while offered.iter().map(|(free, _)| free).sum::<u32>() < size {
            offered.push(entire.pop()?);
        }
        // The sort is stable: of cubes with as many free nodes, the one that was offered first stays first.
        offered.sort_by_key(|&(free, _)| std::cmp::Reverse(free));
        let mut taken = Vec::new();
        let mut rest = size;
        for (free, cube) in offered {
            taken.push(cube);
            if free >= rest {
                break;
            }
            rest -= free;
        }
        Some(taken)
    }

    /// Returns the nodes of a cube, sorted by their numbers.
    fn nodes(&self, cube: u32, machine: &Machine) -> impl Iterator<Item = NodeId> + use<> {
        let [width, length, depth] = self.reconfig.cube;
        debug_assert_eq!([width, length], [0, 1].map(|d| machine.mesh().extents()[d]));
        // The cubes are stacked along z, and have the whole width and length of the machine.
        let size = width * length * depth;
        cube * size..(cube + 1) * size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_folded_into_few_cubes() {
        for (shape, expected) in [
            ([1, 2, 8], [2, 2, 4]),
            ([8, 1, 6], [3, 4, 4]),
            ([2, 8, 2], [2, 4, 4]),
            // It stays, but its sides are sorted: it is a folding of itself.
            ([4, 2, 2], [2, 2, 4]),
            ([2, 5, 7], [2, 5, 7]),
            ([8, 4, 4], [8, 4, 4]),
            ([1, 5, 6], [2, 3, 5]),
        ] {
            assert_eq!(folded(shape, [4; 3]), expected, "{shape:?}");
        }
        assert_eq!(folded([2, 2, 8], [2; 3]), [2, 2, 8]);
    }

    #[test]
    fn rows_fill_cubes_and_end_in_a_path() -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new("ocs:3x2x2x2".parse()?);
        machine.occupy(&[8, 15])?;
        let placed = |length: u32, machine: &Machine| {
            let mut strategy = (ENTRY.build)(
                &mut meshreplay_base::spec::Params::new(&meshreplay_base::spec::Spec::named("rfold")),
                &crate::allocator::Setup::new(machine.mesh(), 0),
            )?;
            let found = strategy.propose(&Request::sides([1, 1, length]), machine);
            Ok::<_, meshreplay_base::spec::SpecError>(found.map(|placement| placement.nodes))
        };
        // The cube in use in part comes first; its nodes 8 and 15 are opposite corners.
        let row = placed(4, &machine)?.unwrap_or_default();
        assert!(row.len() == 4 && row.iter().all(|node| (9..15).contains(node)), "{row:?}");
        // Cube 2 is added and has more free nodes, so that it is taken entirely.
        let row = placed(10, &machine)?.unwrap_or_default();
        assert_eq!(row[..8], [16, 17, 18, 19, 20, 21, 22, 23]);
        assert!(row[8..].iter().all(|node| (9..15).contains(node)), "{row:?}");
        // A single node is missing after the entire cube: no path, and no part has nine nodes in a row.
        assert_eq!(placed(9, &machine)?, None);
        assert_eq!(placed(1, &machine)?, Some(vec![0]));
        Ok(())
    }
}
