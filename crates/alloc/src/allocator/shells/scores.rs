//! Shell scores of all centres that can win, which both versions of MC1x1 and MC-pair use.
//!
//! The score of a centre is the sum of the L∞ distances to its k nearest free nodes. Let F(r) be the number
//! of free nodes within distance r of the centre. Then the score is Σ_{r ≥ 0} max(0, k − F(r)), as each of
//! the k nodes counts once for every radius that does not reach it. F comes from prefix sums, for a row of
//! centres at a time.
//!
//! A lower bound of the score needs F at only one radius. Let B(r) be the number of nodes within distance r
//! of a centre that is far from any border, and let m be the smallest radius with B(m) ≥ k. Then F(r) ≤
//! min(F(m), B(r)) for r < m, and F(r) ≤ F(m) + B(r) − B(m) for r > m. So the largest F(m) of a row bounds
//! the scores of all its centres.
//!
//! Branch and bound: rows are scored in ascending order of their bounds, and rows with a bound above the
//! limit are skipped. In the other rows the same bound applies to each centre. If it leaves only a few
//! centres, these are scored one by one, otherwise the whole row is. The terms of the sum are never negative,
//! so a row or a centre is also given up when its (smallest) partial sum exceeds the limit. All scores up to
//! the limit are found, and they are exact. If only the first of the best centres counts, a later centre
//! needs a smaller score, and its bound mostly excludes one.
//!
//! On machines of one dimension all scores come from `ArrayScores`.

use super::greedy::Last;
use meshreplay_machine::machine::{Coord, FreeCounts, Machine, Mesh, NodeId};

/// A free node as a centre, with its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Centre {
    /// The sum of L∞ distances to the k nearest free nodes.
    pub(crate) score: i64,
    /// The centre itself.
    pub(crate) node: NodeId,
}

/// The limit of a search: smaller scores count everywhere, a score of exactly `score` only up to `last_x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Limit {
    /// The largest score that counts.
    pub(super) score: i64,
    /// The largest x for a score of exactly `score`.
    pub(super) last_x: u32,
}

impl Limit {
    /// No limit.
    const NONE: Self = Self { score: i64::MAX, last_x: u32::MAX };
}

/// The lower bound of a score for k nodes that follows from F(m), the number of free nodes within distance m.
#[derive(Debug, Default)]
struct Bound {
    k: i64,
    /// The radius m.
    middle: usize,
    /// For each radius from 0 on, as far as bounds need it, B(r), the number of nodes within this distance of
    /// a centre that is far from any border.
    cubes: Vec<i64>,
}

/// The number of free nodes that no centre has within any distance.
const NEVER: i64 = i64::MAX;

impl Bound {
    /// Becomes the bound for `k` nodes of a machine with these extents, at least two of them above 1.
    fn begin(&mut self, k: u32, extents: [u32; 3]) {
        let dims = extents.iter().filter(|&&extent| extent > 1).count() as u32;
        self.k = i64::from(k);
        let cubes = (0_i64..).map(|radius| (2 * radius + 1).saturating_pow(dims));
        // Terms of radii with k nodes more than radius m are never positive, so bounds do not need them.
        let mut enough = i64::MAX;
        self.cubes.clear();
        for (radius, cube) in cubes.enumerate() {
            self.cubes.push(cube);
            if cube >= enough {
                break;
            }
            if cube >= self.k && enough == i64::MAX {
                (self.middle, enough) = (radius, cube + self.k);
            }
        }
    }

    /// Returns the lower bound of the scores of centres with F(m) = `most`. It falls or stays as `most`
    /// grows.
    fn for_count(&self, most: i64) -> i64 {
        let missing = self.k - most;
        // The terms of the sum: first for radii below m, then for all others.
        let (inner, outer) = self.cubes.split_at(self.middle);
        let inner: i64 = inner.iter().map(|cube| missing.max(self.k - cube)).sum();
        let growth = |cube: &i64| cube - outer[0];
        inner + outer.iter().map(|cube| missing - growth(cube)).take_while(|&term| term > 0).sum::<i64>()
    }

    /// Returns the smallest F(m) with which a centre can have a score of at most `limit`; [`NEVER`] if none
    /// can.
    fn need(&self, limit: i64) -> i64 {
        let (mut low, mut high) = (0, self.cubes[self.middle]);
        if self.for_count(high) > limit {
            return NEVER;
        }
        while low < high {
            let middle = low.midpoint(high);
            if self.for_count(middle) <= limit {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

/// A limit, and the numbers of free nodes that centres need for it.
#[derive(Clone, Copy, Debug)]
struct LimitNeeds {
    limit: Limit,
    /// The radius m.
    middle: usize,
    /// The F(m) that centres need up to `limit.last_x`, and beyond.
    needs: [i64; 2],
}

impl LimitNeeds {
    fn new(bound: &Bound, limit: Limit) -> Self {
        let below = if limit.last_x == u32::MAX { NEVER } else { bound.need(limit.score - 1) };
        Self { limit, middle: bound.middle, needs: [bound.need(limit.score), below] }
    }
}

/// The scores of centres for one request. Memory is kept between calls.
#[derive(Debug, Default)]
pub(crate) struct ShellScores {
    counts: FreeCounts,
    bound: Bound,
    array: ArrayScores,
    /// The positions of the centres of a row that are scored one by one.
    few: Vec<u32>,
    /// Scratch memory of the counts.
    line: Vec<i32>,
    /// The scores of a row of centres, if 32 bits suffice.
    scores: Vec<i32>,
    /// The scores of a row of centres, if they need 64 bits.
    wide: Vec<i64>,
    /// Number of free nodes within the current radius, per centre of a row.
    free: Vec<i32>,
    /// All rows of centres, each behind a lower bound of its scores, ascending.
    rows: Vec<(i64, u32)>,
}

impl ShellScores {
    /// Starts on a request for `k` nodes: counts the free nodes of `machine` and bounds the scores of its
    /// rows.
    pub(crate) fn prepare(&mut self, machine: &Machine, k: u32) {
        // The radius of a cube with k free nodes at the average density, and more to be safe. `row` rebuilds
        // the counts if it needs a larger radius.
        let extents = machine.mesh().extents();
        let dims = extents.iter().filter(|&&extent| extent > 1).count().max(1);
        let nodes = f64::from(machine.mesh().nodes());
        let side = (f64::from(k) * nodes / f64::from(machine.free_count())).powf(1.0 / dims as f64);
        if ArrayScores::serves(machine.mesh()) {
            self.counts.rebuild(machine, 0);
            self.array.prepare(machine);
        } else {
            self.counts.rebuild(machine, side as usize + 4);
            self.probe(machine, k);
        }
    }

    /// Returns the counts of free nodes of the current machine state.
    pub(crate) fn counts(&self) -> &FreeCounts {
        &self.counts
    }

    /// Returns the centre of smallest score, the first in location order of equals; `None` if no node is
    /// free.
    pub(crate) fn best(&mut self, machine: &Machine, k: u32) -> Option<Centre> {
        let mut best: Option<(i64, Coord, NodeId)> = None;
        let mesh = machine.mesh();
        self.visit(machine, k, Limit::NONE, |Centre { score, node }| {
            if best
                .is_none_or(|(least, first, _)| score < least || score == least && mesh.coord(node) < first)
            {
                best = Some((score, mesh.coord(node), node));
            }
            best.map_or(Limit::NONE, |(score, first, _)| Limit { score, last_x: first[0] })
        });
        best.map(|(score, _, node)| Centre { score, node })
    }

    /// Calls `each` with every free node that has a score of at most `limit`, in no particular order.
    #[cfg(test)]
    pub(super) fn for_each(&mut self, machine: &Machine, k: u32, limit: i64, mut each: impl FnMut(Centre)) {
        let limit = Limit { score: limit, last_x: u32::MAX };
        self.visit(machine, k, limit, |centre| {
            each(centre);
            limit
        });
    }

    /// Calls `each` with free nodes as centres, in no particular order, at first with all scores within
    /// `limit`. `each` returns the limit for the calls that follow. Limits may only become stricter. Centres
    /// beyond the limit may be visited, too.
    pub(super) fn visit(
        &mut self,
        machine: &Machine,
        k: u32,
        limit: Limit,
        mut each: impl FnMut(Centre) -> Limit,
    ) {
        if ArrayScores::serves(machine.mesh()) {
            let mut limit = limit.score;
            self.array.for_each(k, |centre| {
                if centre.score <= limit {
                    limit = each(centre).score;
                }
            });
            return;
        }
        let [width, length, depth] = machine.mesh().extents();
        // A score has at most one term per radius up to the longest extent, each at most k. Sums below 2^31
        // are kept in 32 bits: one vector instruction then adds twice as many.
        let narrow = i64::from(k) * i64::from(width.max(length).max(depth)) < i64::from(i32::MAX);
        let bound = std::mem::take(&mut self.bound);
        let mut wanted = LimitNeeds::new(&bound, limit);
        let mut visit = |centre: Centre, wanted: &mut LimitNeeds| {
            let next = each(centre);
            if next != wanted.limit {
                *wanted = LimitNeeds::new(&bound, next);
            }
        };
        // The vectors are taken out so that the rest of `self` may be borrowed; they keep their memory.
        let (rows, mut few) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.few));
        for &(least, row) in &rows {
            if least > wanted.limit.score {
                break;
            }
            let first = row * width;
            self.list(machine, row, wanted, &mut few);
            if few.len() * MANY < width as usize {
                for &x in &few {
                    let centre = [x, row % length, row / length];
                    if let Some(score) = self.score(centre, k, wanted.limit.score) {
                        visit(Centre { score, node: first + x }, &mut wanted);
                    }
                }
                continue;
            }
            let (scores, wide) = (std::mem::take(&mut self.scores), std::mem::take(&mut self.wide));
            let (scores, wide) = if narrow {
                (self.row(machine, row, k, wanted.limit.score, scores), wide)
            } else {
                (scores, self.row(machine, row, k, wanted.limit.score, wide))
            };
            for &x in &few {
                let score = if narrow { i64::from(scores[x as usize]) } else { wide[x as usize] };
                if score <= wanted.limit.score {
                    visit(Centre { score, node: first + x }, &mut wanted);
                }
            }
            (self.scores, self.wide) = (scores, wide);
        }
        (self.bound, self.rows, self.few) = (bound, rows, few);
    }

    /// Sets `few` to the x of all centres of a row that may have a wanted score, ascending.
    fn list(&mut self, machine: &Machine, row: u32, wanted: LimitNeeds, few: &mut Vec<u32>) {
        let [width, length, _] = machine.mesh().extents();
        few.clear();
        let LimitNeeds { middle, needs: [need, beyond], .. } = wanted;
        let end = if beyond == NEVER { width.min(wanted.limit.last_x.saturating_add(1)) } else { width };
        self.free.clear();
        self.free.resize(end as usize, 0);
        let (y, z) = ((row % length) as usize, (row / length) as usize);
        self.counts.boxes(y, z, middle, &mut self.line, &mut self.free);
        for (x, &free) in (0..end).zip(&self.free) {
            let need = if x <= wanted.limit.last_x { need } else { beyond };
            if i64::from(free) >= need && machine.free().contains(row * width + x) {
                few.push(x);
            }
        }
    }

    /// Returns the score of a centre; `None` if it is above `limit`.
    fn score(&self, centre: Coord, k: u32, limit: i64) -> Option<i64> {
        let mut score = 0;
        for radius in 0.. {
            let missing = i64::from(k) - i64::from(self.counts.within(centre, radius));
            if missing <= 0 {
                break;
            }
            score += missing;
            if score > limit {
                return None;
            }
        }
        Some(score)
    }

    /// Sets `rows`: computes a lower bound of the scores of each row, and sorts the rows by it.
    fn probe(&mut self, machine: &Machine, k: u32) {
        let extents = machine.mesh().extents();
        self.bound.begin(k, extents);
        let [width, length, depth] = extents.map(|extent| extent as usize);
        let middle = self.bound.middle;
        self.free.clear();
        self.free.resize(width, 0);
        self.rows.clear();
        for row in 0..length * depth {
            self.counts.boxes(row % length, row / length, middle, &mut self.line, &mut self.free);
            // The largest F(m) of the row. `rows` has these counts first, and bounds replace them below.
            let most = self.free.iter().fold(0, |most, &free| most.max(free));
            self.rows.push((i64::from(most), row as u32));
        }
        // Few different counts occur, so rows are sorted by count and each bound is computed once. The bound
        // falls as the count grows, so the rows then ascend by bound.
        self.rows.sort_unstable_by_key(|&(most, row)| (-most, row));
        let mut latest = (-1, 0);
        for (most, _) in &mut self.rows {
            if *most != latest.0 {
                latest = (*most, self.bound.for_count(*most));
            }
            *most = latest.1;
        }
    }

    /// Returns the scores of one row of centres, in the memory of `scores`. Scores up to `limit` are exact.
    /// Scores above it may come out too small, but still above it.
    fn row<S>(&mut self, machine: &Machine, row: u32, k: u32, limit: i64, mut scores: Vec<S>) -> Vec<S>
    where
        S: Copy + Default + Ord + From<i32> + Into<i64> + std::ops::Add<Output = S>,
    {
        let [width, length, _] = machine.mesh().extents();
        let (y, z) = ((row % length) as usize, (row / length) as usize);
        scores.clear();
        scores.resize(width as usize, S::default());
        self.free.clear();
        self.free.resize(width as usize, 0);
        let k = k as i32;
        for radius in 0.. {
            if radius > self.counts.radius() && radius <= meshreplay_machine::machine::widest(machine.mesh())
            {
                self.counts.rebuild(machine, 2 * radius);
            }
            self.counts.boxes(y, z, radius, &mut self.line, &mut self.free);
            // The loop has no branch, so that the compiler vectorises it. `any` is 0 once every centre of the
            // row reaches k free nodes.
            let (mut any, mut least) = (0, scores[0] + S::from((k - self.free[0]).max(0)));
            for (score, &free) in scores.iter_mut().zip(&self.free) {
                let term = (k - free).max(0);
                any |= term;
                *score = *score + S::from(term);
                least = least.min(*score);
            }
            if any == 0 {
                break;
            }
            if least.into() > limit {
                break;
            }
        }
        scores
    }
}

/// A whole row is scored if more than 1 in `MANY` of its nodes may have a score within the limit.
const MANY: usize = 4;

// Shell scores on an array or a single ring, all of them exactly in one pass.
//
// In one dimension the k free nodes nearest to a centre are consecutive in the list of free nodes, and from
// one centre to the next this window only moves upwards. Sums of distances are differences of prefix sums of
// positions, so all scores together cost O(free nodes).

/// The free nodes of a machine of one dimension. Memory is kept between calls.
#[derive(Debug, Default)]
pub(super) struct ArrayScores {
    /// The positions of the free nodes, ascending.
    at: Vec<i64>,
    /// `below[i]` is the sum of the first i positions.
    below: Vec<i64>,
    /// The number of positions of the ring; 0 if the dimension does not wrap.
    round: i64,
    /// The dimension of more than one node; 0 if there is none.
    dimension: usize,
}

impl ArrayScores {
    /// Returns whether `mesh` has one dimension, or only one node. Node numbers are positions then.
    pub(super) fn serves(mesh: &Mesh) -> bool {
        mesh.extents().iter().filter(|&&extent| extent > 1).count() <= 1
    }

    /// Lists the free nodes of `machine`, which must be of one dimension.
    pub(super) fn prepare(&mut self, machine: &Machine) {
        let mesh = machine.mesh();
        let d = mesh.extents().iter().position(|&extent| extent > 1).unwrap_or(0);
        self.dimension = d;
        self.round = if mesh.wraps(d) { i64::from(mesh.nodes()) } else { 0 };
        self.at.clear();
        self.at.extend(machine.free().iter().map(i64::from));
        self.below.clear();
        self.below.push(0);
        let mut sum = 0;
        self.below.extend(self.at.iter().map(|at| {
            sum += at;
            sum
        }));
    }

    /// Calls `each` with every free node and its score, in location order. At least `k` nodes must be free.
    pub(super) fn for_each(&self, k: u32, mut each: impl FnMut(Centre)) {
        let (nodes, k) = (self.at.len(), k as usize);
        // A ring is unrolled to three rounds, and the centres are in the second round. No node is in a window
        // twice, because a window has at most the nodes of one round.
        let (first, end) = if self.round > 0 { (nodes, 3 * nodes) } else { (0, nodes) };
        let mut low = 0;
        for (i, &centre) in (first..first + nodes).zip(&self.at) {
            while low + k < end && self.position(low + k) - centre < centre - self.position(low) {
                low += 1;
            }
            let (before, behind) = ((i - low) as i64, (low + k - i) as i64);
            let below = self.sum_below(i);
            let score = centre * before - (below - self.sum_below(low)) + (self.sum_below(low + k) - below)
                - centre * behind;
            each(Centre { score, node: centre as NodeId });
        }
    }

    /// Returns whether `mesh` is an array: it has one dimension, which does not wrap.
    pub(super) fn is_array(mesh: &Mesh) -> bool {
        Self::serves(mesh) && !mesh.wraps_any()
    }

    /// Returns the dimension of the array or ring.
    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns what the fill of MC1x1 around `centre` takes besides whole shells, in the order of choice,
    /// until it has `k` nodes. `shell` is the shell of the k-th nearest free node, at least 1. Only for
    /// arrays.
    ///
    /// The nodes taken are consecutive in the list of free nodes. Sums of distances to them grow outwards on
    /// both sides, so that only the next free node on either side can be the best.
    pub(super) fn picks(&self, k: u32, centre: u32, shell: usize, last: Last) -> Vec<u32> {
        let (k, centre, shell) = (k as usize, i64::from(centre), shell as i64);
        let mut low = self.at.partition_point(|&at| at <= centre - shell);
        let mut high = self.at.partition_point(|&at| at < centre + shell);
        let mut picks = Vec::new();
        while high - low < k {
            let (nodes, sum) = ((high - low) as i64, self.below[high] - self.below[low]);
            let key = |&at: &i64| ((nodes * at - sum).abs(), (at - centre).abs(), at);
            let may = |at: &i64| last == Last::Nearest || (at - centre).abs() == shell;
            let before = low.checked_sub(1).map(|low| self.at[low]).filter(may);
            let behind = self.at.get(high).copied().filter(may);
            let Some(pick) = before.into_iter().chain(behind).min_by_key(key) else { break };
            if Some(pick) == before {
                low -= 1;
            } else {
                high += 1;
            }
            picks.push(pick as u32);
        }
        picks
    }

    /// Splits an index of the unrolled ring into the rounds from the second one on and the index in a round.
    fn split(&self, i: usize) -> (i64, usize) {
        let nodes = self.at.len();
        match i {
            _ if self.round == 0 => (0, i),
            i if i < nodes => (-1, i),
            i if i < 2 * nodes => (0, i - nodes),
            i => (1, i - 2 * nodes),
        }
    }

    /// Returns the position of the `i`-th node of the unrolled ring, or of the array.
    fn position(&self, i: usize) -> i64 {
        let (rounds, i) = self.split(i);
        self.at[i] + rounds * self.round
    }

    /// Returns the sum of the positions of the first `i` nodes of the unrolled ring, or of the array.
    fn sum_below(&self, i: usize) -> i64 {
        let (rounds, i) = self.split(i);
        let (nodes, all) = (self.at.len() as i64, self.below[self.at.len()]);
        // The sum over the rounds before this one. The first round is one round below the second.
        let before = match rounds {
            -1 => 0,
            0 if self.round == 0 => 0,
            0 => all - nodes * self.round,
            _ => 2 * all - nodes * self.round,
        };
        before + self.below[i] + rounds * self.round * i as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_equal_plain_sums_of_distances() -> Result<(), Box<dyn std::error::Error>> {
        for (text, step) in [
            ("5x5", 3),
            ("12", 2),
            ("4x4x3", 3),
            ("torus:7x4", 2),
            ("torus:3x4x5", 4),
            ("1", 9),
            ("7x4:wrap=y", 3),
            ("3x5x4:wrap=xz", 2),
            ("40", 3),
            ("torus:40", 5),
            ("torus:41", 2),
            ("1x9", 2),
            ("torus:1x1x12", 3),
            ("30x12", 2),
            ("torus:30x12", 5),
        ] {
            let mut machine = Machine::new(text.parse()?);
            let busy: Vec<u32> = (0..machine.mesh().nodes()).filter(|n| n % step == 1).collect();
            machine.occupy(&busy)?;
            let mesh = machine.mesh();
            for k in 1..=machine.free_count() {
                let mut scores = ShellScores::default();
                scores.prepare(&machine, k);
                let mut seen = 0;
                scores.for_each(&machine, k, i64::MAX, |centre| {
                    let from = mesh.coord(centre.node);
                    let mut distances: Vec<u32> =
                        machine.free().iter().map(|node| mesh.l_inf(from, mesh.coord(node))).collect();
                    distances.sort_unstable();
                    let plain: u32 = distances[..k as usize].iter().sum();
                    assert_eq!(centre.score, i64::from(plain), "{text}: k {k}, centre {from:?}");
                    seen += 1;
                });
                assert_eq!(seen, machine.free_count());
                // All scores within a limit are visited, and the best is the first of them.
                let mut all = Vec::new();
                scores.for_each(&machine, k, i64::MAX, |centre| {
                    all.push((centre.score, mesh.coord(centre.node), centre.node));
                });
                all.sort_unstable();
                let best = all.first().map(|&(score, _, node)| Centre { score, node });
                assert_eq!(scores.best(&machine, k), best, "{text}: k {k}");
                for limit in [all[0].0, all[all.len() / 8].0, all[all.len() / 2].0] {
                    let mut within = Vec::new();
                    scores.for_each(&machine, k, limit, |centre| {
                        within.push((centre.score, mesh.coord(centre.node), centre.node));
                    });
                    within.sort_unstable();
                    let plain = all.partition_point(|&(score, ..)| score <= limit);
                    assert_eq!(within, all[..plain], "{text}: k {k}, limit {limit}");
                }
            }
        }
        Ok(())
    }
}
