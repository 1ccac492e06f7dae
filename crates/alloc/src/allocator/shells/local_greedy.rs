//! The greedy choice of MC1x1 among the nodes of a small box around a centre, by vector instructions. On a
//! machine of two dimensions the box is one layer.
//!
//! The sum of L1 distances from a node to the nodes taken is X(x) + Y(y) + Z(z). Each of the three tables has
//! an entry per position of the box along its axis, and a row of the box, with the same y and z, fills a few
//! vectors. A pass over the rows finds the best node: the smallest sum, then the fewest hops to the centre,
//! then the first location. All three are sums over the axes, so one number per place packs them, and the
//! smallest sum of three numbers decides. Only x is not packed, because the lane of the vector gives x.
//!
//! Sums never fall when a node is taken. So a row whose smallest possible sum exceeds some floor stays above
//! it, and is skipped until a choice reaches the floor; then the rows are listed again.
//!
//! The same argument bounds nodes outside the box. Along an axis, sums are smallest somewhere in the box and
//! grow beyond its ends: on a line because they are convex; on a ring because they are concave on the arc
//! outside, so that they are smallest at its two ends, if the box with these ends is no longer than half the
//! ring. So the sums at the positions just outside are a floor for all nodes outside. If a choice reaches it,
//! the search of `greedy` takes over. An axis of at most a vector of positions may be in the box as a whole,
//! and has no nodes outside.
#![expect(
    clippy::inline_always,
    reason = "functions that are not inlined into the one that was compiled for the processor at hand do not \
         use its vector instructions"
)]

use pulp::{Arch, Simd, WithSimd};

use super::fill::Objective;
use super::greedy::{Greedy, Last, window};
use meshreplay_machine::machine::{Coord, Mesh, distances_along};

/// The most nodes that are taken before the rows are listed anew.
const RUN: u32 = 64;

/// The box around a centre, with at most `N` positions along an axis, a power of 2 up to 32. Memory is kept
/// between fills.
#[derive(Debug)]
pub(super) struct LocalGreedy<const N: usize> {
    arch: Arch,
    axes: [Axis<N>; 3],
    /// For each row the places of the nodes to be taken, one bit each.
    left: Vec<u32>,
    /// For each row with such nodes, 0 at their places, and [`GONE`] at all others.
    masks: Vec<[u32; N]>,
    /// The rows that are listed.
    rows: Vec<Row>,
    /// No node to be taken that is not in a row listed has a smaller sum, whether it is in the box or not.
    floor: u32,
    /// The number of nodes taken.
    taken: u32,
    /// The shell whose nodes and all farther ones are to be taken.
    shell: u32,
}

/// A row of the box: its index, and its places along y and z.
#[derive(Clone, Copy, Debug)]
struct Row {
    index: u32,
    y: u8,
    z: u8,
}

impl<const N: usize> Default for LocalGreedy<N> {
    fn default() -> Self {
        Self {
            arch: Arch::new(),
            axes: [Axis::new(); 3],
            left: Vec::new(),
            masks: Vec::new(),
            rows: Vec::new(),
            floor: 0,
            taken: 0,
            shell: 0,
        }
    }
}

/// The result of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// All nodes were chosen.
    Done,
    /// The fill cannot win, whatever nodes follow.
    Useless,
    /// The box does not decide the next node.
    Open,
}

impl<const N: usize> LocalGreedy<N> {
    /// The bits of a place along an axis.
    const BITS: u32 = N.ilog2();
    /// Where a number has the hops. Below are the places along y and z.
    const HOPS: u32 = 2 * Self::BITS;
    /// Where a number has the sum. Hops along three axes are below 4 N.
    const SUM: u32 = Self::HOPS + Self::BITS + 2;
    /// Sums are below this when rows are listed, so that they fit until this is done anew.
    const LARGEST: u32 = (1 << (u32::BITS - Self::SUM)) - (RUN + 1) * 3 * N as u32;

    /// Starts a fill around `centre`: takes all free nodes nearer to it than `shell`, and then `picks`.
    /// Returns the number of nodes taken; `None` if the box would be too large for the machine or for this
    /// search. `inner` is the number of the free nodes nearer than `shell`, which only saves time.
    pub(super) fn start(
        &mut self,
        greedy: &Greedy,
        mesh: &Mesh,
        centre: Coord,
        shell: usize,
        inner: u32,
        picks: &[Coord],
    ) -> Option<u32> {
        // If the nodes are spread evenly within the shells, sums differ by about this much in the box. Larger
        // ones do not fit numbers. A wrong estimate only costs time.
        if u64::from(inner) * 3 * (shell as u64 + 5) / 2 > u64::from(Self::LARGEST) {
            return None;
        }
        let reach = match greedy.last() {
            Last::Nearest => shell + 2,
            Last::Shell => shell,
        };
        for (d, axis) in self.axes.iter_mut().enumerate() {
            if !axis.set(mesh, d, centre[d], reach) {
                return None;
            }
            if greedy.last() == Last::Shell {
                // No node outside is to be taken.
                axis.goes_on = [false; 2];
            }
        }
        self.shell = shell as u32;
        self.taken = 0;
        let mut counts = [[0_u32; N]; 3];
        self.arch.dispatch(Start { cube: self, greedy, counts: &mut counts });
        for &pick in picks {
            let place = self.place(pick)?;
            self.clear(place);
            self.taken += 1;
            for (counts, at) in counts.iter_mut().zip(place) {
                counts[at] += 1;
            }
        }
        for (d, counts) in counts.iter().enumerate() {
            self.number(d, counts);
        }
        self.floor = 0;
        Some(self.taken)
    }

    /// Returns the places of a node; `None` if it is not in the box.
    fn place(&self, node: Coord) -> Option<[usize; 3]> {
        let [x, y, z] = [0, 1, 2].map(|d| self.axes[d].place(node[d]));
        Some([x?, y?, z?])
    }

    /// Removes a node from those to be taken.
    #[inline(always)]
    fn clear(&mut self, [x, y, z]: [usize; 3]) {
        let row = z * self.axes[1].side + y;
        self.left[row] &= !(1 << x);
        self.masks[row][x] = GONE;
    }

    /// Sets the numbers of an axis from the number of nodes taken at each place.
    fn number(&mut self, d: usize, counts: &[u32; N]) {
        let axis = &mut self.axes[d];
        let mut sums = [0; N];
        let sums = &mut sums[..axis.side];
        distances_along(&counts[..axis.side], axis.ring < FAR, sums);
        let least = sums.iter().copied().min().unwrap_or(0);
        let shift = [None, Some(Self::BITS), Some(0)][d];
        for (place, sum) in sums.iter().enumerate() {
            let rank = shift.map_or(0, |shift| axis.ranks[place] << shift);
            // A sum that is too large for a number is too large for a list of rows, too.
            let sum = (*sum - least).min(u64::from(u32::MAX >> Self::SUM)) as u32;
            axis.numbers[place] = sum << Self::SUM | axis.hops[place] << Self::HOPS | rank;
        }
    }

    /// Chooses nodes until `wanted` of them are taken or the fill cannot win by `objective`, and adds them to
    /// `picks`.
    pub(super) fn run<W: Objective>(
        &mut self,
        mesh: &Mesh,
        wanted: u32,
        picks: &mut Vec<Coord>,
        objective: &mut W,
    ) -> Outcome {
        self.arch.dispatch(Run { cube: self, mesh, wanted, picks, objective })
    }
}

/// The free nodes of a new box, to be compiled for each set of vector instructions.
struct Start<'a, const N: usize> {
    cube: &'a mut LocalGreedy<N>,
    greedy: &'a Greedy,
    /// For each axis the number of nodes that are taken at each place.
    counts: &'a mut [[u32; N]; 3],
}

impl<const N: usize> WithSimd for Start<'_, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self {
            cube: LocalGreedy { axes: [xs, ys, zs], left, masks, rows, shell, taken, .. },
            greedy,
            counts,
        } = self;
        left.clear();
        rows.clear();
        masks.resize((ys.side * zs.side).max(masks.len()), [GONE; N]);
        // The places that are nearer than the shell along x.
        let near = (0..xs.side).filter(|&x| xs.hops[x] < *shell).fold(0, |bits, x| bits | 1_u32 << x);
        let farthest = match greedy.last() {
            Last::Nearest => u32::MAX,
            Last::Shell => *shell,
        };
        let reach = (0..xs.side).filter(|&x| xs.hops[x] <= farthest).fold(0, |bits, x| bits | 1_u32 << x);
        for z in 0..zs.side {
            for y in 0..ys.side {
                let mut free = 0;
                if let (Some(at_y), Some(at_z)) = (ys.position(y), zs.position(z)) {
                    let row = greedy.row(at_y, at_z);
                    free = window(row, xs.extent, xs.first, xs.side, xs.wraps) as u32;
                }
                let is_inner = ys.hops[y] < *shell && zs.hops[z] < *shell;
                let whole = if is_inner { free & near } else { 0 };
                let is_within = ys.hops[y] <= farthest && zs.hops[z] <= farthest;
                let rest = if is_within { free & !whole & reach } else { 0 };
                if whole != 0 {
                    let count = whole.count_ones();
                    *taken += count;
                    counts[1][y] += count;
                    counts[2][z] += count;
                    for (count, x) in counts[0].iter_mut().zip(0..) {
                        *count += whole >> x & 1;
                    }
                }
                if rest != 0 {
                    for (mask, x) in masks[left.len()].iter_mut().zip(0..) {
                        // All ones if the bit is 0.
                        *mask = (rest >> x & 1).wrapping_sub(1);
                    }
                }
                left.push(rest);
            }
        }
    }
}

/// A call of [`LocalGreedy::run`], to be compiled for each set of vector instructions.
struct Run<'a, W, const N: usize> {
    cube: &'a mut LocalGreedy<N>,
    mesh: &'a Mesh,
    wanted: u32,
    picks: &'a mut Vec<Coord>,
    objective: &'a mut W,
}

impl<W: Objective, const N: usize> WithSimd for Run<'_, W, N> {
    type Output = Outcome;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Outcome {
        let Self { cube, mesh, wanted, picks, objective } = self;
        let mut run = RUN;
        while cube.taken < wanted {
            if run == 0 {
                cube.floor = 0;
                run = RUN;
            }
            let Some(place) = cube.next() else { return Outcome::Open };
            run -= 1;
            let position = |d: usize| cube.axes[d].position(place[d]).map(|at| at as u32);
            let (Some(x), Some(y), Some(z)) = (position(0), position(1), position(2)) else {
                return Outcome::Open;
            };
            if !objective.add(mesh, [x, y, z]) {
                return Outcome::Useless;
            }
            picks.push([x, y, z]);
            cube.clear(place);
            cube.taken += 1;
            for (axis, place) in cube.axes.iter_mut().zip(place) {
                axis.take(place, LocalGreedy::<N>::SUM);
            }
        }
        Outcome::Done
    }
}

/// More positions than any box has.
const FAR: u32 = 1 << 16;

/// What is known of one axis of the box.
#[derive(Clone, Copy, Debug)]
struct Axis<const N: usize> {
    /// For each place its sum, its hops to the centre, and but for the first axis its rank.
    numbers: [u32; N],
    /// For each place the hops to the centre.
    hops: [u32; N],
    /// Hops between two places, by the difference of the places from -N to N - 1.
    apart: [[u32; N]; 2],
    /// For each place its rank in the order of positions.
    ranks: [u32; N],
    /// The number of places.
    side: usize,
    /// The position of the first place; below 0 if it is beyond an end.
    first: i64,
    /// The number of positions of the axis.
    extent: usize,
    wraps: bool,
    /// The number of positions of a ring that is in the box as a whole; much more otherwise.
    ring: u32,
    /// Whether the machine goes on beyond either end of the box.
    goes_on: [bool; 2],
    /// The number of places before that of position 0 on a ring, if this is not the first one.
    turn: usize,
}

impl<const N: usize> Axis<N> {
    /// Returns an axis of one position.
    fn new() -> Self {
        Self {
            numbers: [0; N],
            hops: [0; N],
            apart: [[0; N]; 2],
            ranks: [0; N],
            side: 1,
            first: 0,
            extent: 1,
            wraps: false,
            ring: FAR,
            goes_on: [false; 2],
            turn: 0,
        }
    }

    /// Sets the part of an axis within `reach` of `centre`, or all of it. Returns whether one of them suits.
    fn set(&mut self, mesh: &Mesh, d: usize, centre: u32, reach: usize) -> bool {
        let (extent, wraps) = (mesh.extents()[d] as usize, mesh.wraps(d));
        let is_part = 2 * reach + 1 < extent && (!wraps || 4 * (reach + 1) <= extent);
        let (first, side) =
            if is_part { (i64::from(centre) - reach as i64, 2 * reach + 1) } else { (0, extent) };
        if side > N {
            return false;
        }
        let end = first + side as i64;
        self.goes_on = [first > 0, end < extent as i64].map(|inside| is_part && (wraps || inside));
        self.first = if wraps { first.rem_euclid(extent as i64) } else { first };
        self.turn =
            if wraps && self.first as usize + side > extent { extent - self.first as usize } else { 0 };
        (self.side, self.extent, self.wraps) = (side, extent, wraps);
        self.ring = if wraps && !is_part { extent as u32 } else { FAR };
        for (apart, at) in self.apart.as_flattened_mut().iter_mut().zip(0..) {
            let straight = u32::abs_diff(at, N as u32);
            *apart = straight.min(self.ring.wrapping_sub(straight));
        }
        self.hops = self.hops_to(if is_part { reach } else { centre as usize });
        for place in 0..side {
            let rank = if place >= self.turn { place - self.turn } else { place + side - self.turn };
            self.ranks[place] = rank as u32;
        }
        true
    }

    /// Returns the hops from each place to one of them; numbers of no meaning behind the last place.
    #[inline(always)]
    fn hops_to(&self, place: usize) -> [u32; N] {
        let mut hops = [0; N];
        hops.copy_from_slice(&self.apart.as_flattened()[N - place % N..][..N]);
        hops
    }

    /// Returns the position of a place; `None` if the machine ends before.
    #[inline(always)]
    fn position(&self, place: usize) -> Option<usize> {
        let at = self.first + place as i64;
        let extent = self.extent as i64;
        let at = if self.wraps && at >= extent { at - extent } else { at };
        (0..extent).contains(&at).then_some(at as usize)
    }

    /// Returns the place of a position; `None` if it is not in the box.
    fn place(&self, position: u32) -> Option<usize> {
        let ahead = i64::from(position) - self.first;
        let ahead = if self.wraps && ahead < 0 { ahead + self.extent as i64 } else { ahead };
        usize::try_from(ahead).ok().filter(|&place| place < self.side)
    }

    #[inline(always)]
    fn place_of_rank(&self, rank: usize) -> usize {
        let place = rank + self.turn;
        if place < self.side { place } else { place - self.side }
    }

    /// Takes a node at a place.
    #[inline(always)]
    fn take(&mut self, place: usize, sum: u32) {
        let (numbers, hops) = (self.numbers, self.hops_to(place));
        for i in 0..N {
            self.numbers[i] = numbers[i].wrapping_add(hops[i] << sum);
        }
    }
}

/// The number of a node that is not to be taken.
const GONE: u32 = u32::MAX;

/// How far the sums of rows that are listed may be above the best one.
const SLACK: u32 = 80;

impl<const N: usize> LocalGreedy<N> {
    /// Returns the smallest and the largest sum along an axis over the places that satisfy `is_in`.
    #[inline(always)]
    fn range(&self, d: usize, is_in: impl Fn(usize) -> bool) -> [u32; 2] {
        let axis = &self.axes[d];
        let sums = (0..axis.side).filter(|&place| is_in(place)).map(|place| axis.numbers[place] >> Self::SUM);
        sums.fold([u32::MAX, 0], |[least, most], sum| [least.min(sum), most.max(sum)])
    }

    /// Returns the smallest sum of a place of the shell or beyond, whether a node there is to be taken or
    /// not.
    #[inline(always)]
    fn first_sum(&self) -> u32 {
        let least = [0, 1, 2].map(|d| self.range(d, |_| true)[0]);
        let beyond = |d: usize| {
            let [along, _] = self.range(d, |place| self.axes[d].hops[place] >= self.shell);
            along.saturating_add(least.iter().sum::<u32>() - least[d])
        };
        (0..3).map(beyond).min().unwrap_or(u32::MAX)
    }

    /// Counts sums from a new base, and lists the rows with sums up to `SLACK` above `best`, or all rows
    /// without it; `best` counts from the old base. Returns true if the sums fit the numbers.
    #[inline(always)]
    fn list(&mut self, best: Option<u32>) -> bool {
        let least = [0, 1, 2].map(|d| self.range(d, |_| true)[0]);
        for (axis, least) in self.axes.iter_mut().zip(least) {
            for number in &mut axis.numbers {
                *number = number.wrapping_sub(least << Self::SUM);
            }
        }
        let most: u32 = (0..3).map(|d| self.range(d, |_| true)[1]).sum();
        if most >= Self::LARGEST {
            return false;
        }
        let shell = self.shell;
        let beyond = self.range(0, |x| self.axes[0].hops[x] >= shell)[0];
        let limit = best.map_or(u32::MAX, |best| (best - least.iter().sum::<u32>()).saturating_add(SLACK));
        self.floor = self.outside();
        self.rows.clear();
        let [_, ys, zs] = &self.axes;
        let mut index = 0;
        for z in 0..zs.side {
            let across = zs.numbers[z] >> Self::SUM;
            for y in 0..ys.side {
                if self.left[index as usize] != 0 {
                    let is_inner = ys.hops[y] < shell && zs.hops[z] < shell;
                    let bound = across + (ys.numbers[y] >> Self::SUM) + if is_inner { beyond } else { 0 };
                    let bound = if bound <= limit {
                        let numbers = masked(self.axes[0].numbers, self.masks[index as usize]);
                        across + (ys.numbers[y] >> Self::SUM) + (smallest(numbers) >> Self::SUM)
                    } else {
                        bound
                    };
                    if bound <= limit {
                        self.rows.push(Row { index, y: y as u8, z: z as u8 });
                    } else {
                        self.floor = self.floor.min(bound);
                    }
                }
                index += 1;
            }
        }
        true
    }

    /// Returns a lower bound of the sums of all nodes outside the box. Sums must be counted from a new base.
    #[inline(always)]
    fn outside(&self) -> u32 {
        let beyond = |axis: &Axis<N>| {
            // From the end of the box, the next position is one hop farther from all nodes taken.
            let ends = [0, axis.side - 1].map(|place| (axis.numbers[place] >> Self::SUM) + self.taken);
            let ends = ends.into_iter().zip(axis.goes_on).filter(|&(_, goes_on)| goes_on);
            ends.map(|(sum, _)| sum).min().unwrap_or(u32::MAX)
        };
        self.axes.iter().map(beyond).min().unwrap_or(u32::MAX)
    }

    /// Returns the best node of the rows listed: its sum and its places; `None` if there is none.
    #[inline(always)]
    fn best(&self) -> Option<(u32, [usize; 3])> {
        let [xs, ys, zs] = &self.axes;
        // Copies cannot overlap with anything that is written, which the compiler has to know.
        let numbers = xs.numbers;
        let mut least = [GONE; N];
        for row in &self.rows {
            let across = ys.numbers[row.y as usize % N] + zs.numbers[row.z as usize % N];
            let mask = self.masks[row.index as usize];
            least = smaller(least, masked(plus(numbers, across), mask));
        }
        let mut keys = [0; N];
        for x in 0..N {
            keys[x] = least[x] >> Self::HOPS;
        }
        let best = smallest(keys);
        if best == GONE >> Self::HOPS {
            return None;
        }
        // Of nodes with equal sums and hops, the first x decides, then the places along y and z.
        let mut places = [0; N];
        for x in 0..N {
            let place = least[x] & ((1 << Self::HOPS) - 1) | xs.ranks[x] << Self::HOPS;
            places[x] = if keys[x] == best { place } else { GONE };
        }
        let first = smallest(places);
        let rank = |shift: u32| (first >> shift) as usize % N;
        let place = [
            xs.place_of_rank(rank(Self::HOPS)),
            ys.place_of_rank(rank(Self::BITS)),
            zs.place_of_rank(rank(0)),
        ];
        Some((best >> (Self::SUM - Self::HOPS), place))
    }

    /// Returns the places of the node to take next; `None` if the box does not decide it.
    #[inline(always)]
    fn next(&mut self) -> Option<[usize; 3]> {
        let mut best = self.best();
        let mut lists_all = false;
        // At most, the rows are listed up to a sum that no node has, then as a whole, and then up to the best
        // sum.
        for turn in 0..4 {
            if let Some((_, place)) = best.filter(|&(sum, _)| sum < self.floor && !lists_all) {
                return Some(place);
            }
            let limit = best.map(|(sum, _)| sum).or_else(|| (turn == 0).then(|| self.first_sum()));
            if !self.list(limit) {
                return None;
            }
            lists_all = limit.is_none();
            best = self.best();
        }
        None
    }
}

/// Returns the sums of each lane and a number.
#[inline(always)]
fn plus<const N: usize>(lanes: [u32; N], number: u32) -> [u32; N] {
    let mut sums = [0; N];
    for i in 0..N {
        sums[i] = lanes[i].wrapping_add(number);
    }
    sums
}

/// Returns each lane, or [`GONE`] where the mask has it.
#[inline(always)]
fn masked<const N: usize>(lanes: [u32; N], mask: [u32; N]) -> [u32; N] {
    let mut masked = [0; N];
    for i in 0..N {
        masked[i] = lanes[i] | mask[i];
    }
    masked
}

/// Returns the smaller number of each lane.
#[inline(always)]
fn smaller<const N: usize>(a: [u32; N], b: [u32; N]) -> [u32; N] {
    let mut smaller = [0; N];
    for i in 0..N {
        smaller[i] = a[i].min(b[i]);
    }
    smaller
}

#[inline(always)]
fn smallest<const N: usize>(mut lanes: [u32; N]) -> u32 {
    let mut half = N;
    while half > 1 {
        half /= 2;
        for i in 0..half {
            lanes[i] = lanes[i].min(lanes[i + half]);
        }
    }
    lanes[0]
}

#[cfg(test)]
mod tests {
    use super::super::fill::Score;
    use super::super::states::patchy;
    use super::*;
    use meshreplay_machine::machine::{FreeCounts, NodeId};

    /// Returns the picks of a fill of k nodes by `greedy`.
    fn plain(greedy: &mut Greedy, mesh: &Mesh, k: u32, centre: Coord, shell: usize) -> Vec<Coord> {
        let mut picks = Vec::new();
        for _ in greedy.start(mesh, centre, shell, &[])..k {
            let Some(pick) = greedy.next(mesh, centre, shell) else { break };
            greedy.take(mesh, pick);
            picks.push(pick);
        }
        let farthest = picks.iter().map(|&pick| mesh.l_inf(centre, pick) as usize).max();
        greedy.restore(mesh, centre, farthest.unwrap_or(0).max(shell));
        picks
    }

    /// Checks the fill of k nodes around `centre` in a box. Returns whether the box told all of it; `None` if
    /// it does not suit.
    fn check<const N: usize>(
        cube: &mut LocalGreedy<N>,
        greedy: &mut Greedy,
        mesh: &Mesh,
        k: u32,
        centre: Coord,
        shell: usize,
    ) -> Option<bool> {
        let wanted = plain(greedy, mesh, k, centre, shell);
        let costs: Vec<i64> =
            wanted.iter().map(|&pick| i64::from(mesh.l_inf(centre, pick)) - shell as i64).collect();
        let mut is_done = false;
        // The first picks may be known.
        for known in [0, wanted.len() / 3, wanted.len()] {
            let taken = cube.start(greedy, mesh, centre, shell, 0, &wanted[..known])?;
            assert_eq!(taken as usize + wanted.len() - known, k as usize);
            let mut score = Score { centre, shell, sum: 0, limit: i64::MAX };
            let mut picks = wanted[..known].to_vec();
            let outcome = cube.run(mesh, k, &mut picks, &mut score);
            assert_ne!(outcome, Outcome::Useless);
            is_done = outcome == Outcome::Done;
            assert_eq!(picks, wanted[..picks.len()], "{k} around {centre:?}");
            assert!(!is_done || picks.len() == wanted.len());
            assert_eq!(score.sum, costs[known..picks.len()].iter().sum::<i64>());
            if is_done && score.sum > 0 {
                cube.start(greedy, mesh, centre, shell, 0, &wanted[..known])?;
                let mut less = Score { sum: 0, limit: score.sum - 1, ..score };
                let outcome = cube.run(mesh, k, &mut wanted[..known].to_vec(), &mut less);
                assert_eq!(outcome, Outcome::Useless);
            }
        }
        Some(is_done)
    }

    #[test]
    fn picks_in_a_box_are_those_of_the_whole_machine() -> Result<(), Box<dyn std::error::Error>> {
        let (mut small, mut large) = (LocalGreedy::<16>::default(), LocalGreedy::<32>::default());
        for (text, least_done) in [
            ("13x12x11", 90),
            ("40x30x35", 90),
            ("5x5x4", 100),
            ("2x3x4", 100),
            ("torus:16x16x16", 100),
            ("torus:7x6x5", 100),
            ("torus:31x32x9", 40),
            ("torus:50x44x61", 40),
            ("9x30x20:wrap=yz", 40),
            ("70x10x33:wrap=xz", 40),
            ("30x25", 80),
            ("torus:36x30", 30),
        ] {
            let mesh: Mesh = text.parse()?;
            for (last, patch, share) in
                [(Last::Nearest, 1, 2), (Last::Nearest, 3, 2), (Last::Nearest, 2, 3), (Last::Shell, 2, 2)]
            {
                let machine = patchy(text, patch, share, share)?;
                let (mut greedy, mut counts) = (Greedy::new(last), FreeCounts::default());
                greedy.prepare(&machine);
                counts.rebuild(&machine, 40);
                let (mut done, mut all) = (0, 0);
                for k in [2, 7, 30, 90, 250, 700].into_iter().filter(|&k| k < machine.free_count()) {
                    let free: Vec<NodeId> = machine.free().iter().collect();
                    for &node in free.iter().step_by(1 + free.len() / 7) {
                        let centre = mesh.coord(node);
                        let shell = counts.reach(centre, k).ok_or("too few free nodes")?;
                        for is_done in [
                            check(&mut small, &mut greedy, &mesh, k, centre, shell),
                            check(&mut large, &mut greedy, &mesh, k, centre, shell),
                        ]
                        .into_iter()
                        .flatten()
                        {
                            (done, all) = (done + u32::from(is_done), all + 1);
                        }
                    }
                }
                assert!(all > 0 && done * 100 >= all * least_done, "{text}: {done} of {all}");
            }
        }
        Ok(())
    }
}
