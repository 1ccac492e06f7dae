//! The greedy fill of MC1x1 around one centre.
//!
//! The sum of L1 distances from a node to those taken is separable: X(x) + Y(y) + Z(z), each the sum along one
//! dimension. Taking a node updates three short tables. Off a torus each table is convex, so the best free node of a
//! row is its nearest one on either side of the minimum of X, found in the row's bits, and rows are visited outwards
//! from the minimum of Y until they cannot win.

use super::mc1x1_shells::free_within;
use crate::machine::{Coord, FreeCounts, Machine, Mesh, NodeId, ranges};

/// The nodes that the fill around one centre takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fill {
    pub(crate) centre: Coord,
    /// Sum of L∞ distances from the centre.
    pub(crate) score: i64,
    /// Every free node nearer than this is taken, …
    shell: usize,
    /// … and these, in the order of choice.
    picks: Vec<Coord>,
}

impl Fill {
    /// Returns the shell of the k-th nearest free node.
    pub(crate) fn shell(&self) -> u32 {
        self.shell as u32
    }

    /// Returns the nodes taken: those of whole shells in location order, then the others as chosen.
    pub(crate) fn nodes(&self, machine: &Machine) -> Vec<NodeId> {
        let mesh = machine.mesh();
        let coords: Vec<Coord> = match self.shell.checked_sub(1) {
            Some(inner) => free_within(machine, self.centre, inner).collect(),
            None => Vec::new(),
        };
        coords.iter().chain(&self.picks).map(|&node| mesh.node(node)).collect()
    }
}

/// Which nodes are added once all nearer shells are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Last {
    /// Any free node.
    #[default]
    Nearest,
    /// Those of the next shell, which has as many as are missing.
    Shell,
}

/// A free node by the order of choice: sum of L1 distances to those taken, L1 distance to the centre, location.
type Candidate = (u64, u32, Coord);

/// Fills around centres of one machine state; keeps its memory between calls.
#[derive(Debug, Default)]
pub(crate) struct ShellFill {
    last: Last,
    /// Words per row of nodes.
    words: usize,
    /// Free nodes, each row starting a new word.
    free: Vec<u64>,
    /// Those of them that the fill at hand has not taken.
    rest: Vec<u64>,
    /// Per dimension and position: sum of L1 distances along it to the nodes taken.
    sums: [Vec<u64>; 3],
    /// Per dimension: first and last position of smallest sum.
    minimum: [(usize, usize); 3],
    /// Nodes taken per position, while a fill starts.
    taken: [Vec<u64>; 3],
    picks: Vec<Coord>,
}

impl ShellFill {
    /// Returns a fill that is on no machine yet.
    pub(crate) fn new(last: Last) -> Self {
        Self { last, ..Self::default() }
    }

    /// Starts on a machine state.
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

    /// Fills around `centre`, whose shell score is `bound`; `None` as soon as the score must exceed `limit`.
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
            // The bound counts each missing node with the number of the shell that has as many.
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

    /// Takes all free nodes nearer than `shell`, and counts them per position in `taken`. Returns their number.
    fn take_inner(&mut self, mesh: &Mesh, centre: Coord, shell: usize) -> u32 {
        self.taken.iter_mut().for_each(|taken| taken.fill(0));
        let Some(radius) = shell.checked_sub(1) else { return 0 };
        let mut inner = 0;
        let [width, length, _] = mesh.extents().map(|extent| extent as usize);
        for (y, z) in rows(mesh, centre, radius) {
            let row = (z * length + y) * self.words;
            for xs in ranges(centre[0] as usize, radius, width, mesh.is_torus()).into_iter().flatten() {
                for word in xs.start / 64..=(xs.end - 1) / 64 {
                    let mut bits = self.rest[row + word] & mask(word, xs.start, xs.end);
                    self.rest[row + word] &= !bits;
                    let count = bits.count_ones();
                    inner += count;
                    self.taken[1][y] += u64::from(count);
                    self.taken[2][z] += u64::from(count);
                    while bits != 0 {
                        self.taken[0][word * 64 + bits.trailing_zeros() as usize] += 1;
                        bits &= bits - 1;
                    }
                }
            }
        }
        inner
    }

    /// Makes the tables of sums from the counts in `taken`.
    fn start_sums(&mut self, mesh: &Mesh) {
        for d in 0..3 {
            let (sums, taken) = (&mut self.sums[d], &self.taken[d]);
            if mesh.is_torus() {
                for (a, sum) in sums.iter_mut().enumerate() {
                    let far = |(b, &n): (usize, &u64)| n * u64::from(mesh.hops(d, a as u32, b as u32));
                    *sum = taken.iter().enumerate().map(far).sum();
                }
            } else {
                // Two sweeps: going one position on moves all nodes passed so far one farther away.
                let (mut below, mut sum) = (0, 0);
                for (cell, &n) in sums.iter_mut().zip(taken) {
                    *cell = sum;
                    below += n;
                    sum += below;
                }
                let (mut above, mut sum) = (0, 0);
                for (cell, &n) in sums.iter_mut().zip(taken).rev() {
                    *cell += sum;
                    above += n;
                    sum += above;
                }
            }
            self.minimum[d] = minimum(sums, 0, mesh.is_torus());
        }
    }

    /// Takes one node.
    fn take(&mut self, mesh: &Mesh, node: Coord) {
        let [x, y, z] = node.map(|c| c as usize);
        let row = (z * self.sums[1].len() + y) * self.words;
        self.rest[row + x / 64] &= !(1 << (x % 64));
        self.picks.push(node);
        for (d, at) in node.into_iter().enumerate() {
            let sums = &mut self.sums[d];
            if mesh.is_torus() {
                for (a, sum) in sums.iter_mut().enumerate() {
                    *sum += u64::from(mesh.hops(d, a as u32, at));
                }
            } else {
                for (a, sum) in sums.iter_mut().enumerate() {
                    *sum += u64::from((a as u32).abs_diff(at));
                }
            }
            self.minimum[d] = minimum(sums, self.minimum[d].0, mesh.is_torus());
        }
    }

    /// Returns the free node to take next.
    fn best(&self, mesh: &Mesh, centre: Coord) -> Option<Candidate> {
        let [_, ys, zs] = &self.sums;
        let [x_least, y_least, _] = [0, 1, 2].map(|d| self.sums[d][self.minimum[d].0]);
        // Off a torus sums only grow further out, so a hopeless position ends its direction.
        let may_improve = mesh.is_torus();
        let mut best: Option<Candidate> = None;
        outward(self.minimum[2].0, zs.len(), |z| {
            if best.is_some_and(|best| zs[z] + y_least + x_least > best.0) {
                return may_improve;
            }
            outward(self.minimum[1].0, ys.len(), |y| {
                let base = zs[z] + ys[y];
                if best.is_some_and(|best| base + x_least > best.0) {
                    return may_improve;
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

    /// Returns the free node of a shell to take next, all nearer ones being taken.
    fn best_in_shell(&self, mesh: &Mesh, centre: Coord, shell: usize) -> Option<Candidate> {
        let [width, length, _] = mesh.extents().map(|extent| extent as usize);
        let xs = ranges(centre[0] as usize, shell, width, mesh.is_torus());
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

    /// Returns the free node of a row to take first: its x, the sum along x and its distance from `centre` along x.
    fn best_in_row(&self, mesh: &Mesh, centre: u32, y: usize, z: usize) -> Option<(u64, u32, u32)> {
        let row = &self.rest[(z * self.sums[1].len() + y) * self.words..][..self.words];
        let key = |x: usize| (self.sums[0][x], mesh.hops(0, centre, x as u32), x as u32);
        if mesh.is_torus() {
            return set_bits(row, 0, self.sums[0].len()).map(key).min();
        }
        let (low, high) = self.minimum[0];
        if let Some(best) = set_bits(row, low, high + 1).map(key).min() {
            return Some(best);
        }
        let (left, right) = (last_before(row, low).map(key), first_from(row, high + 1).map(key));
        match (left, right) {
            (Some(left), Some(right)) => Some(left.min(right)),
            (left, right) => left.or(right),
        }
    }

    /// Puts back all that the fill around `centre`, of nodes up to `reach` away, has taken.
    fn restore(&mut self, mesh: &Mesh, centre: Coord, reach: usize) {
        let length = self.sums[1].len();
        for (y, z) in rows(mesh, centre, reach) {
            let row = (z * length + y) * self.words;
            self.rest[row..row + self.words].copy_from_slice(&self.free[row..row + self.words]);
        }
    }
}

/// Returns the rows (y, z) within `radius` of `centre`.
fn rows(mesh: &Mesh, centre: Coord, radius: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
    let span = |d: usize| ranges(centre[d] as usize, radius, mesh.extents()[d] as usize, mesh.is_torus());
    let (ys, zs) = (span(1), span(2));
    zs.into_iter()
        .flatten()
        .flatten()
        .flat_map(move |z| ys.clone().into_iter().flatten().flatten().map(move |y| (y, z)))
}

/// Visits positions below `count`: from `from` upwards, then downwards; `visit` says whether its direction goes on.
fn outward(from: usize, count: usize, mut visit: impl FnMut(usize) -> bool) {
    let _ = (from..count).all(&mut visit);
    let _ = (0..from).rev().all(&mut visit);
}

/// Returns first and last position of the smallest sum, searched from position `near`. Convex sums have no other flat
/// part; on a torus they need not be convex, and only the smallest value is wanted.
fn minimum(sums: &[u64], near: usize, torus: bool) -> (usize, usize) {
    if torus {
        let at = (0..sums.len()).min_by_key(|&i| sums[i]).unwrap_or(0);
        return (at, at);
    }
    let mut low = near;
    while low + 1 < sums.len() && sums[low + 1] < sums[low] {
        low += 1;
    }
    while low > 0 && sums[low - 1] <= sums[low] {
        low -= 1;
    }
    let mut high = low;
    while high + 1 < sums.len() && sums[high + 1] <= sums[high] {
        high += 1;
    }
    (low, high)
}

/// Returns the bits of word `word` whose positions lie in `start..end`; the word must hold at least one of them.
fn mask(word: usize, start: usize, end: usize) -> u64 {
    let (low, high) = (start.saturating_sub(word * 64), (end - word * 64).min(64));
    // Ones from `low` upwards, and ones below `high`.
    u64::MAX << low & u64::MAX >> (64 - high)
}

/// Returns the positions in `start..end` of the bits that are set.
fn set_bits(row: &[u64], start: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
    (start / 64..end.div_ceil(64)).flat_map(move |word| {
        let mut bits = row[word] & mask(word, start, end);
        std::iter::from_fn(move || {
            let bit = bits.trailing_zeros() as usize;
            (bits != 0).then(|| {
                bits &= bits - 1;
                word * 64 + bit
            })
        })
    })
}

/// Returns the position of the first bit set at or after `from`.
fn first_from(row: &[u64], from: usize) -> Option<usize> {
    let (first, bit) = (from / 64, from % 64);
    let head = row.get(first)? & u64::MAX << bit;
    if head != 0 {
        return Some(first * 64 + head.trailing_zeros() as usize);
    }
    let word = (first + 1..row.len()).find(|&word| row[word] != 0)?;
    Some(word * 64 + row[word].trailing_zeros() as usize)
}

/// Returns the position of the last bit set before `end`.
fn last_before(row: &[u64], end: usize) -> Option<usize> {
    let word = (0..end.div_ceil(64)).rev().find(|&word| row[word] & mask(word, 0, end) != 0)?;
    Some(word * 64 + 63 - (row[word] & mask(word, 0, end)).leading_zeros() as usize)
}
