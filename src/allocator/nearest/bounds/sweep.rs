//! Lower bounds of the pairwise sums of neighbouring centres.
//!
//! All centres are looked at with the same radius ρ. Let n < k free nodes lie within ρ of a centre. The centre takes all
//! of them, and k − n nodes from beyond. The sum has three parts:
//!
//! * Pairs of the n nodes. Their number at each position of each axis gives the sum over its cuts of P·(n − P), where P
//!   nodes lie before the cut. It is n·ΣP − ΣP².
//! * Pairs of one of the n nodes and one from beyond. The sum of distances of a place to the n nodes is the sum of a
//!   convex function of each axis, so it grows away from their median, which is within ρ. So no place beyond ρ + 1 has a
//!   smaller one than the best place at ρ + 1, the *rim*. If k free nodes lie within ρ + 1, the k − n nodes are on the
//!   rim. Then for any λ their costs are at least (k − n)·λ − Σ max(0, λ − cost) over the free nodes of the rim, as that
//!   is the dual of the linear program that chooses the cheapest (weak duality).
//! * Pairs of nodes from beyond, of which `ball` has the least possible sums.
//!
//! On rings this holds if a ring has at least 4·(ρ + 1) nodes, as then all these ways are straight.

use pulp::{Arch, Simd, WithSimd};

use super::ball::{Apart, Ball};
use super::field::Field;
use super::lanes::{LANES, Lanes, Lanes16, difference, plus, plus_16, widen};

/// What a sweep finds out about a centre.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Found {
    /// The number of free nodes within the radius.
    pub(in super::super) inner: Lanes,
    /// The number of free nodes at the next distance.
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
    pub(in super::super) ball: &'a Ball,
    pub(in super::super) apart: &'a Apart,
}

/// A call of [`Sweep::look`], to be compiled for each set of vector instructions.
struct Look<'a> {
    sweep: &'a mut Sweep,
    work: &'a Work<'a>,
    cell: usize,
    limit: u32,
}

impl WithSimd for Look<'_> {
    type Output = Found;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Found {
        let Work { field, ball, apart, .. } = *self.work;
        self.sweep.look_at(field, ball, apart, self.cell, self.limit)
    }
}

/// A call of [`Sweep::numbers`], to be compiled for each set of vector instructions.
struct Numbers<'a> {
    sweep: &'a mut Sweep,
    work: &'a Work<'a>,
    cell: usize,
}

impl WithSimd for Numbers<'_> {
    type Output = [Lanes; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> [Lanes; 2] {
        self.sweep.count_at(self.work.field, self.work.ball, self.cell)
    }
}

/// The memory of a sweep.
#[derive(Debug, Default)]
pub(in super::super) struct Sweep {
    /// For each axis the number of free nodes of the ball at each position.
    counts: [Vec<Lanes16>; 3],
    /// For each axis and position, from one before the ball to one behind it, the sum of the hops to these nodes.
    costs: [Vec<Lanes>; 3],
}

impl Sweep {
    /// Prepares for balls of `radius`.
    pub(in super::super) fn prepare(&mut self, ball: &Ball) {
        for axis in 0..3 {
            let reach = if ball.flat[axis] { 0 } else { ball.radius };
            self.counts[axis].resize(2 * reach + 1, [0; LANES]);
            self.costs[axis].clear();
            self.costs[axis].resize(if ball.flat[axis] { 0 } else { 2 * reach + 3 }, [0; LANES]);
        }
    }

    /// Returns what is to find out about the centres from `cell` on. The bounds of centres that have no sum of at most
    /// `limit` need not be close. O(balls' lines + nodes of the rim).
    pub(in super::super) fn look(&mut self, work: &Work<'_>, cell: usize, limit: u32) -> Found {
        work.arch.dispatch(Look { sweep: self, work, cell, limit })
    }

    /// Returns the numbers of free nodes within the radius, and at the next distance, of the centres from `cell` on.
    pub(in super::super) fn numbers(&mut self, work: &Work<'_>, cell: usize) -> [Lanes; 2] {
        work.arch.dispatch(Numbers { sweep: self, work, cell })
    }

    /// Does the work of [`Self::look`]. If it is already clear that no centre has a sum of at most
    /// `limit`, the bounds are less close.
    #[inline(always)]
    fn look_at(&mut self, field: &Field, ball: &Ball, apart: &Apart, cell: usize, limit: u32) -> Found {
        let inner = self.count(field, ball, cell);
        let mut sum = [0; LANES];
        for axis in 0..3 {
            if !ball.flat[axis] {
                sum = self.add_pairs(axis, inner, sum);
            }
        }
        let (mut rim, mut low, mut high, mut near) =
            ([0; LANES], [u32::MAX; LANES], [0; LANES], [u32::MAX; LANES]);
        for (at, cells) in &ball.rim {
            let cost = self.cost(*at);
            let free = *field.free(cell.wrapping_add_signed(*cells));
            for i in 0..LANES {
                let is_free = u32::from(free[i]);
                rim[i] += is_free;
                low[i] = low[i].min(cost[i]);
                // A busy place counts as one that costs most.
                near[i] = near[i].min(cost[i] | is_free.wrapping_sub(1));
                high[i] = high[i].max(cost[i] & 0_u32.wrapping_sub(is_free));
            }
        }
        let mut found = Found { inner, rim, bound: [0; LANES] };
        let mut is_open = false;
        for i in 0..LANES {
            if inner[i] >= ball.k {
                continue;
            }
            let need = ball.k - inner[i];
            let is_last = rim[i] >= need;
            let (cost, pairs) = if is_last {
                (near[i], ball.on_rim[need as usize])
            } else {
                (low[i], apart.anywhere[need as usize])
            };
            sum[i] = sum[i].wrapping_add(pairs);
            found.bound[i] = sum[i].wrapping_add(need.wrapping_mul(cost));
            is_open |= is_last && found.bound[i] <= limit;
        }
        if is_open {
            found.bound = self.closer(field, ball, cell, &found, sum, [near, high]);
        }
        found
    }

    /// Does the work of [`Self::numbers`].
    #[inline(always)]
    fn count_at(&mut self, field: &Field, ball: &Ball, cell: usize) -> [Lanes; 2] {
        let inner = self.count(field, ball, cell);
        let mut rim = [0; LANES];
        for (_, cells) in &ball.rim {
            let free = *field.free(cell.wrapping_add_signed(*cells));
            for i in 0..LANES {
                rim[i] += u32::from(free[i]);
            }
        }
        [inner, rim]
    }

    /// Returns the sum of the hops from a place to the nodes of the ball.
    #[inline(always)]
    fn cost(&self, at: [usize; 3]) -> Lanes {
        let mut cost = self.costs[2][at[2]];
        for axis in 0..2 {
            // An axis of one node has no costs.
            if let Some(&more) = self.costs[axis].get(at[axis]) {
                cost = plus(cost, more);
            }
        }
        cost
    }

    /// Counts the free nodes of the balls around the centres from `cell` on at each position of each axis. Returns their
    /// numbers.
    #[inline(always)]
    fn count(&mut self, field: &Field, ball: &Ball, cell: usize) -> Lanes {
        let [reach_a, reach_b] = [0, 1].map(|axis| if ball.flat[axis] { 0 } else { ball.radius });
        let radius = ball.radius;
        let [counts_a, counts_b, counts_c] = &mut self.counts;
        for counts in counts_b.iter_mut() {
            *counts = [0; LANES];
        }
        for counts in counts_c.iter_mut() {
            *counts = [0; LANES];
        }
        let mut all = [0; LANES];
        for (a, of_a) in counts_a.iter_mut().enumerate() {
            let left = radius - a.abs_diff(reach_a);
            let slab = cell + a * field.steps[0] - reach_a * field.steps[0];
            let mut sum = [0_u16; LANES];
            let wide = left.min(reach_b);
            for b in reach_b - wide..=reach_b + wide {
                let line = slab + b * field.steps[1] - reach_b * field.steps[1];
                let free = difference(field.within_along(line, left - b.abs_diff(reach_b)));
                sum = plus_16(sum, free);
                counts_b[b] = plus_16(counts_b[b], free);
            }
            *of_a = sum;
            all = plus_16(all, sum);
            for c in radius - left..=radius + left {
                let high = (left - c.abs_diff(radius)).min(reach_b);
                let free = difference(field.within_across(slab + c - radius, high));
                counts_c[c] = plus_16(counts_c[c], free);
            }
        }
        widen(all)
    }

    /// Adds the hops along one axis over all pairs of the nodes of a ball to `sum`, and sets the costs of the axis.
    #[inline(always)]
    fn add_pairs(&mut self, axis: usize, inner: Lanes, mut sum: Lanes) -> Lanes {
        // `costs[p]` is for now the sum over the positions before p of the nodes up to them.
        let (costs, counts) = (&mut self.costs[axis], &self.counts[axis]);
        let (mut before, mut sums, mut squares) = ([0_u16; LANES], [0_u32; LANES], [0_u32; LANES]);
        for (counts, cost) in counts.iter().zip(&mut costs[2..]) {
            before = plus_16(before, *counts);
            let wide = widen(before);
            sums = plus(sums, wide);
            for i in 0..LANES {
                squares[i] = squares[i].wrapping_add(wide[i].wrapping_mul(wide[i]));
            }
            *cost = sums;
        }
        let mut first = [0; LANES];
        let last = costs.len() as u32 - 1;
        for i in 0..LANES {
            sum[i] = sum[i].wrapping_add(inner[i].wrapping_mul(sums[i]).wrapping_sub(squares[i]));
            first[i] = inner[i].wrapping_mul(last).wrapping_sub(sums[i]);
        }
        // Each step away from the first place is towards all nodes but those that are passed, twice.
        costs[0] = first;
        costs[1] = [0; LANES];
        let mut base = first;
        for cost in &mut costs[1..] {
            let twice = *cost;
            let mut now = [0; LANES];
            for i in 0..LANES {
                base[i] = base[i].wrapping_sub(inner[i]);
                now[i] = base[i].wrapping_add(twice[i].wrapping_mul(2));
            }
            *cost = now;
        }
        sum
    }

    /// Returns closer bounds for the centres whose last nodes are on the rim.
    #[inline(always)]
    fn closer(
        &self,
        field: &Field,
        ball: &Ball,
        cell: usize,
        found: &Found,
        sum: Lanes,
        [near, high]: [Lanes; 2],
    ) -> Lanes {
        // The bound holds for any λ. If the costs were spread evenly, the best one would be the cost of the last node taken.
        let (mut last, mut need) = ([0; LANES], [0; LANES]);
        for i in 0..LANES {
            need[i] = ball.k.wrapping_sub(found.inner[i]);
            // A centre that needs no node of the rim has no bound here, and the rim may have none.
            if need[i] > 0 && found.rim[i] >= need[i] {
                let part = need[i] as f32 / found.rim[i] as f32;
                last[i] = near[i] + ((high[i] - near[i]) as f32 * part) as u32;
            }
        }
        let mut spared = [0_u32; LANES];
        for (at, cells) in &ball.rim {
            let cost = self.cost(*at);
            let free = *field.free(cell.wrapping_add_signed(*cells));
            for i in 0..LANES {
                let less = last[i].max(cost[i]) - cost[i];
                spared[i] = spared[i].wrapping_add(less & 0_u32.wrapping_sub(u32::from(free[i])));
            }
        }
        let mut bound = found.bound;
        for i in 0..LANES {
            if found.rim[i] >= need[i] {
                let costs = need[i].wrapping_mul(last[i]).wrapping_sub(spared[i]);
                bound[i] = bound[i].max(sum[i].wrapping_add(costs));
            }
        }
        bound
    }
}
