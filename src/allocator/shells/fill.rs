//! The greedy fill of MC1x1: chooses the k free nodes that one centre takes.
//!
//! The sum of L1 distances from a node to the nodes taken so far is separable: it is X(x) + Y(y) + Z(z), where each
//! term is the sum along one dimension. So taking a node only updates three short tables. The table of a line is convex,
//! and that of a ring falls and rises once if the nodes taken are close together. The best free node of a row is then
//! the nearest one on either side of the minimum of X, and the bits of the row show which node that is. Rows are visited
//! outwards from the minima of Y and Z until they cannot win any more.

use super::mc1x1_shells::free_within;
use super::valley::Valley;
use crate::machine::{Coord, FreeCounts, Machine, Mesh, NodeId, distances_along, ranges};

/// The nodes that the fill around one centre takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fill {
    /// The centre.
    pub(crate) centre: Coord,
    /// The sum of L∞ distances from the centre to the nodes taken.
    pub(crate) score: i64,
    /// The shell of the k-th nearest free node. All free nodes of nearer shells are taken.
    shell: usize,
    /// The nodes taken besides them, in the order of choice.
    picks: Vec<Coord>,
}

impl Fill {
    /// Returns the shell (L∞ distance from the centre) of the k-th nearest free node.
    pub(crate) fn shell(&self) -> u32 {
        self.shell as u32
    }

    /// Returns the k nodes taken: first the nodes of whole shells in location order, then the others in the order of
    /// choice. `machine` must be in the state of the fill.
    pub(crate) fn nodes(&self, machine: &Machine) -> Vec<NodeId> {
        let mesh = machine.mesh();
        let coords: Vec<Coord> = match self.shell.checked_sub(1) {
            Some(inner) => free_within(machine, self.centre, inner).collect(),
            None => Vec::new(),
        };
        coords.iter().chain(&self.picks).map(|&node| mesh.node(node)).collect()
    }
}

/// The rule for the nodes that are added after the shells that are taken as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Last {
    /// Any free node may be added.
    #[default]
    Nearest,
    /// Only nodes of the next shell may be added. It has at least as many as are missing.
    Shell,
}

/// A free node with its sort key: the sum of L1 distances to the nodes taken, the L1 distance to the centre, and the
/// coordinates. The smallest is taken first.
type Candidate = (u64, u32, Coord);

/// The fills around centres of one machine state. Memory is kept between calls.
#[derive(Debug, Default)]
pub(crate) struct ShellFill {
    last: Last,
    /// The number of 64-bit words for a row of nodes.
    words: usize,
    /// The free nodes, one bit each. Each row starts a new word.
    free: Vec<u64>,
    /// The free nodes that the fill at hand has not taken, in the same layout.
    rest: Vec<u64>,
    /// For each dimension and position the sum of hops along the dimension to the nodes taken.
    sums: [Vec<u64>; 3],
    /// For each dimension where its sums are smallest.
    valleys: [Valley; 3],
    /// For each dimension and position the number of nodes in whole shells that the fill at hand has taken.
    taken: [Vec<u64>; 3],
    /// The nodes that the fill at hand has taken besides them.
    picks: Vec<Coord>,
}

impl ShellFill {
    /// Returns a fill without a machine state; [`Self::prepare`] gives it one.
    pub(crate) fn new(last: Last) -> Self {
        Self { last, ..Self::default() }
    }

    /// Copies the free nodes of `machine`, the state of the fills that follow.
    pub(crate) fn prepare(&mut self, machine: &Machine) {
        let extents = machine.mesh().extents();
        let width = extents[0] as usize;
        self.words = width.div_ceil(64);
        self.free.clear();
        for row in 0..(extents[1] * extents[2]) as usize {
            for word in 0..self.words {
                let (from, bits) = (row * width + word * 64, (width - word * 64).min(64));
                self.free.push(machine.free().bits(from, bits));
            }
        }
        self.rest.clone_from(&self.free);
        for (d, extent) in extents.into_iter().enumerate() {
            self.sums[d].resize(extent as usize, 0);
            self.taken[d].resize(extent as usize, 0);
        }
    }

    /// Returns the k nodes that `centre` takes; `None` if their score exceeds `limit`, or if fewer than k nodes are
    /// free. `counts` must have the free nodes of `machine`. `bound` is the shell score of the centre, the sum of L∞
    /// distances to its k nearest free nodes, which no choice of k nodes is below.
    pub(crate) fn fill(
        &mut self,
        counts: &FreeCounts,
        machine: &Machine,
        k: u32,
        centre: Coord,
        bound: i64,
        limit: i64,
    ) -> Option<Fill> {
        let mesh = machine.mesh();
        let shell = counts.reach(centre, k)?;
        let inner = self.take_inner(mesh, centre, shell);
        self.start_sums(mesh);
        self.picks.clear();
        let mut score = bound;
        let mut reach = shell;
        for _ in inner..k {
            let pick = match self.last {
                Last::Nearest => self.best(mesh, centre),
                Last::Shell => self.best_in_shell(mesh, centre, shell),
            };
            let Some((_, _, pick)) = pick else { break };
            let distance = mesh.l_inf(centre, pick);
            reach = reach.max(distance as usize);
            // The bound counts each node after the whole shells with the distance `shell`; a pick may be farther.
            score += i64::from(distance) - shell as i64;
            if score > limit {
                self.restore(mesh, centre, reach);
                return None;
            }
            self.take(mesh, pick);
        }
        self.restore(mesh, centre, reach);
        Some(Fill { centre, score, shell, picks: self.picks.clone() })
    }

    /// Takes all free nodes nearer to the centre than `shell`, and counts them by position in `taken`. Returns their
    /// number, which is 0 for shell 0.
    fn take_inner(&mut self, mesh: &Mesh, centre: Coord, shell: usize) -> u32 {
        self.taken.iter_mut().for_each(|taken| taken.fill(0));
        let Some(radius) = shell.checked_sub(1) else { return 0 };
        let mut inner = 0;
        let [width, length, _] = mesh.extents().map(|extent| extent as usize);
        for (y, z) in rows(mesh, centre, radius) {
            let row = (z * length + y) * self.words;
            for xs in ranges(centre[0] as usize, radius, width, mesh.wraps(0)).into_iter().flatten() {
                // 64 nodes at a time: the free ones of the range are cleared in `rest` and counted.
                for word in xs.start / 64..=(xs.end - 1) / 64 {
                    let mut bits = self.rest[row + word] & mask(word, xs.start, xs.end);
                    self.rest[row + word] &= !bits;
                    let count = bits.count_ones();
                    inner += count;
                    self.taken[1][y] += u64::from(count);
                    self.taken[2][z] += u64::from(count);
                    while bits != 0 {
                        self.taken[0][word * 64 + bits.trailing_zeros() as usize] += 1;
                        // Clears the lowest bit that is set.
                        bits &= bits - 1;
                    }
                }
            }
        }
        inner
    }

    /// Makes the tables `sums` and `valleys` from the counts in `taken`.
    fn start_sums(&mut self, mesh: &Mesh) {
        for d in 0..3 {
            distances_along(&self.taken[d], mesh.wraps(d), &mut self.sums[d]);
            self.find_valley(mesh, d, 0);
        }
    }

    /// Sets the valley of dimension `d`. On a line the search begins at position `near`.
    fn find_valley(&mut self, mesh: &Mesh, d: usize, near: usize) {
        let sums = &self.sums[d];
        self.valleys[d] = if mesh.wraps(d) { Valley::of_ring(sums) } else { Valley::of_line(sums, near) };
    }

    /// Takes one node, and updates the tables of sums.
    fn take(&mut self, mesh: &Mesh, node: Coord) {
        let [x, y, z] = node.map(|c| c as usize);
        let row = (z * self.sums[1].len() + y) * self.words;
        self.rest[row + x / 64] &= !(1 << (x % 64));
        self.picks.push(node);
        for (d, at) in node.into_iter().enumerate() {
            let extent = mesh.extents()[d];
            if mesh.wraps(d) {
                for (a, sum) in (0..extent).zip(&mut self.sums[d]) {
                    let straight = a.abs_diff(at);
                    *sum += u64::from(straight.min(extent - straight));
                }
            } else {
                for (a, sum) in (0..extent).zip(&mut self.sums[d]) {
                    *sum += u64::from(a.abs_diff(at));
                }
            }
            self.find_valley(mesh, d, self.valleys[d].low);
        }
    }

    /// Returns the free node to take next; `None` if no free node is left.
    fn best(&self, mesh: &Mesh, centre: Coord) -> Option<Candidate> {
        let [_, ys, zs] = &self.sums;
        let [x_least, y_least, _] = [0, 1, 2].map(|d| self.sums[d][self.valleys[d].low]);
        // Branch and bound: a layer or row is hopeless if its sum and the smallest sums of the other dimensions exceed
        // the best so far. Where sums only grow further out, a hopeless position ends its direction.
        let mut best: Option<Candidate> = None;
        self.valleys[2].outward(zs.len(), |z| {
            if best.is_some_and(|best| zs[z] + y_least + x_least > best.0) {
                return false;
            }
            self.valleys[1].outward(ys.len(), |y| {
                let base = zs[z] + ys[y];
                if best.is_some_and(|best| base + x_least > best.0) {
                    return false;
                }
                if let Some((sum, apart, x)) = self.best_in_row(mesh, centre[0], y, z) {
                    let apart = apart + mesh.hops(1, centre[1], y as u32) + mesh.hops(2, centre[2], z as u32);
                    let candidate = (base + sum, apart, [x, y as u32, z as u32]);
                    if best.is_none_or(|best| candidate < best) {
                        best = Some(candidate);
                    }
                }
                true
            });
            true
        });
        best
    }

    /// Returns the free node of a shell to take next; `None` if none is left in it. All nearer free nodes must be
    /// taken, so that a search of the whole submesh finds only nodes of the shell.
    fn best_in_shell(&self, mesh: &Mesh, centre: Coord, shell: usize) -> Option<Candidate> {
        let [width, length, _] = mesh.extents().map(|extent| extent as usize);
        let xs = ranges(centre[0] as usize, shell, width, mesh.wraps(0));
        let in_row = |(y, z): (usize, usize)| {
            let row = &self.rest[(z * length + y) * self.words..][..self.words];
            let nodes = xs.iter().flatten().flat_map(move |xs| set_bits(row, xs.start, xs.end));
            nodes.map(move |x| [x as u32, y as u32, z as u32])
        };
        let candidate = |node: Coord| {
            let sum = (0..3).map(|d| self.sums[d][node[d] as usize]).sum();
            (sum, mesh.l1(centre, node), node)
        };
        rows(mesh, centre, shell).flat_map(in_row).map(candidate).min()
    }

    /// Returns the best free node of row (y, z); `None` if none is left in it. The result is the sum along x, the hops
    /// along x from `centre`, and the x of the node.
    fn best_in_row(&self, mesh: &Mesh, centre: u32, y: usize, z: usize) -> Option<(u64, u32, u32)> {
        let row = &self.rest[(z * self.sums[1].len() + y) * self.words..][..self.words];
        let width = self.sums[0].len();
        let key = |x: usize| (self.sums[0][x], mesh.hops(0, centre, x as u32), x as u32);
        let valley = self.valleys[0];
        if !valley.grows {
            return set_bits(row, 0, width).map(key).min();
        }
        // All x from `low` to `high` share the smallest sum; on a ring they may go around its end. If none of these is
        // free, the best x is the nearest one on either side.
        let (low, high) = (valley.low, valley.high);
        let around = (high + 1).saturating_sub(width);
        let flat = set_bits(row, low, (high + 1).min(width)).chain(set_bits(row, 0, around));
        if let Some(best) = flat.map(key).min() {
            return Some(best);
        }
        let (mut below, mut above) = (last_before(row, low), first_from(row, high + 1));
        if mesh.wraps(0) {
            below = below.or_else(|| last_before(row, width));
            above = above.filter(|_| around == 0).or_else(|| first_from(row, around));
        }
        let (below, above) = (below.map(key), above.map(key));
        // The top of a ring may be flat. If only nodes of the top are free, all of them are compared.
        let most = self.sums[0][valley.top(width)];
        let is_top = |found: Option<(u64, u32, u32)>| found.is_some_and(|found| found.0 == most);
        if mesh.wraps(0) && below != above && is_top(below) && is_top(above) {
            return set_bits(row, 0, width).map(key).min();
        }
        match (below, above) {
            (Some(below), Some(above)) => Some(below.min(above)),
            (below, above) => below.or(above),
        }
    }

    /// Puts back all nodes that the fill around `centre` has taken. No node taken is farther than `reach` (L∞).
    fn restore(&mut self, mesh: &Mesh, centre: Coord, reach: usize) {
        let length = self.sums[1].len();
        for (y, z) in rows(mesh, centre, reach) {
            let row = (z * length + y) * self.words;
            self.rest[row..row + self.words].copy_from_slice(&self.free[row..row + self.words]);
        }
    }
}

/// Returns the rows (y, z) within L∞ distance `radius` of `centre`.
fn rows(mesh: &Mesh, centre: Coord, radius: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
    let span = |d: usize| ranges(centre[d] as usize, radius, mesh.extents()[d] as usize, mesh.wraps(d));
    let (ys, zs) = (span(1), span(2));
    zs.into_iter()
        .flatten()
        .flatten()
        .flat_map(move |z| ys.clone().into_iter().flatten().flatten().map(move |y| (y, z)))
}

/// Returns a mask for word `word` of a row: its ones are at the positions in `start..end`. The word must have at least
/// one of these positions.
fn mask(word: usize, start: usize, end: usize) -> u64 {
    let (low, high) = (start.saturating_sub(word * 64), (end - word * 64).min(64));
    // Ones from `low` upwards, and ones below `high`.
    u64::MAX << low & u64::MAX >> (64 - high)
}

/// Returns the positions in `start..end` at which a bit of `row` is set, ascending.
fn set_bits(row: &[u64], start: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
    (start / 64..end.div_ceil(64)).flat_map(move |word| {
        let mut bits = row[word] & mask(word, start, end);
        std::iter::from_fn(move || {
            let bit = bits.trailing_zeros() as usize;
            (bits != 0).then(|| {
                // Clears the lowest bit that is set.
                bits &= bits - 1;
                word * 64 + bit
            })
        })
    })
}

/// Returns the position of the first bit set at or after `from`; `None` if there is none.
fn first_from(row: &[u64], from: usize) -> Option<usize> {
    let (first, bit) = (from / 64, from % 64);
    let head = row.get(first)? & u64::MAX << bit;
    if head != 0 {
        return Some(first * 64 + head.trailing_zeros() as usize);
    }
    let word = (first + 1..row.len()).find(|&word| row[word] != 0)?;
    Some(word * 64 + row[word].trailing_zeros() as usize)
}

/// Returns the position of the last bit set before `end`; `None` if there is none.
fn last_before(row: &[u64], end: usize) -> Option<usize> {
    let word = (0..end.div_ceil(64)).rev().find(|&word| row[word] & mask(word, 0, end) != 0)?;
    Some(word * 64 + 63 - (row[word] & mask(word, 0, end)).leading_zeros() as usize)
}
