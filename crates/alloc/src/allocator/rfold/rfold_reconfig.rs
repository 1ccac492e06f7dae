//! RFold's reconfiguration: a job's box is put together from parts of cubes that optical switches join.
//!
//! S. S. Chen et al., "Toward Co-adapting Machine Learning Job Shape and Cluster Topology", arXiv 2510.03891,
//! 2025: the policy `reconfig` of its simulator (github.com/shuoshuc/RFold).
//!
//! 1. The machine is a list of cubes, as in `ocs:8x4x4x4`. Switches join the faces of any two of them, so
//!    that the cubes of a job need not be neighbours. Any other machine is one cube.
//! 2. Try the orientations of the job's shape in the order of `rfold-first-fit`. A side s = f·c + p, for
//!    cubes of side c, gives f parts of side c and a part of side p. Each part comes from a cube of its own.
//! 3. Parts of the same sizes are placed together, in this order: entire cubes; parts with the rest p along z
//!    only; along y; along x; along y and z; along x and z; along x and y; along all.
//! 4. All parts of one kind have the same place inside their cubes, because switches join equal positions of
//!    faces. If the job takes an entire cube, these places are the corners, otherwise all places, by x, then
//!    y, then z. The first place with enough free cubes that no other part has is taken; the cubes are taken
//!    in the order of their numbers.
//! 5. If a kind has no place, the next orientation is tried.
//!
//! In cubes of side 4, corners are tried in the order of the simulator, which comes from a set of the
//! language Python and is kept as a table; in other cubes by x, then y, then z. Nothing wraps around inside a
//! cube. Rank order is that of the box, row by row. Time O(N) per request, orientation and kind on a machine
//! of N nodes.

use super::foldings::turns;
use super::pieces::{PartKind, cubes_for, kinds};
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Foresight, Memory, NodesFor, OnTori, Placement, Promises, Request, Served,
    Strategy,
};
use meshreplay_machine::machine::{Coord, FreeSubmeshes, Machine, Mesh, NodeId};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "rfold-reconfig",
    summary: "RFold's reconfiguration: a box from parts of cubes that optical switches join",
    source: "Chen et al., RFold, arXiv 2510.03891, 2025: reconfig of its simulator",
    tori: OnTori::NeverWraps("each part of a box lies inside its cube"),
    promises: |_| Promises { exact: false, complete: false, memory: Memory::None },
    ..AllocatorEntry::non_contiguous(|_, setup| Ok(strategy(Reconfig::on(setup.mesh))))
};

/// Returns the strategy of an allocator that gives a request the nodes of its shape, or refuses it by the
/// state of the machine, and keeps no index.
pub(super) fn strategy(allocator: impl Allocator + 'static) -> Strategy {
    Strategy::of(allocator)
        .served(Served::ByState(Foresight::Proposes))
        .with_nodes_for(|request, mesh| NodesFor::of_submesh(request.sides_on(mesh)))
}

/// Puts boxes together from parts of cubes.
#[derive(Debug)]
pub(super) struct Reconfig {
    /// The sides of the cubes, which are stacked along z.
    pub(super) cube: [u32; 3],
    /// The number of cubes.
    pub(super) cubes: u32,
    pub(super) offsets: Offsets,
    /// The free places of the current part. The field exists only to reuse memory.
    free_submeshes: FreeSubmeshes,
}

/// The parts of one kind with their places: the offset inside the cubes, and the numbers of the cubes.
pub(super) struct PlacedParts {
    pub(super) kind: PartKind,
    pub(super) offset: Coord,
    pub(super) cubes: Vec<u32>,
}

impl Reconfig {
    /// Returns the allocator for a machine.
    pub(super) fn on(mesh: &Mesh) -> Self {
        let cube = mesh.cube().unwrap_or(mesh.extents());
        let (cubes, offsets) = (mesh.extents()[2] / cube[2], Offsets::new(cube));
        Self { cube, cubes, offsets, free_submeshes: FreeSubmeshes::default() }
    }

    /// Returns the placement of a box with these sides in one of its orientations; `None` if none is free.
    pub(super) fn place(&mut self, shape: [u32; 3], machine: &Machine) -> Option<Placement> {
        let (mut submeshes, mut searched) = (std::mem::take(&mut self.free_submeshes), [0; 3]);
        let depth = self.cube[2];
        let mut is_free = |sizes, cube: u32, [x, y, z]: Coord| {
            if searched != sizes {
                submeshes.find(machine, sizes);
                searched = sizes;
            }
            // The part lies inside its cube, so a free submesh at this base is all that counts.
            submeshes.contains([x, y, cube * depth + z])
        };
        let placement = turns(shape).into_iter().find_map(|sides| {
            let placed = self.parts(sides, &mut is_free)?;
            Some(Placement::of_box(self.nodes(sides, &placed, machine.mesh()), sides))
        });
        self.free_submeshes = submeshes;
        placement
    }

    /// Returns the places of all parts of a box with these sides; `None` if a part finds none. `is_free`
    /// returns whether a part of these sizes is free in a cube at an offset.
    pub(super) fn parts(
        &self,
        sides: [u32; 3],
        is_free: &mut impl FnMut([u32; 3], u32, Coord) -> bool,
    ) -> Option<Vec<PlacedParts>> {
        if cubes_for(sides, self.cube) > self.cubes {
            return None;
        }
        let (mut taken, mut placed) = (vec![false; self.cubes as usize], Vec::new());
        let takes_entire = kinds(sides, self.cube).any(|kind| kind.is_entire());
        for kind in kinds(sides, self.cube) {
            let is_free = |cube: u32, offset| !taken[cube as usize] && is_free(kind.sizes, cube, offset);
            let parts = self.part(kind, takes_entire, is_free)?;
            parts.cubes.iter().for_each(|&cube| taken[cube as usize] = true);
            placed.push(parts);
        }
        Some(placed)
    }

    /// Returns the first place with enough free cubes for the parts of one kind; `None` if there is none.
    fn part(
        &self,
        kind: PartKind,
        takes_entire: bool,
        mut is_free: impl FnMut(u32, Coord) -> bool,
    ) -> Option<PlacedParts> {
        let at = |offset: Coord| {
            let count = kind.count() as usize;
            let free = (0..self.cubes).filter(|&cube| is_free(cube, offset));
            let numbers: Vec<u32> = free.take(count).collect();
            (numbers.len() == count).then_some(PlacedParts { kind, offset, cubes: numbers })
        };
        self.offsets.of_part(kind.sizes, takes_entire).into_iter().find_map(at)
    }

    /// Returns the nodes of a box in row-major order of the box.
    fn nodes(&self, sides: [u32; 3], placed: &[PlacedParts], mesh: &Mesh) -> Vec<NodeId> {
        let full = [0, 1, 2].map(|d| sides[d] / self.cube[d]);
        let node = |at: Coord| {
            let number = [0, 1, 2].map(|d| at[d] / self.cube[d]);
            let rest = [0, 1, 2].map(|d| number[d] == full[d]);
            let part = placed.iter().find(|part| part.kind.rest == rest)?;
            // Parts of one kind are numbered row by row. There is one part along a dimension of rests.
            let [x, y, z] = [0, 1, 2].map(|d| if rest[d] { 0 } else { number[d] });
            let [width, length, _] = part.kind.along;
            let cube = part.cubes[(x + width * (y + length * z)) as usize];
            let [x, y, z] = [0, 1, 2].map(|d| part.offset[d] + at[d] % self.cube[d]);
            Some(mesh.node([x, y, cube * self.cube[2] + z]))
        };
        let all = (0..sides[2])
            .flat_map(|z| (0..sides[1]).flat_map(move |y| (0..sides[0]).map(move |x| [x, y, z])));
        all.filter_map(node).collect()
    }
}

impl Allocator for Reconfig {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let shape = request.sides_on(machine.mesh())?;
        self.place(shape, machine)
    }
}

/// The corners of a cube of side 4 in the order of RFold, by the sizes of the part: `px,py,pz,x.y.z x.y.z …`.
///
/// RFold keeps the corners in a Python set, so their order comes from hash values and not from a rule of the
/// policy. The table was recorded by calling RFold's simulator (github.com/shuoshuc/RFold) under Python 3.11.
/// It contains facts, and no code.
const CORNERS: &str = include_str!("corner-order.csv");

/// The offsets of parts of a box inside their cubes.
#[derive(Clone, Debug)]
pub(super) struct Offsets {
    cube: [u32; 3],
    /// The corners of a cube of side 4 by the sizes of the part; empty for other cubes.
    corners: Vec<([u32; 3], Vec<Coord>)>,
}

impl Offsets {
    /// Returns the offsets in cubes with these sides.
    pub(super) fn new(cube: [u32; 3]) -> Self {
        let rows = CORNERS.lines().skip(1).filter_map(row);
        Self { cube, corners: if cube == [4; 3] { rows.collect() } else { Vec::new() } }
    }

    /// Returns the offsets of a part of these sizes in the order of the search: all offsets, or the corners
    /// if the box also takes entire cubes.
    pub(super) fn of_part(&self, sizes: [u32; 3], takes_entire: bool) -> Vec<Coord> {
        if takes_entire { self.corners(sizes) } else { self.all(sizes).collect() }
    }

    /// Returns all offsets of a part of these sizes inside its cube, sorted by x, then y, then z.
    pub(super) fn all(&self, sizes: [u32; 3]) -> impl Iterator<Item = Coord> {
        let [xs, ys, zs] = [0, 1, 2].map(|d| 0..=self.cube[d] - sizes[d]);
        xs.flat_map(move |x| {
            let zs = zs.clone();
            ys.clone().flat_map(move |y| zs.clone().map(move |z| [x, y, z]))
        })
    }

    /// Returns the distinct offsets of a part of these sizes in the corners of its cube: in cubes of side 4
    /// in the order of RFold, otherwise sorted by x, then y, then z.
    pub(super) fn corners(&self, sizes: [u32; 3]) -> Vec<Coord> {
        if let Some((_, corners)) = self.corners.iter().find(|(known, _)| *known == sizes) {
            return corners.clone();
        }
        let far = [0, 1, 2].map(|d| self.cube[d] - sizes[d]);
        let mut corners: Vec<Coord> =
            (0..8_u32).map(|corner| [2, 1, 0].map(|bit| corner >> bit & 1)).collect();
        for corner in &mut corners {
            *corner = [0, 1, 2].map(|d| corner[d] * far[d]);
        }
        corners.sort_unstable();
        corners.dedup();
        corners
    }
}

/// Reads a row of the table; `None` if it is malformed, which no row is.
fn row(line: &str) -> Option<([u32; 3], Vec<Coord>)> {
    let triple = |text: &str, separator| -> Option<[u32; 3]> {
        let numbers: Vec<u32> = text.split(separator).map_while(|part| part.parse().ok()).collect();
        numbers.try_into().ok()
    };
    let (sizes, places) = line.rsplit_once(',')?;
    Some((triple(sizes, ',')?, places.split(' ').map_while(|place| triple(place, '.')).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(machine: &Machine, sides: [u32; 3]) -> Option<Vec<NodeId>> {
        let allocator = Reconfig::on(machine.mesh());
        strategy(allocator).propose(&Request::sides(sides), machine).map(|placement| placement.nodes)
    }

    #[test]
    fn boxes_come_from_cubes_that_are_no_neighbours() -> Result<(), Box<dyn std::error::Error>> {
        // Five cubes of 2x2x2: cube n has nodes 8n to 8n + 7.
        let mut machine = Machine::new("ocs:5x2x2x2".parse()?);
        machine.occupy(&[8, 26])?;
        // Along the first turn, two entire cubes; cube 1 is not entire.
        let nodes = placed(&machine, [4, 2, 2]);
        assert_eq!(nodes, Some(vec![0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23]));
        // An entire cube, and a part of 1x2x2 in a corner: cube 1 is not free at x = 0, cube 2 is.
        let mut nodes = placed(&machine, [3, 2, 2]).unwrap_or_default();
        nodes.sort_unstable();
        assert_eq!(nodes, [0, 1, 2, 3, 4, 5, 6, 7, 16, 18, 20, 22]);
        // No entire cube is left, and layers are free at z = 1 only.
        machine.occupy(&[0, 16, 32])?;
        let mut nodes = placed(&machine, [2, 2, 1]).unwrap_or_default();
        nodes.sort_unstable();
        assert_eq!(nodes, [4, 5, 6, 7]);
        assert_eq!(placed(&machine, [2, 2, 2]), None);
        Ok(())
    }

    #[test]
    fn rank_order_is_that_of_the_box() -> Result<(), Box<dyn std::error::Error>> {
        let machine = Machine::new("ocs:8x2x2x2".parse()?);
        for sides in [[3, 3, 3], [1, 4, 2], [2, 3, 4], [4, 4, 2]] {
            let nodes = placed(&machine, sides).unwrap_or_default();
            assert_eq!(nodes.len() as u32, sides.iter().product::<u32>(), "{sides:?}");
            // Two nodes that are neighbours in the box and in one cube are neighbours there.
            let mesh = machine.mesh();
            for pair in nodes.windows(2).filter(|pair| pair[0] / 8 == pair[1] / 8) {
                let hops = mesh.l1(mesh.coord(pair[0]), mesh.coord(pair[1]));
                assert!(hops <= 3, "{sides:?}: {pair:?}");
            }
            let mut once = nodes.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), nodes.len());
        }
        assert_eq!(placed(&machine, [5, 5, 1]), None);
        Ok(())
    }

    #[test]
    fn a_machine_without_switches_is_one_cube() -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new("torus:3x3".parse()?);
        machine.occupy(&[0, 2, 4])?;
        assert_eq!(placed(&machine, [2, 1, 1]), Some(vec![6, 7]));
        assert_eq!(placed(&machine, [4, 1, 1]), None);
        Ok(())
    }
}

#[cfg(test)]
mod offsets_tests {
    use super::*;

    #[test]
    fn the_table_has_the_corners_of_every_part_once() {
        let (table, plain) = (Offsets::new([4; 3]), Offsets { cube: [4; 3], corners: Vec::new() });
        assert_eq!(table.corners.len(), 64);
        for x in 1..=4 {
            for y in 1..=4 {
                for z in 1..=4 {
                    let mut corners = table.corners([x, y, z]);
                    corners.sort_unstable();
                    assert_eq!(corners, plain.corners([x, y, z]));
                }
            }
        }
        assert_eq!(table.corners([4, 4, 2]), [[0, 0, 0], [0, 0, 2]]);
        assert_eq!(table.corners([1, 1, 4]), [[3, 0, 0], [0, 0, 0], [0, 3, 0], [3, 3, 0]]);
    }

    #[test]
    fn other_places_are_sorted() {
        let offsets = Offsets::new([2, 1, 3]);
        let all: Vec<Coord> = offsets.all([1, 1, 2]).collect();
        assert_eq!(all, [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]);
        assert_eq!(offsets.corners([1, 1, 1]), [[0, 0, 0], [0, 0, 2], [1, 0, 0], [1, 0, 2]]);
    }
}
