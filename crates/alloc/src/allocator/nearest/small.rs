//! The search on a small machine of at most 128 nodes, where a set of nodes is a bit mask of one number.
//!
//! The free nodes within a distance of a centre are `free & ball`, and the number of set bits shows whether
//! the distance suffices. The pairwise sum follows from the number of nodes on either side of each cut of the
//! machine: a cut divides the machine into two sides between two neighbouring positions of a dimension, and
//! the distance of two nodes is the number of cuts that separate them. The nodes of a set are counted for all
//! cuts at once, one byte for each cut. A centre costs some tens of instructions, and a few more for each
//! node taken or for each free node left, whichever are fewer. The search is compiled for several instruction
//! sets and dispatched to the best one of the CPU, mostly with bit counts and 32-byte vectors.
#![expect(
    clippy::inline_always,
    reason = "functions that are not inlined into the one that was compiled for the processor at hand \
              do not use its instructions"
)]

use pulp::{Arch, Simd, WithSimd};

use super::carried::Ties;
use super::centres::Centres;
use super::least_sums::PairwiseFloor;
use crate::allocator::known::{self, Known};
use crate::allocator::nearest::carried;
use meshreplay_machine::machine::{
    Around, Coord, Machine, Mask, Masks, Mesh, NodeId, first_members, for_each_member,
};

/// The search on a small machine, with its tables and the memory that it keeps between calls.
#[derive(Debug)]
pub(crate) struct Small {
    /// The instruction set of the CPU.
    arch: Arch,
    kind: Centres,
    ties: Ties,
    floor: PairwiseFloor,
    known: Known<[Mask; 2]>,
    masks: Masks,
    cuts: Cuts,
    /// The coordinates of all nodes in location order.
    coords: Vec<Coord>,
    /// The set of nodes at each position of each dimension.
    layers: [Vec<Mask>; 3],
    /// The difference in location order between neighbours along each dimension.
    strides: [usize; 3],
    /// The positions of the free nodes along each dimension, each times its stride.
    positions: [Vec<usize>; 3],
    /// The centres, as indices in location order.
    centres: Vec<usize>,
}

impl Small {
    /// Returns a search for machines of the shape `mesh`; `None` if the mesh has more than 128 nodes or too
    /// many cuts.
    pub(super) fn new(mesh: &Mesh, kind: Centres, ties: Ties) -> Option<Self> {
        let masks = Masks::new(mesh)?;
        let cuts = Cuts::new(mesh, masks.nodes())?;
        let mut layers = mesh.extents().map(|extent| vec![0; extent as usize]);
        let coords: Vec<Coord> = masks.nodes().iter().map(|&node| mesh.coord(node)).collect();
        for (place, coord) in coords.iter().enumerate() {
            for (layers, &at) in layers.iter_mut().zip(coord) {
                layers[at as usize] |= 1 << place;
            }
        }
        let [_, length, depth] = mesh.extents().map(|extent| extent as usize);
        Some(Self {
            arch: Arch::new(),
            kind,
            ties,
            floor: PairwiseFloor::new(mesh),
            known: Known::default(),
            masks,
            cuts,
            coords,
            layers,
            strides: [length * depth, depth, 1],
            positions: Default::default(),
            centres: Vec::new(),
        })
    }

    /// Returns the `k` nodes of the best centre, as `Nearest::choose` does; `None` if there is no centre.
    pub(super) fn choose(&mut self, k: u32, machine: &Machine) -> Option<Vec<NodeId>> {
        let free = self.masks.mask(machine.free());
        let [inner, outermost] = match self.known.get(known::Search::new(free, k)) {
            Some(&parts) => parts,
            None => self.search(free, k)?,
        };
        let mut nodes = Vec::with_capacity(k as usize);
        for part in [inner, outermost] {
            for_each_member(part, |place| nodes.push(self.masks.nodes()[place]));
        }
        Some(nodes)
    }

    /// Returns the nodes of the best centre in two parts: those nearer than the largest distance, and those
    /// at it; `None` if there is no centre.
    fn search(&mut self, free: Mask, k: u32) -> Option<[Mask; 2]> {
        self.list_centres(free);
        let floor = self.floor.bound(k) as u32;
        let (sum, best) = self.arch.dispatch(Scan { small: self, free, k, floor })?;
        // A search that ends early costs less than it costs to keep its result.
        if sum > floor {
            self.known.keep(known::Search::new(free, k), best);
        }
        Some(best)
    }

    /// Sets `centres` to the centres for this set of free nodes.
    fn list_centres(&mut self, free: Mask) {
        self.centres.clear();
        if self.kind == Centres::Free {
            for_each_member(free, |place| self.centres.push(place));
            return;
        }
        for d in 0..3 {
            self.list_positions(free, d);
        }
        let [xs, ys, zs] = &self.positions;
        // The index of (x, y, z) in location order is x·strides[0] + y·strides[1] + z·strides[2], and the
        // lists have these products already.
        for x in xs {
            for y in ys {
                self.centres.extend(zs.iter().map(|z| x + y + z));
            }
        }
    }

    /// Sets `positions` of dimension `d` for a set of nodes, in order of first appearance in location order.
    fn list_positions(&mut self, nodes: Mask, d: usize) {
        self.positions[d].clear();
        let mut rest = nodes;
        while rest != 0 {
            let at = self.coords[rest.trailing_zeros() as usize][d] as usize;
            self.positions[d].push(at * self.strides[d]);
            // Drops all nodes at this position, so that it appears once.
            rest &= !self.layers[d][at];
        }
    }
}

/// A pass over all centres, to be compiled for each kind of processor.
struct Scan<'a> {
    small: &'a Small,
    free: Mask,
    k: u32,
    /// A lower bound of all sums.
    floor: u32,
}

impl WithSimd for Scan<'_> {
    /// The smallest pairwise sum and the nodes of the first centre that has it, in two parts; `None` if there
    /// is no centre.
    type Output = Option<(u32, [Mask; 2])>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Self { small: Small { masks, cuts, centres, .. }, free, k, floor } = self;
        // If a job takes more than half of the free nodes, the nodes that stay free are counted instead of
        // the nodes taken. This needs the counts of all free nodes, once.
        let all = (2 * k > free.count_ones()).then(|| cuts.count(free));
        let (mut limit, mut best) = (u32::MAX, None);
        let (mut radius, mut latest) = (0, 0);
        for (i, &centre) in centres.iter().enumerate() {
            // `inner` has all nodes nearer than the radius; `outermost` has the nodes at the radius.
            // Neighbouring centres need about the same radius, so the search begins at the radius of the
            // previous centre.
            let around = masks.around(free, centre, k, radius);
            radius = around.radius;
            let outermost = self.taken_of_outermost(i, &around);
            let taken = around.inner | outermost;
            // Often the centre before has taken the same nodes. Of equal sums the earlier centre wins.
            if taken == latest {
                continue;
            }
            latest = taken;
            let counts = match &all {
                Some(all) => cuts.count_others(all, free & !taken),
                None => cuts.count(taken),
            };
            let sum = cuts.pairwise(&counts, k);
            if sum < limit {
                limit = sum;
                best = Some((sum, [around.inner, outermost]));
            }
            // No set has a smaller sum, so no later centre can win.
            if sum == floor {
                break;
            }
        }
        best
    }
}

impl Scan<'_> {
    /// Returns the nodes that the `i`-th centre takes of its outermost, the nodes at the largest distance
    /// that it needs.
    #[inline(always)]
    fn taken_of_outermost(&self, i: usize, around: &Around) -> Mask {
        if around.spare == 0 {
            return around.outermost;
        }
        match self.small.ties {
            Ties::Location => first_members(around.outermost, around.need),
            Ties::Carried => {
                let previous = self.small.centres[..i].iter().rev().copied();
                carried::keep_first_mask(&self.small.masks, around, previous)
            }
        }
    }
}

/// The largest number of cuts that a machine may have here.
const CUTS: usize = 32;

/// Per cut the number of nodes of a set on its second side. It fits a byte: a small machine has at most 128
/// nodes.
type CutCounts = [u8; CUTS];

/// The cuts of a mesh, such that the L1 distance of two nodes is the number of cuts that separate them (M.
/// Deza, M. Laurent, "Geometry of cuts and metrics", 1997, §4.2).
///
/// On a line there is one cut between each two neighbours. On a ring every cut is a diameter, one for each
/// half step, and the number of cuts that separate two nodes is twice their distance. So on a machine with
/// rings, the cuts of lines count twice.
#[derive(Clone, Debug)]
struct Cuts {
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
    fn new(mesh: &Mesh, nodes: &[NodeId]) -> Option<Self> {
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
    fn count(&self, set: Mask) -> CutCounts {
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
    fn count_others(&self, whole: &CutCounts, set: Mask) -> CutCounts {
        let mut counts = self.count(set);
        for (count, whole) in counts.iter_mut().zip(whole) {
            *count = whole - *count;
        }
        counts
    }

    /// Returns the sum of L1 distances over all pairs of the `k` nodes counted. A cut with c nodes on its
    /// second side separates c·(k − c) pairs.
    #[inline(always)]
    fn pairwise(&self, counts: &CutCounts, k: u32) -> u32 {
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
