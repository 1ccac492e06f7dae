//! A lower bound for k nodes from the capacity of the slices across a dimension.
//!
//! Let the slices hold c, c′, … nodes. Along the dimension, the sum of hops is the sum of P·(k − P) over the
//! cuts between slices, with P nodes before the cut. Across the dimension, L1 distances are of negative type.
//! So nodes of two slices are on average at least as far apart as half the mean distance within one slice
//! plus half the mean distance within the other, where the mean includes the distance 0 of a node to itself.
//! With T(c) as the least sum within a slice of c nodes, that mean distance is 2·T(c)/c². Over all pairs of
//! slices the sum across the dimension is then at least k·Σ T(c)/c. The least total of both parts over all
//! sequences of c is the cost of a shortest path from P = 0 to P = k.

use super::grid::{rounded_up, simple};

/// The greatest number of steps of a shortest path that is worth its time, which is some tenths of a
/// millisecond.
const MOST_STEPS: u64 = 1 << 19;

/// Returns the largest lower bound, in hops, that slicing along one of the dimensions gives; 0 if there is
/// only one dimension. O(min(k·slice, 2^19)) time per dimension and O(k) memory.
///
/// If k is too large for that, the path is computed for the largest k0 that is not, and extended to k: the
/// mean distance of an optimum never decreases as k grows.
pub(super) fn bound(sides: &[u64], k: u64) -> u64 {
    let nodes: u64 = sides.iter().product();
    let along = |d: usize| {
        // Dimensions of equal length give the same bound, so each length is sliced once.
        if sides.len() < 2 || sides[..d].contains(&sides[d]) {
            return 0;
        }
        let across: Vec<u64> =
            (0..sides.len()).filter(|&other| other != d).map(|other| sides[other]).collect();
        let most = nodes / sides[d];
        let affordable = (MOST_STEPS / most).max(MOST_STEPS.isqrt());
        let k0 = k.min(affordable);
        let found = shortest(&across, most, k0);
        if k0 == k { found } else { extended(found, k0, k) }
    };
    (0..sides.len()).map(along).max().unwrap_or(0)
}

/// Returns a lower bound for k nodes, given one for k0 nodes. The mean distance of an optimum never decreases
/// as k grows.
fn extended(bound: u64, k0: u64, k: u64) -> u64 {
    let pairs = |n: u64| n as f64 * (n as f64 - 1.0);
    rounded_up(bound as f64 / pairs(k0) * pairs(k))
}

/// Returns the cost of the shortest path from 0 to `k` nodes. Each step of the path is a slice of at most
/// `most` nodes, whose sides are `across`.
fn shortest(across: &[u64], most: u64, k: u64) -> u64 {
    let most = most.min(k);
    // A slice of c nodes costs k·T(c)/c. The largest slice comes first, so that the list lines up with paths
    // in ascending order.
    let slices: Vec<f64> = (1..=most).rev().map(|c| k as f64 * simple(across, c) as f64 / c as f64).collect();
    // For each P, the least cost of a path to P, including the cut behind it.
    let mut paths = Vec::with_capacity(k as usize + 1);
    paths.push(0.0);
    for placed in 1..=k {
        let c = most.min(placed) as usize;
        let sums = paths[paths.len() - c..].iter().zip(&slices[slices.len() - c..]);
        let least = sums.map(|(path, slice)| path + slice).fold(f64::INFINITY, f64::min);
        paths.push(least + (placed * (k - placed)) as f64);
    }
    paths.last().map_or(0, |&cost| rounded_up(cost))
}
