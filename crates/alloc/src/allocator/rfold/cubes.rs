//! Which nodes of each cube are free, as one summed-area table per cube: whether a part of a cube is free is
//! answered in constant time. A change of a cube takes O(nodes of the cube).

use meshreplay_machine::machine::{Coord, Machine, NodeSet};

/// The free nodes of a machine of cubes.
#[derive(Clone, Debug)]
pub(super) struct Cubes {
    /// The sides of a cube.
    pub(super) sides: [u32; 3],
    free: NodeSet,
    /// The number of free nodes of each cube.
    counts: Vec<u32>,
    /// For each cube the number of nodes in use with coordinates below (x, y, z), row by row, from 0 to the
    /// sides.
    tables: Vec<u32>,
}

impl Cubes {
    /// Returns the cubes with these sides of a machine of so many nodes, all in use.
    pub(super) fn new(sides: [u32; 3], nodes: u32) -> Self {
        let free = NodeSet::empty(nodes);
        let count = (nodes / sides.iter().product::<u32>()) as usize;
        let mut cubes = Self { sides, free, counts: vec![0; count], tables: Vec::new() };
        cubes.tables = vec![0; count * cubes.table()];
        (0..count as u32).for_each(|cube| cubes.sum(cube));
        cubes
    }

    /// Returns the number of cubes.
    pub(super) fn count(&self) -> u32 {
        self.counts.len() as u32
    }

    /// Returns the number of nodes of a cube.
    pub(super) fn nodes(&self) -> u32 {
        let [x, y, z] = self.sides;
        x * y * z
    }

    /// Returns the number of free nodes of a cube.
    pub(super) fn free(&self, cube: u32) -> u32 {
        self.counts[cube as usize]
    }

    /// Returns whether some nodes of a cube are free, but not all.
    pub(super) fn is_partial(&self, cube: u32) -> bool {
        (1..self.nodes()).contains(&self.free(cube))
    }

    /// Returns the cubes, ascending, of which other nodes are free on `machine`.
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

    /// Takes over the free nodes of `machine`, of which those of these cubes have changed.
    pub(super) fn update(&mut self, machine: &Machine, changed: &[u32]) {
        self.free.clone_from(machine.free());
        for &cube in changed {
            self.sum(cube);
        }
    }

    /// Returns whether the part of a cube with these sizes at this offset is free.
    pub(super) fn is_free(&self, cube: u32, sizes: [u32; 3], offset: Coord) -> bool {
        match self.counts[cube as usize] {
            0 => false,
            free if free == self.nodes() => true,
            _ => {
                let end = [0, 1, 2].map(|d| offset[d] + sizes[d]);
                let at = |corner: [bool; 3]| {
                    let [x, y, z] = [0, 1, 2].map(|d| if corner[d] { end[d] } else { offset[d] });
                    self.tables[cube as usize * self.table() + self.place([x, y, z])]
                };
                let plane = |z: bool| {
                    at([true, true, z]) + at([false, false, z]) - at([true, false, z]) - at([false, true, z])
                };
                plane(true) == plane(false)
            }
        }
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
        let (nodes, table) = (self.nodes(), self.table());
        let mut free = NodeSet::empty(nodes);
        (0..nodes)
            .filter(|node| self.free.contains(cube * nodes + node))
            .for_each(|node| _ = free.insert(node));
        let tables = self.tables[cube as usize * table..][..table].to_vec();
        Self { sides: self.sides, free, counts: vec![self.free(cube)], tables }
    }

    /// Returns the number of entries of a cube's table.
    fn table(&self) -> usize {
        self.sides.iter().map(|&side| side as usize + 1).product()
    }

    /// Returns the position of an entry in the table of its cube.
    fn place(&self, [x, y, z]: [u32; 3]) -> usize {
        let [width, length, _] = self.sides.map(|side| side as usize + 1);
        x as usize + width * (y as usize + length * z as usize)
    }

    /// Counts and sums up the free nodes of a cube anew.
    fn sum(&mut self, cube: u32) {
        let [width, length, depth] = self.sides;
        let (first, table) = (cube * self.nodes(), cube as usize * self.table());
        let mut count = 0;
        for z in 0..depth {
            for y in 0..length {
                let mut row = 0;
                for x in 0..width {
                    let is_free = self.free.contains(first + x + width * (y + length * z));
                    count += u32::from(is_free);
                    row += u32::from(!is_free);
                    let at = |x, y, z| table + self.place([x, y, z]);
                    let (below, before, both) = (
                        self.tables[at(x + 1, y, z + 1)],
                        self.tables[at(x + 1, y + 1, z)],
                        self.tables[at(x + 1, y, z)],
                    );
                    let place = at(x + 1, y + 1, z + 1);
                    self.tables[place] = row + below + before - both;
                }
            }
        }
        self.counts[cube as usize] = count;
    }
}
