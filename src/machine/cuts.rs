//! Sums of distances over all pairs of nodes, from how many nodes lie on either side of each cut of a small machine.

use super::masks::{Mask, members};
use super::{Mesh, NodeId};

/// Most cuts of a machine that is small enough.
const CUTS: usize = 32;

/// The cuts of a mesh: its L1 distance is the number of cuts that separate two nodes (M. Deza, M. Laurent, "Geometry of
/// cuts and metrics", 1997, §4.2). On a line there is one between neighbours; on a ring there is a diameter every half
/// step, and they separate two nodes twice as often as these are apart.
///
/// All cuts of a node fit in two vector registers, so counting costs a few instructions per node and a sum over pairs a
/// few instructions in all.
#[derive(Clone, Debug)]
pub struct Cuts {
    /// On which side of each cut each node lies, nodes in location order; 0 or 255, and 0 for cuts that do not exist.
    sides: Vec<[u8; CUTS]>,
    /// How often the cuts separate neighbours: 2^doublings times.
    doublings: u32,
}

/// How many nodes of a set lie on the second side of each cut.
pub type CutCounts = [u8; CUTS];

impl Cuts {
    /// The cuts of `mesh`, whose nodes come in location order; `None` if there are too many.
    pub fn new(mesh: &Mesh, nodes: &[NodeId]) -> Option<Self> {
        let mut sides = vec![[0; CUTS]; nodes.len()];
        let mut cut = 0;
        for d in 0..3 {
            let n = mesh.extents()[d];
            for step in if mesh.is_torus() && n > 1 { 0..n } else { 1..n } {
                for (sides, &node) in sides.iter_mut().zip(nodes) {
                    let at = mesh.coord(node)[d];
                    // On a ring of 2n half steps, those from `step` + 1 on are on the second side, n of them.
                    let second =
                        if mesh.is_torus() { (2 * (at + n) - step - 1) % (2 * n) < n } else { at >= step };
                    *sides.get_mut(cut)? = if second { u8::MAX } else { 0 };
                }
                cut += 1;
            }
        }
        Some(Self { sides, doublings: u32::from(mesh.is_torus()) })
    }

    /// Adds the nodes of a set to `counts`.
    pub fn count(&self, set: Mask, counts: &mut CutCounts) {
        for node in members(set) {
            for (count, side) in counts.iter_mut().zip(&self.sides[node]) {
                *count = count.wrapping_sub(*side);
            }
        }
    }

    /// Sum of L1 distances over the pairs of the `k` nodes counted, fewer than 128: each cut separates P·(k − P) pairs.
    pub fn pairwise(&self, counts: &CutCounts, k: u32) -> u32 {
        let k = k as i16;
        let pairs = |&count: &u8| (i16::from(count) * (k - i16::from(count))) as u16;
        counts.iter().map(|count| u32::from(pairs(count))).sum::<u32>() >> self.doublings
    }

    /// Sum of L1 distances from a node to the `k` nodes counted: those on the other side of each cut.
    pub fn distances(&self, node: usize, counts: &CutCounts, k: u32) -> u32 {
        let all = k as u8;
        let opposite = self.sides[node]
            .iter()
            .zip(counts)
            .map(|(&side, &count)| u32::from((side & all).abs_diff(count)));
        opposite.sum::<u32>() >> self.doublings
    }
}
