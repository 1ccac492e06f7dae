//! A submesh: a rectangle or cuboid of nodes. It can be grown by shells. In each dimension, the border of the machine
//! cuts them off, or they wrap around.

use std::ops::Range;

use super::{Coord, Machine, Mesh, NodeId};

/// A submesh, given by its base and its sides. It may wrap around in dimensions that do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Submesh {
    /// The node with the smallest coordinates. If the submesh wraps around, it is the node at which the submesh begins.
    pub base: Coord,
    /// The sides along x, y and z in nodes, each at least 1 and at most that of the machine.
    pub sizes: [u32; 3],
}

impl Submesh {
    /// Returns the coordinates of node `i` of the submesh, counted from 0, row by row. The submesh must not wrap
    /// around.
    pub fn at(self, i: u32) -> Coord {
        let [width, length, _] = self.sizes;
        let [x, y, z] = self.base;
        [x + i % width, y + i / width % length, z + i / width / length]
    }

    /// Returns all nodes of the submesh, row by row. The submesh must not wrap around.
    pub fn nodes(self, machine: &Machine) -> Vec<NodeId> {
        let count: u32 = self.sizes.iter().product();
        (0..count).map(|i| machine.mesh().node(self.at(i))).collect()
    }

    /// Returns whether all nodes of the submesh are free. The submesh must not wrap around.
    pub fn is_free(self, machine: &Machine) -> bool {
        let count: u32 = self.sizes.iter().product();
        (0..count).all(|i| machine.free().contains(machine.mesh().node(self.at(i))))
    }

    /// Returns the positions of the submesh along each dimension after growing it by `radius` hops in every direction.
    /// The positions are one range, and a second one if the submesh wraps around.
    pub(super) fn grown(
        &self,
        radius: usize,
        extents: [usize; 3],
        wraps: [bool; 3],
    ) -> [[Option<Range<usize>>; 2]; 3] {
        let along =
            |d: usize| span(self.base[d] as usize, self.sizes[d] as usize, radius, extents[d], wraps[d]);
        [along(0), along(1), along(2)]
    }

    /// Returns the smallest submesh that contains all of `nodes` and does not wrap around; `None` if there are no
    /// nodes.
    pub fn around(mesh: &Mesh, nodes: &[NodeId]) -> Option<Self> {
        let mut coords = nodes.iter().map(|&node| mesh.coord(node));
        let first = coords.next()?;
        let (low, high) = coords.fold((first, first), |(low, high), at| {
            ([0, 1, 2].map(|d| low[d].min(at[d])), [0, 1, 2].map(|d| high[d].max(at[d])))
        });
        Some(Self { base: low, sizes: [0, 1, 2].map(|d| high[d] + 1 - low[d]) })
    }

    /// Returns whether the two submeshes share a node. Neither may wrap around.
    pub fn meets(&self, other: &Self) -> bool {
        (0..3).all(|d| {
            self.base[d] < other.base[d] + other.sizes[d] && other.base[d] < self.base[d] + self.sizes[d]
        })
    }

    /// Returns the L∞ distance of `node` from the submesh, which is the number of the shell around the submesh in which
    /// `node` lies; 0 if it lies inside.
    pub fn shell(&self, mesh: &Mesh, node: Coord) -> u32 {
        (0..3).map(|d| self.outside(mesh, d, node[d])).max().unwrap_or(0)
    }

    /// Returns the hops from position `at` of dimension `d` to the nearest position of the submesh; 0 if it lies
    /// inside.
    fn outside(&self, mesh: &Mesh, d: usize, at: u32) -> u32 {
        let extent = mesh.extents()[d];
        let (first, last) = (self.base[d], self.base[d] + self.sizes[d] - 1);
        let inside = (first..=last).contains(&at) || (mesh.wraps(d) && at + extent <= last);
        if inside { 0 } else { mesh.hops(d, at, first).min(mesh.hops(d, at, last % extent)) }
    }

    /// Returns twice the L1 distance, in hops, of `node` from the middle of the submesh. The middle may lie between two
    /// nodes, but twice the distance is always an integer.
    pub fn doubled_to_middle(&self, mesh: &Mesh, node: Coord) -> u32 {
        let along = |d: usize| {
            // All lengths are doubled here: the way round the torus, the position of the middle, and that of the node.
            let (round, middle) = (2 * mesh.extents()[d], 2 * self.base[d] + self.sizes[d] - 1);
            let straight = (2 * node[d]).abs_diff(middle % round);
            if mesh.wraps(d) { straight.min(round - straight) } else { straight }
        };
        (0..3).map(along).sum()
    }
}

/// Returns the positions of a dimension of `extent` nodes that are within `radius` hops of `centre`. On a line it is
/// one range, cut off at the ends, and the second is `None`. If the dimension wraps, a second range is there if the
/// positions go around its end.
pub fn ranges(centre: usize, radius: usize, extent: usize, wraps: bool) -> [Option<Range<usize>>; 2] {
    span(centre, 1, radius, extent, wraps)
}

/// Returns the positions within `radius` hops of the `size` positions from `start` on, as [`ranges`] does for one
/// position.
fn span(start: usize, size: usize, radius: usize, extent: usize, wraps: bool) -> [Option<Range<usize>>; 2] {
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

    #[test]
    fn boxes_meet_if_they_share_a_node() -> Result<(), Box<dyn std::error::Error>> {
        let machine = Machine::new("4x3x2".parse()?);
        let mesh = machine.mesh();
        let boxes: Vec<Submesh> = (0..mesh.nodes())
            .flat_map(|a| (0..mesh.nodes()).map(move |b| (a, b)))
            .filter_map(|(a, b)| Submesh::around(mesh, &[a, b]))
            .collect();
        for a in boxes.iter().step_by(7) {
            let nodes = a.nodes(&machine);
            assert_eq!(Submesh::around(mesh, &nodes), Some(*a));
            for b in &boxes {
                let shared = b.nodes(&machine).iter().any(|node| nodes.contains(node));
                assert_eq!(a.meets(b), shared, "{a:?} {b:?}");
            }
        }
        assert_eq!(Submesh::around(mesh, &[]), None);
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
                if (0..3).all(|d| high[d] <= extents[d]) {
                    let free = machine.free().iter().filter(|&node| inside(mesh.coord(node))).count();
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
