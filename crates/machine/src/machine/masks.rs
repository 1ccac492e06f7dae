//! Bit masks for machines of at most 128 nodes. A set of nodes is one number, and so is the ball around a
//! node.
#![expect(
    clippy::inline_always,
    reason = "functions that are not inlined into the one that was compiled for the processor at hand do not \
         use its instructions for counting bits"
)]

use super::{Mesh, NodeId, NodeSet};

/// The most nodes that fit a mask.
const MASK_NODES: u32 = Mask::BITS;

/// A set of nodes of a small machine. Bit i is the i-th node in location order.
pub type Mask = u128;

/// Calls `visit` with the index in location order of each member of a set, ascending.
#[inline(always)]
pub fn for_each_member(mask: Mask, mut visit: impl FnMut(usize)) {
    // Taking bits from two 64-bit words costs less than from one 128-bit number.
    for (first, mut rest) in [(0, mask as u64), (64, (mask >> 64) as u64)] {
        while rest != 0 {
            visit(first + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// Returns the first `count` members of a set in location order. The set must have at least `count` members.
#[inline(always)]
pub fn first_members(mask: Mask, count: u32) -> Mask {
    let mut rest = mask;
    // `x & (x − 1)` clears the lowest bit that is set.
    for _ in 0..count {
        rest &= rest - 1;
    }
    mask ^ rest
}

/// The tables of a mesh of at most 128 nodes: its nodes in location order, and the balls of every L1 radius
/// around each node as masks. They take N²·diameter bits.
#[derive(Clone, Debug)]
pub struct Masks {
    nodes: Vec<NodeId>,
    /// The mask with one member, for each node number.
    bits: Vec<Mask>,
    /// The number of radii of balls: from 0 to the diameter.
    radii: usize,
    /// For each centre in location order a line of `radii` + 2 sets: the empty one, the balls of every
    /// radius, and the largest ball once more. So the balls before and after any other one can be read
    /// without a question.
    balls: Vec<Mask>,
    /// The hops between two nodes: `hops[centre·N + node]`, both in location order.
    hops: Vec<u8>,
}

/// The k members of a set that are nearest to a centre: all members of `inner`, and `need` of `outermost`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Around {
    /// The smallest L1 distance within which the set has at least k members.
    pub radius: usize,
    /// The members of the set at a smaller distance.
    pub inner: Mask,
    /// The members of the set at exactly that distance. Some of them may be left over.
    pub outermost: Mask,
    /// The number of members of `outermost` that are needed to have k members, at least 1.
    pub need: u32,
    /// The number of members of `outermost` that are left over.
    pub spare: u32,
}

impl Masks {
    /// Returns the tables of `mesh`; `None` if it has more than 128 nodes.
    pub fn new(mesh: &Mesh) -> Option<Self> {
        if mesh.nodes() > MASK_NODES {
            return None;
        }
        let nodes: Vec<NodeId> = mesh.location_order().collect();
        let mut bits = vec![0; nodes.len()];
        for (place, &node) in nodes.iter().enumerate() {
            bits[node as usize] = 1 << place;
        }
        let longest = |d: usize| if mesh.wraps(d) { mesh.extents()[d] / 2 } else { mesh.extents()[d] - 1 };
        let radii = 1 + (0..3).map(longest).sum::<u32>() as usize;
        let mut balls = vec![0; nodes.len() * (radii + 2)];
        let mut hops = Vec::with_capacity(nodes.len() * nodes.len());
        for (&centre, line) in nodes.iter().zip(balls.chunks_exact_mut(radii + 2)) {
            for (place, &node) in nodes.iter().enumerate() {
                let apart = mesh.l1(mesh.coord(centre), mesh.coord(node));
                line[apart as usize + 1] |= 1 << place;
                hops.push(apart as u8);
            }
            // A ball also contains the smaller balls.
            for at in 1..line.len() {
                line[at] |= line[at - 1];
            }
        }
        Some(Self { nodes, bits, radii, balls, hops })
    }

    /// Returns all nodes in location order.
    #[inline]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns the mask of a set of nodes of this machine.
    #[inline]
    pub fn mask(&self, set: &NodeSet) -> Mask {
        set.iter().fold(0, |mask, node| mask | self.bits[node as usize])
    }

    /// Divides a set by the distance of its first member from `centre`, which is an index in location order:
    /// into nearer members, members at this distance, and farther ones. The set must have a member.
    #[inline(always)]
    pub fn split(&self, set: Mask, centre: usize) -> [Mask; 3] {
        let first = set.trailing_zeros() as usize;
        let radius = usize::from(self.hops[centre * self.nodes.len() + first]);
        let line = self.line(centre);
        let (nearer, within) = (set & line[radius], set & line[radius + 1]);
        [nearer, within & !nearer, set & !within]
    }

    /// Returns the line of balls around a centre, see `balls`.
    #[inline(always)]
    fn line(&self, centre: usize) -> &[Mask] {
        &self.balls[centre * (self.radii + 2)..][..self.radii + 2]
    }

    /// Returns the k members of `set` that are nearest to `centre`, together with the members that are as far
    /// away as the last of them. `centre` is an index in location order. k must be at least 1 and at most the
    /// number of members. `near` is the radius to try first. A good guess saves steps; the result is always
    /// the same.
    #[inline(always)]
    pub fn around(&self, set: Mask, centre: usize, k: u32, near: usize) -> Around {
        let line = self.line(centre);
        let before = |radius: usize| (set & line[radius]).count_ones();
        // Three balls are counted before the first decision, as a wrong guess of a branch costs more than
        // counting. A call of `map` of an array would not be compiled into this function.
        let (mut nearer, mut all, next) = (before(near), before(near + 1), before(near + 2));
        let mut radius = near;
        if all < k {
            (radius, nearer, all) = (near + 1, all, next);
            // Outwards, until the ball has k members.
            while all < k && radius + 1 < self.radii {
                radius += 1;
                (nearer, all) = (all, before(radius + 1));
            }
        } else {
            // Inwards, as long as the next smaller ball has k members too.
            while nearer >= k {
                radius -= 1;
                (nearer, all) = (before(radius), nearer);
            }
        }
        let inner = set & line[radius];
        Around { radius, inner, outermost: set & line[radius + 1] & !inner, need: k - nearer, spare: all - k }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nodes_around_a_centre_are_those_of_a_sorted_list() -> Result<(), Box<dyn std::error::Error>> {
        for text in [
            "1",
            "13",
            "10x10",
            "5x5x4",
            "torus:9",
            "torus:16x8",
            "torus:4x3x5",
            "8x5:wrap=y",
            "4x3x5:wrap=xz",
        ] {
            let mesh: Mesh = text.parse()?;
            let masks = Masks::new(&mesh).ok_or("too large")?;
            let mut set = NodeSet::full(mesh.nodes());
            (0..mesh.nodes()).filter(|n| n * 7 % 5 == 1).for_each(|node| assert!(set.remove(node)));
            let mask = masks.mask(&set);
            assert_eq!(mask.count_ones(), set.count());
            for (centre, &node) in masks.nodes().iter().enumerate() {
                let distance = |place: usize| mesh.l1(mesh.coord(node), mesh.coord(masks.nodes()[place]));
                let mut sorted = Vec::new();
                for_each_member(mask, |place| sorted.push((distance(place), place)));
                sorted.sort_unstable();
                for k in 1..=set.count() {
                    let (last, _) = sorted[k as usize - 1];
                    let among = |wanted: &dyn Fn(u32) -> bool| -> Mask {
                        sorted.iter().filter(|(far, _)| wanted(*far)).map(|(_, place)| 1 << place).sum()
                    };
                    let (inner, outermost) = (among(&|far| far < last), among(&|far| far == last));
                    let (need, spare) = (k - inner.count_ones(), (inner | outermost).count_ones() - k);
                    let plain = Around { radius: last as usize, inner, outermost, need, spare };
                    for near in 0..masks.radii {
                        assert_eq!(masks.around(mask, centre, k, near), plain, "{text}: {node}, {k}");
                    }
                    assert_eq!(masks.split(outermost, centre), [0, outermost, 0]);
                    let [nearer, level, farther] = masks.split(inner | outermost, centre);
                    let first = distance((inner | outermost).trailing_zeros() as usize);
                    let by = |wanted: &dyn Fn(u32) -> bool| (inner | outermost) & among(wanted);
                    let plain = [by(&|far| far < first), by(&|far| far == first), by(&|far| far > first)];
                    assert_eq!([nearer, level, farther], plain);
                    assert_eq!(first_members(outermost, need).count_ones(), need);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn large_machines_have_no_masks() -> Result<(), Box<dyn std::error::Error>> {
        assert!(Masks::new(&"16x8".parse()?).is_some() && Masks::new(&"43x3".parse()?).is_none());
        Ok(())
    }
}
