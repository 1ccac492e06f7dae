//! MC: takes free nodes shell by shell around a submesh of the job's own shape.
//!
//! J. Mache, V. Lo, K. Windisch, "Minimizing message-passing contention in fragmentation-free processor
//! allocation", PDCS 1997; described in P. Walker, D. Bunde, V. Leung, "Faster high-quality processor
//! allocation", 2010, §V.
//!
//! 1. The job's shape is tried in every orientation that fits the machine. If it fits in none, the shape
//!    nearest to a square or cube replaces it. At each base, shell 0 is the nodes of the submesh of this
//!    shape, free or not. Shell i is the nodes that are added when the submesh, already grown by i − 1, grows
//!    by one more in every direction.
//! 2. A submesh takes the k free nodes in the lowest shells. Its cost is the sum of their shell numbers.
//! 3. The submesh of lowest cost wins; ties are broken by the base in scan order (z, then y, then x), then by
//!    the orientation. A cost of 0 means that k nodes of the submesh itself are free.
//! 4. Lower shells are taken as a whole. From the last shell, the node with the smallest sum of L1 distances
//!    to the nodes taken is added again and again. Ties are broken by L1 distance to the middle of the
//!    submesh, then by location.
//!
//! The sources leave steps 3 and 4 open. Walker, Bunde and Leung say that MC and MC1x1 differ only in the
//! initial shell; then only free nodes would be centres of MC's submeshes. That every base is tried is a
//! choice of ours. The strategy never refuses while k nodes are free. A call takes time O(N) to find a
//! submesh with k free nodes, in vectorised passes over rows of bases. If there is none, the submesh with the
//! most free nodes sets a limit, and only submeshes whose free nodes allow a cost within it are looked at, in
//! time O(R), where R is the number of shells that k nodes need. `search=plain` walks over the shells around
//! every submesh, with the same result.

use super::plain;
use crate::allocator::contiguous::orientations::orientations;
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Contiguity, Memory, OnTori, OnTrees, Placement, Promises, Request, Strategy,
};
use crate::allocator::take_plain;
use meshreplay_base::job::Shape;
use meshreplay_machine::machine::{Coord, FreeCounts, Machine, Mesh, Submesh, near_square};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "mc",
    summary: "MC: shells around a rectangle or cuboid of the job's own shape",
    source: "Mache, Lo, Windisch, PDCS 1997; Walker, Bunde, Leung, 2010, §V",
    parameters: "search=fast (plain)",
    max_dims: 3,
    trees: OnTrees::BY_COORDINATES,
    refuses_unavailable: None,
    kind: Contiguity::NonContiguous,
    tori: OnTori::Wraps,
    promises: |_| Promises { exact: true, complete: true, memory: Memory::None },
    build: |params, setup| {
        let is_plain = take_plain(params)?;
        let shapes = vec![None; setup.mesh.nodes() as usize + 1];
        Ok(Strategy::of(Mc { is_plain, shapes, ..Mc::default() }))
    },
};

#[derive(Default)]
struct Mc {
    /// Whether the cost of every submesh is found by a walk around it.
    is_plain: bool,
    /// The shape nearest to a square or cube for each number of processors; `None` where it is not computed
    /// yet.
    shapes: Vec<Option<[u32; 3]>>,
    counts: FreeCounts,
    /// Scratch memory of the counts.
    line: Vec<i32>,
    /// For each orientation the free nodes of the submeshes of a row of bases.
    free: Vec<Vec<i32>>,
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
        let widest = tried.iter().map(|sizes| sizes[0]).max()?;
        self.counts.rebuild(machine, widest as usize);
        let place = if self.is_plain {
            plain::cheapest(machine, k, places(mesh, &tried))?
        } else {
            self.cheapest(mesh, k, &tried)?
        };
        Some(Placement::of(self.take(machine, k, place)))
    }
}

impl Mc {
    /// Returns the shape nearest to a square or cube for `k` processors; `None` if no such shape fits `mesh`.
    /// It is computed once for each number of processors.
    fn near_square(&mut self, k: u32, mesh: &Mesh) -> Option<[u32; 3]> {
        let known = &mut self.shapes[k as usize];
        match *known {
            Some(shape) => Some(shape),
            None => Some(*known.insert(near_square(k, mesh)?)),
        }
    }

    /// Returns the submesh of lowest cost for `k` nodes, the first of equals; `None` if no orientation is
    /// given.
    fn cheapest(&mut self, mesh: &Mesh, k: u32, orientations: &[[u32; 3]]) -> Option<Submesh> {
        // One with k free nodes costs nothing. If there is none, the one with the most free nodes is likely
        // to be cheap.
        let mut most: Option<(i32, Submesh)> = None;
        let found = self.for_each_place(mesh, orientations, |place, free| {
            if most.is_none_or(|(most, _)| free > most) {
                most = Some((free, place));
            }
            free >= k as i32
        });
        if found.is_some() {
            return found;
        }
        let (_, likely) = most?;
        // The first submesh of at most this cost comes no later than the likely one.
        let mut limit = self.cost(mesh, k, likely, i64::MAX)? + 1;
        let mut best = None;
        let all = mesh.nodes() as usize;
        let needs = |limit: i64| -> Vec<i32> {
            orientations.iter().map(|&sizes| least_free(mesh, k, sizes, limit, all)).collect()
        };
        let mut need = needs(limit);
        let [width, length, depth] = mesh.extents();
        for (z, y) in (0..depth).flat_map(|z| (0..length).map(move |y| (z, y))) {
            self.count_row(mesh, [y, z], orientations);
            for x in 0..width {
                for (i, &sizes) in orientations.iter().enumerate() {
                    let place = Submesh { base: [x, y, z], sizes };
                    if self.free[i][x as usize] < need[i] || !is_inside(mesh, place) {
                        continue;
                    }
                    if let Some(cost) = self.cost(mesh, k, place, limit) {
                        (limit, best) = (cost, Some(place));
                        need = needs(limit);
                    }
                }
            }
        }
        best
    }

    /// Calls `is_wanted` with each submesh of these sizes and the number of its free nodes, in scan order of
    /// the bases, then in the order of the sizes. Returns the first submesh that it accepts; `None` if there
    /// is none.
    fn for_each_place(
        &mut self,
        mesh: &Mesh,
        orientations: &[[u32; 3]],
        mut is_wanted: impl FnMut(Submesh, i32) -> bool,
    ) -> Option<Submesh> {
        let [width, length, depth] = mesh.extents();
        for (z, y) in (0..depth).flat_map(|z| (0..length).map(move |y| (z, y))) {
            self.count_row(mesh, [y, z], orientations);
            for x in 0..width {
                for (&sizes, free) in orientations.iter().zip(&self.free) {
                    let place = Submesh { base: [x, y, z], sizes };
                    if is_inside(mesh, place) && is_wanted(place, free[x as usize]) {
                        return Some(place);
                    }
                }
            }
        }
        None
    }

    /// Sets `free` for the bases of row (y, z).
    fn count_row(&mut self, mesh: &Mesh, [y, z]: [u32; 2], orientations: &[[u32; 3]]) {
        self.free.resize_with(orientations.len(), Vec::new);
        for (free, &sizes) in self.free.iter_mut().zip(orientations) {
            free.resize(mesh.extents()[0] as usize, 0);
            self.counts.grown_row([y as usize, z as usize], sizes, [0; 3], &mut self.line, free);
        }
    }

    /// Returns the cost of a submesh; `None` if the cost is not below `limit`. Each of the k nodes counts
    /// once for every radius that does not reach it, so no node has to be looked at.
    fn cost(&self, mesh: &Mesh, k: u32, place: Submesh, limit: i64) -> Option<i64> {
        debug_assert!(is_inside(mesh, place));
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

    /// Returns the `k` nodes of a submesh: first the whole shells in location order, then the others in the
    /// order of choice.
    fn take(&self, machine: &Machine, k: u32, place: Submesh) -> Vec<u32> {
        let mesh = machine.mesh();
        let reached = |&radius: &usize| self.counts.around_submesh(place, radius) >= k as i32;
        let last = (0..mesh.nodes() as usize).find(reached).unwrap_or_default();
        let mut taken: Vec<Coord> = Vec::with_capacity(k as usize);
        let mut shell: Vec<Coord> = Vec::new();
        let [xs, ys, zs] = place
            .grown(last, mesh.extents().map(|extent| extent as usize), mesh.wrap())
            .map(|ranges| ranges.into_iter().flatten().flatten().map(|at| at as u32).collect::<Vec<u32>>());
        // The ranges ascend, so that this is location order.
        let columns = xs.iter().flat_map(|&x| ys.iter().map(move |&y| [x, y]));
        for coord in columns.flat_map(|[x, y]| zs.iter().map(move |&z| [x, y, z])) {
            if !machine.free().contains(mesh.node(coord)) {
                continue;
            }
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

/// Returns the submeshes of these sizes in scan order of the bases, then in the order of the sizes.
fn places(mesh: &Mesh, orientations: &[[u32; 3]]) -> impl Iterator<Item = Submesh> {
    let bases = (0..mesh.nodes()).map(|node| mesh.coord(node));
    bases
        .flat_map(|base| orientations.iter().map(move |&sizes| Submesh { base, sizes }))
        .filter(|&place| is_inside(mesh, place))
}

/// Returns whether a submesh lies on the machine. One as long as the machine is the same at every base of a
/// dimension that wraps, so only the first counts.
fn is_inside(mesh: &Mesh, place: Submesh) -> bool {
    (0..3).all(|d| {
        let (end, extent) = (place.base[d] + place.sizes[d], mesh.extents()[d]);
        end <= extent || mesh.wraps(d) && place.sizes[d] < extent
    })
}

/// Returns a lower bound of the free nodes of a submesh of these sizes whose cost for `k` nodes is below
/// `limit`. With f free nodes inside, at most f + B(r) are within distance r, where B(r) is the number of
/// nodes in the shells up to r around a submesh far from any border. `all` is the number of nodes of the
/// machine.
fn least_free(mesh: &Mesh, k: u32, sizes: [u32; 3], limit: i64, all: usize) -> i32 {
    let has = |d: usize| mesh.extents()[d] > 1;
    let nodes = |radius: i64| -> i64 {
        (0..3).map(|d| i64::from(sizes[d]) + if has(d) { 2 * radius } else { 0 }).product()
    };
    let cost = |free: i64| -> i64 {
        let missing = |radius: i64| i64::from(k) - free - (nodes(radius) - nodes(0));
        (0..all as i64).map(missing).take_while(|&missing| missing > 0).sum()
    };
    // The cost falls as the number of free nodes grows.
    let (mut low, mut high) = (0, i64::from(k));
    while low < high {
        let middle = low.midpoint(high);
        if cost(middle) < limit {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low as i32
}

/// Moves nodes from `shell`, which is in location order, to `taken` until there are `k`, each time the node
/// with the smallest sum of L1 distances to the nodes taken.
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

    /// Returns the nodes that a job of `k` gets on a machine drawn with `#` for busy nodes, the row y = 0
    /// last.
    fn placed(rows: &[&str], k: u32) -> Result<Vec<Coord>, Box<dyn std::error::Error>> {
        let (width, length) = (rows[0].len() as u32, rows.len() as u32);
        let mesh = Mesh::new(&[width, length])?;
        let mut machine = Machine::new(mesh.clone());
        for (y, row) in (0..).zip(rows.iter().rev()) {
            for (x, _) in (0..).zip(row.bytes()).filter(|(_, byte)| *byte == b'#') {
                machine.occupy(&[mesh.node([x, y, 0])])?;
            }
        }
        let mut mc = Mc { shapes: vec![None; mesh.nodes() as usize + 1], ..Mc::default() };
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
