//! A submesh: a rectangle or cuboid of nodes. It can be grown by shells. In each dimension, the border of the
//! machine cuts them off, or they wrap around.

use std::ops::Range;

use super::{Coord, Machine, Mesh, NodeId};

/// A submesh, given by its base and its sides. It may wrap around in dimensions that do. A side as long as a
/// dimension that wraps around begins at position 0: all other bases would be the same submesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Submesh {
    /// The node with the smallest coordinates, or the first node of a submesh that wraps around.
    pub base: Coord,
    /// The sides along x, y and z in nodes, each at least 1 and at most that of the machine.
    pub sizes: [u32; 3],
}

impl Submesh {
    /// Returns the coordinates of the node that is `steps` behind the base along x, y and z. Each step is
    /// below the side of the submesh.
    #[inline]
    pub fn at(self, mesh: &Mesh, steps: [u32; 3]) -> Coord {
        [0, 1, 2].map(|d| self.position(mesh, d, steps[d]))
    }

    /// Returns the position in dimension `d` that is `step` behind the base.
    fn position(self, mesh: &Mesh, d: usize, step: u32) -> u32 {
        let (at, extent) = (self.base[d] + step, mesh.extents()[d]);
        debug_assert!(at < extent || mesh.wraps(d), "{self:?} leaves {mesh}");
        if at < extent { at } else { at - extent }
    }

    /// Returns all nodes of the submesh, row by row from its base on: x fastest, then y, then z.
    #[inline]
    pub fn nodes(self, machine: &Machine) -> Vec<NodeId> {
        let mesh = machine.mesh();
        let mut nodes = Vec::with_capacity(self.sizes.iter().product::<u32>() as usize);
        self.runs(mesh).for_each(|run| nodes.extend(run));
        nodes
    }

    /// Returns whether these are all nodes of the submesh on `mesh`, row by row. O(nodes).
    #[inline]
    pub fn has_nodes(self, mesh: &Mesh, mut nodes: &[NodeId]) -> bool {
        self.runs(mesh).all(|run| {
            let Some((first, others)) = nodes.split_at_checked(run.len()) else { return false };
            nodes = others;
            run.eq(first.iter().copied())
        }) && nodes.is_empty()
    }

    /// Returns all nodes of the submesh on `mesh`, row by row from its base on: x fastest, then y, then z.
    #[inline]
    pub fn on(self, mesh: &Mesh) -> impl Iterator<Item = NodeId> {
        self.runs(mesh).flatten()
    }

    /// Returns the nodes of the submesh on `mesh` as runs of consecutive numbers, row by row. Each row gives
    /// two runs; the second is empty unless the row wraps around.
    fn runs(self, mesh: &Mesh) -> impl Iterator<Item = Range<NodeId>> {
        let ([width, length, depth], [extent, ..]) = (self.sizes, mesh.extents());
        let before_end = width.min(extent - self.base[0]);
        (0..depth).flat_map(move |k| {
            (0..length).flat_map(move |j| {
                let [x, y, z] = self.at(mesh, [0, j, k]);
                let row = mesh.node([0, y, z]);
                [row + x..row + x + before_end, row..row + width - before_end]
            })
        })
    }

    /// Returns whether all nodes of the submesh are free.
    #[inline]
    pub fn is_free(self, machine: &Machine) -> bool {
        self.runs(machine.mesh()).all(|mut run| run.all(|node| machine.free().contains(node)))
    }

    /// Returns the positions of the submesh along each dimension after growing it by `radius` hops in every
    /// direction. The positions are one range, and a second one if the submesh wraps around.
    #[inline]
    pub fn grown(
        &self,
        radius: usize,
        extents: [usize; 3],
        wraps: [bool; 3],
    ) -> [[Option<Range<usize>>; 2]; 3] {
        let along =
            |d: usize| span(self.base[d] as usize, self.sizes[d] as usize, radius, extents[d], wraps[d]);
        [along(0), along(1), along(2)]
    }

    /// Returns the smallest submesh that contains all of `nodes`; `None` if there are no nodes. In dimensions
    /// that wrap around it may wrap around. If several submeshes are smallest, it is the one behind the first
    /// gap. O(nodes + extents).
    pub fn around(mesh: &Mesh, nodes: &[NodeId]) -> Option<Self> {
        let mut coords = nodes.iter().map(|&node| mesh.coord(node));
        let first = coords.next()?;
        let (low, high) = coords.fold((first, first), |(low, high), at| {
            ([0, 1, 2].map(|d| low[d].min(at[d])), [0, 1, 2].map(|d| high[d].max(at[d])))
        });
        let mut place = Self { base: low, sizes: [0, 1, 2].map(|d| high[d] + 1 - low[d]) };
        for d in (0..3).filter(|&d| mesh.wraps(d)) {
            let mut taken = vec![false; mesh.extents()[d] as usize];
            for &node in nodes {
                taken[mesh.coord(node)[d] as usize] = true;
            }
            (place.base[d], place.sizes[d]) = arc(&taken);
        }
        Some(place)
    }

    /// Returns whether the two submeshes share a node.
    #[inline]
    pub fn meets(&self, mesh: &Mesh, other: &Self) -> bool {
        (0..3).all(|d| {
            // The distance from one base on to the other, round the end of the dimension if necessary. A
            // submesh that does not wrap around ends before a base on the other side of that end.
            let extent = mesh.extents()[d];
            let ahead = |from: u32, to: u32| if from <= to { to - from } else { to + extent - from };
            ahead(self.base[d], other.base[d]) < self.sizes[d]
                || ahead(other.base[d], self.base[d]) < other.sizes[d]
        })
    }

    /// Returns the L∞ distance of `node` from the submesh: the number of its shell around the submesh; 0
    /// inside.
    #[inline]
    pub fn shell(&self, mesh: &Mesh, node: Coord) -> u32 {
        (0..3).map(|d| self.outside(mesh, d, node[d])).max().unwrap_or(0)
    }

    /// Returns the hops from position `at` of dimension `d` to the nearest position of the submesh; 0 if it
    /// lies inside.
    fn outside(&self, mesh: &Mesh, d: usize, at: u32) -> u32 {
        let extent = mesh.extents()[d];
        let (first, last) = (self.base[d], self.base[d] + self.sizes[d] - 1);
        let inside = (first..=last).contains(&at) || (mesh.wraps(d) && at + extent <= last);
        if inside { 0 } else { mesh.hops(d, at, first).min(mesh.hops(d, at, last % extent)) }
    }

    /// Returns twice the L1 distance, in hops, of `node` from the middle of the submesh. The middle may lie
    /// between two nodes, but twice the distance is always an integer.
    #[inline]
    pub fn doubled_to_middle(&self, mesh: &Mesh, node: Coord) -> u32 {
        let along = |d: usize| {
            // All lengths are doubled here: the way round the torus, the position of the middle, and that of
            // the node.
            let (round, middle) = (2 * mesh.extents()[d], 2 * self.base[d] + self.sizes[d] - 1);
            let straight = (2 * node[d]).abs_diff(middle % round);
            if mesh.wraps(d) { straight.min(round - straight) } else { straight }
        };
        (0..3).map(along).sum()
    }
}

/// Returns the first position and the length of the shortest arc of a ring that contains all of its `taken`
/// positions. The arc is the complement of the longest gap, and of the first such gap if several are equally
/// long. The arc of the whole ring begins at 0.
fn arc(taken: &[bool]) -> (u32, u32) {
    let n = taken.len();
    let (mut start, mut longest, mut gap) = (0, 0, 0);
    // The loop goes round twice, so that it sees a gap across the end of the ring as one.
    for i in 0..2 * n {
        gap = if taken[i % n] { 0 } else { gap + 1 };
        if gap > longest {
            (start, longest) = ((i + 1) % n, gap);
        }
    }
    (start as u32, (n - longest) as u32)
}

/// Returns the positions of a dimension of `extent` nodes that are within `radius` hops of `centre`, as
/// `span` does for more than one position.
#[inline]
pub fn ranges(centre: usize, radius: usize, extent: usize, wraps: bool) -> [Option<Range<usize>>; 2] {
    span(centre, 1, radius, extent, wraps)
}

/// Returns the positions of a dimension of `extent` nodes that are within `radius` hops of the `size`
/// positions from `start` on. On a line it is one range, cut off at the ends, and the second is `None`. If
/// the dimension wraps, a second range is there if the positions go around its end.
pub(super) fn span(
    start: usize,
    size: usize,
    radius: usize,
    extent: usize,
    wraps: bool,
) -> [Option<Range<usize>>; 2] {
    let end = start + size + radius;
    if !wraps {
        return [Some(start.saturating_sub(radius)..end.min(extent)), None];
    }
    if size + 2 * radius >= extent {
        return [Some(0..extent), None];
    }
    match start.checked_sub(radius) {
        None => [Some(0..end), Some(start + extent - radius..extent)],
        Some(start) if end > extent => [Some(0..end - extent), Some(start..extent)],
        Some(start) => [Some(start..end), None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{FreeCounts, Machine};

    /// Returns every submesh of a machine, with or without wrap.
    fn every_submesh(mesh: &Mesh) -> impl Iterator<Item = Submesh> {
        let extents = mesh.extents();
        let sizes = mesh.location_order().map(move |node| mesh.coord(node).map(|c| c + 1));
        let places = sizes.flat_map(move |sizes| {
            mesh.location_order().map(move |node| Submesh { base: mesh.coord(node), sizes })
        });
        places.filter(move |Submesh { base, sizes }| {
            (0..3).all(|d| base[d] + sizes[d] <= extents[d] || (mesh.wraps(d) && sizes[d] < extents[d]))
        })
    }

    /// Runs of nodes are the nodes step by step, and no other list is taken for them.
    #[test]
    fn nodes_come_row_by_row() -> Result<(), Box<dyn std::error::Error>> {
        for text in ["4x3x2", "torus:4x3x2", "torus:7", "torus:5x2"] {
            let machine = Machine::new(text.parse()?);
            let mesh = machine.mesh();
            for place in every_submesh(mesh) {
                let [width, length, depth] = place.sizes;
                let mut steps: Vec<NodeId> = Vec::new();
                for (k, j) in (0..depth).flat_map(|k| (0..length).map(move |j| (k, j))) {
                    steps.extend((0..width).map(|i| mesh.node(place.at(mesh, [i, j, k]))));
                }
                assert_eq!(place.nodes(&machine), steps, "{text}: {place:?}");
                assert!(place.on(mesh).eq(steps.iter().copied()) && place.has_nodes(mesh, &steps));
                let mut others = steps.clone();
                others.push(steps[0]);
                assert!(!place.has_nodes(mesh, &others) && !place.has_nodes(mesh, &steps[1..]));
                others.pop();
                others.rotate_left(1);
                assert!(steps.len() == 1 || !place.has_nodes(mesh, &others));
            }
        }
        Ok(())
    }

    #[test]
    fn submeshes_meet_if_they_share_a_node() -> Result<(), Box<dyn std::error::Error>> {
        for text in ["4x3x2", "torus:4x3x2", "torus:7", "torus:5x2"] {
            let machine = Machine::new(text.parse()?);
            let mesh = machine.mesh();
            let places: Vec<(Submesh, Vec<NodeId>)> =
                every_submesh(mesh).map(|place| (place, place.nodes(&machine))).collect();
            for (a, nodes) in places.iter().step_by(7) {
                assert_eq!(Submesh::around(mesh, nodes), Some(*a), "{text}");
                for (b, others) in &places {
                    let shared = others.iter().any(|node| nodes.contains(node));
                    assert_eq!(a.meets(mesh, b), shared, "{text}: {a:?} {b:?}");
                }
            }
            assert_eq!(Submesh::around(mesh, &[]), None);
        }
        Ok(())
    }

    #[test]
    fn the_submesh_around_nodes_is_a_smallest_one() -> Result<(), Box<dyn std::error::Error>> {
        for text in ["3x3", "torus:3x3", "torus:8", "torus:4x2", "torus:2x2x2"] {
            let machine = Machine::new(text.parse()?);
            let mesh = machine.mesh();
            let places: Vec<(Submesh, Vec<NodeId>)> =
                every_submesh(mesh).map(|place| (place, place.nodes(&machine))).collect();
            for subset in 1_u32..1 << mesh.nodes() {
                let nodes: Vec<NodeId> = (0..mesh.nodes()).filter(|n| subset >> n & 1 == 1).collect();
                let holds = |within: &[NodeId]| nodes.iter().all(|node| within.contains(node));
                let least =
                    places.iter().filter(|(_, within)| holds(within)).map(|(_, within)| within.len()).min();
                let around = Submesh::around(mesh, &nodes).ok_or("none")?;
                let within = around.nodes(&machine);
                assert!(holds(&within) && Some(within.len()) == least, "{text}: {nodes:?} {around:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn shells_and_counts_of_every_box_equal_plain_ones() -> Result<(), Box<dyn std::error::Error>> {
        for text in ["5x4", "torus:6x5", "3x3x2", "torus:4x3x3", "torus:7", "6x5:wrap=y", "4x3x3:wrap=xz"] {
            let mut machine = Machine::new(text.parse()?);
            let busy: Vec<u32> = (0..machine.mesh().nodes()).filter(|n| n * 7 % 5 < 2).collect();
            machine.occupy(&busy)?;
            let mesh = machine.mesh();
            let extents = mesh.extents();
            let mut counts = FreeCounts::default();
            counts.rebuild(&machine, 0);
            let sizes = (0..mesh.nodes()).map(|node| mesh.coord(node).map(|c| c + 1));
            for place in
                sizes.flat_map(|sizes| mesh.location_order().map(move |node| (mesh.coord(node), sizes)))
            {
                let (base, sizes) = place;
                let place = Submesh { base, sizes };
                if (0..3).any(|d| !mesh.wraps(d) && base[d] + sizes[d] > extents[d]) {
                    continue;
                }
                let inside =
                    |node: Coord| (0..3).all(|d| (node[d] + extents[d] - base[d]) % extents[d] < sizes[d]);
                let members: Vec<Coord> =
                    mesh.location_order().map(|node| mesh.coord(node)).filter(|&node| inside(node)).collect();
                let plain = |node: Coord| members.iter().map(|&member| mesh.l_inf(node, member)).min();
                for node in mesh.location_order().map(|node| mesh.coord(node)) {
                    assert_eq!(Some(place.shell(mesh, node)), plain(node), "{text} {place:?} {node:?}");
                }
                let high = [0, 1, 2].map(|d| base[d] + sizes[d]);
                let free = machine.free().iter().filter(|&node| inside(mesh.coord(node))).count();
                assert_eq!(counts.in_place(place) as usize, free, "{text} {place:?}");
                assert_eq!(place.is_free(&machine), free == members.len(), "{text} {place:?}");
                if (0..3).all(|d| high[d] <= extents[d]) {
                    assert_eq!(counts.in_submesh(base, high) as usize, free, "{text} {place:?}");
                }
                for radius in 0..4 {
                    let near = |&node: &u32| place.shell(mesh, mesh.coord(node)) <= radius;
                    let free = machine.free().iter().filter(near).count() as i32;
                    assert_eq!(
                        counts.around_submesh(place, radius as usize),
                        free,
                        "{text} {place:?} {radius}"
                    );
                }
            }
        }
        Ok(())
    }
}
