//! The list of submeshes in use, and the regions of bases that they rule out for a new submesh.

use meshreplay_machine::machine::{Coord, Mesh, NodeId, Submesh};

/// A list of disjoint submeshes of nodes in use, in the order in which they were added.
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

    /// Keeps the first `count` submeshes and removes those that were added later.
    pub(in crate::allocator) fn keep_first(&mut self, count: usize) {
        self.boxes.truncate(count);
    }

    /// Removes nodes that were added together. Time O(n) for n submeshes in the list.
    pub(in crate::allocator) fn remove(&mut self, mesh: &Mesh, nodes: &[NodeId]) {
        let gone: Vec<Submesh> = submeshes_of(mesh, nodes).collect();
        self.remove_submeshes(&gone);
    }

    /// Removes submeshes. Time O(n) for n submeshes in the list.
    pub(in crate::allocator) fn remove_submeshes(&mut self, gone: &[Submesh]) {
        self.boxes.retain(|held| !gone.contains(held));
    }

    /// Returns the coverages of the submeshes in the list, in its order. The coverage of a submesh is the set
    /// of all bases at which a new submesh of these sizes would overlap it. It is one region, or several if
    /// it wraps around. Submeshes with an empty coverage are left out, and the list is empty if the sizes
    /// exceed the machine.
    pub(in crate::allocator) fn coverages(&self, mesh: &Mesh, sizes: [u32; 3]) -> Vec<Region> {
        let Some(all) = Region::of_bases(mesh, sizes) else { return Vec::new() };
        // The new submesh overlaps `held` along d if base < held.base + held.sizes and base + sizes >
        // held.base.
        let arcs = |held: &Submesh| [0, 1, 2].map(|d| (held.base[d], held.sizes[d], sizes[d] - 1));
        let rings = all.rings(mesh);
        if rings == [false; 3] {
            let covered = |held: &Submesh| {
                let [x, y, z] = arcs(held);
                let [x, y, z] = [all.on_line(0, x)?, all.on_line(1, y)?, all.on_line(2, z)?];
                Some(Region { low: [x.0, y.0, z.0], high: [x.1, y.1, z.1] })
            };
            return self.boxes.iter().filter_map(covered).collect();
        }
        self.boxes.iter().flat_map(|held| all.parts(arcs(held), rings)).collect()
    }
}

/// Returns the nodes as one submesh if they are all nodes of a submesh row by row, or each node as a submesh
/// of its own.
fn submeshes_of(mesh: &Mesh, nodes: &[NodeId]) -> impl Iterator<Item = Submesh> + use<> {
    let whole = match nodes {
        [] => None,
        [first, .., last] => {
            // The first and the last node are opposite corners if the nodes are a submesh row by row.
            // From the one to the other, the submesh may wrap around.
            let (base, end) = (mesh.coord(*first), mesh.coord(*last));
            let ordered = (0..3).all(|d| base[d] <= end[d] || mesh.wraps(d));
            let extents = mesh.extents();
            let side = |d: usize| (end[d] + extents[d] - base[d]) % extents[d] + 1;
            let place = Submesh { base, sizes: [0, 1, 2].map(side) };
            let same = ordered && place.sizes.iter().product::<u32>() as usize == nodes.len();
            (same && place.has_nodes(mesh, nodes)).then_some(place)
        }
        [node] => Some(Submesh { base: mesh.coord(*node), sizes: [1; 3] }),
    };
    let single: Vec<Submesh> = match whole {
        Some(_) => Vec::new(),
        None => nodes.iter().map(|&node| Submesh { base: mesh.coord(node), sizes: [1; 3] }).collect(),
    };
    whole.into_iter().chain(single)
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

    /// Returns the parts of this region of all bases that lie within some positions: those of an arc `(first,
    /// length)` and the `before` ones in front of it, given as `(first, length, before)` for each dimension.
    /// In the dimensions of `rings` the positions wrap around, so that there are up to eight parts. There is
    /// none if nothing of the region lies within the positions.
    pub(in crate::allocator) fn parts(
        &self,
        arcs: [(u32, u32, u32); 3],
        rings: [bool; 3],
    ) -> impl Iterator<Item = Self> + use<> {
        let [xs, ys, zs] = [0, 1, 2].map(|d| self.ranges(d, arcs[d], rings[d]));
        let along = |ranges: [Option<(u32, u32)>; 2]| ranges.into_iter().flatten();
        along(zs).flat_map(move |z| {
            along(ys).flat_map(move |y| {
                along(xs).map(move |x| Self { low: [x.0, y.0, z.0], high: [x.1, y.1, z.1] })
            })
        })
    }

    /// Returns the positions of an arc and those before it, see [`Self::parts`], as a range of which both
    /// ends belong to the range, in a dimension that does not wrap around; `None` if nothing of the region
    /// lies there.
    fn on_line(&self, d: usize, (first, length, before): (u32, u32, u32)) -> Option<(u32, u32)> {
        let (low, high) = (first.saturating_sub(before), (first + length - 1).min(self.high[d]));
        (low <= high).then_some((low, high))
    }

    /// Returns the positions of an arc and those before it, see [`Self::parts`], as at most two ranges of
    /// which both ends belong to the range, the lower range first.
    fn ranges(
        &self,
        d: usize,
        (first, length, before): (u32, u32, u32),
        ring: bool,
    ) -> [Option<(u32, u32)>; 2] {
        let (most, last) = (self.high[d], first + length - 1);
        if !ring {
            return [self.on_line(d, (first, length, before)), None];
        }
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
