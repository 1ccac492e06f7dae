//! The greedy choice of MC1x1: the free node that is nearest to the nodes taken, again and again.
//!
//! The sum of L1 distances from a node to the nodes taken so far is separable: it is X(x) + Y(y) + Z(z),
//! where each term is the sum along one dimension. So taking a node only updates three short tables. The
//! table of a line is convex, and that of a ring falls and rises once if the nodes taken are close together.
//! The best free node of a row is then the nearest one on either side of the minimum of X, and the bits of
//! the row show which node that is. Rows are visited outwards from the minima of Y and Z until they cannot
//! win any more.

use super::hops::Hops;
use super::valley::Valley;
use meshreplay_machine::machine::{Coord, Machine, Mesh, bits_of_word, distances_along, ranges};

/// The rule for the nodes that are added after the shells that are taken as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Last {
    /// Any free node may be added.
    #[default]
    Nearest,
    /// Only nodes of the next shell may be added. It has at least as many as are missing.
    Shell,
}

/// A free node with its sort key: the sum of L1 distances to the nodes taken, the L1 distance to the centre,
/// and the coordinates. The smallest is taken first.
type Candidate = (u64, u32, Coord);

/// The free nodes of a machine, and those of them that the fill at hand has not taken. Memory is kept between
/// fills.
#[derive(Debug, Default)]
pub(super) struct Greedy {
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
    /// For each dimension and position the number of nodes with which the fill at hand has begun.
    taken: [Vec<u64>; 3],
    hops: Hops,
    ends: Ends,
}

/// For each row of nodes those of its nodes that can be the best: the nearest ones on either side of the
/// valley of X. They are kept until one of them is taken or the valley moves.
#[derive(Debug, Default)]
struct Ends {
    /// The positions below and above the valley, [`NONE`] if there is none on a side. If a node of the valley
    /// is free, both are the best such node.
    nearest: Vec<[u32; 2]>,
    /// For each row the number of the valley for which its ends hold.
    valley_of: Vec<u32>,
    /// The number of the valley at hand. Numbers start at 1, so that a row with 0 has no ends.
    valley: u32,
}

/// The position that stands for no node.
const NONE: u32 = u32::MAX;

impl Ends {
    /// Starts with another valley or another fill of a machine of so many rows: no ends are known.
    fn forget(&mut self, rows: usize) {
        self.valley = self.valley.wrapping_add(1);
        if self.valley == 0 || self.valley_of.len() != rows {
            self.nearest.resize(rows, [NONE; 2]);
            self.valley_of.clear();
            self.valley_of.resize(rows, 0);
            self.valley = 1;
        }
    }
}

impl Greedy {
    /// Returns a choice without a machine state.
    pub(super) fn new(last: Last) -> Self {
        Self { last, ..Self::default() }
    }

    /// Copies the free nodes of `machine`, the state of the fills that follow.
    pub(super) fn prepare(&mut self, machine: &Machine) {
        self.copy(machine.mesh(), |from, bits| machine.free().bits(from, bits));
    }

    /// Takes every node of `mesh` as free, in the fills that follow.
    pub(super) fn prepare_idle(&mut self, mesh: &Mesh) {
        self.copy(mesh, |_, bits| u64::MAX >> (64 - bits));
    }

    /// Sets the free nodes. `bits` returns those of up to 64 consecutive nodes, the first of which is the
    /// lowest bit.
    fn copy(&mut self, mesh: &Mesh, bits: impl Fn(usize, usize) -> u64) {
        let extents = mesh.extents();
        let width = extents[0] as usize;
        self.words = width.div_ceil(64);
        self.free.clear();
        for row in 0..(extents[1] * extents[2]) as usize {
            for word in 0..self.words {
                self.free.push(bits(row * width + word * 64, (width - word * 64).min(64)));
            }
        }
        self.rest.clone_from(&self.free);
        for (d, extent) in extents.into_iter().enumerate() {
            self.sums[d].resize(extent as usize, 0);
            self.taken[d].resize(extent as usize, 0);
        }
        self.hops.set(mesh);
    }

    /// Returns whether a machine was given.
    pub(super) fn is_prepared(&self) -> bool {
        self.words > 0
    }

    /// Returns whether `node` is free.
    pub(super) fn is_free(&self, [x, y, z]: Coord) -> bool {
        let row = (z as usize * self.sums[1].len() + y as usize) * self.words;
        self.free[row + x as usize / 64] >> (x % 64) & 1 == 1
    }

    /// Returns the rule for the nodes that are added after whole shells.
    pub(super) fn last(&self) -> Last {
        self.last
    }

    /// Returns the free nodes of row (y, z), one bit each.
    pub(super) fn row(&self, y: usize, z: usize) -> &[u64] {
        &self.free[(z * self.sums[1].len() + y) * self.words..][..self.words]
    }

    /// Starts a fill around `centre`: takes all free nodes nearer to it than `shell`, and then `picks`, which
    /// must be free and no nearer. Returns the number of nodes taken.
    pub(super) fn start(&mut self, mesh: &Mesh, centre: Coord, shell: usize, picks: &[Coord]) -> u32 {
        let inner = self.take_inner(mesh, centre, shell);
        for pick in picks {
            self.clear(*pick);
            for (taken, &at) in self.taken.iter_mut().zip(pick) {
                taken[at as usize] += 1;
            }
        }
        self.start_sums(mesh);
        inner + picks.len() as u32
    }

    /// Returns the free node to take next in a fill around `centre`, of which `shell` is the shell of the
    /// k-th nearest free node; `None` if there is none.
    pub(super) fn next(&mut self, mesh: &Mesh, centre: Coord, shell: usize) -> Option<Coord> {
        let found = match self.last {
            Last::Nearest => self.best(mesh, centre),
            Last::Shell => self.best_in_shell(mesh, centre, shell),
        };
        found.map(|(_, _, node)| node)
    }

    /// Takes all free nodes nearer to the centre than `shell`, and counts them by position in `taken`.
    /// Returns their number, which is 0 for shell 0.
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
                    let bits = self.rest[row + word] & mask(word, xs.start, xs.end);
                    self.rest[row + word] &= !bits;
                    let count = bits.count_ones();
                    inner += count;
                    self.taken[1][y] += u64::from(count);
                    self.taken[2][z] += u64::from(count);
                    for bit in bits_of_word(bits) {
                        self.taken[0][word * 64 + bit as usize] += 1;
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
            self.valleys[d] = Valley::of(&self.sums[d], mesh.wraps(d), 0);
        }
        self.ends.forget(self.sums[1].len() * self.sums[2].len());
    }

    /// Removes a node from those that are not taken.
    fn clear(&mut self, node: Coord) {
        let [x, y, z] = node.map(|c| c as usize);
        let row = (z * self.sums[1].len() + y) * self.words;
        self.rest[row + x / 64] &= !(1 << (x % 64));
    }

    /// Takes one node, and updates the tables of sums.
    pub(super) fn take(&mut self, mesh: &Mesh, node: Coord) {
        self.clear(node);
        let before = self.valleys[0];
        for (d, at) in node.into_iter().enumerate() {
            let sums = &mut self.sums[d];
            self.hops.add(d, at as usize, sums);
            self.valleys[d] = Valley::of(sums, mesh.wraps(d), self.valleys[d].low);
        }
        let [_, y, z] = node.map(|c| c as usize);
        self.ends.valley_of[z * self.sums[1].len() + y] = 0;
        if !self.valleys[0].is_at(before) {
            self.ends.forget(self.sums[1].len() * self.sums[2].len());
        }
    }

    /// Returns the free node to take next; `None` if no free node is left.
    fn best(&mut self, mesh: &Mesh, centre: Coord) -> Option<Candidate> {
        let mut ends = std::mem::take(&mut self.ends);
        let [_, ys, zs] = &self.sums;
        let [x_least, y_least, _] = [0, 1, 2].map(|d| self.sums[d][self.valleys[d].low]);
        // Branch and bound: a layer or row is hopeless if its sum and the smallest sums of the other
        // dimensions exceed the best so far. Where sums only grow further out, a hopeless position ends its
        // direction.
        let mut best: Option<Candidate> = None;
        let mut least = u64::MAX;
        self.valleys[2].outward(zs.len(), |z| {
            if zs[z] + y_least + x_least > least {
                return false;
            }
            self.valleys[1].outward(ys.len(), |y| {
                let base = zs[z] + ys[y];
                if base + x_least > least {
                    return false;
                }
                let Some((sum, x)) = self.best_in_row(mesh, centre[0], y, z, &mut ends) else { return true };
                if base + sum <= least {
                    let node = [x, y as u32, z as u32];
                    let candidate = (base + sum, mesh.l1(centre, node), node);
                    if best.is_none_or(|best| candidate < best) {
                        best = Some(candidate);
                        least = base + sum;
                    }
                }
                true
            });
            true
        });
        self.ends = ends;
        best
    }

    /// Returns the free node of a shell to take next; `None` if none is left in it. All nearer free nodes
    /// must be taken, so that a search of the whole submesh finds only nodes of the shell.
    fn best_in_shell(&self, mesh: &Mesh, centre: Coord, shell: usize) -> Option<Candidate> {
        let [width, length, _] = mesh.extents().map(|extent| extent as usize);
        let xs = ranges(centre[0] as usize, shell, width, mesh.wraps(0));
        let in_row = |(y, z): (usize, usize)| {
            let row = &self.rest[(z * length + y) * self.words..][..self.words];
            let nodes = xs.iter().flatten().flat_map(move |xs| set_bits_within(row, xs.start, xs.end));
            nodes.map(move |x| [x as u32, y as u32, z as u32])
        };
        let candidate = |node: Coord| {
            let sum = (0..3).map(|d| self.sums[d][node[d] as usize]).sum();
            (sum, mesh.l1(centre, node), node)
        };
        rows(mesh, centre, shell).flat_map(in_row).map(candidate).min()
    }

    /// Returns the best free node of row (y, z); `None` if none is left in it. The result is the sum along x
    /// and the x of the node. Of equal sums the one with the fewest hops along x from `centre` is best, then
    /// the first.
    fn best_in_row(
        &self,
        mesh: &Mesh,
        centre: u32,
        y: usize,
        z: usize,
        ends: &mut Ends,
    ) -> Option<(u64, u32)> {
        let at = z * self.sums[1].len() + y;
        let row = &self.rest[at * self.words..][..self.words];
        let (sums, valley) = (&self.sums[0], self.valleys[0]);
        let key = |x: u32| (sums[x as usize], mesh.hops(0, centre, x), x);
        let best = |start, end| set_bits_within(row, start, end).map(|x| key(x as u32)).min();
        if !valley.grows {
            return best(0, sums.len()).map(|(sum, _, x)| (sum, x));
        }
        if ends.valley_of[at] != ends.valley {
            ends.valley_of[at] = ends.valley;
            ends.nearest[at] = valley_ends(row, valley, sums.len(), mesh.wraps(0), best);
        }
        match ends.nearest[at] {
            [NONE, NONE] => None,
            [x, NONE] | [NONE, x] => Some((sums[x as usize], x)),
            [below, above] => {
                let [sum, other] = [below, above].map(|x| sums[x as usize]);
                if sum != other {
                    return Some(if sum < other { (sum, below) } else { (other, above) });
                }
                // The top of a ring may be flat. If only nodes of the top are free, all of them are compared.
                if mesh.wraps(0) && below != above && sum == sums[valley.top(sums.len())] {
                    return best(0, sums.len()).map(|(sum, _, x)| (sum, x));
                }
                let (sum, _, x) = key(below).min(key(above));
                Some((sum, x))
            }
        }
    }

    /// Puts back all nodes that the fill around `centre` has taken. No node taken is farther than `reach`
    /// (L∞).
    pub(super) fn restore(&mut self, mesh: &Mesh, centre: Coord, reach: usize) {
        let length = self.sums[1].len();
        for (y, z) in rows(mesh, centre, reach) {
            let row = (z * length + y) * self.words;
            self.rest[row..row + self.words].copy_from_slice(&self.free[row..row + self.words]);
        }
    }
}

/// Returns the positions of a row of `width` nodes that can be the best: those of its set bits that are
/// nearest to the valley on both sides. If bits of the valley are set, both are the best of these, which
/// `best` finds in a range.
fn valley_ends(
    row: &[u64],
    valley: Valley,
    width: usize,
    wraps: bool,
    best: impl Fn(usize, usize) -> Option<(u64, u32, u32)>,
) -> [u32; 2] {
    // All x from `low` to `high` share the smallest sum; on a ring they may go around its end.
    let (low, high) = (valley.low, valley.high);
    let around = (high + 1).saturating_sub(width);
    let flat = [best(low, (high + 1).min(width)), best(0, around)];
    if let Some((_, _, x)) = flat.into_iter().flatten().min() {
        return [x; 2];
    }
    let (mut below, mut above) = (last_before(row, low), first_from(row, high + 1));
    if wraps {
        below = below.or_else(|| last_before(row, width));
        above = above.filter(|_| around == 0).or_else(|| first_from(row, around));
    }
    [below, above].map(|x| x.map_or(NONE, |x| x as u32))
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

/// Returns a mask for word `word` of a row: its ones are at the positions in `start..end`. The word must have
/// at least one of these positions.
fn mask(word: usize, start: usize, end: usize) -> u64 {
    let (low, high) = (start.saturating_sub(word * 64), (end - word * 64).min(64));
    // Ones from `low` upwards, and ones below `high`.
    u64::MAX << low & u64::MAX >> (64 - high)
}

/// Returns the positions in `start..end` at which a bit of `row` is set, ascending.
fn set_bits_within(row: &[u64], start: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
    (start / 64..end.div_ceil(64)).flat_map(move |word| {
        let bits = row[word] & mask(word, start, end);
        bits_of_word(bits).map(move |bit| word * 64 + bit as usize)
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

/// Returns the bits of a row of `width` nodes from `first` on, `side` of them; 0 where the row ends, unless
/// it is a ring.
#[inline]
pub(super) fn window(row: &[u64], width: usize, first: i64, side: usize, wraps: bool) -> u64 {
    let bits = |from: usize, count: usize| {
        let (word, bit) = (from / 64, from % 64);
        let high = row.get(word + 1).map_or(0, |next| next << 1 << (63 - bit));
        (row[word] >> bit | high) & ((1_u64 << count) - 1)
    };
    let end = first + side as i64;
    if first < 0 {
        let beyond = (-first) as usize;
        let wrapped = if wraps { bits(width - beyond, beyond) } else { 0 };
        wrapped | bits(0, (side - beyond).min(width)) << beyond
    } else if end > width as i64 {
        let first = first as usize;
        let before = width - first;
        let wrapped = if wraps { bits(0, side - before) } else { 0 };
        bits(first, before) | wrapped << before
    } else {
        bits(first as usize, side)
    }
}
