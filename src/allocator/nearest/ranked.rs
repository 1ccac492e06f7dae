//! The search on large machines: lower bounds of all centres first, then the sums of the few that can win.
//!
//! `bounds` has lower bounds of the pairwise sums of all centres, for one radius after another. The centres whose bounds
//! exceed a sum that is known are given up. The others are tried in the order of their bounds, and of equals in the order
//! of centres, until the bounds exceed the least sum found. So the centre that wins is the first one with the least sum,
//! as if all had been tried (best-first branch and bound).

use std::ops::RangeInclusive;

use pulp::Arch;

use super::bounds::LANES;
use super::bounds::ball::{Apart, Ball};
use super::bounds::field::Field;
use super::bounds::radii;
use super::bounds::sweep::{Sweep, Work};
use super::centres::Centres;
use super::full::Full;
use super::order::Order;
use super::ties::Ties;
use super::wide::{Search, Wide};
use crate::machine::{Coord, Machine, NodeId};

/// At most so many centres, the first ones, are tried before there are bounds. One of them is often as good as any can be.
const FIRST: usize = 512;
/// The share of the lines of centres among which a dense place is looked for, to begin with a low sum.
const LINES: usize = 64;

/// The best radius that is known may exceed the least possible one by this part of it, and by one, if bounds are used.
const SCATTERED: usize = 2;

/// The search on a large machine, with the memory that it keeps between calls.
#[derive(Debug)]
pub(crate) struct Ranked {
    kind: Centres,
    wide: Wide,
    field: Field,
    sweep: Sweep,
    full: Full,
    /// For each node, in the order of the field, 1 if it is a centre that is neither given up nor a candidate, else 0.
    open: Vec<u8>,
    candidates: Vec<Candidate>,
    /// Whether bounds are used even where they save no time, for tests.
    is_forced: bool,
}

/// A centre that may win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// A lower bound of its pairwise sum.
    bound: u32,
    rank: u32,
    /// The radius that it needs, or a smaller one.
    radius: u32,
    /// Whether it needs this radius and all nodes within it are free.
    is_full: bool,
}

/// The best centre that is known.
#[derive(Clone, Copy, Debug)]
struct Best {
    sum: u64,
    rank: u32,
    radius: usize,
}

/// What becomes of the centres that a sweep does not give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// They stay open.
    Stay,
    /// Those that need no larger radius than the rim's become candidates.
    Settle,
    /// All become candidates.
    End,
}

impl Ranked {
    /// Returns a search for machines of any shape.
    pub(super) fn new(kind: Centres, ties: Ties) -> Self {
        Self {
            kind,
            wide: Wide::new(kind, ties),
            field: Field::default(),
            sweep: Sweep::default(),
            full: Full::default(),
            open: Vec::new(),
            candidates: Vec::new(),
            is_forced: false,
        }
    }

    /// Returns the same search, which uses bounds even where they save no time.
    #[cfg(test)]
    pub(super) fn forced(self) -> Self {
        Self { is_forced: true, ..self }
    }

    /// Returns the `k` nodes of the best centre, as `Nearest::choose` does; `None` if there is no centre or the machine
    /// was told to stop.
    pub(super) fn choose(&mut self, k: u32, machine: &Machine) -> Option<Vec<NodeId>> {
        let Some(radii) = radii(k, machine, self.is_forced) else {
            return self.wide.choose(k, machine);
        };
        let order = Order::new(self.kind, machine);
        let search = Search { machine, k, order: &order, listed: None };
        self.wide.prepare(machine);
        let floor = self.wide.floor(search);
        let mut best = self.try_first(search, floor)?;
        if best.sum > floor {
            best = self.try_others(search, floor, radii, best)?;
        }
        Some(self.wide.take(search, order.centre(best.rank), best.radius))
    }

    /// Tries some centres in order until one has the sum `floor`, which is the least possible one.
    fn try_first(&mut self, search: Search<'_>, floor: u64) -> Option<Best> {
        let Search { machine, order, .. } = search;
        let mut best: Option<Best> = None;
        let mut radius = 0;
        for centre in order.all(machine).take(FIRST.min(machine.mesh().nodes() as usize / 16)) {
            if machine.is_stopped() {
                return None;
            }
            let limit = best.map_or(u64::MAX, |best| best.sum);
            let sum;
            (radius, sum) = self.wide.sum_below(search, centre, radius, limit)?;
            best = sum.map(|sum| Best { sum, rank: order.rank(centre), radius }).or(best);
            if sum == Some(floor) {
                break;
            }
        }
        best
    }

    /// Finds the best of all centres by their bounds, given the best one of some.
    fn try_others(
        &mut self,
        search: Search<'_>,
        floor: u64,
        radii: RangeInclusive<usize>,
        mut best: Best,
    ) -> Option<Best> {
        let (first, last) = (*radii.start(), *radii.end());
        self.field.fill(search.machine, last + 1);
        self.list_open(search.order);
        self.full.clear();
        self.candidates.clear();
        let apart = Apart::new(&self.field, search.k);
        if let Some(dense) = self.densest(&Ball::new(&self.field, first, search.k), &apart) {
            best = self.try_centre(search, dense, first + 1, best)?;
        }
        // Where free nodes are scattered, even a dense place needs a larger radius, and each centre another one. Then few
        // centres have bounds that say something.
        if !self.is_forced && best.radius > first + first / SCATTERED + 1 {
            return self.try_all(search, floor, best);
        }
        // Most centres need larger radii than the best ones, and are given up by a larger ball at once.
        let larger = first + first / 4 + 1;
        if larger < last {
            let ball = Ball::new(&self.field, larger, search.k);
            let all: usize = self.open.iter().map(|&open| usize::from(open)).sum();
            let [left, dense] = self.sweep_all(search, &ball, &apart, best, floor, Then::Stay)?;
            // Nor do they if most centres stay open.
            if !self.is_forced && (left - dense) * 4 > all * 3 {
                return self.try_all(search, floor, best);
            }
        }
        for radius in radii {
            if best.sum == floor {
                self.close_after(search.order, best.rank);
            }
            let begin = self.candidates.len();
            let then = if radius == last { Then::End } else { Then::Settle };
            let ball = Ball::new(&self.field, radius, search.k);
            let [left, _] = self.sweep_all(search, &ball, &apart, best, floor, then)?;
            if let Some(&candidate) = self.candidates[begin..].iter().min() {
                best = self.try_candidate(search, candidate, best)?;
            }
            if left == 0 {
                break;
            }
        }
        self.try_candidates(search, best)
    }

    /// Tries all centres, one after another.
    fn try_all(&mut self, search: Search<'_>, floor: u64, mut best: Best) -> Option<Best> {
        let mut near = best.radius;
        for centre in search.order.all(search.machine) {
            if search.machine.is_stopped() {
                return None;
            }
            let rank = search.order.rank(centre);
            if best.sum == floor && rank > best.rank {
                break;
            }
            let sum;
            (near, sum) =
                self.wide.sum_below(search, centre, near, best.sum + u64::from(rank < best.rank))?;
            best = sum.map_or(best, |sum| Best { sum, rank, radius: near });
        }
        Some(best)
    }

    /// Marks all centres as open.
    fn list_open(&mut self, order: &Order) {
        let [_, rows, cells] = self.field.extents;
        let has = [0, 1, 2].map(|axis: usize| -> Vec<u8> {
            let d = self.field.dim(axis);
            (0..self.field.extents[axis]).map(|at| u8::from(order.has(d, at))).collect()
        });
        self.open.clear();
        self.open.resize(self.field.extents.iter().product(), 0);
        for (line, open) in self.open.chunks_exact_mut(cells).enumerate() {
            let (a, b) = (line / rows, line % rows);
            let from = self.field.cell([a, b, 0]);
            let on_line = has[0][a] & has[1][b];
            for (at, open) in open.chunks_mut(LANES).enumerate() {
                let free = self.field.free(from + at * LANES);
                for (i, (open, &free)) in open.iter_mut().zip(free).enumerate() {
                    let is_any = self.kind == Centres::Combinations;
                    *open = if is_any { on_line & has[2][at * LANES + i] } else { free as u8 };
                }
            }
        }
    }

    /// Gives up the centres after the one of this rank.
    fn close_after(&mut self, order: &Order, rank: u32) {
        let [_, rows, cells] = self.field.extents;
        for (line, open) in self.open.chunks_exact_mut(cells).enumerate() {
            for (c, open) in open.iter_mut().enumerate().filter(|(_, open)| **open == 1) {
                *open = u8::from(order.rank(self.field.coord([line / rows, line % rows, c])) < rank);
            }
        }
    }

    /// Returns the open centre with the most free nodes in the ball and on its rim, among those on some of the lines.
    fn densest(&mut self, ball: &Ball, apart: &Apart) -> Option<Coord> {
        let [_, rows, cells] = self.field.extents;
        let Self { field, sweep, open, .. } = self;
        sweep.prepare(ball);
        let work = Work { arch: Arch::new(), field, ball, apart };
        let mut most = None;
        let each = (open.len() / cells / LINES).max(1);
        for (line, open) in open.chunks_exact(cells).enumerate().step_by(each) {
            for (at, open) in open.chunks(LANES).enumerate() {
                let place = [line / rows, line % rows, at * LANES];
                let [inner, rim] = sweep.numbers(&work, field.cell(place));
                for i in (0..open.len()).filter(|&i| open[i] == 1) {
                    let number = inner[i] + rim[i];
                    if most.is_none_or(|(most, _)| number > most) {
                        most = Some((number, [place[0], place[1], place[2] + i]));
                    }
                }
            }
        }
        most.map(|(_, place)| field.coord(place))
    }

    /// Computes the bounds of all open centres, and gives up those that cannot win. Returns the number of centres that stay
    /// open, and of those among them that do not need the whole ball; `None` if the machine was told to stop. No bound is below `floor`.
    fn sweep_all(
        &mut self,
        search: Search<'_>,
        ball: &Ball,
        apart: &Apart,
        best: Best,
        floor: u64,
        then: Then,
    ) -> Option<[usize; 2]> {
        let [limit, floor] = [best.sum, floor].map(|sum| u32::try_from(sum).unwrap_or(u32::MAX));
        let [_, rows, cells] = self.field.extents;
        let Self { field, sweep, open, candidates, .. } = self;
        sweep.prepare(ball);
        let work = Work { arch: Arch::new(), field, ball, apart };
        let (mut left, mut dense) = (0, 0);
        for (line, open) in open.chunks_exact_mut(cells).enumerate() {
            if search.machine.is_stopped() {
                return None;
            }
            for (at, open) in open.chunks_mut(LANES).enumerate() {
                if open.iter().all(|&open| open == 0) {
                    continue;
                }
                let place = [line / rows, line % rows, at * LANES];
                let found = sweep.look(&work, field.cell(place), limit);
                for (i, open) in open.iter_mut().enumerate().filter(|(_, open)| **open == 1) {
                    let (inner, rim, bound) = (found.inner[i], found.rim[i], found.bound[i]);
                    let is_settled = inner + rim >= search.k;
                    // The bounds are for centres that need more than the ball.
                    if inner < search.k && bound > limit {
                        *open = 0;
                    } else if then == Then::End || then == Then::Settle && is_settled {
                        *open = 0;
                        let rank = search.order.rank(field.coord([place[0], place[1], place[2] + i]));
                        let is_full = is_settled && ball.is_full(inner, rim);
                        let bound = if inner < search.k { bound.max(floor) } else { floor };
                        candidates.push(Candidate { bound, rank, radius: ball.reach(), is_full });
                    } else {
                        left += 1;
                        dense += usize::from(inner >= search.k);
                    }
                }
            }
        }
        Some([left, dense])
    }

    /// Tries the candidates that can still win.
    fn try_candidates(&mut self, search: Search<'_>, mut best: Best) -> Option<Best> {
        let can_win = |candidate: &Candidate, best: Best| {
            (u64::from(candidate.bound), candidate.rank) < (best.sum, best.rank)
        };
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.retain(|candidate| can_win(candidate, best));
        candidates.sort_unstable();
        for &candidate in &candidates {
            if search.machine.is_stopped() {
                return None;
            }
            if !can_win(&candidate, best) {
                break;
            }
            best = self.try_candidate(search, candidate, best)?;
        }
        self.candidates = candidates;
        Some(best)
    }

    /// Returns the better one of a candidate and the best centre so far.
    fn try_candidate(&mut self, search: Search<'_>, candidate: Candidate, best: Best) -> Option<Best> {
        let Candidate { rank, radius, is_full, .. } = candidate;
        let (centre, extents) = (search.order.centre(rank), search.machine.mesh().extents());
        // Where a ball goes around the end of a ring, its nodes have another location order.
        let is_straight = |d: usize| {
            extents[d] == 1
                || centre[d] >= radius && u64::from(centre[d]) + u64::from(radius) < u64::from(extents[d])
        };
        let near = radius as usize;
        if !is_full || !(0..3).all(is_straight) {
            return self.try_centre(search, centre, near, best);
        }
        let before = self.wide.deciding.before(search.order, search.machine, centre, radius);
        let sum = if let Some(sum) = self.full.sum(before.map(|(_, place)| place)) {
            sum
        } else {
            let (_, sum) = self.wide.sum_below(search, centre, near, u64::MAX)?;
            self.full.keep(&self.wide.path, sum?);
            sum?
        };
        let is_better = (sum, rank) < (best.sum, best.rank);
        Some(if is_better { Best { sum, rank, radius: near } } else { best })
    }

    /// Returns the better one of a centre and the best centre so far. `near` is the first radius to try.
    fn try_centre(&mut self, search: Search<'_>, centre: Coord, near: usize, best: Best) -> Option<Best> {
        let rank = search.order.rank(centre);
        let limit = best.sum + u64::from(rank < best.rank);
        let (radius, sum) = self.wide.sum_below(search, centre, near, limit)?;
        Some(sum.map_or(best, |sum| Best { sum, rank, radius }))
    }
}
