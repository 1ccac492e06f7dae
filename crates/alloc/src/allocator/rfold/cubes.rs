//! The free nodes of each cube, as one summed-area table per cube: queries about a part of a cube take
//! constant time. A change of a cube takes O(nodes of the cube).

use crate::allocator::box_sums::Sums;
use meshreplay_machine::machine::{Coord, Machine, NodeSet};

/// The free nodes of a machine of cubes.
#[derive(Clone, Debug)]
pub(super) struct Cubes {
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
