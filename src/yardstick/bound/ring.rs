//! The bound on a torus, where distances are shorter for sets that reach more than half round a dimension.
//!
//! It is the larger of two:
//!
//! 1. From any node, the k − 1 nearest others are at distances known from the machine alone; so half of k times their
//!    sum. Exact for the whole machine.
//! 2. A set that fits into half of every ring, ⌊side/2⌋ + 1 positions, is a set on a mesh of those sides. One that does
//!    not has three nodes at positions p, q, r round a ring of m positions whose mutual distances sum up to m; every
//!    position is at least m/2 from them in sum, by the triangle inequality. So these three cost m·(k − 1)/2 and the
//!    other k − 3 what a set of that size costs: T(k) ≥ min(mesh(k), m·(k − 1)/2 + T(k − 3)).

use super::grid::simple;
use super::mesh::mesh_bound;

/// The tables from which bounds on a torus of certain sides are worked out.
#[derive(Debug)]
pub(super) struct Ring {
    /// Half of every ring.
    halves: Vec<u64>,
    /// The shortest ring that has three positions to go round.
    shortest: Option<u64>,
    /// Nodes at each distance from a node.
    shells: Vec<u64>,
}

impl Ring {
    /// Makes the tables of a torus of these sides. O(dimensions · diameter²).
    pub(super) fn new(sides: &[u64]) -> Self {
        let halves = sides.iter().map(|side| side / 2 + 1).collect();
        let shortest = sides.iter().copied().filter(|&side| side > 2).min();
        let mut shells = vec![1];
        for &side in sides {
            // Two positions at each distance, but one at 0 and one opposite.
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
        Self { halves, shortest, shells }
    }

    /// Returns the bound for k nodes.
    pub(super) fn bound(&self, k: u64) -> u64 {
        self.around_each(k).max(self.unrolled(k))
    }

    /// Returns the first bound: half of k times the sum of the distances from a node to the k − 1 nearest others.
    fn around_each(&self, k: u64) -> u64 {
        let (mut left, mut sum) = (k, 0);
        for (distance, &nodes) in (0..).zip(&self.shells) {
            if left == 0 {
                break;
            }
            let taken = nodes.min(left);
            left -= taken;
            sum += u128::from(taken) * distance;
        }
        u64::try_from((u128::from(k) * sum).div_ceil(2)).unwrap_or(u64::MAX)
    }

    /// Returns the second bound: threes of nodes that go round a ring are taken away until the rest fits into half of
    /// every ring.
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
