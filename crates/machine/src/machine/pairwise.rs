//! The pairwise sum: the sum of the distances over all pairs of nodes. It is computed from the numbers of
//! nodes at each position, or from the nodes in each group of a tree of switches. Sums beyond 64 bits, which
//! only jobs of millions of nodes on an array have, are clamped to the greatest number.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "below 64 bits as is asked before: k^2 times the positions; otherwise in 128 bits, where \
         (2^24)^3 = 2^72 fits. Distances of one node to all are at most 2^48"
)]

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

use super::{Coord, Mesh, NodeId};

/// Returns the sum of the L1 distances over all pairs of `nodes`, in hops; on a tree of switches, of the
/// links between them. 0 for fewer than two nodes. Clamped to 64 bits. O(k + W + L + D); on a tree O(k log
/// k).
#[inline]
pub fn pairwise_sum(mesh: &Mesh, nodes: &[NodeId]) -> u64 {
    if let Some(levels) = mesh.levels() {
        let mut ascending = nodes.to_vec();
        ascending.sort_unstable();
        return levels.pairwise_sum(&ascending);
    }
    pairwise_sum_at(mesh, nodes.iter().map(|&node| mesh.coord(node)))
}

/// Returns the pairwise sum, as [`pairwise_sum`] does, of nodes that are given by their coordinates.
pub fn pairwise_sum_at(mesh: &Mesh, nodes: impl Iterator<Item = Coord>) -> u64 {
    let mut counts: [Vec<u32>; 3] = mesh.extents().map(|extent| vec![0; extent as usize]);
    let mut k = 0;
    for node in nodes {
        k += 1;
        for (counts, at) in counts.iter_mut().zip(node) {
            counts[at as usize] += 1;
        }
    }
    (0..3).map(|d| pairwise_along(&counts[d], k, mesh.wraps(d))).fold(0, u64::saturating_add)
}

/// Returns the sum, over all pairs of k nodes, of the hops along one dimension. `counts` gives the number of
/// nodes at each position; `wraps` is true for a ring. The pairwise sum is the total of this over the
/// dimensions, and like it is clamped to 64 bits. O(positions).
#[inline]
pub fn pairwise_along(counts: &[u32], k: u32, wraps: bool) -> u64 {
    // There are fewer than k²/2 pairs, each less than counts.len() hops apart, and the sums below double at
    // most.
    if u128::from(k) * u128::from(k) * counts.len() as u128 <= u128::from(u64::MAX) {
        return if wraps { ring_sum::<u64>(counts, k) } else { line_sum::<u64>(counts, k) };
    }
    let sum: u128 = if wraps { ring_sum(counts, k) } else { line_sum(counts, k) };
    u64::try_from(sum).unwrap_or(u64::MAX)
}

/// An integer type for sums.
trait Whole:
    Copy
    + From<u32>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + SubAssign
    + Sum
{
}

impl Whole for u64 {}
impl Whole for u128 {}

/// Sets `sums` for each position of a dimension to the sum of the hops from that position to all nodes.
/// `counts` gives the number of nodes at each position; `wraps` is true for a ring. O(positions).
#[inline]
pub fn distances_along<C: Copy + Into<u64>>(counts: &[C], wraps: bool, sums: &mut [u64]) {
    if wraps { ring_distances(counts, sums) } else { line_distances(counts, sums) }
}

/// Does the work of [`distances_along`] on a line. One step up adds one hop to every node below. The second
/// pass does the same from the other end.
fn line_distances<C: Copy + Into<u64>>(counts: &[C], sums: &mut [u64]) {
    let (mut below, mut sum) = (0, 0);
    for (cell, &count) in sums.iter_mut().zip(counts) {
        *cell = sum;
        below += count.into();
        sum += below;
    }
    let (mut above, mut sum) = (0, 0);
    for (cell, &count) in sums.iter_mut().zip(counts).rev() {
        *cell += sum;
        above += count.into();
        sum += above;
    }
}

/// Does the work of [`distances_along`] on a ring of n positions. One step up takes one hop from the nodes
/// ahead, at the next ⌊n/2⌋ positions, and adds one hop to the nodes behind. If n is odd, one position is
/// neither ahead nor behind: it is ⌊n/2⌋ hops away before the step and after it.
fn ring_distances<C: Copy + Into<u64>>(counts: &[C], sums: &mut [u64]) {
    let (n, half) = (counts.len(), counts.len() / 2);
    let at = |i: usize| -> u64 { counts[if i < n { i } else { i - n }].into() };
    let all: u64 = (0..n).map(at).sum();
    let mut sum: u64 = (0..n).map(|i| at(i) * i.min(n - i) as u64).sum();
    let mut ahead: u64 = (1..=half).map(at).sum();
    for (a, cell) in sums.iter_mut().enumerate() {
        *cell = sum;
        let next = at(a + half + 1);
        // For even n, position a + n/2 + 1 is behind already.
        let neither = if n % 2 == 1 { next } else { 0 };
        sum = sum + (all - ahead - neither) - ahead;
        ahead = ahead + next - at(a + 1);
    }
}

/// Returns Σ |a − b| over the pairs of nodes on a line. Let P nodes lie below a cut between two positions.
/// The cut separates P·(k − P) pairs and adds one hop to each of them.
fn line_sum<T: Whole>(counts: &[u32], k: u32) -> T {
    let (mut below, k) = (T::from(0), T::from(k));
    let pairs = |&count: &u32| {
        below += T::from(count);
        below * (k - below)
    };
    counts.iter().map(pairs).sum()
}

/// Returns Σ min(|a − b|, n − |a − b|) over the pairs of nodes on a ring of n positions.
///
/// Draw a diameter of the ring at every half step. Twice the distance of two positions is the number of
/// diameters that separate them. A diameter with S nodes on one side, and no node on it, separates S·(k − S)
/// pairs. Half steps are the positions of a ring of 2n positions, whose nodes are at the even ones.
fn ring_sum<T: Whole>(counts: &[u32], k: u32) -> T {
    let (n, half) = (counts.len(), counts.len() / 2);
    let k = T::from(k);
    // The diameters from half steps 2i and 2i + 1 have the positions i+1 ..= i+⌊n/2⌋ on one side; if n is
    // odd, the second one has position i+⌊n/2⌋+1 there too. These are the n diameters; if n is odd, the last
    // one has no second.
    let mut side: T = counts.iter().skip(1).take(half).map(|&count| T::from(count)).sum();
    if n.is_multiple_of(2) {
        let mut sum = T::from(0);
        for (&leaves, &joins) in counts[1..].iter().zip(&counts[half + 1..]) {
            // Both diameters separate the same nodes, so that no halving is needed.
            sum += side * (k - side);
            side = side + T::from(joins) - T::from(leaves);
        }
        return sum + side * (k - side);
    }
    let mut doubled = T::from(0);
    for (&leaves, &joins) in counts[1..].iter().zip(&counts[half + 1..]) {
        doubled += side * (k - side);
        side += T::from(joins);
        doubled += side * (k - side);
        side -= T::from(leaves);
    }
    doubled += side * (k - side);
    doubled / T::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A job of n nodes on n positions has n(n² − 1)/6 hops on a line and n³/8 on a ring, or n(n² − 1)/8 if n
    /// is odd.
    #[test]
    fn sums_of_millions_of_nodes_are_exact_or_clamped() {
        for n in [1_000_000_u32, 4_000_000, 4_800_001, 5_000_001, 8_000_000] {
            let (counts, wide) = (vec![1; n as usize], u128::from(n));
            let line = wide * (wide * wide - 1) / 6;
            let ring =
                if n.is_multiple_of(2) { wide * wide * wide / 8 } else { wide * (wide * wide - 1) / 8 };
            for (wraps, exact) in [(false, line), (true, ring)] {
                let expected = u64::try_from(exact).unwrap_or(u64::MAX);
                assert_eq!(pairwise_along(&counts, n, wraps), expected, "{n} {wraps}");
            }
        }
        assert_eq!(pairwise_along(&vec![1; 5_000_001], 5_000_001, false), u64::MAX, "2.08e19");
    }

    #[test]
    fn sums_along_lines_and_rings_equal_sums_over_pairs() {
        let mut number = 1_u32;
        for n in 1..=9_usize {
            for _ in 0..50 {
                let counts: Vec<u32> = (0..n)
                    .map(|_| {
                        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        (number >> 24) % 5
                    })
                    .collect();
                for wraps in [false, true] {
                    let hops = |a: usize, b: usize| {
                        let straight = a.abs_diff(b);
                        if wraps { straight.min(n - straight) as u64 } else { straight as u64 }
                    };
                    let from = |a: usize| -> u64 { (0..n).map(|b| hops(a, b) * u64::from(counts[b])).sum() };
                    let plain: Vec<u64> = (0..n).map(from).collect();
                    let mut sums = vec![7; n];
                    distances_along(&counts, wraps, &mut sums);
                    assert_eq!(sums, plain, "{counts:?}");
                    let pairs: u64 = (0..n).map(|a| u64::from(counts[a]) * plain[a]).sum();
                    assert_eq!(pairwise_along(&counts, counts.iter().sum(), wraps), pairs / 2, "{counts:?}");
                }
            }
        }
    }
}
