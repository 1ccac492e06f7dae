//! The bound for k nodes that lie in slices across a dimension, each slice holding only so many.
//!
//! Let the slices hold c, c′, … nodes. Along the dimension the sum is that of P·(k − P) over the cuts between slices, P
//! nodes lying before the cut. Across it, L1 distances are of negative type, so nodes of two slices are on average at
//! least as far apart as half the mean distance within the one (a node's distance 0 to itself included) and half that
//! within the other: with T(c) the least sum within a slice, 2·T(c)/c². Over all pairs of slices that comes to k·Σ
//! T(c)/c. The least of both together over all sequences of c is a shortest path from P = 0 to P = k.

use super::grid::{rounded_up, simple};

/// Most steps of a shortest path that are worth it, some tenths of a millisecond.
const MOST_STEPS: u64 = 1 << 19;

/// Returns the largest bound that slicing along one of the dimensions gives; O(min(k·slice, 2^22)) time each, O(k)
/// memory.
///
/// Where k is too large, what follows from the largest k0 that is not: the mean distance of an optimum never falls.
pub(super) fn bound(sides: &[u64], k: u64) -> u64 {
    let nodes: u64 = sides.iter().product();
    let along = |d: usize| {
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

/// Returns a bound for k nodes that follows from one for k0: the mean distance of an optimum never falls as k grows.
fn extended(bound: u64, k0: u64, k: u64) -> u64 {
    let pairs = |n: u64| n as f64 * (n as f64 - 1.0);
    rounded_up(bound as f64 / pairs(k0) * pairs(k))
}

/// Returns the cost of the shortest path from 0 to `k` nodes placed, each step being a slice of at most `most` nodes.
fn shortest(across: &[u64], most: u64, k: u64) -> u64 {
    let most = most.min(k);
    // A slice of c nodes costs k·T(c)/c; the largest slice first, so that it lines up with paths in ascending order.
    let slices: Vec<f64> = (1..=most).rev().map(|c| k as f64 * simple(across, c) as f64 / c as f64).collect();
    // The least cost of a path to each P, the cut behind it included.
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
