//! The valley of a table of sums: where the sums of one dimension are smallest, and how far they only grow
//! from there.

use std::cmp::Ordering;

/// The part of a ring that a walk from the start of its valley has come to.
#[derive(Clone, Copy)]
enum Walk {
    Valley,
    Up,
    Top,
    Down,
}

/// The positions of the smallest sum along one dimension of n positions, and the directions in which the sums
/// grow. On a ring, positions at or above n stand for those n below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Valley {
    /// The first position of the smallest sum.
    pub(super) low: usize,
    /// The last position of the smallest sum. All positions in between have it too.
    pub(super) high: usize,
    /// The number of positions above `low` up to which sums do not fall: to the end of a line, or to the top
    /// of a ring. The positions beyond are reached downwards from `low`, and do not fall in that direction
    /// either.
    upwards: usize,
    /// Whether that holds, and whether the sums even grow strictly until the largest one is reached. If not,
    /// `upwards` has all other positions.
    pub(super) grows: bool,
}

impl Valley {
    /// Returns the valley of sums along a line or a ring. The search begins at position `near`. Sums along a
    /// line must be convex.
    pub(super) fn of(sums: &[u64], wraps: bool, near: usize) -> Self {
        if wraps {
            Self::of_one(sums, near).unwrap_or_else(|| Self::of_ring(sums))
        } else {
            Self::of_line(sums, near)
        }
    }

    /// Returns whether the valley is at the same positions as another one, and grows as it does.
    pub(super) fn is_at(self, other: Self) -> bool {
        (self.low, self.high, self.grows) == (other.low, other.high, other.grows)
    }

    /// Returns the valley of sums along a ring that have one valley and one top; `None` if they have more or
    /// are all equal. The search descends from position `near`, and then goes round once.
    fn of_one(sums: &[u64], near: usize) -> Option<Self> {
        let n = sums.len();
        let (next, before) =
            (|at: usize| if at + 1 < n { at + 1 } else { 0 }, |at: usize| at.checked_sub(1).unwrap_or(n - 1));
        let mut low = near;
        while sums[next(low)] < sums[low] {
            low = next(low);
        }
        // As long as sums fall or stay, the start of the valley is further down. Equal sums have none.
        let mut steps = 0;
        while sums[before(low)] <= sums[low] {
            low = before(low);
            steps += 1;
            if steps == n {
                return None;
            }
        }
        // One round in two parts, as the ring is stored as a line.
        let (mut walk, mut high) = (Walk::Valley, low);
        let mut upwards = 0;
        let mut here = sums[low];
        for (i, &there) in (1..n).zip(sums[low + 1..].iter().chain(&sums[..low])) {
            walk = match (walk, there.cmp(&here)) {
                (Walk::Valley, Ordering::Equal) => {
                    high = low + i;
                    Walk::Valley
                }
                (Walk::Valley | Walk::Up, Ordering::Greater) => {
                    upwards = i;
                    Walk::Up
                }
                (Walk::Up | Walk::Top, Ordering::Equal) => Walk::Top,
                (Walk::Up | Walk::Top | Walk::Down, Ordering::Less) => Walk::Down,
                _ => return None,
            };
            here = there;
        }
        (here > sums[low]).then_some(Self { low, high, upwards, grows: true })
    }

    /// Returns the valley of sums along a line. The sums must be convex. The search descends from position
    /// `near`.
    fn of_line(sums: &[u64], near: usize) -> Self {
        let mut low = near;
        while low + 1 < sums.len() && sums[low + 1] < sums[low] {
            low += 1;
        }
        while low > 0 && sums[low - 1] <= sums[low] {
            low -= 1;
        }
        let mut high = low;
        while high + 1 < sums.len() && sums[high + 1] <= sums[high] {
            high += 1;
        }
        Self { low, high, upwards: sums.len() - 1 - low, grows: true }
    }

    /// Returns the valley of sums along a ring. The sums of nodes within half a ring have one valley and one
    /// top. Other sums may have several; then `grows` is false, and the valley is the first position of the
    /// smallest sum.
    fn of_ring(sums: &[u64]) -> Self {
        let n = sums.len();
        let least = sums.iter().copied().min().unwrap_or(0);
        let first = sums.iter().position(|&sum| sum == least).unwrap_or(0);
        // The valley may go around the end of the ring.
        let before = sums.iter().rev().take_while(|&&sum| sum == least).count();
        let low = if first == 0 && before < n { (n - before) % n } else { first };
        let at = |i: usize| sums[if i < n { i } else { i - n }];
        let (mut i, end) = (low, low + n);
        let mut pass = |grows: fn(u64, u64) -> bool| {
            while i + 1 < end && grows(at(i), at(i + 1)) {
                i += 1;
            }
            i
        };
        let high = pass(|here, next| here == next);
        let top = pass(|here, next| here < next);
        pass(|here, next| here == next);
        let bottom = pass(|here, next| here > next);
        if bottom + 1 < end || high + 1 < end && at(bottom) == least {
            return Self { low: first, high: first, upwards: n - 1, grows: false };
        }
        Self { low, high, upwards: top - low, grows: true }
    }

    /// Returns the position, among `count`, at which sums end to grow upwards. On a ring where they grow it
    /// has the largest sum.
    pub(super) fn top(self, count: usize) -> usize {
        let top = self.low + self.upwards;
        if top < count { top } else { top - count }
    }

    /// Calls `visit` with the positions of a dimension of `count` positions: from `low` upwards, then from
    /// `low` − 1 downwards. If `visit` returns false, the positions beyond, whose sums are no smaller, are
    /// left out.
    pub(super) fn outward(self, count: usize, mut visit: impl FnMut(usize) -> bool) {
        let around = |at: usize| if at < count { at } else { at - count };
        let mut go = |at: usize| visit(around(at)) || !self.grows;
        let _ = (self.low..=self.low + self.upwards).all(&mut go);
        let _ = (self.low + self.upwards + 1..self.low + count).rev().all(&mut go);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_machine::machine::distances_along;

    #[test]
    fn every_position_is_visited_and_sums_grow_outwards() {
        let mut number = 1_u32;
        for (n, wraps) in (1..=9).flat_map(|n| [(n, false), (n, true)]) {
            for _ in 0..200 {
                let counts: Vec<u32> = (0..n)
                    .map(|_| {
                        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        (number >> 24) % 4 / 2
                    })
                    .collect();
                let mut sums = vec![0; n];
                distances_along(&counts, wraps, &mut sums);
                let valley = Valley::of(&sums, wraps, n / 2);
                if wraps {
                    // The walk from any position finds what the search of the whole ring does.
                    assert!(
                        (0..n).all(|near| Valley::of(&sums, true, near) == Valley::of_ring(&sums)),
                        "{sums:?}"
                    );
                }
                let mut visited = Vec::new();
                valley.outward(n, |at| {
                    visited.push(at);
                    true
                });
                visited.sort_unstable();
                assert_eq!(visited, (0..n).collect::<Vec<_>>(), "{sums:?} {valley:?}");
                let least = sums.iter().copied().min().unwrap_or(0);
                assert!((valley.low..=valley.high).all(|at| sums[at % n] == least), "{sums:?} {valley:?}");
                // Whatever limit ends the visits, no smaller sum is left out.
                for limit in sums.clone() {
                    let mut found = Vec::new();
                    valley.outward(n, |at| {
                        found.extend((sums[at] <= limit).then_some(at));
                        sums[at] <= limit
                    });
                    found.sort_unstable();
                    let plain: Vec<usize> = (0..n).filter(|&at| sums[at] <= limit).collect();
                    assert_eq!(found, plain, "{sums:?} {valley:?} {limit}");
                }
                // Where the sums grow, they do so strictly between the valley and the top.
                if wraps && valley.grows {
                    let (ups, downs, flats) = (0..n).fold((0, 0, 0), |(ups, downs, flats), at| {
                        let (here, next) = (sums[at], sums[(at + 1) % n]);
                        let between = here != least && sums.iter().any(|&sum| sum > here);
                        (
                            ups + u32::from(here < next),
                            downs + u32::from(here > next),
                            flats + u32::from(here == next && between),
                        )
                    });
                    assert!(flats == 0 && ups + downs <= n as u32, "{sums:?}");
                }
            }
        }
    }
}
