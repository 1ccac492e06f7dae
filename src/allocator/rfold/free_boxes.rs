//! The boxes that `rfold-reconfig` could place on the free nodes of a machine of cubes behind optical switches.
//!
//! Counting places them one after the other. Where the parts of a box all have the same sizes in every turn, as in most,
//! one pass over the places inside a cube places them all: a place at which too few cubes are free stays so.
//!
//! The largest box is at least a row of all entire cubes, and it is found by branch and bound: a longer box needs cubes of
//! which only a part is used. How many cubes are free at one place, for parts of each size, bounds the number of its parts,
//! and the free nodes of the cubes bound its size. What is left is tried.

use std::collections::BTreeMap;

use super::pieces::{Kind, cubes_for, kinds};
use super::rfold_reconfig::Reconfig;
use super::turns::turns;
use crate::machine::{Coord, Machine, Mesh, Submesh};

/// Finds the boxes that switches could put together from the free nodes of a machine.
pub struct FreeBoxes {
    reconfig: Reconfig,
    /// The sides of the box that was the largest when it was last looked for.
    largest: [u32; 3],
}

impl std::fmt::Debug for FreeBoxes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FreeBoxes").field("largest", &self.largest).finish_non_exhaustive()
    }
}

/// How full the cubes of a machine are.
struct Cubes {
    /// The number of cubes of which all nodes are free.
    entire: u32,
    /// The number of cubes with a free node.
    usable: u32,
    /// The number of free nodes.
    free: u32,
}

impl FreeBoxes {
    /// Returns the finder for a machine of cubes; `None` for any other machine.
    pub fn on(mesh: &Mesh) -> Option<Self> {
        mesh.cube().map(|_| Self { reconfig: Reconfig::on(mesh), largest: [0; 3] })
    }

    /// Returns how many boxes with these sides, turned in any way, could be placed one after the other.
    pub fn count(&mut self, sides: [u32; 3], machine: &Machine) -> u32 {
        let cubes = self.reconfig.cubes;
        let mut turns = turns(sides);
        turns.retain(|&turn| cubes_for(turn, self.reconfig.cube) <= cubes);
        let mut left = machine.clone();
        let single: Option<Vec<Kind>> = turns.iter().map(|&turn| self.single_kind(turn)).collect();
        if let Some(parts) = single {
            return parts.into_iter().map(|kind| self.fill(kind, &mut left)).sum();
        }
        let mut count = 0;
        while let Some(placement) = self.reconfig.place(sides, &left) {
            if left.occupy(&placement.nodes).is_err() {
                break;
            }
            count += 1;
        }
        count
    }

    /// Returns the parts of a box if all have the same sizes; `None` otherwise.
    fn single_kind(&self, sides: [u32; 3]) -> Option<Kind> {
        let mut kinds = kinds(sides, self.reconfig.cube);
        kinds.next().filter(|_| kinds.next().is_none())
    }

    /// Places boxes of these parts until there is no place for another one, and returns their number.
    fn fill(&mut self, kind: Kind, machine: &mut Machine) -> u32 {
        let Reconfig { cube, cubes, offsets, free_submeshes } = &mut self.reconfig;
        free_submeshes.find(machine, kind.sizes);
        let mut count = 0;
        for offset in offsets.all(kind.sizes) {
            let part =
                |n: u32| Submesh { base: [offset[0], offset[1], n * cube[2] + offset[2]], sizes: kind.sizes };
            // A node of an earlier box is no longer free.
            let is_free = |part: &Submesh| free_submeshes.contains(part.base) && part.is_free(machine);
            let free: Vec<Submesh> = (0..*cubes).map(part).filter(is_free).collect();
            for parts in free.chunks_exact(kind.count() as usize) {
                let nodes: Vec<_> = parts.iter().flat_map(|part| part.nodes(machine)).collect();
                if machine.occupy(&nodes).is_ok() {
                    count += 1;
                }
            }
        }
        count
    }

    /// Returns the number of nodes of the largest box that could be placed; 0 if no node is free.
    pub fn largest(&mut self, machine: &Machine) -> u32 {
        let cubes = self.cubes(machine);
        let cube = self.reconfig.cube;
        let all = nodes(cube);
        let row = [cube[0] * cubes.entire, cube[1], cube[2]];
        let before = self.largest;
        let is_kept = nodes(before) > nodes(row) && self.reconfig.parts(before, machine).is_some();
        self.largest = if is_kept { before } else { row };
        // Without cubes that are free in part, no box has more nodes than all entire cubes.
        if cubes.usable > cubes.entire {
            let mut reach = Reach::default();
            for rest in rests(cube) {
                self.search(rest, &cubes, all, (machine, &mut reach));
            }
        }
        nodes(self.largest)
    }

    /// Replaces the largest box by the largest one whose sides have these rests, if that has more nodes.
    fn search(&mut self, rest: [u32; 3], cubes: &Cubes, all: u32, (machine, reach): (&Machine, &mut Reach)) {
        let cube = self.reconfig.cube;
        // Along d the box ends in parts of cubes. `across` counts cubes along the other two dimensions.
        let Some(d) = (0..3).find(|&d| rest[d] > 0) else { return };
        let [e, f] = [[1, 2], [0, 2], [0, 1]][d];
        let unused = all / cube[d] * (cube[d] - rest[d]);
        // Cubes along each dimension, the one of the rest included, to sides.
        let side = |axis: usize, cubes: u32| {
            cubes * cube[axis] - if rest[axis] > 0 { cube[axis] - rest[axis] } else { 0 }
        };
        for across_e in 1..=cubes.usable {
            // With more cubes at its end, of each of which so many nodes are unused, a box is no larger than the best one.
            let spare = (cubes.usable * all).saturating_sub(nodes(self.largest) + 1);
            for across_f in 1..=(spare / unused).min(cubes.usable) / across_e {
                let with = |along: u32| {
                    let mut sides = [0; 3];
                    (sides[d], sides[e], sides[f]) = (side(d, along), side(e, across_e), side(f, across_f));
                    sides
                };
                let best = nodes(self.largest);
                let longest = (1..=cubes.usable / (across_e * across_f)).rev().map(with);
                let found = longest.take_while(|&sides| nodes(sides) > best).find(|&sides| {
                    nodes(sides) <= cubes.free
                        && self.may_fit(sides, (machine, reach))
                        && self.reconfig.parts(sides, machine).is_some()
                });
                self.largest = found.unwrap_or(self.largest);
            }
        }
    }

    /// Returns false if a box has more parts of one kind than cubes are free at any one place.
    fn may_fit(&mut self, sides: [u32; 3], (machine, reach): (&Machine, &mut Reach)) -> bool {
        let cube = self.reconfig.cube;
        let has_entire = kinds(sides, cube).any(|kind| kind.is_entire());
        kinds(sides, cube).all(|kind| {
            let free = reach.0.entry((kind.sizes, has_entire));
            kind.count() <= *free.or_insert_with(|| self.reconfig.most_free(kind, has_entire, machine))
        })
    }

    /// Counts the cubes.
    fn cubes(&mut self, machine: &Machine) -> Cubes {
        let Reconfig { cube, cubes, free_submeshes, .. } = &mut self.reconfig;
        free_submeshes.find(machine, *cube);
        let all = nodes(*cube);
        let entire = (0..*cubes).filter(|n| free_submeshes.contains([0, 0, n * cube[2]])).count() as u32;
        // The nodes of a cube have consecutive numbers.
        let (mut usable, mut last) = (0, None);
        for node in machine.free().iter() {
            if last != Some(node / all) {
                (usable, last) = (usable + 1, Some(node / all));
            }
        }
        Cubes { entire, usable, free: machine.free_count() }
    }
}

/// Returns the number of nodes of a box.
fn nodes(sides: [u32; 3]) -> u32 {
    sides.iter().product()
}

/// The most cubes that are free at one place, by the sizes of a part and whether only corners count.
#[derive(Default)]
struct Reach(BTreeMap<(Coord, bool), u32>);

/// Returns the rests that the sides of a box may have beyond entire cubes, without those of entire cubes only.
fn rests(cube: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let [width, length, depth] = cube;
    let all = (0..depth).flat_map(move |z| (0..length).flat_map(move |y| (0..width).map(move |x| [x, y, z])));
    all.skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::rfold::rfold_reconfig::strategy;
    use crate::allocator::seam::{Request, Strategy};

    type Tested = Result<(), Box<dyn std::error::Error>>;

    /// Places boxes one after the other by the allocator itself.
    fn placed(
        strategy: &mut Strategy,
        sides: [u32; 3],
        machine: &Machine,
    ) -> Result<u32, Box<dyn std::error::Error>> {
        let (mut left, mut count) = (machine.clone(), 0);
        while let Some(placement) = strategy.propose(&Request::sides(sides), &left) {
            left.occupy(&placement.nodes)?;
            count += 1;
        }
        Ok(count)
    }

    #[test]
    fn random_machines_have_the_boxes_that_the_allocator_places() -> Tested {
        let mut seed = 1_u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for text in ["ocs:5x2x2x2", "ocs:4x3x2x2", "ocs:7x2x1x2", "ocs:6x3x1x1", "ocs:1x3x3x2", "ocs:6x1x1x1"]
        {
            let mesh: Mesh = text.parse()?;
            let mut boxes = FreeBoxes::on(&mesh).ok_or("no cubes")?;
            let mut allocator = strategy(Reconfig::on(&mesh));
            let cube = nodes(mesh.cube().ok_or("no cubes")?);
            let all: Vec<[u32; 3]> = {
                let side = 1..=mesh.nodes();
                let pairs = side.clone().flat_map(|x| (1..=mesh.nodes() / x).map(move |y| (x, y)));
                pairs.flat_map(|(x, y)| (1..=mesh.nodes() / (x * y)).map(move |z| [x, y, z])).collect()
            };
            for _ in 0..40 {
                let mut machine = Machine::new(mesh.clone());
                // Entire cubes in use, and single nodes that are down.
                let (busy, down) = (draw(3), draw(4));
                for n in 0..mesh.nodes() / cube {
                    let is_busy = draw(4) < busy;
                    let taken = (n * cube..(n + 1) * cube).filter(|_| is_busy || draw(8) < down);
                    machine.occupy(&taken.collect::<Vec<_>>())?;
                }
                let mut largest = 0;
                for &sides in &all {
                    if nodes(sides) > largest && allocator.propose(&Request::sides(sides), &machine).is_some()
                    {
                        largest = nodes(sides);
                    }
                }
                assert_eq!(boxes.largest(&machine), largest, "{text}");
                for _ in 0..12 {
                    let sides = all[draw(all.len() as u64) as usize];
                    let count = placed(&mut allocator, sides, &machine)?;
                    assert_eq!(boxes.count(sides, &machine), count, "{text}: {sides:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn free_cubes_join_and_those_with_a_node_down_do_not() -> Tested {
        let mesh: Mesh = "ocs:4x4x4x4".parse()?;
        let mut boxes = FreeBoxes::on(&mesh).ok_or("no cubes")?;
        let mut machine = Machine::new(mesh);
        // Cubes 0 and 2 are in use.
        machine.occupy(&(0..64).chain(128..192).collect::<Vec<_>>())?;
        assert_eq!(boxes.largest(&machine), 128);
        assert_eq!(
            [[4; 3], [8, 4, 4], [4, 4, 2], [12, 4, 4]].map(|sides| boxes.count(sides, &machine)),
            [2, 1, 4, 0]
        );
        machine.occupy(&[64])?;
        assert_eq!(boxes.largest(&machine), 64 + 48);
        assert_eq!([[4; 3], [8, 4, 4], [4, 4, 2]].map(|sides| boxes.count(sides, &machine)), [1, 0, 3]);
        Ok(())
    }
}
