//! Closer lower bounds, by the places just beyond a ball.
//!
//! If k free nodes lie within ρ + 1, the k − n nodes from beyond are on the *rim*, at the distance ρ + 1. Each of them costs at least
//! what the cheapest free place there does. Closer still, for any λ their costs are at least (k − n)·λ − Σ max(0, λ − cost) over the
//! free nodes of the rim, as that is the dual of the linear program that chooses the cheapest (weak duality).
//!
//! If fewer lie there, the centre takes all nodes of the rim, and others from beyond, which cost at least what the cheapest
//! place of the rim does.

use super::ball::Ball;
use super::field::Field;
use super::lanes::{LANES, Lanes, Lanes16, plus_16, widen};
use super::sweep::{Found, Known, Part, Sweep};

impl Sweep {
    /// Sets what is to find out about the centres of a part by their rims.
    #[inline(always)]
    pub(super) fn look_at_rim(
        &self,
        field: &Field,
        part: &Part<'_>,
        cell: usize,
        known: &Known<'_>,
        found: &mut Found,
    ) {
        let Known { sum, pairs, need, limits, is_close } = known;
        let Part { ball, lanes } = part;
        let is_open =
            |found: &Found| (0..LANES).any(|i| lanes[i] != 0 && need[i] > 0 && found.bound[i] <= limits[i]);
        if !is_open(found) {
            return;
        }
        let shift = self.shift(ball);
        let mut rim = Lanes16::ZERO;
        let (mut all, mut low, mut near) = (Lanes::ZERO, Lanes::MAX, Lanes::MAX);
        for (at, cells) in &ball.rim {
            let cost = self.cost(*at, shift);
            let free = field.free(cell.wrapping_add_signed(*cells));
            rim = plus_16(rim, free);
            let free = widen(free);
            for i in 0..LANES {
                low[i] = low[i].min(cost[i]);
                // A busy place counts as one that costs most, or nothing.
                let busy = free[i].wrapping_sub(1);
                near[i] = near[i].min(cost[i] | busy);
                all[i] = all[i].wrapping_add(cost[i] & !busy);
            }
        }
        let rim = widen(rim);
        for i in (0..LANES).filter(|&i| lanes[i] != 0) {
            found.rim[i] = rim[i];
            if need[i] == 0 {
                continue;
            }
            let (cost, pairs) = if rim[i] >= need[i] {
                (need[i].wrapping_mul(near[i]), pairs[i].max(ball.on_rim[need[i] as usize]))
            } else {
                (all[i].wrapping_add((need[i] - rim[i]).wrapping_mul(low[i])), pairs[i])
            };
            found.bound[i] = sum[i].wrapping_add(pairs).wrapping_add(cost);
        }
        if *is_close && is_open(found) {
            self.look_closer(field, ball, cell, [need, &near], lanes, found);
        }
    }

    /// Sets closer bounds of the centres in `lanes` whose last nodes are on the rim, given how many each one needs and what the
    /// cheapest one costs.
    #[inline(always)]
    fn look_closer(
        &self,
        field: &Field,
        ball: &Ball,
        cell: usize,
        [need, near]: [&Lanes; 2],
        lanes: &Lanes16,
        found: &mut Found,
    ) {
        let shift = self.shift(ball);
        let mut high = Lanes::ZERO;
        for (at, cells) in &ball.rim {
            let cost = self.cost(*at, shift);
            let free = field.free(cell.wrapping_add_signed(*cells));
            for i in 0..LANES {
                // A busy place counts as one that costs least.
                high[i] = high[i].max(cost[i] & 0_u32.wrapping_sub(u32::from(free[i])));
            }
        }
        let is_meant = |i: usize| lanes[i] != 0 && need[i] > 0 && found.rim[i] >= need[i];
        // The bound holds for any λ. If the costs were spread evenly, the best one would be the cost of the last node taken.
        let mut last = Lanes::ZERO;
        for i in (0..LANES).filter(|&i| is_meant(i)) {
            let part = need[i] as f32 / found.rim[i] as f32;
            last[i] = near[i] + ((high[i] - near[i]) as f32 * part) as u32;
        }
        let mut spared = Lanes::ZERO;
        for (at, cells) in &ball.rim {
            let cost = self.cost(*at, shift);
            let free = field.free(cell.wrapping_add_signed(*cells));
            for i in 0..LANES {
                let less = last[i].max(cost[i]) - cost[i];
                spared[i] = spared[i].wrapping_add(less & 0_u32.wrapping_sub(u32::from(free[i])));
            }
        }
        for i in (0..LANES).filter(|&i| is_meant(i)) {
            // The bound so far has the cost of the cheapest place for each of these nodes.
            let more = need[i].wrapping_mul(last[i].wrapping_sub(near[i]));
            found.bound[i] = found.bound[i].wrapping_add(more.saturating_sub(spared[i]));
        }
    }
}
