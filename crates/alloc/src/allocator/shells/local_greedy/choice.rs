//! The choice among the rows of the box, in loops over arrays that the compiler vectorizes.

use super::axis::Axis;
use super::{LocalGreedy, Row};

/// The number of a node that is not to be taken.
pub(super) const GONE: u32 = u32::MAX;

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
    pub(super) fn next(&mut self) -> Option<[usize; 3]> {
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
