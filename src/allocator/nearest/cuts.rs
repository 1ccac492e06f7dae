//! Sums of distances over all pairs of nodes, from how many nodes lie on either side of each cut of a small machine.

use crate::machine::{Mask, Mesh, NodeId, for_each_member};

/// Most cuts of a machine that is small enough.
const CUTS: usize = WORDS * 8;
const WORDS: usize = 4;

/// How many nodes of a set lie on the second side of each cut: a byte for each cut, eight to a word, so that the
/// nodes of a set are counted for eight cuts at once. No set has so many nodes that a byte could overflow.
pub(super) type CutCounts = [u64; WORDS];

/// The cuts of a mesh: its L1 distance is the number of cuts that separate two nodes (M. Deza, M. Laurent, "Geometry of
/// cuts and metrics", 1997, §4.2). On a line there is one between neighbours; on a ring there is a diameter every half
/// step, and they separate two nodes twice as often as these are apart.
#[derive(Clone, Debug)]
pub(super) struct Cuts {
    /// The counts of each node alone, nodes in location order.
    sides: Vec<CutCounts>,
    /// The cuts separate nodes 2^doublings times as often as these are apart.
    doublings: u32,
}

impl Cuts {
    /// Returns the cuts of `mesh`, whose nodes come in location order; `None` if there are too many.
    pub(super) fn new(mesh: &Mesh, nodes: &[NodeId]) -> Option<Self> {
        let mut sides = vec![CutCounts::default(); nodes.len()];
        let mut cut = 0;
        for d in 0..3 {
            let n = mesh.extents()[d];
            for step in if mesh.is_torus() && n > 1 { 0..n } else { 1..n } {
                for (sides, &node) in sides.iter_mut().zip(nodes) {
                    let at = mesh.coord(node)[d];
                    // On a ring of 2n half steps, those from `step` + 1 on are on the second side, n of them.
                    let second =
                        if mesh.is_torus() { (2 * (at + n) - step - 1) % (2 * n) < n } else { at >= step };
                    *sides.get_mut(cut / 8)? |= u64::from(second) << (cut % 8 * 8);
                }
                cut += 1;
            }
        }
        Some(Self { sides, doublings: u32::from(mesh.is_torus()) })
    }

    /// Counts the nodes of a set.
    #[inline]
    pub(super) fn count(&self, set: Mask) -> CutCounts {
        let mut counts = CutCounts::default();
        for_each_member(set, |node| {
            for (count, side) in counts.iter_mut().zip(&self.sides[node]) {
                *count += side;
            }
        });
        counts
    }

    /// Counts the nodes of a larger set, whose counts are `whole`, that are not in `set`.
    #[inline]
    pub(super) fn count_others(&self, whole: &CutCounts, set: Mask) -> CutCounts {
        let counts = self.count(set);
        std::array::from_fn(|word| whole[word] - counts[word])
    }

    /// Returns the sum of L1 distances over the pairs of the `k` nodes counted: each cut separates P·(k − P) pairs.
    pub(super) fn pairwise(&self, counts: &CutCounts, k: u32) -> u32 {
        let pairs = |count: u8| u32::from((i16::from(count) * (k as i16 - i16::from(count))) as u16);
        bytes(counts).into_iter().map(pairs).sum::<u32>() >> self.doublings
    }
}

fn bytes(counts: &CutCounts) -> [u8; CUTS] {
    let mut bytes = [0; CUTS];
    for (bytes, word) in bytes.chunks_exact_mut(8).zip(counts) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_pairs_equal_plain_sums() -> Result<(), Box<dyn std::error::Error>> {
        for text in ["1", "33", "10x10", "5x5x4", "torus:9", "torus:16x8", "torus:4x3x5", "torus:2x1x7"] {
            let mesh: Mesh = text.parse()?;
            let nodes: Vec<NodeId> = mesh.location_order().collect();
            let cuts = Cuts::new(&mesh, &nodes).ok_or("too many cuts")?;
            let all = Mask::MAX >> (Mask::BITS - mesh.nodes());
            let whole = cuts.count(all);
            for step in 1..200 {
                let set = all & 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128.wrapping_mul(step);
                let mut members = Vec::new();
                for_each_member(set, |place| members.push(mesh.coord(nodes[place])));
                let pairs =
                    members.iter().enumerate().flat_map(|(i, a)| members[..i].iter().map(move |b| (a, b)));
                let plain: u32 = pairs.map(|(&a, &b)| mesh.l1(a, b)).sum();
                let counts = cuts.count(set);
                assert_eq!(cuts.pairwise(&counts, set.count_ones()), plain, "{text}");
                assert_eq!(cuts.count_others(&whole, all & !set), counts);
            }
        }
        Ok(())
    }

    #[test]
    fn long_lines_have_too_many_cuts() -> Result<(), Box<dyn std::error::Error>> {
        let mesh: Mesh = "34".parse()?;
        let nodes: Vec<NodeId> = mesh.location_order().collect();
        assert!(Cuts::new(&mesh, &nodes).is_none());
        Ok(())
    }
}
