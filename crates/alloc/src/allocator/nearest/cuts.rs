//! Pairwise sums of L1 distances on a small machine, computed from the number of nodes on either side of each
//! cut.
//!
//! A cut divides the machine into two sides between two neighbouring positions of a dimension. The distance
//! of two nodes is the number of cuts that separate them, so a pairwise sum is a sum over the cuts. The nodes
//! of a set are counted for all cuts at once, one byte for each cut, in loops that the compiler turns into
//! vector instructions.
#![expect(
    clippy::inline_always,
    reason = "functions that are not inlined into the one that was compiled for the processor at hand \
              do not use its vector instructions"
)]

use meshreplay_machine::machine::{Mask, Mesh, NodeId};

/// The largest number of cuts that a machine may have here.
const CUTS: usize = 32;

/// Per cut the number of nodes of a set on its second side. It fits a byte: a small machine has at most 128
/// nodes.
pub(super) type CutCounts = [u8; CUTS];

/// The cuts of a mesh, such that the L1 distance of two nodes is the number of cuts that separate them (M.
/// Deza, M. Laurent, "Geometry of cuts and metrics", 1997, §4.2).
///
/// On a line there is one cut between each two neighbours. On a ring every cut is a diameter, one for each
/// half step, and the number of cuts that separate two nodes is twice their distance. So on a machine with
/// rings, the cuts of lines count twice.
#[derive(Clone, Debug)]
pub(super) struct Cuts {
    /// The counts of each set of one node: 1 for each cut with the node on its second side. The nodes are in
    /// location order.
    sides: Vec<CutCounts>,
    /// The number of cuts that separate two nodes is their distance times 2^doublings.
    doublings: u32,
    /// How often each cut counts.
    weights: [u16; CUTS],
}

impl Cuts {
    /// Returns the cuts of `mesh`; `None` if it has more than 32 cuts. `nodes` has all its nodes in location
    /// order.
    pub(super) fn new(mesh: &Mesh, nodes: &[NodeId]) -> Option<Self> {
        let mut sides = vec![CutCounts::default(); nodes.len()];
        let (mut cut, mut weights) = (0, [1; CUTS]);
        for d in 0..3 {
            let n = mesh.extents()[d];
            for step in if mesh.wraps(d) { 0..n } else { 1..n } {
                // There is no byte for a cut too many, and `?` then returns `None`.
                *weights.get_mut(cut)? = if mesh.wraps_any() && !mesh.wraps(d) { 2 } else { 1 };
                for (sides, &node) in sides.iter_mut().zip(nodes) {
                    let at = mesh.coord(node)[d];
                    // A ring has 2n half steps, and node `at` is at half step 2·at. The second side is the n
                    // half steps from `step` + 1 on.
                    let second =
                        if mesh.wraps(d) { (2 * (at + n) - step - 1) % (2 * n) < n } else { at >= step };
                    sides[cut] = u8::from(second);
                }
                cut += 1;
            }
        }
        Some(Self { sides, doublings: u32::from(mesh.wraps_any()), weights })
    }

    /// Returns, for each cut, the number of nodes of `set` on its second side.
    #[inline(always)]
    pub(super) fn count(&self, set: Mask) -> CutCounts {
        let mut counts = CutCounts::default();
        // The loop of `for_each_member`, written out: it must be inlined into the function compiled for the
        // CPU, and a closure cannot be forced inline.
        for (first, mut rest) in [(0, set as u64), (64, (set >> 64) as u64)] {
            while rest != 0 {
                let sides = &self.sides[first + rest.trailing_zeros() as usize];
                for (count, side) in counts.iter_mut().zip(sides) {
                    *count += side;
                }
                rest &= rest - 1;
            }
        }
        counts
    }

    /// Returns the counts of the nodes that are in a larger set, but not in `set`; `whole` has the counts of
    /// the larger set. It is fast if `set` has few nodes.
    #[inline(always)]
    pub(super) fn count_others(&self, whole: &CutCounts, set: Mask) -> CutCounts {
        let mut counts = self.count(set);
        for (count, whole) in counts.iter_mut().zip(whole) {
            *count = whole - *count;
        }
        counts
    }

    /// Returns the sum of L1 distances over all pairs of the `k` nodes counted. A cut with c nodes on its
    /// second side separates c·(k − c) pairs.
    #[inline(always)]
    pub(super) fn pairwise(&self, counts: &CutCounts, k: u32) -> u32 {
        let mut sum = 0;
        for (&count, weight) in counts.iter().zip(&self.weights) {
            // k is at most 128, so the product is at most 64·64·2. It fits 16 bits, which packs the most
            // numbers into a vector register.
            let count = u16::from(count);
            sum += u32::from(count * (k as u16 - count) * weight);
        }
        sum >> self.doublings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_machine::machine::for_each_member;

    #[test]
    fn sums_over_pairs_equal_plain_sums() -> Result<(), Box<dyn std::error::Error>> {
        for text in [
            "1",
            "33",
            "10x10",
            "5x5x4",
            "torus:9",
            "torus:16x8",
            "torus:4x3x5",
            "torus:2x1x7",
            "8x5:wrap=y",
            "4x3x5:wrap=xz",
        ] {
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
