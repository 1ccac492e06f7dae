//! Finds a path through a cube, from a node of two opposite faces to another.
//!
//! The cube wraps around, as switches can join its opposite faces. The path is simple: it has no node twice.
//! It is the first one by depth-first search, with the nodes sorted by x, then y, then z as starts, the same
//! as ends, and neighbours in the order of [`Cube::neighbours`]. RFold's simulator searches in that order,
//! too, and gives up after 10 s of wall time; here a number of steps is the limit, so that results do not
//! depend on the computer.

use meshreplay_machine::machine::Coord;

/// The number of steps after which a search gives up.
const MOST_STEPS: u32 = 100_000;

/// A cube with its free nodes.
pub(super) struct Cube {
    /// The numbers of nodes along x, y and z.
    sides: [u32; 3],
    /// For each node, whether it is free. Nodes are sorted by x, then y, then z.
    free: Vec<bool>,
    /// Whether all sides are even or 1, so that neighbours have nodes of two colours.
    is_bipartite: bool,
}

/// A depth-first search with an explicit stack, because paths may be long.
struct Search<'a> {
    cube: &'a Cube,
    /// The number of nodes of the path that is looked for.
    nodes: u32,
    end: Coord,
    /// The current path, from the start on.
    path: Vec<Coord>,
    /// For each node of the path, how many of its neighbours were tried.
    tried: Vec<usize>,
    on_path: Vec<bool>,
    steps: u32,
}

impl Cube {
    /// Returns a cube with these sides and the free nodes by `is_free`.
    pub(super) fn new(sides: [u32; 3], is_free: impl Fn(Coord) -> bool) -> Self {
        let is_bipartite = sides.iter().all(|side| side.is_multiple_of(2) || *side == 1);
        let mut cube = Self { sides, free: Vec::new(), is_bipartite };
        cube.free = cube.coords().map(is_free).collect();
        cube
    }

    /// Returns all nodes, sorted by x, then y, then z.
    fn coords(&self) -> impl Iterator<Item = Coord> + use<> {
        let [a, b, c] = self.sides;
        (0..a).flat_map(move |x| (0..b).flat_map(move |y| (0..c).map(move |z| [x, y, z])))
    }

    /// Returns the place of a node in the lists of nodes.
    fn index(&self, [x, y, z]: Coord) -> usize {
        ((x * self.sides[1] + y) * self.sides[2] + z) as usize
    }

    /// Returns whether a node is free.
    fn is_free(&self, at: Coord) -> bool {
        self.free[self.index(at)]
    }

    /// Returns the neighbours of a node, at most six, and their number: first the neighbours that are smaller
    /// by x, then y, then z, in ascending order; then the larger ones, along x first, then y, then z, and the
    /// nearer coordinate first.
    fn neighbours(&self, at: Coord) -> ([Coord; 6], usize) {
        let (mut neighbours, mut smaller, mut count) = ([[0; 3]; 6], 0, 0);
        for d in 0..3 {
            let (side, here) = (self.sides[d], at[d]);
            if side == 1 {
                continue;
            }
            let up = if here + 1 < side { here + 1 } else { 0 };
            let down = if here > 0 { here - 1 } else { side - 1 };
            for (i, position) in [up.min(down), up.max(down)].into_iter().enumerate() {
                // On a ring of two both neighbours are the same node.
                if i == 1 && up == down {
                    continue;
                }
                let mut next = at;
                next[d] = position;
                // Insertion sort: a smaller one goes to its place among the smaller ones, a larger one to the
                // end.
                let place = if position < here {
                    smaller += 1;
                    neighbours[..smaller - 1].iter().position(|other| next < *other).unwrap_or(smaller - 1)
                } else {
                    count
                };
                neighbours.copy_within(place..count, place + 1);
                neighbours[place] = next;
                count += 1;
            }
        }
        (neighbours, count)
    }

    /// Returns the hops between two nodes.
    fn hops(&self, a: Coord, b: Coord) -> u32 {
        let along = |d: usize| {
            let hops = a[d].abs_diff(b[d]);
            hops.min(self.sides[d] - hops)
        };
        along(0) + along(1) + along(2)
    }

    /// Returns the first path of exactly `nodes` free nodes with both ends in the first or last layer of the
    /// cube along dimension `d`; `None` if there is none, if the search gives up, or if `nodes` is below 2.
    pub(super) fn path(&self, nodes: u32, d: usize) -> Option<Vec<Coord>> {
        if nodes < 2 {
            return None;
        }
        let in_face = |at: &Coord| at[d] == 0 || at[d] + 1 == self.sides[d];
        let ends: Vec<Coord> = self.coords().filter(in_face).filter(|&at| self.is_free(at)).collect();
        let on_path = vec![false; self.free.len()];
        let (path, tried) = (Vec::new(), Vec::new());
        let mut search = Search { cube: self, nodes, end: [0; 3], path, tried, on_path, steps: 0 };
        for &start in &ends {
            for &end in ends.iter().filter(|&&end| end != start) {
                if search.run(start, end) {
                    return Some(search.path);
                }
                if search.steps >= MOST_STEPS {
                    return None;
                }
            }
        }
        None
    }
}

impl Search<'_> {
    /// Looks for a path between two nodes. Returns whether there is one, which `path` has then. If there is
    /// none or the search gives up, `path` is empty.
    fn run(&mut self, start: Coord, end: Coord) -> bool {
        self.end = end;
        if self.is_too_far(start, end, self.nodes - 1) {
            // The start alone is a step of the search.
            self.steps += 1;
            return false;
        }
        self.push(start);
        while let Some(&last) = self.path.last() {
            let more = self.nodes - self.path.len() as u32;
            if more == 0 {
                return true;
            }
            match self.next(last, more) {
                Some(next) => self.push(next),
                None => self.pop(),
            }
        }
        false
    }

    /// Appends a node to the path.
    fn push(&mut self, node: Coord) {
        let at = self.cube.index(node);
        self.on_path[at] = true;
        self.path.push(node);
        self.tried.push(0);
        self.steps += 1;
    }

    /// Removes the last node of the path.
    fn pop(&mut self) {
        if let Some(node) = self.path.pop() {
            let at = self.cube.index(node);
            self.on_path[at] = false;
            self.tried.pop();
        }
    }

    /// Returns whether no path of `more` hops can lead from a node to another. If all sides are even, the
    /// cube is bipartite, and paths between two nodes are all of even or all of odd length.
    fn is_too_far(&self, from: Coord, to: Coord, more: u32) -> bool {
        let hops = self.cube.hops(from, to);
        hops > more || (self.cube.is_bipartite && (more - hops) % 2 == 1)
    }

    /// Returns the next neighbour of `last`, the last node of the path, that can continue the path; `None` if
    /// there is none. `more` nodes are missing, including the end.
    fn next(&mut self, last: Coord, more: u32) -> Option<Coord> {
        if self.steps >= MOST_STEPS || self.is_too_far(last, self.end, more) {
            return None;
        }
        let tried = self.tried.last_mut()?;
        let (neighbours, count) = self.cube.neighbours(last);
        for &next in &neighbours[(*tried).min(count)..count] {
            *tried += 1;
            let at = self.cube.index(next);
            // The end comes last and never before.
            if !self.on_path[at] && self.cube.is_free(next) && (next == self.end) == (more == 1) {
                return Some(next);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_join_free_nodes_of_faces() {
        // The nodes of the odd diagonals are not free.
        for busy in [0, 1, 5] {
            let cube = Cube::new([4; 3], |[x, y, z]| busy == 0 || (x + 2 * y + 3 * z) % 7 >= busy);
            for nodes in 2..=12 {
                for d in 0..3 {
                    let Some(path) = cube.path(nodes, d) else { continue };
                    assert_eq!(path.len() as u32, nodes);
                    assert!(path.windows(2).all(|pair| cube.hops(pair[0], pair[1]) == 1), "{path:?}");
                    assert!(path.iter().all(|&at| cube.is_free(at)));
                    let mut once = path.clone();
                    once.sort_unstable();
                    once.dedup();
                    assert_eq!(once.len(), path.len());
                    assert!([path[0], path[path.len() - 1]].iter().all(|at| at[d] % 3 == 0), "{path:?}");
                }
            }
        }
    }

    #[test]
    fn searches_end_and_single_nodes_have_no_path() {
        let free = Cube::new([4; 3], |_| true);
        assert_eq!(free.path(1, 2), None);
        assert_eq!(free.path(2, 2), Some(vec![[0, 0, 0], [0, 0, 3]]));
        assert_eq!(free.path(64, 2).map(|path| path.len()), Some(64));
        assert_eq!(free.path(65, 2), None);
        // A row of two: the only path goes over to the other node.
        let row = Cube::new([2, 1, 1], |_| true);
        assert_eq!(row.path(2, 0), Some(vec![[0, 0, 0], [1, 0, 0]]));
        let none = Cube::new([4; 3], |_| false);
        assert_eq!(none.path(2, 0), None);
    }
}
