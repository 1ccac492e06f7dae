//! MC: takes free nodes shell by shell around a submesh of the job's own shape.
//!
//! J. Mache, V. Lo, K. Windisch, "Minimizing message-passing contention in fragmentation-free processor allocation",
//! PDCS 1997; described in P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, §V.
//!
//! 1. The job's shape is tried in every orientation that fits the machine. If it fits in none, the shape nearest to a
//!    square or cube replaces it. At each base, shell 0 is the nodes of the submesh of this shape, free or not. Shell i
//!    is the nodes that are added when the submesh, already grown by i − 1, grows by one more in every direction.
//! 2. A submesh takes the k free nodes in the lowest shells. Its cost is the sum of their shell numbers.
//! 3. The submesh of lowest cost wins; ties are broken by the base in scan order (z, then y, then x), then by the
//!    orientation. A cost of 0 means that k nodes of the submesh itself are free.
//! 4. Lower shells are taken as a whole. From the last shell, the node with the smallest sum of L1 distances to the
//!    nodes taken is added again and again. Ties are broken by L1 distance to the middle of the submesh, then by
//!    location.
//!
//! The sources leave steps 3 and 4 open. Walker, Bunde and Leung say that MC and MC1x1 differ only in the initial
//! shell; then only free nodes would be centres of MC's submeshes. That every base is tried is a choice of ours. The
//! strategy never refuses while k nodes are free. A call takes time O(N·R), where R is the number of shells that k
//! nodes need. A submesh is given up as soon as it cannot win, so a free submesh ends the search.

use crate::allocator::contiguous::orientations::orientations;
use crate::allocator::seam::{Allocator, Contiguity, Entry, OnTori, Placement, Promises, Request, Strategy};
use crate::job::Shape;
use crate::machine::{Coord, FreeCounts, Machine, Mesh, Submesh, near_square};

pub(crate) const ENTRY: Entry = Entry {
    name: "mc",
    summary: "MC: shells around a rectangle or cuboid of the job's own shape",
    source: "Mache, Lo, Windisch, PDCS 1997; Walker, Bunde, Leung, 2010, §V",
    parameters: "",
    max_dims: 3,
    refuses_unavailable: None,
    kind: Contiguity::NonContiguous,
    tori: OnTori::Wraps,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |_, setup| {
        Ok(Strategy::of(Mc {
            shapes: vec![None; setup.mesh.nodes() as usize + 1],
            counts: FreeCounts::default(),
        }))
    },
};

struct Mc {
    /// The shape nearest to a square or cube for each number of processors; `None` where it is not computed yet.
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
            // A shape of more nodes than the machine has fits in no orientation.
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
    /// Returns the shape nearest to a square or cube for `k` processors; `None` if no such shape fits `mesh`. It is
    /// computed once for each number of processors.
    fn near_square(&mut self, k: u32, mesh: &Mesh) -> Option<[u32; 3]> {
        let known = &mut self.shapes[k as usize];
        match *known {
            Some(shape) => Some(shape),
            None => Some(*known.insert(near_square(k, mesh)?)),
        }
    }

    /// Returns the submesh of lowest cost for `k` nodes, the first of equals; `None` if no orientation is given.
    fn cheapest(&self, mesh: &Mesh, k: u32, orientations: &[[u32; 3]]) -> Option<Submesh> {
        let mut best: Option<(i64, Submesh)> = None;
        for base in (0..mesh.nodes()).map(|node| mesh.coord(node)) {
            for &sizes in orientations {
                let place = Submesh { base, sizes };
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

    /// Returns the cost of a submesh; `None` if the cost is not below `limit`, or if the submesh crosses the border of
    /// the machine where it does not wrap. Each of the k nodes counts once for every radius that does not reach it, so no node
    /// has to be looked at.
    fn cost(&self, mesh: &Mesh, k: u32, place: Submesh, limit: i64) -> Option<i64> {
        // A submesh as long as the machine is the same at every base of a dimension that wraps, so only the first counts.
        let inside = |d: usize| {
            let (end, extent) = (place.base[d] + place.sizes[d], mesh.extents()[d]);
            end <= extent || mesh.wraps(d) && place.sizes[d] < extent
        };
        if !(0..3).all(inside) {
            return None;
        }
        let mut cost = 0;
        for radius in 0.. {
            let missing = i64::from(k) - i64::from(self.counts.around_submesh(place, radius));
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

    /// Returns the `k` nodes that a submesh takes: those of whole shells in location order, then the others in the
    /// order of choice.
    fn take(&self, machine: &Machine, k: u32, place: Submesh) -> Vec<u32> {
        let mesh = machine.mesh();
        let reached = |&radius: &usize| self.counts.around_submesh(place, radius) >= k as i32;
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

/// Moves nodes from `shell`, which is in location order, to `taken` until there are `k`. The next node is always the
/// one with the smallest sum of L1 distances to the nodes taken so far.
fn add_nearest(mesh: &Mesh, place: Submesh, mut shell: Vec<Coord>, taken: &mut Vec<Coord>, k: usize) {
    let apart = |a: Coord, b: Coord| u64::from(mesh.l1(a, b));
    // `sums[i]` is the sum for `shell[i]`. Each node that is moved adds one distance to every sum.
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

    /// Returns the nodes that a job of `k` gets on a machine drawn with `#` for busy nodes, the row y = 0 last.
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
        // Six nodes are 3×2, and the first free submesh of that shape is at (1, 0).
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
