//! The order in which centres take the nodes of their rims, as a tree.
//!
//! All nodes of a rim are equally far from its centre. The centres before that one, the latest first, order them by
//! distance (see `carried`). What an earlier centre does to an order depends on its offset from the centre at hand and on
//! nothing else. So an order is reached by a path of offsets, whichever centre it is for, and whichever nodes of the rim are
//! free. Orders are the nodes of a tree that grows as paths are walked. An order has *groups* of places; those of a group
//! are not ordered yet. A centre that needs some of the nodes of its rim has gone far enough if these end with a group.

use meshreplay_machine::machine::{Coord, Mesh};

/// The places of a rim that a centre takes, or that are free: one bit each, in words of 64.
pub(in super::super) type Bits = [u64];

/// The tree for rims of one radius.
#[derive(Debug, Default)]
pub(in super::super) struct Rims {
    radius: i32,
    /// For each dimension the number of positions of the ring, or 0 for a line.
    rings: [i32; 3],
    /// The offset of each place of the rim from the centre.
    places: Vec<[i32; 3]>,
    orders: Vec<Order>,
    /// The number of words of all orders, with the offsets that lead to others.
    size: usize,
    /// Whether hardly anything is kept, for tests.
    is_forgetful: bool,
}

/// An order of the places of a rim.
#[derive(Debug)]
struct Order {
    /// The places, as indices, group after group.
    places: Vec<u16>,
    /// For each group the number of places up to its end.
    ends: Vec<u16>,
    /// For each group the bits of the places up to its end.
    taken: Vec<u64>,
    /// The orders that offsets lead to, ascending by offset.
    next: Vec<(Offset, u32)>,
}

/// The offset of an earlier centre from the one at hand, up to what makes no difference.
pub(in super::super) type Offset = [i32; 3];

/// The number of the order in which all places are equal.
pub(in super::super) const ROOT: u32 = 0;
/// The most words that are kept for a radius, 8 MB. If there are more, all are forgotten.
const MOST: usize = 1 << 20;
/// The words that an offset takes in the list of those that lead from an order to others.
const NEXT_WORDS: usize = size_of::<(Offset, u32)>() / size_of::<u64>();
/// The most words of a tree that hardly keeps anything.
const MOST_OF_FORGETFUL: usize = 300;

impl Rims {
    /// Starts with the rim of this radius, whose places are given as offsets.
    pub(in super::super) fn begin(
        &mut self,
        mesh: &Mesh,
        radius: usize,
        places: impl Iterator<Item = [i32; 3]>,
        is_forgetful: bool,
    ) {
        self.is_forgetful = is_forgetful;
        let rings = [0, 1, 2].map(|d| if mesh.wraps(d) { mesh.extents()[d].cast_signed() } else { 0 });
        let (radius, places) = (i32::try_from(radius).unwrap_or(i32::MAX), places.collect());
        if (self.radius, self.rings, &self.places) != (radius, rings, &places) {
            (self.radius, self.rings, self.places) = (radius, rings, places);
            self.forget();
        }
    }

    /// Returns whether so much is kept that [`Self::forget`] should be called.
    pub(in super::super) fn is_large(&self) -> bool {
        self.size > if self.is_forgetful { MOST_OF_FORGETFUL } else { MOST }
    }

    /// Forgets all orders but the root.
    pub(in super::super) fn forget(&mut self) {
        self.orders.clear();
        self.size = 0;
        let places: Vec<u16> = (0..self.places.len() as u16).collect();
        let ends = vec![places.len() as u16];
        self.add(places, ends);
    }

    /// Returns the number of words of bits of a rim.
    pub(in super::super) fn words(&self) -> usize {
        self.places.len().div_ceil(64)
    }

    /// Returns the offset of an earlier centre. On a line all positions beyond the rim on one side order its places alike,
    /// and so they do on a ring as far as the straight way is the shortest to all places.
    pub(in super::super) fn offset(&self, centre: Coord, earlier: Coord) -> Offset {
        [0, 1, 2].map(|d| {
            let (radius, ring) = (self.radius, self.rings[d]);
            let mut offset = earlier[d].cast_signed() - centre[d].cast_signed();
            if ring > 0 {
                if 2 * offset > ring {
                    offset -= ring;
                } else if 2 * offset < -ring {
                    offset += ring;
                }
                if 2 * (offset.abs() + radius) > ring {
                    return offset;
                }
            }
            offset.clamp(-radius, radius)
        })
    }

    /// Returns the order that an earlier centre at this offset makes of another one.
    pub(in super::super) fn refined(&mut self, order: u32, offset: Offset) -> u32 {
        let next = &self.orders[order as usize].next;
        match next.binary_search_by_key(&offset, |&(offset, _)| offset) {
            Ok(at) => next[at].1,
            Err(at) => {
                let refined = self.refine(order, offset);
                self.orders[order as usize].next.insert(at, (offset, refined));
                self.size += NEXT_WORDS;
                refined
            }
        }
    }

    /// Finds out for [`Self::refined`] what is not known yet.
    fn refine(&mut self, order: u32, offset: Offset) -> u32 {
        let Order { places, ends, .. } = &self.orders[order as usize];
        let hops: Vec<i32> = self.places.iter().map(|&place| self.hops(place, offset)).collect();
        let (mut sorted, mut split) = (places.clone(), Vec::with_capacity(ends.len() + 1));
        let mut from = 0;
        for &end in ends {
            let group = &mut sorted[from..usize::from(end)];
            group.sort_unstable_by_key(|&place| hops[usize::from(place)]);
            let is_end = |pair: &[u16]| hops[usize::from(pair[0])] != hops[usize::from(pair[1])];
            for (at, pair) in (from + 1..).zip(group.windows(2)) {
                if is_end(pair) {
                    split.push(at as u16);
                }
            }
            split.push(end);
            from = usize::from(end);
        }
        if split.len() == ends.len() { order } else { self.add(sorted, split) }
    }

    /// Returns the distance of a place of the rim from an earlier centre.
    fn hops(&self, place: [i32; 3], offset: Offset) -> i32 {
        let along = |d: usize| {
            let straight = (place[d] - offset[d]).abs();
            if self.rings[d] > 0 { straight.min(self.rings[d] - straight) } else { straight }
        };
        (0..3).map(along).sum()
    }

    /// Adds an order and returns its number.
    fn add(&mut self, places: Vec<u16>, ends: Vec<u16>) -> u32 {
        let words = self.words();
        let mut taken = Vec::with_capacity(words * ends.len());
        let mut bits = vec![0_u64; words];
        let mut from = 0;
        for &end in &ends {
            for &place in &places[from..usize::from(end)] {
                bits[usize::from(place) / 64] |= 1 << (place % 64);
            }
            from = usize::from(end);
            taken.extend_from_slice(&bits);
        }
        self.size += taken.len() + places.len() / 2 + 8;
        self.orders.push(Order { places, ends, taken, next: Vec::new() });
        self.orders.len() as u32 - 1
    }

    /// Returns the number of groups that must be taken for `need` of the free places, and how many places these have too
    /// many. There must be so many free places.
    fn groups(&self, order: u32, free: &Bits, need: u32) -> (usize, u32) {
        let Order { ends, taken, .. } = &self.orders[order as usize];
        let words = free.len();
        let count = |group: usize| -> u32 {
            let taken = &taken[group * words..(group + 1) * words];
            free.iter().zip(taken).map(|(free, taken)| (free & taken).count_ones()).sum()
        };
        let (mut low, mut high) = (0, ends.len() - 1);
        let mut within = None;
        while low < high {
            let middle = usize::midpoint(low, high);
            let found = count(middle);
            if found >= need {
                high = middle;
                within = Some(found);
                if found == need {
                    return (middle + 1, 0);
                }
            } else {
                low = middle + 1;
            }
        }
        let within = within.unwrap_or_else(|| count(low));
        (low + 1, within - need)
    }

    /// Keeps `need` of the free places if the order says which, and returns whether it does. There must be so many free places.
    pub(in super::super) fn keep(&self, order: u32, free: &mut Bits, need: u32) -> bool {
        let (groups, spare) = self.groups(order, free, need);
        let Order { taken, .. } = &self.orders[order as usize];
        if spare > 0 {
            return false;
        }
        let words = free.len();
        free.iter_mut()
            .zip(&taken[(groups - 1) * words..groups * words])
            .for_each(|(free, taken)| *free &= taken);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::nearest::carried::{self, Earlier};
    use crate::allocator::nearest::centres::Centres;
    use crate::allocator::nearest::deciding::Deciding;
    use crate::allocator::nearest::order::Order;
    use meshreplay_machine::machine::{Machine, NodeId};

    /// Returns the offsets at this distance from the origin.
    fn rim(radius: i32, mesh: &Mesh) -> Vec<[i32; 3]> {
        let along = |d: usize| if mesh.extents()[d] > 1 { -radius..=radius } else { 0..=0 };
        let all = along(2).flat_map(|z| along(1).flat_map(move |y| along(0).map(move |x| [x, y, z])));
        all.filter(|place| place.iter().map(|at| at.abs()).sum::<i32>() == radius).collect()
    }

    /// Returns the node at an offset from a centre; `None` if the machine ends before.
    fn node(mesh: &Mesh, centre: Coord, place: [i32; 3]) -> Option<Coord> {
        let mut node = [0; 3];
        for d in 0..3 {
            let extent = mesh.extents()[d].cast_signed();
            let at = centre[d].cast_signed() + place[d];
            let at = if mesh.wraps(d) { at.rem_euclid(extent) } else { at };
            node[d] = u32::try_from(at).ok().filter(|&at| at < mesh.extents()[d])?;
        }
        Some(node)
    }

    /// Keeps `need` of the free places by a path of earlier centres. Returns whether it is known which ones these are.
    fn keep_by_path(
        rims: &mut Rims,
        path: impl Earlier,
        centre: Coord,
        (free, need): (&mut Bits, u32),
    ) -> bool {
        let (mut number, mut path) = (ROOT, path);
        let mut is_known = rims.keep(ROOT, free, need);
        while !is_known && let Some(earlier) = path.next() {
            number = rims.refined(number, rims.offset(centre, earlier));
            is_known = rims.keep(number, free, need);
        }
        is_known
    }

    #[test]
    fn paths_of_deciding_centres_take_what_all_earlier_centres_take() -> Result<(), Box<dyn std::error::Error>>
    {
        let mut deciding = Deciding::default();
        for (text, radii, step) in [
            ("9x8", 1..=4, 3),
            ("torus:13x12", 1..=3, 4),
            ("torus:9x20", 1..=2, 5),
            ("14x17:wrap=y", 2..=4, 2),
            ("6x5x7", 1..=3, 3),
            ("torus:8x9x12", 1..=2, 4),
            ("5x12x9:wrap=yz", 1..=2, 7),
            ("30", 1..=3, 2),
        ] {
            let mut machine = Machine::new(text.parse()?);
            let busy: Vec<NodeId> =
                (0..machine.mesh().nodes()).filter(|n| (n * n / 5 + n / 3) % step == 1).collect();
            machine.occupy(&busy)?;
            let mesh = machine.mesh();
            for kind in [Centres::Free, Centres::Combinations] {
                let (list, order) = (kind.list(&machine), Order::new(kind, &machine));
                for radius in radii.clone() {
                    let (places, mut rims) = (rim(radius, mesh), Rims::default());
                    rims.begin(mesh, radius as usize, places.iter().copied(), false);
                    for (i, &centre) in list.iter().enumerate() {
                        let is_free = |place: &[i32; 3]| {
                            node(mesh, centre, *place)
                                .filter(|&node| machine.free().contains(mesh.node(node)))
                        };
                        let nodes: Vec<Option<Coord>> = places.iter().map(is_free).collect();
                        let mut all: Vec<Coord> = nodes.iter().copied().flatten().collect();
                        all.sort_unstable();
                        for need in [1, all.len() / 3, all.len() / 2, all.len()] {
                            if need == 0 || need > all.len() {
                                continue;
                            }
                            let mut wanted = all.clone();
                            let before = carried::Listed(list[..i].iter().rev().copied());
                            carried::keep_first(&mut wanted, need, before, |a, b| mesh.l1(a, b));
                            wanted.sort_unstable();
                            let mut free = vec![0; rims.words()];
                            for (at, _) in nodes.iter().enumerate().filter(|(_, node)| node.is_some()) {
                                free[at / 64] |= 1_u64 << (at % 64);
                            }
                            let path = deciding.before(&order, &machine, centre, radius as u32);
                            if !keep_by_path(&mut rims, path, centre, (&mut free, need as u32)) {
                                continue;
                            }
                            let is_kept =
                                |(at, _): &(usize, &Option<Coord>)| free[at / 64] >> (at % 64) & 1 == 1;
                            let mut kept: Vec<Coord> = nodes
                                .iter()
                                .enumerate()
                                .filter(is_kept)
                                .filter_map(|(_, node)| *node)
                                .collect();
                            kept.sort_unstable();
                            assert_eq!(kept, wanted, "{text} {kind:?}: {need} around {centre:?}, {radius}");
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
