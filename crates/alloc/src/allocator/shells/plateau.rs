//! The minimum plateau of a table of sums: where the sums of one dimension are smallest, and how far they
//! only grow from there.

use std::cmp::Ordering;

/// The parts of a ring in one round from the start of the plateau.
#[derive(Clone, Copy)]
enum RingPart {
    Valley,
    Up,
    Top,
    Down,
}

/// The minimum plateau of the sums along one dimension of n positions, and how far the sums rise on both
/// sides. On a ring, position n + i is the same as position i.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Plateau {
    /// The first position of the smallest sum.
    pub(super) low: usize,
    /// The last position of the smallest sum. All positions in between have it too.
    pub(super) high: usize,
    /// Number of positions above `low` without a fall of the sums: to the end of a line, or to the top of a
    /// ring. Downwards from `low`, the sums of the other positions do not fall either.
    upwards: usize,
    /// Whether that holds, and whether the sums even grow strictly until the largest one is reached. If not,
    /// `upwards` has all other positions.
    pub(super) grows: bool,
}

impl Plateau {
    /// Returns the plateau of sums along a line or a ring. The search begins at position `near`. Sums along a
    /// line must be convex.
    pub(super) fn find(sums: &[u64], wraps: bool, near: usize) -> Self {
        if wraps {
            Self::single(sums, near).unwrap_or_else(|| Self::fallback(sums))
        } else {
            Self::on_line(sums, near)
        }
    }

    /// Returns true if both plateaus have the same positions and both or neither grow.
    pub(super) fn is_at(self, other: Self) -> bool {
        (self.low, self.high, self.grows) == (other.low, other.high, other.grows)
    }

    /// Returns the plateau of sums along a ring with one valley and one top; `None` for any other sums and
    /// for equal ones. The search descends from position `near`, and then goes round once.
    fn single(sums: &[u64], near: usize) -> Option<Self> {
        let n = sums.len();
        let (next, before) =
            (|at: usize| if at + 1 < n { at + 1 } else { 0 }, |at: usize| at.checked_sub(1).unwrap_or(n - 1));
        let mut low = near;
        while sums[next(low)] < sums[low] {
            low = next(low);
        }
        // While sums fall or stay, the plateau begins further down. Equal sums have no beginning.
        let mut steps = 0;
        while sums[before(low)] <= sums[low] {
            low = before(low);
            steps += 1;
            if steps == n {
                return None;
            }
        }
        // One round in two parts, as the ring is stored as a line.
        let (mut part, mut high) = (RingPart::Valley, low);
        let mut upwards = 0;
        let mut sum = sums[low];
        for (i, &next) in (1..n).zip(sums[low + 1..].iter().chain(&sums[..low])) {
            part = match (part, next.cmp(&sum)) {
                (RingPart::Valley, Ordering::Equal) => {
                    high = low + i;
                    RingPart::Valley
                }
                (RingPart::Valley | RingPart::Up, Ordering::Greater) => {
                    upwards = i;
                    RingPart::Up
                }
                (RingPart::Up | RingPart::Top, Ordering::Equal) => RingPart::Top,
                (RingPart::Up | RingPart::Top | RingPart::Down, Ordering::Less) => RingPart::Down,
                _ => return None,
            };
            sum = next;
        }
        (sum > sums[low]).then_some(Self { low, high, upwards, grows: true })
    }

    /// Returns the plateau of sums along a line. The sums must be convex. The search descends from position
    /// `near`.
    fn on_line(sums: &[u64], near: usize) -> Self {
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

    /// Returns the plateau of sums along a ring without a single valley and a single top: the whole ring if
    /// all sums are equal, otherwise the first position of the smallest sum, with `grows` false.
    fn fallback(sums: &[u64]) -> Self {
        let rest = sums.len() - 1;
        let least = sums.iter().copied().min().unwrap_or(0);
        if sums.iter().all(|&sum| sum == least) {
            return Self { low: 0, high: rest, upwards: rest, grows: true };
        }
        let first = sums.iter().position(|&sum| sum == least).unwrap_or(0);
        Self { low: first, high: first, upwards: rest, grows: false }
    }

    /// Returns the position, of `count` positions, at the end of the rise upwards. On a ring that grows it
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

    /// Returns the plateau of sums along a ring, by a search of the whole ring.
    fn of_ring(sums: &[u64]) -> Plateau {
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
            return Plateau { low: first, high: first, upwards: n - 1, grows: false };
        }
        Plateau { low, high, upwards: top - low, grows: true }
    }

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
                let valley = Plateau::find(&sums, wraps, n / 2);
                if wraps {
                    // The walk from any position finds what the search of the whole ring does.
                    assert!(
                        (0..n).all(|near| Plateau::find(&sums, true, near) == of_ring(&sums)),
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
