//! Lower bounds of the pairwise sums of neighbouring centres.
//!
//! A centre is looked at with some radius ρ. Let n < k free nodes lie within ρ of it. The centre takes all
//! of them, and k − n nodes from beyond. The sum has three parts:
//!
//! * Pairs of the n nodes. Their number at each position of each axis gives the sum over its cuts of P·(n − P), where P
//!   nodes lie before the cut. It is n·ΣP − ΣP².
//! * Pairs of one of the n nodes and one from beyond. The sum of distances of a place to the n nodes is the sum of a
//!   convex function of each axis, so it grows away from their median, which is within ρ. So no place has a smaller one than
//!   the median, and none beyond ρ + 1 than the best place at ρ + 1, the *rim* (see `rim`).
//! * Pairs of nodes from beyond, of which `ball` has the least possible sums.
//!
//! On rings this holds if a ring has at least 4·(ρ + 1) nodes, as then all these ways are straight.
//!
//! Neighbouring centres may be looked at with different radii at once: each ball is counted for all of them, and each centre keeps
//! the numbers of its own.

use pulp::{Arch, Simd, WithSimd};

use super::ball::{Apart, Ball};
use super::field::Field;
use super::lanes::{LANES, Lanes, Lanes16, difference, only, plus, plus_16, widen};

/// What a sweep finds out about a centre.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Found {
    /// The number of free nodes within the radius.
    pub(in super::super) inner: Lanes,
    /// The number of free nodes at the next distance; meaningless if the bound is above the limit.
    pub(in super::super) rim: Lanes,
    /// A lower bound of the pairwise sum; meaningless if `inner` is k or more.
    pub(in super::super) bound: Lanes,
}

/// What a sweep works on.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Work<'a> {
    /// The vector instructions of the processor.
    pub(in super::super) arch: Arch,
    pub(in super::super) field: &'a Field,
    pub(in super::super) apart: &'a Apart,
}

/// Some of the neighbouring centres, and the ball that they are looked at with.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Part<'a> {
    pub(in super::super) ball: &'a Ball,
    /// All ones for these centres, and 0 for the others.
    pub(in super::super) lanes: Lanes16,
}

impl<'a> Part<'a> {
    /// Returns a part of all centres.
    pub(in super::super) fn all(ball: &'a Ball) -> Self {
        Self { ball, lanes: Lanes16([u16::MAX; LANES]) }
    }
}

/// What is known of neighbouring centres before their rims are looked at.
pub(super) struct Known<'a> {
    /// The sums over pairs of nodes of the balls.
    pub(super) sum: Lanes,
    /// The least sums over pairs of nodes from beyond.
    pub(super) pairs: Lanes,
    /// How many nodes from beyond each centre needs.
    pub(super) need: Lanes,
    pub(super) limits: &'a Lanes,
    /// Whether bounds are to be as close as they can be.
    pub(super) is_close: bool,
}

/// A call of [`Sweep::look`], to be compiled for each set of vector instructions.
struct Look<'a> {
    sweep: &'a mut Sweep,
    work: &'a Work<'a>,
    parts: &'a [Part<'a>],
    cell: usize,
    limits: &'a Lanes,
    is_close: bool,
}

impl WithSimd for Look<'_> {
    type Output = Found;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Found {
        let Self { sweep, work, parts, cell, limits, is_close } = self;
        sweep.look_at(work, parts, cell, limits, is_close)
    }
}

/// A call of [`Sweep::numbers`], to be compiled for each set of vector instructions.
struct Numbers<'a> {
    sweep: &'a mut Sweep,
    work: &'a Work<'a>,
    ball: &'a Ball,
    cell: usize,
}

impl WithSimd for Numbers<'_> {
    type Output = [Lanes; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [Lanes; 2] {
        let Self { sweep, work, ball, cell } = self;
        let inner = sweep.count(work.field, &[Part::all(ball)], cell);
        let mut rim = Lanes16::ZERO;
        for (_, cells) in &ball.rim {
            rim = plus_16(rim, work.field.free(cell.wrapping_add_signed(*cells)));
        }
        [inner, widen(rim)]
    }
}

/// The memory of a sweep.
#[derive(Debug, Default)]
pub(in super::super) struct Sweep {
    /// The radius of the largest ball that the centres at hand are looked at with. It is in the middle of the lists that follow.
    reach: usize,
    /// For each axis the number of free nodes of the ball at each position.
    pub(super) counts: [Vec<Lanes16>; 3],
    /// For each axis the number of these nodes up to each position.
    before: [Vec<Lanes16>; 3],
    /// For each axis the sum of the numbers in `before`.
    totals: [Lanes; 3],
    /// The same as `counts` with the places of the rim that are taken, from one position before the ball to one behind it.
    pub(super) taken: [Vec<Lanes16>; 3],
    /// For each axis and position, from one before the ball to one behind it, the sum of the hops to these nodes.
    pub(super) costs: [Vec<Lanes>; 3],
}

impl Sweep {
    /// Prepares for balls of which the largest is this one.
    fn prepare(&mut self, largest: &Ball) {
        self.reach = largest.radius;
        for axis in 0..3 {
            let reach = if largest.flat[axis] { 0 } else { largest.radius };
            self.counts[axis].resize(2 * reach + 1, Lanes16::ZERO);
            self.before[axis].resize(2 * reach + 1, Lanes16::ZERO);
            self.costs[axis].resize(if largest.flat[axis] { 0 } else { 2 * reach + 3 }, Lanes::ZERO);
        }
    }

    /// Returns how far the positions of a ball are from those of the largest one in lists.
    pub(super) fn shift(&self, ball: &Ball) -> usize {
        self.reach - ball.radius
    }

    /// Returns what is to find out about the centres from `cell` on, each looked at with the ball of its part. The parts must be in
    /// the order of their radii. The bounds of centres that have no sum of at most
    /// their limit need not be close, and none is as close as can be without `is_close`. O(lines of the balls + nodes of the rims).
    pub(in super::super) fn look(
        &mut self,
        work: &Work<'_>,
        parts: &[Part<'_>],
        cell: usize,
        limits: &Lanes,
        is_close: bool,
    ) -> Found {
        if let Some(last) = parts.last() {
            self.prepare(last.ball);
        }
        work.arch.dispatch(Look { sweep: self, work, parts, cell, limits, is_close })
    }

    /// Returns the numbers of free nodes within the radius, and at the next distance, of the centres from `cell` on.
    pub(in super::super) fn numbers(&mut self, work: &Work<'_>, ball: &Ball, cell: usize) -> [Lanes; 2] {
        self.prepare(ball);
        work.arch.dispatch(Numbers { sweep: self, work, ball, cell })
    }

    /// Does the work of [`Self::look`]. If it is already clear that no centre has a sum of at most its limit, the bounds
    /// are less close.
    #[inline(always)]
    fn look_at(
        &mut self,
        work: &Work<'_>,
        parts: &[Part<'_>],
        cell: usize,
        limits: &Lanes,
        is_close: bool,
    ) -> Found {
        let Work { field, apart, .. } = *work;
        let inner = self.count(field, parts, cell);
        let mut found = Found { inner, rim: Lanes::ZERO, bound: Lanes::ZERO };
        let [Some(first), ..] = [parts.first()] else { return found };
        let (k, flat) = (first.ball.k, first.ball.flat);
        let (mut sum, mut least) = (Lanes::ZERO, Lanes::ZERO);
        for axis in (0..3).filter(|&axis| !flat[axis]) {
            [sum, least] = self.add_pairs(axis, inner, [sum, least]);
        }
        let mut need = Lanes::ZERO;
        let mut is_open = false;
        for i in 0..LANES {
            need[i] = k.saturating_sub(inner[i]);
            found.bound[i] = sum[i].wrapping_add(need[i].wrapping_mul(least[i]));
            is_open |= found.bound[i] <= limits[i];
        }
        if !is_open {
            return found;
        }
        let mut pairs = Lanes::ZERO;
        is_open = false;
        for i in 0..LANES {
            pairs[i] = apart.anywhere[need[i] as usize];
            found.bound[i] = found.bound[i].wrapping_add(pairs[i]);
            is_open |= found.bound[i] <= limits[i];
        }
        if !is_open {
            return found;
        }
        for axis in (0..3).filter(|&axis| !flat[axis]) {
            self.set_costs(axis, inner);
        }
        let known = Known { sum, pairs, need, limits, is_close };
        for part in parts {
            self.look_at_rim(field, part, cell, &known, &mut found);
        }
        found
    }

    /// Counts the free nodes of the balls around the centres from `cell` on at each position of each axis. Returns their
    /// numbers.
    #[inline(always)]
    fn count(&mut self, field: &Field, parts: &[Part<'_>], cell: usize) -> Lanes {
        let reach = self.reach;
        let [counts_a, counts_b, counts_c] = &mut self.counts;
        for counts in [&mut *counts_a, counts_b, counts_c] {
            counts.fill(Lanes16::ZERO);
        }
        for Part { ball, lanes } in parts {
            let (shift, lanes) = (reach - ball.radius, *lanes);
            let [shift_a, shift_b] = [0, 1].map(|axis| if ball.flat[axis] { 0 } else { shift });
            for slab in &ball.slabs {
                for (line, count) in slab.along.iter().zip(&mut counts_b[slab.first_b + shift_b..]) {
                    let free = only(lanes, difference(field.along(cell, *line)));
                    *count = plus_16(*count, free);
                }
                // The lines along the last axis have the same nodes as those across it.
                let mut sum = Lanes16::ZERO;
                for (line, count) in slab.across.iter().zip(&mut counts_c[slab.first_c + shift..]) {
                    let free = only(lanes, difference(field.across(cell, *line)));
                    *count = plus_16(*count, free);
                    sum = plus_16(sum, free);
                }
                counts_a[slab.a + shift_a] = plus_16(counts_a[slab.a + shift_a], sum);
            }
        }
        let mut all = Lanes16::ZERO;
        for count in counts_a {
            all = plus_16(all, *count);
        }
        widen(all)
    }

    /// Adds the hops along one axis over all pairs of the nodes of a ball to a sum, and those of the place with the fewest to
    /// all nodes to another one. At a cut, these are the hops from its far side.
    #[inline(always)]
    fn add_pairs(&mut self, axis: usize, inner: Lanes, [mut sum, mut least]: [Lanes; 2]) -> [Lanes; 2] {
        let (mut before, mut total, mut squares) = (Lanes16::ZERO, Lanes::ZERO, Lanes::ZERO);
        for (counts, until) in self.counts[axis].iter().zip(&mut self.before[axis]) {
            before = plus_16(before, *counts);
            *until = before;
            let wide = widen(before);
            for i in 0..LANES {
                total[i] = total[i].wrapping_add(wide[i]);
                squares[i] = squares[i].wrapping_add(wide[i].wrapping_mul(wide[i]));
                least[i] = least[i].wrapping_add(wide[i].min(inner[i].wrapping_sub(wide[i])));
            }
        }
        for i in 0..LANES {
            sum[i] = sum[i].wrapping_add(inner[i].wrapping_mul(total[i]).wrapping_sub(squares[i]));
        }
        self.totals[axis] = total;
        [sum, least]
    }

    /// Sets the costs of an axis, once `before` is known.
    #[inline(always)]
    fn set_costs(&mut self, axis: usize, inner: Lanes) {
        let (costs, before, total) = (&mut self.costs[axis], &self.before[axis], self.totals[axis]);
        // From the place before the ball, each position has as many hops as there are cuts before it.
        let cuts = before.len() as u32 + 1;
        let mut cost = Lanes::ZERO;
        for i in 0..LANES {
            cost[i] = inner[i].wrapping_mul(cuts).wrapping_sub(total[i]);
        }
        let (mut steps, mut passed) = (costs.iter_mut(), std::iter::once(&Lanes16::ZERO).chain(before));
        if let Some(first) = steps.next() {
            *first = cost;
        }
        for (step, passed) in steps.zip(&mut passed) {
            // A step is towards all nodes but those that are passed, and away from these.
            let twice = widen(*passed);
            for i in 0..LANES {
                cost[i] = cost[i].wrapping_sub(inner[i]).wrapping_add(twice[i].wrapping_mul(2));
            }
            *step = cost;
        }
    }

    /// Returns the sum of the hops from a place to the nodes of the ball.
    #[inline(always)]
    pub(super) fn cost(&self, at: [usize; 3], shift: usize) -> Lanes {
        let mut cost = self.costs[2][at[2] + shift];
        for axis in 0..2 {
            // An axis of one node has no costs.
            if let Some(&more) = self.costs[axis].get(at[axis] + shift) {
                cost = plus(cost, more);
            }
        }
        cost
    }
}
