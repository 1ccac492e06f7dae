//! The places at one distance from a centre, and lower bounds of the distances between some of them.

/// How far a ball reaches along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The axis has one position.
    Flat,
    /// The axis is a line of so many positions.
    Line(i32),
    /// The axis ends nowhere near the ball.
    Straight,
    /// The axis is a ring of so many positions.
    Ring(i32),
}

impl Reach {
    /// Returns the least and the greatest offset from a centre within a radius. No position of a ring has two.
    fn offsets(self, radius: i32) -> [i32; 2] {
        match self {
            Self::Flat => [0, 0],
            Self::Line(extent) => [-radius.min(extent - 1), radius.min(extent - 1)],
            Self::Straight => [-radius, radius],
            Self::Ring(extent) => [-radius.min((extent - 1) / 2), radius.min(extent / 2)],
        }
    }

    /// Returns the hops between two offsets.
    fn hops(self, a: i32, b: i32) -> u32 {
        let straight = a.abs_diff(b);
        match self {
            Self::Ring(extent) => straight.min(extent.unsigned_abs() - straight),
            Self::Flat | Self::Line(_) | Self::Straight => straight,
        }
    }
}

/// The positions of one dimension within a radius of a centre. On a ring they may go around its end.
#[derive(Clone, Copy)]
pub(super) struct Arc {
    pub(super) start: usize,
    /// The number of positions below the centre.
    pub(super) below: usize,
    pub(super) count: usize,
    /// The number of positions of the dimension.
    pub(super) extent: usize,
    pub(super) radius: usize,
}

impl Arc {
    /// Returns the positions up to the end of the dimension, each with the rest of the radius.
    pub(super) fn up_to_end(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.count.min(self.extent - self.start)).map(move |i| (self.start + i, self.left(i)))
    }

    /// Returns the positions around the end of the dimension, each with the rest of the radius.
    pub(super) fn around(self) -> impl Iterator<Item = (usize, usize)> {
        let first = self.extent - self.start;
        (first..self.count).map(move |i| (i - first, self.left(i)))
    }

    /// Returns all positions, each with the rest of the radius, after the hops to the position, for the other
    /// dimensions. They ascend, but on a ring they may go around its end.
    pub(super) fn each(self) -> impl Iterator<Item = (usize, usize)> {
        self.up_to_end().chain(self.around())
    }

    /// Returns the same as [`Self::each`], ascending also on a ring.
    pub(super) fn ascending(self) -> impl Iterator<Item = (usize, usize)> {
        self.around().chain(self.up_to_end())
    }

    /// Returns the rest of the radius after the hops from the centre to the `i`-th position.
    fn left(self, i: usize) -> usize {
        self.radius - i.abs_diff(self.below)
    }
}

/// Returns the offsets of the places at L1 distance `radius` from a centre, the last axis varying fastest.
pub(super) fn rim(radius: usize, reaches: [Reach; 3]) -> Vec<[i32; 3]> {
    let radius = radius as i32;
    let within = |axis: usize, left: i32| {
        let [least, greatest] = reaches[axis].offsets(left);
        least..=greatest
    };
    let mut rim = Vec::new();
    for a in within(0, radius) {
        let left = radius - a.abs();
        for b in within(1, left) {
            let c = left - b.abs();
            let ends = within(2, c);
            if *ends.end() == c {
                rim.push([a, b, c]);
            }
            if c > 0 && *ends.start() == -c {
                rim.push([a, b, -c]);
            }
        }
    }
    rim
}

/// Returns for each m up to the number of places at distance `radius` from a centre, a lower bound of the pairwise sum of m of
/// them: each is as far from the others as its nearest ones are at least. O(rim²).
pub(super) fn least_sums(radius: usize, reaches: [Reach; 3]) -> Vec<u64> {
    let rim = rim(radius, reaches);
    let longest = 2 * radius + 1;
    let (mut least, mut counts) = (vec![u64::MAX; rim.len()], Vec::new());
    for u in &rim {
        // Other places have the same distances, by symmetry.
        let is_same = |a: usize| reaches[a] == reaches[a + 1] && u[a] > u[a + 1];
        if u.iter().any(|&at| at < 0) || is_same(0) || is_same(1) {
            continue;
        }
        counts.clear();
        counts.resize(longest, 0);
        for v in &rim {
            let hops: u32 = (0..3).map(|axis| reaches[axis].hops(u[axis], v[axis])).sum();
            counts[hops as usize] += 1;
        }
        let (mut sum, mut each) = (0, least.iter_mut());
        for (hops, &count) in (0..).zip(&counts) {
            for least in each.by_ref().take(count) {
                sum += hops;
                *least = sum.min(*least);
            }
        }
    }
    let pairs = least.iter().zip(1..).map(|(&least, m): (_, u64)| (m * least).div_ceil(2));
    std::iter::once(0).chain(pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_rims_are_not_below_their_bounds() {
        let reaches = [
            [Reach::Flat, Reach::Straight, Reach::Straight],
            [Reach::Straight; 3],
            [Reach::Ring(4), Reach::Straight, Reach::Ring(5)],
            [Reach::Ring(3), Reach::Ring(6), Reach::Ring(7)],
            [Reach::Flat, Reach::Flat, Reach::Ring(8)],
            [Reach::Line(2), Reach::Line(3), Reach::Ring(8)],
        ];
        for reaches in reaches {
            for radius in 1..5 {
                let (rim, least) = (rim(radius, reaches), least_sums(radius, reaches));
                assert_eq!(least.len(), rim.len() + 1);
                for (i, place) in rim.iter().enumerate() {
                    let hops = |a: &[i32; 3], b: &[i32; 3]| -> u64 {
                        (0..3).map(|axis| u64::from(reaches[axis].hops(a[axis], b[axis]))).sum()
                    };
                    assert_eq!(hops(place, &[0; 3]), radius as u64);
                    // The places nearest to each one, and some others.
                    let mut near = rim.clone();
                    near.sort_by_key(|other| hops(place, other));
                    let spread: Vec<[i32; 3]> =
                        rim.iter().cycle().skip(i).step_by(2).take(rim.len() / 2).copied().collect();
                    for list in [near, spread] {
                        for m in 0..=list.len() {
                            let some = &list[..m];
                            let pairs = some
                                .iter()
                                .enumerate()
                                .flat_map(|(j, a)| some[..j].iter().map(move |b| hops(a, b)));
                            assert!(pairs.sum::<u64>() >= least[m], "{reaches:?}, radius {radius}: {m}");
                        }
                    }
                }
            }
        }
    }
}
