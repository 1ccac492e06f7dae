//! Closer lower bounds, by the free places of a rim: those that are as far from a centre as the last nodes that it takes.
//!
//! A place costs the hops from it to all inner nodes, divided as all sums are. A centre takes some of the places. For any λ the costs of m free places are at least m·λ − Σ max(0, λ − cost) over all free ones, as
//! that is the dual of the linear program that chooses the cheapest (weak duality). The best λ is the cost of the m-th cheapest.

use super::question::Question;
use crate::allocator::nearest::bounds::{LANES, Lanes};

/// The steps in which λ comes nearer to the best one.
const STEPS: usize = 2;

/// If fewer than one in so many places of a rim are free nodes, lists of these take less time than all places.
const SCATTERED: usize = 16;

/// Returns whether so few places of a rim are free that lists of these take less time than all places.
pub(super) fn is_scattered(free: u32, places: usize) -> bool {
    (free as usize) < places / SCATTERED
}

/// The costs of the places of a rim.
#[derive(Debug, Default)]
pub(super) struct Rim {
    /// For each place what it costs, in each of the neighbouring centres; the greatest number if it is busy.
    costs: Vec<Lanes>,
}

impl Rim {
    /// Returns what the cheapest free places cost at least, so many for each centre. `hops` has the sum of the hops along each axis for
    /// each position, from `radius` below the centre on, or around a ring from the centre on. A number means nothing if fewer places are free
    /// than its centre needs. O(places).
    #[inline(always)]
    pub(super) fn least(&mut self, question: &Question<'_>, hops: &[Vec<Lanes>; 3], need: &Lanes) -> Lanes {
        self.set_costs(question, hops);
        self.least_of(need)
    }

    /// Does the work of [`Self::least`] once the costs are known.
    #[inline(always)]
    fn least_of(&self, need: &Lanes) -> Lanes {
        let (mut low, mut high, mut free) = (Lanes([u32::MAX; LANES]), Lanes::ZERO, Lanes::ZERO);
        for cost in &self.costs {
            for i in 0..LANES {
                let is_free = u32::from(cost[i] != u32::MAX);
                low[i] = low[i].min(cost[i]);
                high[i] = high[i].max(cost[i] & 0_u32.wrapping_sub(is_free));
                free[i] += is_free;
            }
        }
        let mut best = Lanes::ZERO;
        for i in 0..LANES {
            best[i] = need[i].wrapping_mul(low[i]);
        }
        // The number of places that cost at most λ grows with λ; it is taken to do so evenly between two that are known.
        let mut below = Lanes::ZERO;
        for _ in 0..STEPS {
            let mut last = Lanes::ZERO;
            for i in 0..LANES {
                let part =
                    need[i].saturating_sub(below[i]) as f32 / free[i].saturating_sub(below[i]).max(1) as f32;
                // Numbers of lanes that mean nothing may be of any size.
                let steps = high[i].saturating_sub(low[i]) as f32 * part.min(1.0);
                last[i] = low[i].saturating_add(steps as u32);
            }
            let (mut spared, mut number) = (Lanes::ZERO, Lanes::ZERO);
            for cost in &self.costs {
                for i in 0..LANES {
                    spared[i] = spared[i].saturating_add(last[i].max(cost[i]) - cost[i]);
                    number[i] += u32::from(cost[i] <= last[i]);
                }
            }
            for i in 0..LANES {
                best[i] = best[i].max(need[i].wrapping_mul(last[i]).saturating_sub(spared[i]));
                if number[i] < need[i] {
                    (low[i], below[i]) = (last[i], number[i]);
                } else {
                    (high[i], free[i]) = (last[i], number[i]);
                }
            }
        }
        best
    }

    /// Sets what the places of the rim cost, each sum of hops divided. Places at which the machine ends are left out.
    #[inline(always)]
    fn set_costs(&mut self, question: &Question<'_>, hops: &[Vec<Lanes>; 3]) {
        let Question { tables, at, radius, shift, rim, .. } = *question;
        let along = |axis: usize, offset: i32| {
            let offset = offset as isize;
            let first =
                if tables.axes[axis].is_straight(radius) || offset >= 0 { 0 } else { hops[axis].len() };
            let middle = if tables.axes[axis].is_straight(radius) { radius } else { 0 };
            &hops[axis][(first + middle).wrapping_add_signed(offset)]
        };
        self.costs.clear();
        for &[a, b, c] in rim {
            let [Some(to_a), Some(to_b)] =
                [(0, a), (1, b)].map(|(axis, offset)| tables.axes[axis].place(at[axis], offset as isize))
            else {
                continue;
            };
            // Rows go on beyond both ends of the last axis.
            let free = tables.free(tables.wide_cell([to_a, to_b, at[2]]).wrapping_add_signed(c as isize));
            let (of_a, of_b, of_c) = (along(0, a), along(1, b), along(2, c));
            let mut cost = Lanes::ZERO;
            for i in 0..LANES {
                let busy = u32::from(free[i]).wrapping_sub(1);
                cost[i] = of_a[i].wrapping_add(of_b[i]).wrapping_add(of_c[i]) >> shift | busy;
            }
            self.costs.push(cost);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_places_cost_no_less_and_little_more() {
        let mut rim = Rim::default();
        for (places, step) in [(1, 1), (7, 5), (40, 3), (200, 77), (200, 0)] {
            // Every fourth place is busy, as far as there are several.
            let cost = |at: u32, lane: u32| {
                let is_busy = (at + lane) % 4 == 3 && places > 1;
                if is_busy { u32::MAX } else { 500 + (at * at * step + lane * 13) % 100 }
            };
            let costs = (0..places).map(|at| Lanes(std::array::from_fn(|lane| cost(at, lane as u32))));
            rim.costs = costs.collect();
            for need in 1..=places * 3 / 4 {
                let least = rim.least_of(&Lanes([need; LANES]));
                for lane in 0..LANES {
                    let mut free: Vec<u32> = rim.costs.iter().map(|cost| cost[lane]).collect();
                    free.retain(|&cost| cost < u32::MAX);
                    free.sort_unstable();
                    if let Some(cheapest) = free.get(..need as usize) {
                        let sum: u32 = cheapest.iter().sum();
                        assert!(
                            (sum * 49 / 50..=sum).contains(&least[lane]),
                            "{need} of {places}: {} {sum}",
                            least[lane]
                        );
                        assert!(least[lane] >= need * free[0]);
                    }
                }
            }
        }
    }
}
