//! MC: shells around a free-standing rectangle or cuboid of the job's own shape.
//!
//! J. Mache, V. Lo, K. Windisch, "Minimizing message-passing contention in fragmentation-free processor allocation",
//! PDCS 1997; described in P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, §V.
//!
//! 1. The job's shape is taken in every orientation that fits the machine; one that fits in none is replaced by the one
//!    nearest to a square or cube. Shell 0 is the nodes of such a shape, free or not; shell i those that growing it
//!    by i in every direction adds.
//! 2. A place takes the k free nodes nearest by shell; its cost is the sum of their shell numbers.
//! 3. The cheapest place wins; ties by base in scan order (z, then y, then x), then by orientation. Cost 0 is a free
//!    submesh.
//! 4. Whole shells first. Of the last one, the node with the smallest sum of L1 distances to those taken, again and
//!    again; ties by L1 distance to the middle of the shape, then by location.
//!
//! Steps 3 and 4 settle what the sources leave open. Walker, Bunde and Leung say that MC and MC1x1 differ in nothing
//! but the initial shell, which would make free nodes the centres of MC's shapes, too; that every place is tried is a
//! choice of ours. Never refuses while k nodes are free. Time O(N·R) per call, R the shells that k nodes need; places
//! are given up as soon as they cannot win, so a free submesh ends the search.

use crate::allocator::contiguous::orientations::orientations;
use crate::allocator::seam::{Allocator, Contiguity, Entry, Placement, Promises, Request, Strategy};
use crate::job::Shape;
use crate::machine::{Coord, Cuboid, FreeCounts, Machine, Mesh, near_square};

pub(crate) const ENTRY: Entry = Entry {
    name: "mc",
    summary: "MC: shells around a rectangle or cuboid of the job's own shape",
    source: "Mache, Lo, Windisch, PDCS 1997; Walker, Bunde, Leung, 2010, §V",
    parameters: "",
    max_dims: 3,
    kind: Contiguity::NonContiguous,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |_, setup| {
        Ok(Strategy::of(Mc {
            shapes: vec![None; setup.mesh.nodes() as usize + 1],
            counts: FreeCounts::default(),
        }))
    },
};

struct Mc {
    /// The shape of each number of processors, once it was asked for.
    shapes: Vec<Option<[u32; 3]>>,
    counts: FreeCounts,
}

impl Allocator for Mc {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let k = request.procs;
        if k == machine.free_count() {
            return Some(Placement::of_all_free(machine));
        }
        let mesh = machine.mesh();
        let mut tried = match request.shape {
            Shape::NearSquare => Vec::new(),
            // A shape of more nodes than there are fits in no orientation.
            _ => request.sides_on(mesh).map_or_else(Vec::new, |shape| orientations(shape, mesh)),
        };
        if tried.is_empty() {
            tried = orientations(self.near_square(k, mesh)?, mesh);
        }
        self.counts.rebuild(machine, 0);
        let place = self.cheapest(mesh, k, &tried)?;
        Some(Placement::of(self.take(machine, k, place)))
    }
}

impl Mc {
    /// Returns the shape nearest to a square or cube, computed once for each number of processors.
    fn near_square(&mut self, k: u32, mesh: &Mesh) -> Option<[u32; 3]> {
        let known = &mut self.shapes[k as usize];
        match *known {
            Some(shape) => Some(shape),
            None => Some(*known.insert(near_square(k, mesh)?)),
        }
    }

    /// Returns the place of smallest cost for `k` nodes.
    fn cheapest(&self, mesh: &Mesh, k: u32, orientations: &[[u32; 3]]) -> Option<Cuboid> {
        let mut best: Option<(i64, Cuboid)> = None;
        for base in (0..mesh.nodes()).map(|node| mesh.coord(node)) {
            for &sizes in orientations {
                let place = Cuboid { base, sizes };
                let limit = best.map_or(i64::MAX, |(cost, _)| cost);
                if limit == 0 {
                    break;
                }
                if let Some(cost) = self.cost(mesh, k, place, limit) {
                    best = Some((cost, place));
                }
            }
        }
        best.map(|(_, place)| place)
    }

    /// Returns the cost of a place if it is below `limit`: each of the k nodes counts once for every shell that does
    /// not reach it.
    fn cost(&self, mesh: &Mesh, k: u32, place: Cuboid, limit: i64) -> Option<i64> {
        let inside = |d: usize| mesh.is_torus() || place.base[d] + place.sizes[d] <= mesh.extents()[d];
        if !(0..3).all(inside) {
            return None;
        }
        let mut cost = 0;
        for radius in 0.. {
            let missing = i64::from(k) - i64::from(self.counts.in_cuboid(place, radius));
            if missing <= 0 {
                break;
            }
            cost += missing;
            if cost >= limit {
                return None;
            }
        }
        Some(cost)
    }

    /// Returns the nodes that a place takes.
    fn take(&self, machine: &Machine, k: u32, place: Cuboid) -> Vec<u32> {
        let mesh = machine.mesh();
        let reached = |&radius: &usize| self.counts.in_cuboid(place, radius) >= k as i32;
        let last = (0..mesh.nodes() as usize).find(reached).unwrap_or_default();
        let mut taken: Vec<Coord> = Vec::with_capacity(k as usize);
        let mut shell: Vec<Coord> = Vec::new();
        for node in mesh.location_order().filter(|&node| machine.free().contains(node)) {
            let coord = mesh.coord(node);
            match place.shell(mesh, coord) as usize {
                number if number < last => taken.push(coord),
                number if number == last => shell.push(coord),
                _ => {}
            }
        }
        if taken.len() + shell.len() == k as usize {
            taken.append(&mut shell);
        }
        add_nearest(mesh, place, shell, &mut taken, k as usize);
        taken.into_iter().map(|coord| mesh.node(coord)).collect()
    }
}

/// Adds nodes of `shell`, in location order, to those taken until there are `k`: always the nearest to them.
fn add_nearest(mesh: &Mesh, place: Cuboid, mut shell: Vec<Coord>, taken: &mut Vec<Coord>, k: usize) {
    let apart = |a: Coord, b: Coord| u64::from(mesh.l1(a, b));
    let mut sums: Vec<u64> =
        shell.iter().map(|&node| taken.iter().map(|&other| apart(node, other)).sum()).collect();
    while taken.len() < k {
        let key = |&i: &usize| (sums[i], place.doubled_to_middle(mesh, shell[i]), i);
        let Some(nearest) = (0..shell.len()).min_by_key(key) else { break };
        sums.remove(nearest);
        let node = shell.remove(nearest);
        for (sum, &other) in sums.iter_mut().zip(&shell) {
            *sum += apart(other, node);
        }
        taken.push(node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where `k` nodes go on a machine drawn with `#` for busy nodes, lowest row last.
    fn placed(rows: &[&str], k: u32) -> Result<Vec<Coord>, Box<dyn std::error::Error>> {
        let (width, length) = (rows[0].len() as u32, rows.len() as u32);
        let mesh = Mesh::new(&[width, length])?;
        let mut machine = Machine::new(mesh.clone());
        for (y, row) in (0..).zip(rows.iter().rev()) {
            for (x, _) in (0..).zip(row.bytes()).filter(|(_, byte)| *byte == b'#') {
                machine.occupy(&[mesh.node([x, y, 0])])?;
            }
        }
        let mut mc = Mc { shapes: vec![None; mesh.nodes() as usize + 1], counts: FreeCounts::default() };
        let placement = mc.propose(&Request::of(k), &machine).ok_or("refused")?;
        Ok(placement.nodes.into_iter().map(|node| mesh.coord(node)).collect())
    }

    #[test]
    fn a_free_submesh_costs_nothing() -> Result<(), Box<dyn std::error::Error>> {
        let nodes = placed(&[".....", "##...", ".....", "#...."], 6)?;
        // Six nodes are 3×2, and the first free place for that is at (1, 0).
        assert_eq!(nodes, [[1, 0, 0], [1, 1, 0], [2, 0, 0], [2, 1, 0], [3, 0, 0], [3, 1, 0]]);
        Ok(())
    }

    #[test]
    fn shells_around_the_shape_fill_up_what_is_missing() -> Result<(), Box<dyn std::error::Error>> {
        // 2×2 is free nowhere; at (0, 0) three are, and the fourth of shell 1 is the nearest to them.
        let nodes = placed(&["#.#.", ".#.#", "#.#.", "..##"], 4)?;
        assert_eq!(nodes, [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 2, 0]]);
        Ok(())
    }
}
