//! Lower bounds of the pairwise sums of neighbouring centres, from the slices of their balls.
//!
//! Let n < k free nodes lie nearer than q to a centre, all of which it takes, and no k − n others. As in `bounds::sweep`, the sum
//! has three parts, for which there are lower bounds:
//!
//! * Pairs of the n nodes: half of the sum of the hops from each one to all of them, which are known for each position of each axis.
//! * Pairs of one of them and one from beyond. The hops from a place to the n nodes are a sum over the axes. The least one of a
//!   place at distance q or farther is found axis after axis: first for the hops from the centre along one axis and
//!   more, then along two of them, and so on.
//! * Pairs of nodes from beyond, of which the caller knows the least sums.
//!
//! Of a centre that takes its last nodes at distance q, the second part has a closer bound if it may still win (see `rim`).
//!
//! All this holds on lines and rings of any length. Sums are divided by a power of two and rounded down, so that they fit 32 bits.

use pulp::{Arch, Simd, WithSimd};

use super::question::Question;
use super::rim::{Rim, is_scattered};
use crate::allocator::nearest::bounds::{LANES, Lanes, Lanes16};

/// The memory of looks.
#[derive(Debug, Default)]
pub(super) struct Looks {
    /// The inner nodes at each position of the axis at hand.
    counts: Vec<Lanes16>,
    /// For each axis and position the hops along it to all of them.
    hops: [Vec<Lanes>; 3],
    /// For each axis the least hops along it, and of the axes so far, from a place so many hops from the centre or more.
    least: [Vec<Lanes>; 3],
    least_of_two: Vec<Lanes>,
    rim: Rim,
}

impl Looks {
    /// Returns lower bounds of the sums of the centres from `question.at` on along the last axis, divided. They need not be close if
    /// all are above the limit, and mean nothing for those that need no radius. O(positions within the radius, and its square).
    pub(super) fn look(&mut self, arch: Arch, question: &Question<'_>) -> Lanes {
        arch.dispatch(Look { looks: self, question })
    }
}

/// A call of [`Looks::look`], to be compiled for each set of vector instructions.
struct Look<'a> {
    looks: &'a mut Looks,
    question: &'a Question<'a>,
}

impl WithSimd for Look<'_> {
    type Output = Lanes;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Lanes {
        let Self { looks, question } = self;
        let Question { tables, radius, k, needs, apart, apart_on_rim, rim, shift, limit, .. } = *question;
        let mut inner = Lanes::ZERO;
        let mut twice = Lanes::ZERO;
        for axis in 0..3 {
            let is_first = axis == 0;
            looks.count(question, axis);
            if is_first {
                for counts in &looks.counts {
                    for i in 0..LANES {
                        inner[i] += u32::from(counts[i]);
                    }
                }
            }
            looks.set_hops(axis, tables.axes[axis].is_straight(radius), &inner);
            for (counts, hops) in looks.counts.iter().zip(&looks.hops[axis]) {
                for i in 0..LANES {
                    twice[i] = twice[i].wrapping_add(u32::from(counts[i]).wrapping_mul(hops[i] >> shift));
                }
            }
            looks.set_least(question, axis);
        }
        let (mut more, mut sum, mut bound) = (Lanes::ZERO, Lanes::ZERO, Lanes::ZERO);
        let mut is_open = 0;
        for i in 0..LANES {
            more[i] = k.saturating_sub(inner[i]);
            let among = if needs[i] as usize == radius { apart_on_rim } else { apart };
            sum[i] = (twice[i] / 2).wrapping_add(among.get(more[i] as usize).copied().unwrap_or(0));
            let mut least = 0_u32;
            for axis in 0..3 {
                least = least.wrapping_add(looks.least[axis][0][i]);
            }
            bound[i] = sum[i].wrapping_add(more[i].wrapping_mul(least >> shift));
            is_open |= u32::from(needs[i] > 0 && bound[i] <= limit);
        }
        if is_open == 0 {
            return bound;
        }
        let least = looks.least_beyond(radius);
        for i in 0..LANES {
            bound[i] = sum[i].wrapping_add(more[i].wrapping_mul(least[i] >> shift));
        }
        let cell = tables.cell(question.at);
        let on_rim = |i: usize| u32::from(tables.within[cell + i] - tables.inner[cell + i]);
        let takes_rim = |i: usize| {
            needs[i] as usize == radius && bound[i] <= limit && !is_scattered(on_rim(i), rim.len())
        };
        if rim.is_empty() || !(0..LANES).any(takes_rim) {
            return bound;
        }
        let cost = looks.rim.least(question, &looks.hops, &more);
        for i in 0..LANES {
            let closer = if needs[i] as usize == radius { sum[i].wrapping_add(cost[i]) } else { 0 };
            bound[i] = bound[i].max(closer);
        }
        bound
    }
}

impl Looks {
    /// Sets `counts` to the inner nodes at each position of an axis: from `radius` steps below the centre to as many above it, or
    /// those of a whole ring from the centre on.
    #[inline(always)]
    fn count(&mut self, question: &Question<'_>, axis: usize) {
        let Question { tables, at, radius, .. } = *question;
        let along = tables.axes[axis];
        let [down, up] = along.reach().map(|reach| reach.min(radius - 1));
        self.counts.clear();
        let mut next = at;
        let mut slice = |position: Option<usize>, steps: usize| {
            let Some(position) = position else { return Lanes16([0; LANES]) };
            next[axis] = position;
            let table = &tables.across[axis][radius - 1 - steps];
            lanes(table, tables.cell(next))
        };
        // Rows of tables across the last axis go on beyond its ends.
        let center = tables.wide_cell(at);
        let end = |steps: usize, is_up: bool| {
            let table = &tables.across[2][radius - 1 - steps];
            lanes(table, if is_up { center + steps } else { center - steps })
        };
        if along.is_straight(radius) {
            let none = |reach: usize| std::iter::repeat_n(Lanes16([0; LANES]), radius - reach);
            self.counts.extend(none(down));
            for steps in (1..=down).rev() {
                self.counts.push(if axis == 2 {
                    end(steps, false)
                } else {
                    slice(along.down(at[axis], steps), steps)
                });
            }
            for steps in 0..=up {
                self.counts.push(if axis == 2 {
                    end(steps, true)
                } else {
                    slice(along.up(at[axis], steps), steps)
                });
            }
            self.counts.extend(none(up));
            return;
        }
        for steps in 0..=up {
            self.counts.push(if axis == 2 {
                end(steps, true)
            } else {
                slice(along.up(at[axis], steps), steps)
            });
        }
        self.counts.resize(along.extent - down, Lanes16([0; LANES]));
        for steps in (1..=down).rev() {
            self.counts.push(if axis == 2 {
                end(steps, false)
            } else {
                slice(along.down(at[axis], steps), steps)
            });
        }
    }

    /// Sets `hops` of an axis for each position in `counts` to the sum of the hops to all inner nodes.
    #[inline(always)]
    fn set_hops(&mut self, axis: usize, is_straight: bool, inner: &Lanes) {
        let Self { counts, hops, .. } = self;
        let (n, hops) = (counts.len(), &mut hops[axis]);
        hops.clear();
        let mut sum = Lanes::ZERO;
        if is_straight {
            for (counts, steps) in counts.iter().zip(0..) {
                for i in 0..LANES {
                    sum[i] = sum[i].wrapping_add(u32::from(counts[i]).wrapping_mul(steps));
                }
            }
            let mut passed = Lanes::ZERO;
            for counts in counts {
                hops.push(sum);
                for i in 0..LANES {
                    passed[i] = passed[i].wrapping_add(u32::from(counts[i]));
                    // A step is towards all nodes but those that are passed, and away from these.
                    sum[i] = sum[i].wrapping_add(passed[i].wrapping_mul(2)).wrapping_sub(inner[i]);
                }
            }
            return;
        }
        let (half, is_odd) = (n / 2, n % 2 == 1);
        let mut ahead = Lanes::ZERO;
        for (at, counts) in counts.iter().enumerate() {
            let steps = at.min(n - at) as u32;
            let is_ahead = u32::from((1..=half).contains(&at));
            for i in 0..LANES {
                sum[i] = sum[i].wrapping_add(u32::from(counts[i]).wrapping_mul(steps));
                ahead[i] = ahead[i].wrapping_add(u32::from(counts[i]).wrapping_mul(is_ahead));
            }
        }
        for at in 0..n {
            hops.push(sum);
            // A step takes one hop from the nodes ahead, and adds one to the others, but to one position that is as far on a
            // ring of odd length.
            let [one, last] = [at + 1, at + half + 1].map(|at| if at < n { at } else { at - n });
            let (one, last) = (&counts[one], &counts[last]);
            for i in 0..LANES {
                let neither = if is_odd { u32::from(last[i]) } else { 0 };
                sum[i] = sum[i]
                    .wrapping_add(inner[i])
                    .wrapping_sub(neither)
                    .wrapping_sub(ahead[i].wrapping_mul(2));
                ahead[i] = ahead[i].wrapping_add(u32::from(last[i])).wrapping_sub(u32::from(one[i]));
            }
        }
    }

    /// Sets the least hops along an axis from a place 0, 1, … up to `radius` steps from the centre, or farther. Beyond the radius
    /// hops along a line, and along a ring that is like one, are not fewer than at it.
    #[inline(always)]
    fn set_least(&mut self, question: &Question<'_>, axis: usize) {
        let Question { tables, radius, .. } = *question;
        let along = tables.axes[axis];
        let [down, up] = along.reach();
        let (hops, least) = (&self.hops[axis], &mut self.least[axis]);
        let is_straight = along.is_straight(radius);
        let farthest = if is_straight { radius.min(up) } else { up };
        least.clear();
        least.resize(farthest + 1, Lanes([u32::MAX; LANES]));
        let mut so_far = Lanes([u32::MAX; LANES]);
        for steps in (0..=farthest).rev() {
            let (above, below) = if is_straight {
                (radius + steps, radius - steps)
            } else {
                (steps, if steps == 0 { 0 } else { along.extent - steps })
            };
            let (above, below) = (&hops[above], &hops[if steps <= down { below } else { above }]);
            for i in 0..LANES {
                so_far[i] = so_far[i].min(above[i]).min(below[i]);
            }
            least[steps] = so_far;
        }
    }

    /// Returns the least hops to all inner nodes from a place at distance `radius` or farther; the greatest number if there is no
    /// such place.
    #[inline(always)]
    fn least_beyond(&mut self, radius: usize) -> Lanes {
        let Self { least: [of_a, of_b, of_c], least_of_two, .. } = self;
        let farthest = radius.min(of_a.len() + of_b.len() - 2);
        least_of_two.clear();
        for steps in 0..=farthest {
            let mut least = Lanes([u32::MAX; LANES]);
            for along_a in steps.saturating_sub(of_b.len() - 1)..=steps.min(of_a.len() - 1) {
                let (one, other) = (&of_a[along_a], &of_b[steps - along_a]);
                for i in 0..LANES {
                    least[i] = least[i].min(one[i].wrapping_add(other[i]));
                }
            }
            least_of_two.push(least);
        }
        let mut least = Lanes([u32::MAX; LANES]);
        for along_c in radius.saturating_sub(farthest)..=radius.min(of_c.len() - 1) {
            let (one, other) = (&of_c[along_c], &least_of_two[radius - along_c]);
            for i in 0..LANES {
                least[i] = least[i].min(one[i].wrapping_add(other[i]));
            }
        }
        least
    }
}

/// Returns the lanes from an entry of a table on.
#[inline(always)]
fn lanes(table: &[u16], from: usize) -> Lanes16 {
    table[from..].first_chunk().map_or(Lanes16([0; LANES]), |lanes| Lanes16(*lanes))
}
