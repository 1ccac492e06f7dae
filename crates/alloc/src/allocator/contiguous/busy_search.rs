//! The list of submeshes in use, the regions of bases that they rule out for a new submesh, and the common
//! part of the contiguous allocators that search this list instead of the nodes.

use super::orientations::Turn;
use crate::allocator::seam::{Allocator, Placement, Request, Served, Strategy, Submeshes};
use meshreplay_machine::machine::{Coord, Machine, Mesh, NodeId, Submesh};

/// A list of disjoint submeshes of nodes in use, in insertion order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::allocator) struct BusyList {
    boxes: Vec<Submesh>,
}

/// A rectangle or cuboid of bases. A base is the node with the lowest coordinates of a submesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::allocator) struct Region {
    /// The lowest coordinates.
    pub(in crate::allocator) low: Coord,
    /// The highest coordinates, which belong to the region.
    pub(in crate::allocator) high: Coord,
}

/// Positions along a dimension: `length` of them from `first` on, and `before` in front of these.
#[derive(Clone, Copy, Debug)]
pub(in crate::allocator) struct Span {
    pub(in crate::allocator) first: u32,
    pub(in crate::allocator) length: u32,
    pub(in crate::allocator) before: u32,
}

impl Span {
    /// Returns the bases along `d` of submeshes of these sizes that overlap `held`.
    pub(in crate::allocator) fn covered(held: &Submesh, d: usize, sizes: [u32; 3]) -> Self {
        Self { first: held.base[d], length: held.sizes[d], before: sizes[d] - 1 }
    }
}

impl BusyList {
    /// Returns the submeshes in the list.
    pub(in crate::allocator) fn boxes(&self) -> &[Submesh] {
        &self.boxes
    }

    /// Adds nodes. They become one submesh if they are all nodes of a submesh row by row, otherwise each node
    /// becomes a submesh of its own.
    pub(in crate::allocator) fn add(&mut self, mesh: &Mesh, nodes: &[NodeId]) {
        self.boxes.extend(submeshes_of(mesh, nodes));
    }

    /// Adds a submesh.
    pub(in crate::allocator) fn add_submesh(&mut self, place: Submesh) {
        self.boxes.push(place);
    }

    /// Keeps the first `count` submeshes and removes all later ones.
    pub(in crate::allocator) fn keep_first(&mut self, count: usize) {
        self.boxes.truncate(count);
    }

    /// Removes nodes that were added together. Time O(n) for n submeshes in the list.
    pub(in crate::allocator) fn remove(&mut self, mesh: &Mesh, nodes: &[NodeId]) {
        self.remove_submeshes(&submeshes_of(mesh, nodes));
    }

    /// Removes submeshes. Time O(n) for n submeshes in the list.
    pub(in crate::allocator) fn remove_submeshes(&mut self, gone: &[Submesh]) {
        self.boxes.retain(|held| !gone.contains(held));
    }

    /// Returns the coverages of the submeshes in the list, in its order. The coverage of a submesh is the set
    /// of all bases of new submeshes of these sizes that would overlap it. It is one region, or several if it
    /// wraps around. Submeshes with an empty coverage are left out, and the list is empty if the sizes exceed
    /// the machine.
    pub(in crate::allocator) fn coverages(&self, mesh: &Mesh, sizes: [u32; 3]) -> Vec<Region> {
        let Some(all) = Region::of_bases(mesh, sizes) else { return Vec::new() };
        // The new submesh overlaps `held` along d if base < held.base + held.sizes and base + sizes >
        // held.base.
        let spans = |held: &Submesh| [0, 1, 2].map(|d| Span::covered(held, d, sizes));
        let rings = all.rings(mesh);
        if rings == [false; 3] {
            let covered = |held: &Submesh| {
                let [x, y, z] = spans(held);
                let [x, y, z] = [all.on_line(0, x)?, all.on_line(1, y)?, all.on_line(2, z)?];
                Some(Region { low: [x.0, y.0, z.0], high: [x.1, y.1, z.1] })
            };
            return self.boxes.iter().filter_map(covered).collect();
        }
        self.boxes.iter().flat_map(|held| all.parts(spans(held), rings)).collect()
    }
}

/// Finds the base of a free submesh of the given sizes along x, y and z, given the submeshes in use. Returns
/// `None` if there is no free submesh of these sizes.
pub(crate) type Search = fn(&Machine, [u32; 3], &BusyList) -> Option<Coord>;

/// Tries the orientations of a job's shape one after the other with a search over the submeshes in use.
pub(crate) struct BusySearch {
    submeshes: Submeshes,
    search: Search,
    busy: BusyList,
}

impl BusySearch {
    /// Returns the strategy for an idle machine, with or without turning the job's shape.
    pub(crate) fn strategy(turn: Turn, search: Search) -> Strategy {
        let submeshes = turn.submeshes();
        Strategy::of(Self::new(submeshes, search)).served(Served::BySubmesh(submeshes))
    }

    /// Returns the allocator for an idle machine. `submeshes` gives the sizes to try for a request.
    pub(super) fn new(submeshes: Submeshes, search: Search) -> Self {
        Self { submeshes, search, busy: BusyList::default() }
    }
}

impl Allocator for BusySearch {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let mesh = machine.mesh();
        let find = |sizes| Some(Submesh { base: (self.search)(machine, sizes, &self.busy)?, sizes });
        let place = (self.submeshes.sizes)(request, mesh).into_iter().find_map(find)?;
        Some(Placement::of((self.submeshes.nodes)(request, place, machine)))
    }

    fn taken(&mut self, placement: &Placement, machine: &Machine) {
        self.busy.add(machine.mesh(), &placement.nodes);
    }

    fn released(&mut self, placement: &Placement, machine: &Machine) {
        self.busy.remove(machine.mesh(), &placement.nodes);
    }
}

/// Returns the nodes as one submesh if they are all nodes of a submesh row by row, or each node as a submesh
/// of its own.
fn submeshes_of(mesh: &Mesh, nodes: &[NodeId]) -> Vec<Submesh> {
    let whole = |first: NodeId, last: NodeId| {
        // The first and the last node are opposite corners if the nodes are a submesh row by row. From the
        // one to the other, the submesh may wrap around.
        let (base, end) = (mesh.coord(first), mesh.coord(last));
        let ordered = (0..3).all(|d| base[d] <= end[d] || mesh.wraps(d));
        let extents = mesh.extents();
        let place =
            Submesh { base, sizes: [0, 1, 2].map(|d| (end[d] + extents[d] - base[d]) % extents[d] + 1) };
        let same = ordered && place.sizes.iter().product::<u32>() as usize == nodes.len();
        (same && place.has_nodes(mesh, nodes)).then_some(place)
    };
    if let [first, .., last] = *nodes
        && let Some(place) = whole(first, last)
    {
        return vec![place];
    }
    nodes.iter().map(|&node| Submesh { base: mesh.coord(node), sizes: [1; 3] }).collect()
}

impl Region {
    /// Returns the region of all bases of submeshes of these sizes; `None` if the sizes exceed the machine.
    /// In a dimension that wraps around, every position is a base, unless the submesh is as long as the
    /// dimension.
    pub(in crate::allocator) fn of_bases(mesh: &Mesh, sizes: [u32; 3]) -> Option<Self> {
        let extents = mesh.extents();
        let last = |d: usize| {
            if mesh.wraps(d) && sizes[d] < extents[d] { extents[d] - 1 } else { extents[d] - sizes[d] }
        };
        let fits = (0..3).all(|d| sizes[d] <= extents[d]);
        fits.then(|| Self { low: [0; 3], high: [0, 1, 2].map(last) })
    }

    /// Returns for each dimension whether this region of all bases goes round it.
    pub(in crate::allocator) fn rings(&self, mesh: &Mesh) -> [bool; 3] {
        [0, 1, 2].map(|d| mesh.wraps(d) && self.high[d] + 1 == mesh.extents()[d])
    }

    /// Returns the parts of this region of all bases that lie within a span of each dimension. In the
    /// dimensions of `rings` spans wrap around, so that there are up to eight parts.
    pub(in crate::allocator) fn parts(
        &self,
        spans: [Span; 3],
        rings: [bool; 3],
    ) -> impl Iterator<Item = Self> + use<> {
        let [xs, ys, zs] = [0, 1, 2].map(|d| self.ranges(d, spans[d], rings[d]));
        let along = |ranges: [Option<(u32, u32)>; 2]| ranges.into_iter().flatten();
        along(zs).flat_map(move |z| {
            along(ys).flat_map(move |y| {
                along(xs).map(move |x| Self { low: [x.0, y.0, z.0], high: [x.1, y.1, z.1] })
            })
        })
    }

    /// Returns the first and the last position of a span in a dimension that does not wrap around; `None` if
    /// nothing of the region is there.
    fn on_line(&self, d: usize, span: Span) -> Option<(u32, u32)> {
        let Span { first, length, before } = span;
        let (low, high) = (first.saturating_sub(before), (first + length - 1).min(self.high[d]));
        (low <= high).then_some((low, high))
    }

    /// Returns the positions of a span as at most two ranges, each by its first and last position, the lower
    /// range first.
    fn ranges(&self, d: usize, span: Span, ring: bool) -> [Option<(u32, u32)>; 2] {
        if !ring {
            return [self.on_line(d, span), None];
        }
        let Span { first, length, before } = span;
        let (most, last) = (self.high[d], first + length - 1);
        let extent = most + 1;
        if before + length >= extent {
            return [Some((0, most)), None];
        }
        // The range begins below 0, or ends beyond the last position, or neither.
        match first.checked_sub(before) {
            None => [Some((0, last)), Some((first + extent - before, most))],
            Some(low) if last > most => [Some((0, last - extent)), Some((low, most))],
            Some(low) => [Some((low, last)), None],
        }
    }

    /// Returns whether `base` is in the region.
    pub(in crate::allocator) fn contains(&self, base: Coord) -> bool {
        (0..3).all(|d| (self.low[d]..=self.high[d]).contains(&base[d]))
    }

    /// Returns whether the two regions have a base in common.
    pub(in crate::allocator) fn meets(&self, other: &Self) -> bool {
        (0..3).all(|d| self.low[d] <= other.high[d] && other.low[d] <= self.high[d])
    }

    /// Subtracts `other`, which must overlap this region. Returns at most six disjoint regions that cover the
    /// rest: first the regions on the low sides of `other` (along z, then y, then x), then those on its high
    /// sides (along x, then y, then z).
    pub(in crate::allocator) fn without(&self, other: &Self) -> Vec<Self> {
        let mut rest = *self;
        let (mut below, mut above) = (Vec::new(), Vec::new());
        for d in [2, 1, 0] {
            // Cuts off the slices below and above `other` along d. The slices along the next dimensions come
            // from the rest.
            if rest.low[d] < other.low[d] {
                let mut part = rest;
                part.high[d] = other.low[d] - 1;
                below.push(part);
                rest.low[d] = other.low[d];
            }
            if rest.high[d] > other.high[d] {
                let mut part = rest;
                part.low[d] = other.high[d] + 1;
                above.push(part);
                rest.high[d] = other.high[d];
            }
        }
        above.reverse();
        below.extend(above);
        below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_region_is_disjoint_and_complete() {
        let all = Region { low: [1, 0, 0], high: [4, 3, 2] };
        let inside = |region: &Region| {
            let [xs, ys, zs] = [0, 1, 2].map(|d| region.low[d]..=region.high[d]);
            let mut found: Vec<Coord> = Vec::new();
            for z in zs {
                for y in ys.clone() {
                    found.extend(xs.clone().map(|x| [x, y, z]));
                }
            }
            found
        };
        let corners = inside(&Region { low: [0; 3], high: [5, 4, 3] });
        for &low in &corners {
            for &high in corners.iter().filter(|high| (0..3).all(|d| low[d] <= high[d])) {
                let other = Region { low, high };
                if !all.meets(&other) {
                    continue;
                }
                let mut left: Vec<Coord> = all.without(&other).iter().flat_map(inside).collect();
                let mut plain: Vec<Coord> =
                    inside(&all).into_iter().filter(|&base| !other.contains(base)).collect();
                left.sort_unstable();
                plain.sort_unstable();
                assert_eq!(left, plain, "{other:?}");
            }
        }
    }

    #[test]
    fn boxes_are_recognised_and_other_sets_are_single_nodes()
    -> Result<(), meshreplay_machine::machine::mesh::MeshError> {
        let mesh: Mesh = "4x3x2".parse()?;
        let mut list = BusyList::default();
        list.add(&mesh, &[5, 6, 9, 10, 17, 18, 21, 22]);
        list.add(&mesh, &[0, 3]);
        list.add(&mesh, &[8, 4]);
        list.add(&mesh, &[23]);
        let bases: Vec<(Coord, [u32; 3])> = list.boxes().iter().map(|held| (held.base, held.sizes)).collect();
        let single = [[0, 0, 0], [3, 0, 0], [0, 2, 0], [0, 1, 0], [3, 2, 1]].map(|base| (base, [1; 3]));
        assert_eq!(bases[0], ([1, 1, 0], [2, 2, 2]));
        assert_eq!(bases[1..], single);
        list.remove(&mesh, &[0, 3]);
        list.remove(&mesh, &[5, 6, 9, 10, 17, 18, 21, 22]);
        assert_eq!(list.boxes().len(), 3);
        Ok(())
    }
}
