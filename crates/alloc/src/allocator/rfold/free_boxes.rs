//! The boxes that `rfold-reconfig` could place on the free nodes of a machine of cubes behind optical
//! switches.
//!
//! Counting places them one after the other, with two shortcuts. Boxes of entire cubes need a fixed number of
//! free cubes. Boxes within one cube are counted per cube, and again only for cubes with changed nodes.
//!
//! The largest box is at least a row of all entire cubes. Larger boxes end in parts of cubes and are found by
//! branch and bound. Two bounds prune them: the unused nodes of these partial cubes, and the number of cubes
//! that are free for such a part at one place. The remaining boxes are tried.
//!
//! A summed-area table per cube counts the free nodes of a part of the cube in constant time. A change of a
//! cube takes O(nodes of the cube).

use std::collections::BTreeMap;

use super::foldings::turns;
use super::pieces::{cubes_for, kinds};
use super::rfold_reconfig::{PlacedParts, Reconfig};
use crate::allocator::box_sums::Sums;
use meshreplay_machine::machine::{Coord, Machine, Mesh, NodeSet};

/// Finds the boxes that switches could put together from the free nodes of a machine.
#[derive(Debug)]
pub struct FreeBoxes {
    reconfig: Reconfig,
    cubes: Cubes,
    /// The sides of the box that was the largest when it was last looked for.
    largest: [u32; 3],
    /// Memo of parts of cubes, by their sizes and by whether the box also takes entire cubes.
    reach: BTreeMap<([u32; 3], bool), PartReach>,
    /// For boxes within one cube, how many fit into each cube.
    within: BTreeMap<[u32; 3], Vec<u32>>,
}

impl FreeBoxes {
    /// Returns the finder for a machine of several cubes; `None` for any other machine.
    pub fn on(mesh: &Mesh) -> Option<Self> {
        let cubes = Cubes::new(mesh.cube()?, mesh.nodes());
        // A single cube is a mesh.
        if cubes.count() == 1 {
            return None;
        }
        Some(Self {
            reconfig: Reconfig::on(mesh),
            cubes,
            largest: [0; 3],
            reach: BTreeMap::new(),
            within: BTreeMap::new(),
        })
    }

    /// Takes over the free nodes of `machine`.
    pub fn update(&mut self, machine: &Machine) {
        let changed = self.cubes.changed(machine);
        let mut count = |cubes: &Cubes, change| {
            for reach in self.reach.values_mut() {
                for &cube in &changed {
                    reach.count(cubes, cube, change);
                }
            }
        };
        count(&self.cubes, u32::wrapping_sub);
        self.cubes.update(machine, &changed);
        count(&self.cubes, u32::wrapping_add);
        for (&sides, counts) in &mut self.within {
            for &cube in &changed {
                counts[cube as usize] = count_within(&self.reconfig, &self.cubes, cube, sides);
            }
        }
    }

    /// Returns how many boxes with these sides, turned in any way, could be placed one after the other.
    pub fn count(&mut self, sides: [u32; 3]) -> u32 {
        let Self { reconfig, cubes, within, .. } = self;
        let turns = turns(sides);
        let needed = turns.iter().map(|&turn| cubes_for(turn, cubes.sides));
        let (least, most) = (needed.clone().min().unwrap_or(0), needed.max().unwrap_or(0));
        let is_entire = |turn: &[u32; 3]| kinds(*turn, cubes.sides).all(|kind| kind.is_entire());
        if turns.iter().all(is_entire) {
            return (0..cubes.count()).filter(|&cube| cubes.free(cube) == cubes.nodes()).count() as u32
                / most;
        }
        if (least, most) == (1, 1) {
            let all =
                |_: &_| (0..cubes.count()).map(|cube| count_within(reconfig, cubes, cube, sides)).collect();
            return within.entry(sides).or_insert_with_key(all).iter().sum();
        }
        let (mut left, mut count) = (cubes.clone(), 0);
        while take(reconfig, &mut left, sides) {
            count += 1;
        }
        count
    }

    /// Returns the number of nodes of the largest box that could be placed; 0 if no node is free.
    pub fn largest(&mut self) -> u32 {
        let cubes = &self.cubes;
        let entire = (0..cubes.count()).filter(|&cube| cubes.free(cube) == cubes.nodes()).count() as u32;
        let partial = (0..cubes.count()).filter(|&cube| cubes.is_partial(cube)).count() as u32;
        let row = [cubes.sides[0] * entire, cubes.sides[1], cubes.sides[2]];
        let is_kept = nodes(self.largest) > nodes(row) && self.is_placed(self.largest);
        self.largest = if is_kept { self.largest } else { row };
        // Without cubes that are free in part, no box has more nodes than all entire cubes.
        if partial > 0 {
            for rest in rests(self.cubes.sides) {
                self.search(rest, &UsableCubes { entire, partial });
            }
        }
        nodes(self.largest)
    }

    /// Returns true if a box could be placed without being turned.
    fn is_placed(&self, sides: [u32; 3]) -> bool {
        let mut is_free = |sizes, cube, offset| self.cubes.is_free(cube, sizes, offset);
        self.reconfig.parts(sides, &mut is_free).is_some()
    }

    /// Replaces the largest box by the largest one whose sides have these rests, if that has more nodes.
    fn search(&mut self, rest: [u32; 3], room: &UsableCubes) {
        let cube = self.cubes.sides;
        // Along d the box ends in parts of cubes. `across` counts cubes along the other two dimensions.
        let Some(d) = (0..3).find(|&d| rest[d] > 0) else { return };
        let [e, f] = [[1, 2], [0, 2], [0, 1]][d];
        // A number of cubes along a dimension, with the rest as the last of them, to a side and to entire
        // cubes.
        let side = |axis: usize, cubes: u32| {
            cubes * cube[axis] - if rest[axis] > 0 { cube[axis] - rest[axis] } else { 0 }
        };
        let full = |axis: usize, cubes: u32| cubes - u32::from(rest[axis] > 0);
        let usable = room.entire + room.partial;
        for across_e in 1..=self.most_ends(rest[d], d, room) {
            for across_f in 1..=self.most_ends(rest[d], d, room) / across_e {
                let (area, ends) =
                    (side(e, across_e) * side(f, across_f), full(e, across_e) * full(f, across_f));
                let entire = room.entire.checked_div(ends).map_or(usable, |full| full + 1);
                let mut along = entire.min(usable / (across_e * across_f));
                while along > 0 && area * side(d, along) > nodes(self.largest) {
                    let mut sides = [0; 3];
                    (sides[d], sides[e], sides[f]) = (side(d, along), side(e, across_e), side(f, across_f));
                    if self.may_fit(sides, room) && self.is_placed(sides) {
                        self.largest = sides;
                    }
                    along -= 1;
                }
            }
        }
    }

    /// Returns how many cubes the end of a box along d may have at most if the box is larger than the largest
    /// one.
    ///
    /// Of a cube at the end some nodes are unused. So each entire cube there makes the box smaller than all
    /// entire cubes together, and only cubes that are free in part make it larger.
    fn most_ends(&self, rest: u32, d: usize, room: &UsableCubes) -> u32 {
        let all = self.cubes.nodes();
        let used = all / self.cubes.sides[d] * rest;
        let most = (room.entire * all + room.partial * used).saturating_sub(nodes(self.largest) + 1);
        (room.partial + most / (all - used)).min(room.entire + room.partial)
    }

    /// Returns false if the entire cubes do not suffice for the entire cubes of a box, plus its parts beyond
    /// the partial cubes that are free for them at one place.
    fn may_fit(&mut self, sides: [u32; 3], room: &UsableCubes) -> bool {
        let (mut spare, mut takes_entire) = (room.entire, false);
        kinds(sides, self.cubes.sides).all(|kind| {
            takes_entire |= kind.is_entire();
            let reach = if kind.is_entire() { 0 } else { self.reach(kind.sizes, takes_entire) };
            let needed = kind.count().saturating_sub(reach);
            let is_enough = needed <= spare;
            spare = spare.saturating_sub(needed);
            is_enough
        })
    }

    /// Returns the largest number of partial cubes that are free at one place for a part of these sizes.
    fn reach(&mut self, sizes: [u32; 3], takes_entire: bool) -> u32 {
        let Self { reconfig, cubes, reach, .. } = self;
        let new = || {
            let offsets = reconfig.offsets.of_part(sizes, takes_entire);
            let mut new = PartReach { sizes, free: vec![0; offsets.len()], offsets, most: 0 };
            (0..cubes.count()).for_each(|cube| new.count(cubes, cube, u32::wrapping_add));
            new
        };
        reach.entry((sizes, takes_entire)).or_insert_with(new).most
    }
}

/// Numbers of usable cubes.
struct UsableCubes {
    /// Number of entirely free cubes.
    entire: u32,
    /// The number of other cubes with free nodes.
    partial: u32,
}

/// How many cubes that are free in part are free for a part of these sizes.
#[derive(Debug)]
struct PartReach {
    sizes: [u32; 3],
    offsets: Vec<Coord>,
    /// The number of cubes for each offset.
    free: Vec<u32>,
    /// The largest of these numbers.
    most: u32,
}

impl PartReach {
    /// Adds a cube to the numbers or takes it away, as `change` does with 1.
    fn count(&mut self, cubes: &Cubes, cube: u32, change: fn(u32, u32) -> u32) {
        if !cubes.is_partial(cube) {
            return;
        }
        for (free, &offset) in self.free.iter_mut().zip(&self.offsets) {
            *free = change(*free, u32::from(cubes.is_free(cube, self.sizes, offset)));
        }
        self.most = self.free.iter().copied().max().unwrap_or(0);
    }
}

/// Takes the nodes of a box in the first of its turns that could be placed. Returns false if none could.
fn take(reconfig: &Reconfig, cubes: &mut Cubes, sides: [u32; 3]) -> bool {
    let mut is_free = |sizes, cube, offset| cubes.is_free(cube, sizes, offset);
    let Some(parts) = turns(sides).into_iter().find_map(|turn| reconfig.parts(turn, &mut is_free)) else {
        return false;
    };
    for PlacedParts { kind, offset, cubes: numbers } in parts {
        for cube in numbers {
            cubes.take(cube, kind.sizes, offset);
        }
    }
    true
}

/// Returns how many boxes within one cube could be placed in a cube one after the other.
fn count_within(reconfig: &Reconfig, cubes: &Cubes, cube: u32, sides: [u32; 3]) -> u32 {
    let (mut left, mut count) = (cubes.only(cube), 0);
    for turn in turns(sides).into_iter().filter(|turn| (0..3).all(|d| turn[d] <= cubes.sides[d])) {
        // A place that is not free stays so.
        for offset in reconfig.offsets.all(turn) {
            if left.is_free(0, turn, offset) {
                left.take(0, turn, offset);
                count += 1;
            }
        }
    }
    count
}

/// Returns the number of nodes of a box.
fn nodes([x, y, z]: [u32; 3]) -> u32 {
    x * y * z
}

/// Returns all nonzero rests of the sides of a box modulo the sides of a cube.
fn rests(cube: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let [width, length, depth] = cube;
    let all = (0..depth).flat_map(move |z| (0..length).flat_map(move |y| (0..width).map(move |x| [x, y, z])));
    all.skip(1)
}

/// The free nodes of a machine of cubes.
#[derive(Clone, Debug)]
struct Cubes {
    /// The sides of a cube.
    pub(super) sides: [u32; 3],
    free: NodeSet,
    /// For each cube its nodes in use.
    in_use: Vec<Sums>,
}

impl Cubes {
    /// Returns the cubes with these sides of a machine of `nodes` nodes, all in use.
    pub(super) fn new(sides: [u32; 3], nodes: u32) -> Self {
        let count = nodes / sides.iter().product::<u32>();
        Self { sides, free: NodeSet::empty(nodes), in_use: vec![Sums::new(sides, |_| 1); count as usize] }
    }

    /// Returns the number of cubes.
    pub(super) fn count(&self) -> u32 {
        self.in_use.len() as u32
    }

    /// Returns the number of nodes of a cube.
    pub(super) fn nodes(&self) -> u32 {
        self.sides.iter().product()
    }

    /// Returns the number of free nodes of a cube.
    pub(super) fn free(&self, cube: u32) -> u32 {
        self.nodes() - self.in_use[cube as usize].total()
    }

    /// Returns whether some nodes of a cube are free, but not all.
    pub(super) fn is_partial(&self, cube: u32) -> bool {
        (1..self.nodes()).contains(&self.free(cube))
    }

    /// Returns the cubes with changed nodes on `machine`, ascending.
    pub(super) fn changed(&self, machine: &Machine) -> Vec<u32> {
        let (before, now) = (self.free.words(), machine.free().words());
        let words = before.iter().zip(now).enumerate().filter(|(_, (before, now))| before != now);
        // The nodes of a cube have consecutive numbers.
        let nodes = self.nodes();
        let of_word = |word: usize| word as u32 * 64 / nodes..=(word as u32 * 64 + 63) / nodes;
        let mut changed: Vec<u32> = words.flat_map(|(word, _)| of_word(word)).collect();
        changed.dedup();
        changed.retain(|&cube| cube < self.count());
        changed
    }

    /// Copies the free nodes of `machine`. Only nodes of the cubes `changed` may differ.
    pub(super) fn update(&mut self, machine: &Machine, changed: &[u32]) {
        self.free.clone_from(machine.free());
        for &cube in changed {
            self.sum(cube);
        }
    }

    /// Returns whether the part of a cube with these sizes at this offset is free.
    pub(super) fn is_free(&self, cube: u32, sizes: [u32; 3], offset: Coord) -> bool {
        self.in_use[cube as usize].in_box(offset, sizes) == 0
    }

    /// Takes the part of a cube with these sizes at this offset, which is free, into use.
    pub(super) fn take(&mut self, cube: u32, sizes: [u32; 3], offset: Coord) {
        let [width, length, _] = self.sides;
        for z in offset[2]..offset[2] + sizes[2] {
            for y in offset[1]..offset[1] + sizes[1] {
                for x in offset[0]..offset[0] + sizes[0] {
                    self.free.remove(cube * self.nodes() + x + width * (y + length * z));
                }
            }
        }
        self.sum(cube);
    }

    /// Returns a machine of this cube only.
    pub(super) fn only(&self, cube: u32) -> Self {
        let nodes = self.nodes();
        let mut free = NodeSet::empty(nodes);
        (0..nodes)
            .filter(|node| self.free.contains(cube * nodes + node))
            .for_each(|node| _ = free.insert(node));
        Self { sides: self.sides, free, in_use: vec![self.in_use[cube as usize].clone()] }
    }

    /// Sums up the nodes in use of a cube anew.
    fn sum(&mut self, cube: u32) {
        let ([width, length, _], first) = (self.sides, cube * self.nodes());
        let Self { free, in_use, .. } = self;
        in_use[cube as usize]
            .fill(self.sides, |[x, y, z]| u32::from(!free.contains(first + x + width * (y + length * z))));
    }
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
        for text in ["ocs:5x2x2x2", "ocs:4x3x2x2", "ocs:7x2x1x2", "ocs:6x3x1x1", "ocs:2x3x3x2", "ocs:6x1x1x1"]
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
                boxes.update(&machine);
                assert_eq!(boxes.largest(), largest, "{text}");
                for _ in 0..12 {
                    let sides = all[draw(all.len() as u64) as usize];
                    let count = placed(&mut allocator, sides, &machine)?;
                    assert_eq!(boxes.count(sides), count, "{text}: {sides:?}");
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
        boxes.update(&machine);
        assert_eq!(boxes.largest(), 128);
        assert_eq!([[4; 3], [8, 4, 4], [4, 4, 2], [12, 4, 4]].map(|sides| boxes.count(sides)), [2, 1, 4, 0]);
        machine.occupy(&[64])?;
        boxes.update(&machine);
        assert_eq!(boxes.largest(), 64 + 48);
        assert_eq!([[4; 3], [8, 4, 4], [4, 4, 2]].map(|sides| boxes.count(sides)), [1, 0, 3]);
        Ok(())
    }
}
