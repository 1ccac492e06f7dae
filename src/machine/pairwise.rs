//! The pairwise sum: the sum of the distances over all pairs of nodes. It is computed from the numbers of nodes at each
//! position.

use super::{Coord, Mesh, NodeId};

/// Returns the sum of the L1 distances over all pairs of `nodes`, in hops; 0 for fewer than two nodes. O(k + W + L +
/// D).
pub fn pairwise_sum(mesh: &Mesh, nodes: &[NodeId]) -> u64 {
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
    (0..3).map(|d| pairwise_along(&counts[d], k, mesh.wraps(d))).sum()
}

/// Returns the sum, over all pairs of k nodes, of the hops along one dimension. `counts` gives the number of nodes at
/// each position, and `wraps` tells whether the dimension is a ring. The pairwise sum is the total of this over the
/// dimensions. O(positions).
pub fn pairwise_along(counts: &[u32], k: u32, wraps: bool) -> u64 {
    if wraps { ring_sum(counts, k) } else { line_sum(counts, k) }
}

/// Sets `sums` for each position of a dimension to the sum of the hops from that position to all nodes. `counts` gives
/// the number of nodes at each position, and `wraps` tells whether the dimension is a ring. O(positions); on rings
/// O(positions²).
pub fn distances_along(counts: &[u32], wraps: bool, sums: &mut [u64]) {
    if wraps {
        let n = counts.len();
        for (a, sum) in sums.iter_mut().enumerate() {
            let far = |(b, &count): (usize, &u32)| {
                let straight = a.abs_diff(b);
                straight.min(n - straight) as u64 * u64::from(count)
            };
            *sum = counts.iter().enumerate().map(far).sum();
        }
        return;
    }
    // One step up adds one hop to every node below. The second pass does the same from the other end.
    let (mut below, mut sum) = (0, 0);
    for (cell, &count) in sums.iter_mut().zip(counts) {
        *cell = sum;
        below += u64::from(count);
        sum += below;
    }
    let (mut above, mut sum) = (0, 0);
    for (cell, &count) in sums.iter_mut().zip(counts).rev() {
        *cell += sum;
        above += u64::from(count);
        sum += above;
    }
}

/// Returns Σ |a − b| over the pairs of nodes on a line. Let P nodes lie below a cut between two positions. The cut
/// separates P·(k − P) pairs and adds one hop to each of them.
fn line_sum(counts: &[u32], k: u32) -> u64 {
    let mut below = 0_u64;
    let pairs = |&count: &u32| {
        below += u64::from(count);
        below * (u64::from(k) - below)
    };
    counts.iter().map(pairs).sum()
}

/// Returns Σ min(|a − b|, n − |a − b|) over the pairs of nodes on a ring of n positions.
///
/// Draw a diameter of the ring at every half step. Twice the distance of two positions is the number of diameters that
/// separate them. A diameter with S nodes on one side, and no node on it, separates S·(k − S) pairs. Half steps are the
/// positions of a ring of 2n positions, whose nodes are at the even ones.
fn ring_sum(counts: &[u32], k: u32) -> u64 {
    let n = counts.len();
    if n < 2 {
        return 0;
    }
    // S belongs to the diameter from cut e to cut e + n, where cut e lies after half step e. S counts the nodes at the
    // half steps e+1 ..= e+n.
    let at = |half: usize| if half.is_multiple_of(2) { u64::from(counts[half / 2 % n]) } else { 0 };
    let mut side: u64 = (1..=n).map(at).sum();
    let mut doubled = 0;
    for e in 0..n {
        doubled += side * (u64::from(k) - side);
        // The next diameter: one half step joins the side, and another one leaves it.
        side = side + at(e + 1 + n) - at(e + 1);
    }
    doubled / 2
}
