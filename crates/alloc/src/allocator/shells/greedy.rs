//! The greedy choice of MC1x1: the free node that is nearest to the nodes taken, again and again.
//!
//! The sum of L1 distances from a node to the nodes taken is separable: it is X(x) + Y(y) + Z(z), where each
//! term is the sum along one dimension. So taking a node only updates three short tables. The table of a line
//! is convex, and the table of a ring falls and rises once if the nodes taken are close together. The best
//! free node of a row is then the nearest one on either side of the minimum of X, and the bits of the row
//! show which node that is. Rows are visited outwards from the minima of Y and Z until no row can win.

use std::cmp::Ordering;

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

/// The free nodes of a machine, and the free nodes that the current fill has not taken. Memory is kept
/// between fills.
#[derive(Debug, Default)]
pub(super) struct Greedy {
    last: Last,
    /// The number of 64-bit words for a row of nodes.
    words: usize,
    /// The free nodes, one bit each. Each row starts a new word.
    free: Vec<u64>,
    /// The free nodes that the current fill has not taken, in the same layout.
    rest: Vec<u64>,
    /// For each dimension and position the sum of hops along the dimension to the nodes taken.
    sums: [Vec<u64>; 3],
    /// For each dimension where its sums are smallest.
    plateaus: [Plateau; 3],
    /// For each dimension and position the number of nodes at the start of the current fill.
    taken: [Vec<u64>; 3],
    hops: Hops,
    ends: RowEnds,
}

/// For each dimension of n positions the hops from position 0 to positions −n to n − 1.
#[derive(Debug, Default)]
pub(super) struct Hops([Vec<u64>; 3]);

impl Hops {
    /// Sets the hops for `mesh`.
    pub(super) fn set(&mut self, mesh: &Mesh) {
        for (d, extent) in mesh.extents().into_iter().enumerate() {
            let ahead = |steps: u32| if mesh.wraps(d) { steps.min(extent - steps) } else { steps };
            self.0[d].clear();
            self.0[d].extend((0..=extent).rev().chain(1..extent).map(ahead).map(u64::from));
        }
    }

    /// Adds the hops from position `at` to `sums`, which has consecutive positions of dimension `d`: all of
    /// them, or on a ring at most half of them.
    #[inline]
    pub(super) fn add(&self, d: usize, at: usize, sums: &mut [u64]) {
        let hops = &self.0[d];
        for (sum, hops) in sums.iter_mut().zip(&hops[hops.len() / 2 - at..]) {
            *sum += hops;
        }
    }
}

/// Per row the candidates for the best node: the nearest nodes on either side of the minimum of X. They are
/// valid until one of them is taken or the minimum moves.
#[derive(Debug, Default)]
struct RowEnds {
    /// The positions below and above the plateau, [`NONE`] if there is none on a side. If a node of the
    /// plateau is free, both are the best such node.
    nearest: Vec<[u32; 2]>,
    /// Per row the version of the minimum for which its ends are valid.
    version_of: Vec<u32>,
    /// The current version of the minimum. Versions start at 1, so a row with 0 has no ends.
    version: u32,
}

/// The position that stands for no node.
const NONE: u32 = u32::MAX;

impl RowEnds {
    /// Invalidates all ends, for another minimum or another fill, on a machine of `rows` rows.
    fn forget(&mut self, rows: usize) {
        self.version = self.version.wrapping_add(1);
        if self.version == 0 || self.version_of.len() != rows {
            self.nearest.resize(rows, [NONE; 2]);
            self.version_of.clear();
            self.version_of.resize(rows, 0);
            self.version = 1;
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

    /// Sets the free nodes. `bits` returns up to 64 consecutive nodes as bits, the first node as the lowest
    /// bit.
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

    /// Returns the free node to take next in a fill around `centre`; `None` if there is none. `shell` is the
    /// shell of the k-th nearest free node.
    pub(super) fn next(&mut self, mesh: &Mesh, centre: Coord, shell: usize) -> Option<Coord> {
        let best = match self.last {
            Last::Nearest => self.best(mesh, centre),
            Last::Shell => self.best_in_shell(mesh, centre, shell),
        };
        best.map(|(_, _, node)| node)
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

    /// Makes the tables `sums` and `plateaus` from the counts in `taken`.
    fn start_sums(&mut self, mesh: &Mesh) {
        for d in 0..3 {
            distances_along(&self.taken[d], mesh.wraps(d), &mut self.sums[d]);
            self.plateaus[d] = Plateau::find(&self.sums[d], mesh.wraps(d), 0);
        }
        self.ends.forget(self.sums[1].len() * self.sums[2].len());
    }

    /// Marks a node as taken.
    fn clear(&mut self, node: Coord) {
        let [x, y, z] = node.map(|c| c as usize);
        let row = (z * self.sums[1].len() + y) * self.words;
        self.rest[row + x / 64] &= !(1 << (x % 64));
    }

    /// Takes one node, and updates the tables of sums.
    pub(super) fn take(&mut self, mesh: &Mesh, node: Coord) {
        self.clear(node);
        let before = self.plateaus[0];
        for (d, at) in node.into_iter().enumerate() {
            let sums = &mut self.sums[d];
            self.hops.add(d, at as usize, sums);
            self.plateaus[d] = Plateau::find(sums, mesh.wraps(d), self.plateaus[d].low);
        }
        let [_, y, z] = node.map(|c| c as usize);
        self.ends.version_of[z * self.sums[1].len() + y] = 0;
        if !self.plateaus[0].is_at(before) {
            self.ends.forget(self.sums[1].len() * self.sums[2].len());
        }
    }

    /// Returns the free node to take next; `None` if no free node is left.
    fn best(&mut self, mesh: &Mesh, centre: Coord) -> Option<Candidate> {
        let mut ends = std::mem::take(&mut self.ends);
        let [_, ys, zs] = &self.sums;
        let [x_least, y_least, _] = [0, 1, 2].map(|d| self.sums[d][self.plateaus[d].low]);
        // Branch and bound: a layer or row is hopeless if its sum plus the smallest sums of the other
        // dimensions exceeds the best sum. Where sums only grow further out, a hopeless position ends its
        // direction.
        let mut best: Option<Candidate> = None;
        let mut least = u64::MAX;
        self.plateaus[2].outward(zs.len(), |z| {
            if zs[z] + y_least + x_least > least {
                return false;
            }
            self.plateaus[1].outward(ys.len(), |y| {
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
        ends: &mut RowEnds,
    ) -> Option<(u64, u32)> {
        let at = z * self.sums[1].len() + y;
        let row = &self.rest[at * self.words..][..self.words];
        let (sums, plateau) = (&self.sums[0], self.plateaus[0]);
        let key = |x: u32| (sums[x as usize], mesh.hops(0, centre, x), x);
        let best = |start, end| set_bits_within(row, start, end).map(|x| key(x as u32)).min();
        if !plateau.grows {
            return best(0, sums.len()).map(|(sum, _, x)| (sum, x));
        }
        if ends.version_of[at] != ends.version {
            ends.version_of[at] = ends.version;
            ends.nearest[at] = plateau_ends(row, plateau, sums.len(), mesh.wraps(0), best);
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
                if mesh.wraps(0) && below != above && sum == sums[plateau.top(sums.len())] {
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

/// Returns the candidates for the best position of a row of `width` nodes: the set bits nearest to the
/// minimum plateau on both sides. If bits of the plateau are set, both are the best of these bits, found by
/// `best` in a range.
fn plateau_ends(
    row: &[u64],
    plateau: Plateau,
    width: usize,
    wraps: bool,
    best: impl Fn(usize, usize) -> Option<(u64, u32, u32)>,
) -> [u32; 2] {
    // All x from `low` to `high` share the smallest sum; on a ring they may go around its end.
    let (low, high) = (plateau.low, plateau.high);
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

/// Returns the positions of the set bits of `row` in `start..end`, ascending.
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

// The minimum plateau of a table of sums: where the sums of one dimension are smallest, and how far they
// only grow from there.

/// The parts of a ring in one round from the start of the plateau.
#[derive(Clone, Copy)]
enum RingPart {
    Valley,
    Up,
    Top,
    Down,
}

/// The minimum plateau of the sums along one dimension of n positions, and how far the sums rise on both
/// sides. On a ring, position n + i is the same as position i.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Plateau {
    /// The first position of the smallest sum.
    pub(super) low: usize,
    /// The last position of the smallest sum. All positions in between have it too.
    pub(super) high: usize,
    /// Number of positions above `low` without a fall of the sums: to the end of a line, or to the top of a
    /// ring. Downwards from `low`, the sums of the other positions do not fall either.
    upwards: usize,
    /// Whether that holds, and whether the sums even grow strictly until the largest one is reached. If not,
    /// `upwards` has all other positions.
    pub(super) grows: bool,
}

impl Plateau {
    /// Returns the plateau of sums along a line or a ring. The search begins at position `near`. Sums along a
    /// line must be convex.
    pub(super) fn find(sums: &[u64], wraps: bool, near: usize) -> Self {
        if wraps {
            Self::single(sums, near).unwrap_or_else(|| Self::fallback(sums))
        } else {
            Self::on_line(sums, near)
        }
    }

    /// Returns true if both plateaus have the same positions and both or neither grow.
    fn is_at(self, other: Self) -> bool {
        (self.low, self.high, self.grows) == (other.low, other.high, other.grows)
    }

    /// Returns the plateau of sums along a ring with one valley and one top; `None` for any other sums and
    /// for equal ones. The search descends from position `near`, and then goes round once.
    fn single(sums: &[u64], near: usize) -> Option<Self> {
        let n = sums.len();
        let (next, before) =
            (|at: usize| if at + 1 < n { at + 1 } else { 0 }, |at: usize| at.checked_sub(1).unwrap_or(n - 1));
        let mut low = near;
        while sums[next(low)] < sums[low] {
            low = next(low);
        }
        // While sums fall or stay, the plateau begins further down. Equal sums have no beginning.
        let mut steps = 0;
        while sums[before(low)] <= sums[low] {
            low = before(low);
            steps += 1;
            if steps == n {
                return None;
            }
        }
        // One round in two parts, as the ring is stored as a line.
        let (mut part, mut high) = (RingPart::Valley, low);
        let mut upwards = 0;
        let mut sum = sums[low];
        for (i, &next) in (1..n).zip(sums[low + 1..].iter().chain(&sums[..low])) {
            part = match (part, next.cmp(&sum)) {
                (RingPart::Valley, Ordering::Equal) => {
                    high = low + i;
                    RingPart::Valley
                }
                (RingPart::Valley | RingPart::Up, Ordering::Greater) => {
                    upwards = i;
                    RingPart::Up
                }
                (RingPart::Up | RingPart::Top, Ordering::Equal) => RingPart::Top,
                (RingPart::Up | RingPart::Top | RingPart::Down, Ordering::Less) => RingPart::Down,
                _ => return None,
            };
            sum = next;
        }
        (sum > sums[low]).then_some(Self { low, high, upwards, grows: true })
    }

    /// Returns the plateau of sums along a line. The sums must be convex. The search descends from position
    /// `near`.
    fn on_line(sums: &[u64], near: usize) -> Self {
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
        Self { low, high, upwards: sums.len() - 1 - low, grows: true }
    }

    /// Returns the plateau of sums along a ring without a single valley and a single top: the whole ring if
    /// all sums are equal, otherwise the first position of the smallest sum, with `grows` false.
    fn fallback(sums: &[u64]) -> Self {
        let rest = sums.len() - 1;
        let least = sums.iter().copied().min().unwrap_or(0);
        if sums.iter().all(|&sum| sum == least) {
            return Self { low: 0, high: rest, upwards: rest, grows: true };
        }
        let first = sums.iter().position(|&sum| sum == least).unwrap_or(0);
        Self { low: first, high: first, upwards: rest, grows: false }
    }

    /// Returns the position, of `count` positions, at the end of the rise upwards. On a ring that grows it
    /// has the largest sum.
    pub(super) fn top(self, count: usize) -> usize {
        let top = self.low + self.upwards;
        if top < count { top } else { top - count }
    }

    /// Calls `visit` with the positions of a dimension of `count` positions: from `low` upwards, then from
    /// `low` − 1 downwards. If `visit` returns false, the positions beyond, whose sums are no smaller, are
    /// left out.
    fn outward(self, count: usize, mut visit: impl FnMut(usize) -> bool) {
        let around = |at: usize| if at < count { at } else { at - count };
        let mut go = |at: usize| visit(around(at)) || !self.grows;
        let _ = (self.low..=self.low + self.upwards).all(&mut go);
        let _ = (self.low + self.upwards + 1..self.low + count).rev().all(&mut go);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_machine::machine::distances_along;

    /// Returns the plateau of sums along a ring, by a search of the whole ring.
    fn of_ring(sums: &[u64]) -> Plateau {
        let n = sums.len();
        let least = sums.iter().copied().min().unwrap_or(0);
        let first = sums.iter().position(|&sum| sum == least).unwrap_or(0);
        // The valley may go around the end of the ring.
        let before = sums.iter().rev().take_while(|&&sum| sum == least).count();
        let low = if first == 0 && before < n { (n - before) % n } else { first };
        let at = |i: usize| sums[if i < n { i } else { i - n }];
        let (mut i, end) = (low, low + n);
        let mut pass = |grows: fn(u64, u64) -> bool| {
            while i + 1 < end && grows(at(i), at(i + 1)) {
                i += 1;
            }
            i
        };
        let high = pass(|here, next| here == next);
        let top = pass(|here, next| here < next);
        pass(|here, next| here == next);
        let bottom = pass(|here, next| here > next);
        if bottom + 1 < end || high + 1 < end && at(bottom) == least {
            return Plateau { low: first, high: first, upwards: n - 1, grows: false };
        }
        Plateau { low, high, upwards: top - low, grows: true }
    }

    #[test]
    fn every_position_is_visited_and_sums_grow_outwards() {
        let mut number = 1_u32;
        for (n, wraps) in (1..=9).flat_map(|n| [(n, false), (n, true)]) {
            for _ in 0..200 {
                let counts: Vec<u32> = (0..n)
                    .map(|_| {
                        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        (number >> 24) % 4 / 2
                    })
                    .collect();
                let mut sums = vec![0; n];
                distances_along(&counts, wraps, &mut sums);
                let valley = Plateau::find(&sums, wraps, n / 2);
                if wraps {
                    // The walk from any position finds what the search of the whole ring does.
                    assert!(
                        (0..n).all(|near| Plateau::find(&sums, true, near) == of_ring(&sums)),
                        "{sums:?}"
                    );
                }
                let mut visited = Vec::new();
                valley.outward(n, |at| {
                    visited.push(at);
                    true
                });
                visited.sort_unstable();
                assert_eq!(visited, (0..n).collect::<Vec<_>>(), "{sums:?} {valley:?}");
                let least = sums.iter().copied().min().unwrap_or(0);
                assert!((valley.low..=valley.high).all(|at| sums[at % n] == least), "{sums:?} {valley:?}");
                // Whatever limit ends the visits, no smaller sum is left out.
                for limit in sums.clone() {
                    let mut found = Vec::new();
                    valley.outward(n, |at| {
                        found.extend((sums[at] <= limit).then_some(at));
                        sums[at] <= limit
                    });
                    found.sort_unstable();
                    let plain: Vec<usize> = (0..n).filter(|&at| sums[at] <= limit).collect();
                    assert_eq!(found, plain, "{sums:?} {valley:?} {limit}");
                }
                // Where the sums grow, they do so strictly between the valley and the top.
                if wraps && valley.grows {
                    let (ups, downs, flats) = (0..n).fold((0, 0, 0), |(ups, downs, flats), at| {
                        let (here, next) = (sums[at], sums[(at + 1) % n]);
                        let between = here != least && sums.iter().any(|&sum| sum > here);
                        (
                            ups + u32::from(here < next),
                            downs + u32::from(here > next),
                            flats + u32::from(here == next && between),
                        )
                    });
                    assert!(flats == 0 && ups + downs <= n as u32, "{sums:?}");
                }
            }
        }
    }
}
