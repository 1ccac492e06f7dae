//! Lower bounds of the pairwise sums of neighbouring centres.
//!
//! All centres are looked at with the same radius ρ. Let n < k free nodes lie within ρ of a centre. The centre takes all
//! of them, and k − n nodes from beyond. The sum has three parts:
//!
//! * Pairs of the n nodes. Their number at each position of each axis gives the sum over its cuts of P·(n − P), where P
//!   nodes lie before the cut. It is n·ΣP − ΣP².
//! * Pairs of one of the n nodes and one from beyond. The sum of distances of a place to the n nodes is the sum of a
//!   convex function of each axis, so it grows away from their median, which is within ρ. So no place beyond ρ + 1 has a
//!   smaller one than the best place at ρ + 1, the *rim*, and none at all than the median. If k free nodes lie within ρ + 1,
//!   the k − n nodes are on the rim. Then for any λ their costs are at least (k − n)·λ − Σ max(0, λ − cost) over the free
//!   nodes of the rim, as that is the dual of the linear program that chooses the cheapest (weak duality).
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
    limits: &'a Lanes,
    is_close: bool,
}

impl WithSimd for Look<'_> {
    type Output = Found;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Found {
        let Work { field, ball, apart, .. } = *self.work;
        let found = self.sweep.look_at(field, ball, apart, self.cell, self.limits);
        let is_open = |i: usize| found.bound[i] <= self.limits[i];
        if self.is_close && (0..LANES).any(is_open) {
            self.sweep.closer(field, ball, self.cell, found)
        } else {
            found
        }
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
    pub(super) counts: [Vec<Lanes16>; 3],
    /// The same with the places of the rim that are taken, from one position before the ball to one behind it.
    pub(super) taken: [Vec<Lanes16>; 3],
    /// For each axis and position, from one before the ball to one behind it, the sum of the hops to these nodes.
    costs: [Vec<Lanes>; 3],
}

impl Sweep {
    /// Prepares for balls of `radius`.
    pub(in super::super) fn prepare(&mut self, ball: &Ball) {
        for axis in 0..3 {
            let reach = if ball.flat[axis] { 0 } else { ball.radius };
            self.counts[axis].resize(2 * reach + 1, [0; LANES]);
            self.costs[axis].resize(if ball.flat[axis] { 0 } else { 2 * reach + 3 }, [0; LANES]);
        }
    }

    /// Returns what is to find out about the centres from `cell` on. The bounds of centres that have no sum of at most
    /// their limit need not be close, and none is as close as can be without `is_close`. O(balls' lines + nodes of the rim).
    pub(in super::super) fn look(
        &mut self,
        work: &Work<'_>,
        cell: usize,
        limits: &Lanes,
        is_close: bool,
    ) -> Found {
        self.prepare(work.ball);
        work.arch.dispatch(Look { sweep: self, work, cell, limits, is_close })
    }

    /// Returns the numbers of free nodes within the radius, and at the next distance, of the centres from `cell` on.
    pub(in super::super) fn numbers(&mut self, work: &Work<'_>, cell: usize) -> [Lanes; 2] {
        work.arch.dispatch(Numbers { sweep: self, work, cell })
    }

    /// Does the work of [`Self::look`]. If it is already clear that no centre has a sum of at most its limit, the bounds
    /// are less close.
    #[inline(always)]
    fn look_at(&mut self, field: &Field, ball: &Ball, apart: &Apart, cell: usize, limits: &Lanes) -> Found {
        let inner = self.count(field, ball, cell);
        let (mut sum, mut least) = ([0; LANES], [0; LANES]);
        for axis in 0..3 {
            if !ball.flat[axis] {
                [sum, least] = self.add_pairs(axis, inner, [sum, least]);
            }
        }
        let mut found = Found { inner, rim: [0; LANES], bound: [0; LANES] };
        let mut is_open = false;
        for i in 0..LANES {
            let need = ball.k.saturating_sub(inner[i]);
            let pairs = apart.anywhere[need as usize];
            found.bound[i] = sum[i].wrapping_add(pairs).wrapping_add(need.wrapping_mul(least[i]));
            is_open |= found.bound[i] <= limits[i];
        }
        if is_open {
            for axis in 0..3 {
                if !ball.flat[axis] {
                    self.set_costs(axis, inner);
                }
            }
            self.look_at_rim(field, ball, apart, cell, sum, &mut found);
        }
        found
    }

    /// Sets the rest of what is to find out, given the sums over pairs of nodes of the balls.
    #[inline(always)]
    fn look_at_rim(
        &self,
        field: &Field,
        ball: &Ball,
        apart: &Apart,
        cell: usize,
        sum: Lanes,
        found: &mut Found,
    ) {
        let (mut rim, mut low, mut near) = ([0; LANES], [u32::MAX; LANES], [u32::MAX; LANES]);
        for (at, cells) in &ball.rim {
            let cost = self.cost(*at);
            let free = *field.free(cell.wrapping_add_signed(*cells));
            for i in 0..LANES {
                let is_free = u32::from(free[i]);
                rim[i] += is_free;
                low[i] = low[i].min(cost[i]);
                // A busy place counts as one that costs most.
                near[i] = near[i].min(cost[i] | is_free.wrapping_sub(1));
            }
        }
        found.rim = rim;
        for i in 0..LANES {
            if found.inner[i] >= ball.k {
                continue;
            }
            let need = ball.k - found.inner[i];
            let (cost, pairs) = if rim[i] >= need {
                (near[i], ball.on_rim[need as usize])
            } else {
                (low[i], apart.anywhere[need as usize])
            };
            found.bound[i] = sum[i].wrapping_add(pairs).wrapping_add(need.wrapping_mul(cost));
        }
    }

    /// Returns closer bounds for the centres whose last nodes are on the rim.
    #[inline(always)]
    fn closer(&self, field: &Field, ball: &Ball, cell: usize, mut found: Found) -> Found {
        let (mut near, mut high) = ([u32::MAX; LANES], [0; LANES]);
        for (at, cells) in &ball.rim {
            let cost = self.cost(*at);
            let free = *field.free(cell.wrapping_add_signed(*cells));
            for i in 0..LANES {
                // A busy place counts as one that costs most, or least.
                let busy = u32::from(free[i]).wrapping_sub(1);
                near[i] = near[i].min(cost[i] | busy);
                high[i] = high[i].max(cost[i] & !busy);
            }
        }
        // The bound holds for any λ. If the costs were spread evenly, the best one would be the cost of the last node taken.
        let (mut last, mut need) = ([0; LANES], [0; LANES]);
        for i in 0..LANES {
            need[i] = ball.k.wrapping_sub(found.inner[i]);
            // A centre that needs no node of the rim has no bound here, and the rim may have none.
            if found.inner[i] < ball.k && found.rim[i] >= need[i] {
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
        for i in 0..LANES {
            if found.inner[i] < ball.k && found.rim[i] >= need[i] {
                // The bound so far has the cost of the cheapest place for each of these nodes.
                let more = need[i].wrapping_mul(last[i].wrapping_sub(near[i]));
                found.bound[i] = found.bound[i].wrapping_add(more.saturating_sub(spared[i]));
            }
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

    /// Adds the hops along one axis over all pairs of the nodes of a ball to a sum, and those of the place with the fewest to
    /// all nodes to another one. At a cut, these are the hops from its far side.
    #[inline(always)]
    fn add_pairs(&self, axis: usize, inner: Lanes, [mut sum, mut least]: [Lanes; 2]) -> [Lanes; 2] {
        let mut before = [0_u16; LANES];
        for counts in &self.counts[axis] {
            before = plus_16(before, *counts);
            let wide = widen(before);
            for i in 0..LANES {
                let behind = inner[i].wrapping_sub(wide[i]);
                sum[i] = sum[i].wrapping_add(wide[i].wrapping_mul(behind));
                least[i] = least[i].wrapping_add(wide[i].min(behind));
            }
        }
        [sum, least]
    }

    /// Sets the costs of an axis.
    #[inline(always)]
    fn set_costs(&mut self, axis: usize, inner: Lanes) {
        // `costs[p]` is for now the sum over the positions before p of the nodes up to them.
        let (costs, counts) = (&mut self.costs[axis], &self.counts[axis]);
        let (mut before, mut sums) = ([0_u16; LANES], [0_u32; LANES]);
        for (counts, cost) in counts.iter().zip(&mut costs[2..]) {
            before = plus_16(before, *counts);
            sums = plus(sums, widen(before));
            *cost = sums;
        }
        let mut first = [0; LANES];
        let last = costs.len() as u32 - 1;
        for i in 0..LANES {
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
    }
}
