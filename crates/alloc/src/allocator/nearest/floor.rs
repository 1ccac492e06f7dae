//! A lower bound of pairwise sums. A search ends at the first centre whose nodes have it.

use meshreplay_machine::machine::Mesh;
use meshreplay_machine::yardstick::PairwiseBound;

/// The lower bound of the pairwise sum of any k nodes of one machine, whichever are free.
#[derive(Debug)]
pub(super) struct Floor {
    odd_ring: bool,
    bound: PairwiseBound,
}

impl Floor {
    /// Returns the bound for machines of the shape `mesh`.
    pub(super) fn new(mesh: &Mesh) -> Self {
        Self { odd_ring: mesh.has_odd_ring(), bound: PairwiseBound::new(mesh) }
    }

    /// Returns the bound for `k` nodes, the larger one of two: that of the best placement on an idle machine,
    /// and one by parity. It is computed once for each k.
    ///
    /// Each pair is at least one hop apart. Without a ring of odd length, two nodes are one hop apart only if
    /// x + y + z is even for one and odd for the other. At most ⌊k²/4⌋ pairs are like that, and all other
    /// pairs are at least two hops apart.
    pub(super) fn of(&mut self, k: u32) -> u64 {
        let idle = self.bound.of(k);
        let k = u64::from(k);
        let pairs = k * (k - 1) / 2;
        idle.max(if self.odd_ring { pairs } else { 2 * pairs - (k / 2) * k.div_ceil(2) })
    }
}
