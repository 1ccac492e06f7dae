//! A lower bound on a torus, where sets that reach more than half round a dimension have shorter distances
//! than on a mesh. Some of the dimensions may be lines, as on a mesh.
//!
//! It is the largest of these bounds:
//!
//! 1. The distances from any node to the k − 1 nearest others depend on the machine alone. k/2 times their
//!    sum is a lower bound. It is exact for the whole torus. (Along a line they are counted from its middle,
//!    where they are least; they are as many there as on a ring.)
//! 2. A set that fits into half of every ring, ⌊side/2⌋ + 1 positions, has the same distances as on a mesh
//!    with those sides (and the whole sides of lines). Any other set has three nodes at positions p, q, r
//!    around a ring of m positions whose mutual distances add up to m. By the triangle inequality the
//!    distances from any position to these three add up to at least m/2. So the three nodes cost at least
//!    m·(k − 1)/2, and the other k − 3 cost at least what a set of k − 3 nodes costs: T(k) ≥ min(mesh(k),
//!    m·(k − 1)/2 + T(k − 3)).
//! 3. If there are lines: the sum over the dimensions of the least sum of hops along each of them, where a
//!    position holds only so many nodes. On a ring it is k/2 times the hops from a position to the k − 1
//!    nearest nodes.

use super::grid::{packed, simple};
use super::mesh_bound;

/// The tables for the lower bounds on a torus with given sides.
#[derive(Debug)]
pub(super) struct Ring {
    /// The number of positions in half of each ring, ⌊side/2⌋ + 1, and on each line.
    halves: Vec<u64>,
    /// The length of the shortest ring that has at least three positions; `None` if no ring has.
    shortest: Option<u64>,
    /// The number of nodes at each distance from a node, from distance 0 on.
    shells: Vec<u64>,
    /// The side of each dimension and whether it wraps, if some dimensions are lines; otherwise empty.
    mixed: Vec<(u64, bool)>,
}

impl Ring {
    /// Makes the tables of a machine with these sides, of which those with `true` in `wraps` are rings.
    /// O(dimensions · diameter²).
    pub(super) fn new(sides: &[u64], wraps: &[bool]) -> Self {
        let dims = || sides.iter().copied().zip(wraps.iter().copied());
        let halves = dims().map(|(side, wraps)| if wraps { side / 2 + 1 } else { side }).collect();
        let shortest = dims().filter(|&(side, wraps)| wraps && side > 2).map(|(side, _)| side).min();
        let mixed = if wraps.contains(&false) { dims().collect() } else { Vec::new() };
        let mut shells = vec![1];
        for &side in sides {
            // A ring has two positions at each distance, but only one at distance 0 and one opposite.
            let reach = side / 2;
            let at = |distance: u64| if distance == 0 || 2 * distance == side { 1 } else { 2 };
            let mut wider = vec![0; shells.len() + reach as usize];
            for distance in 0..=reach {
                for (so_far, nodes) in shells.iter().enumerate() {
                    wider[so_far + distance as usize] += nodes * at(distance);
                }
            }
            shells = wider;
        }
        Self { halves, shortest, shells, mixed }
    }

    /// Returns the lower bound, in hops, for k nodes.
    pub(super) fn bound(&self, k: u64) -> u64 {
        self.around_each(k).max(self.unrolled(k)).max(self.along_each(k))
    }

    /// Returns the first bound, in hops: k/2 times the sum of the distances from a node to the k − 1 nearest
    /// others.
    fn around_each(&self, k: u64) -> u64 {
        half_of_nearest(k, self.shells.iter().copied())
    }

    /// Returns the third bound, in hops; 0 if there are no lines. O(sum of the sides).
    fn along_each(&self, k: u64) -> u64 {
        let nodes: u64 = self.mixed.iter().map(|(side, _)| side).product();
        let along = |&(side, wraps): &(u64, bool)| {
            let most = nodes / side;
            let at = |hops: u64| if hops == 0 || 2 * hops == side { most } else { 2 * most };
            if wraps { half_of_nearest(k, (0..=side / 2).map(at)) } else { packed(k, most) }
        };
        self.mixed.iter().map(along).fold(0, u64::saturating_add)
    }

    /// Returns the second bound, in hops. It removes three nodes that go round a ring, again and again, until
    /// the other nodes may fit into half of every ring, and takes the least of all these cases.
    fn unrolled(&self, k: u64) -> u64 {
        let room: u64 = self.halves.iter().product();
        let halves: Vec<u64> = self.halves.iter().copied().filter(|&half| half > 1).collect();
        let Some(shortest) = self.shortest else { return mesh_bound(&halves, k) };
        let (mut least, mut doubled, mut left) = (u64::MAX, 0, k);
        loop {
            if left <= room {
                let rest = if left == k { mesh_bound(&halves, k) } else { simple(&halves, left) };
                least = least.min(rest.saturating_add(u64::div_ceil(doubled, 2)));
            }
            if left < 3 || doubled / 2 >= least {
                return least;
            }
            doubled = u64::saturating_add(doubled, shortest.saturating_mul(left - 1));
            left -= 3;
        }
    }
}

/// Returns k/2 times the sum of the distances to the k nearest of some nodes, rounded up. `shells` has the
/// number of nodes at each distance, from 0 on.
fn half_of_nearest(k: u64, shells: impl Iterator<Item = u64>) -> u64 {
    let (mut left, mut sum) = (k, 0);
    for (distance, nodes) in (0..).zip(shells) {
        if left == 0 {
            break;
        }
        let taken = nodes.min(left);
        left -= taken;
        sum += u128::from(taken) * distance;
    }
    u64::try_from((u128::from(k) * sum).div_ceil(2)).unwrap_or(u64::MAX)
}
