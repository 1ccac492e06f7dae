//! The shape of a machine (mesh, torus, a mix of both, array, or tree of switches): node numbers, coordinates
//! and distances.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most 2^24 nodes, and the sides that are tried are at most twice the root of that"
)]

mod auto;
mod grammar;
mod levels;

use std::borrow::Cow;

use grammar::Problem;

pub use auto::AutoMachine;
pub use grammar::MeshError;
pub use levels::{Levels, MOST_LEVELS};

use super::unavailable::Unavailable;
pub use super::unavailable::UnavailableError;

/// The number of a node: `x + y·W + z·W·L` on a machine of `W × L × D` nodes.
pub type NodeId = u32;

/// The coordinates x, y, z of a node, each from 0. In dimensions that the machine does not have they are 0.
pub type Coord = [u32; 3];

/// The greatest number of nodes of a machine.
pub const MAX_NODES: u32 = 1 << 24;

/// The shape of a machine: one to three dimensions, and which of them wrap around. On a mesh none does, on a
/// torus all do. Some nodes can be unavailable: they have a number and a place, but no job can have them.
///
/// A tree of switches is an array with [`Levels`], which have its distances. What goes by coordinates, such
/// as [`Mesh::l1`], sees the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mesh {
    extents: [u32; 3],
    dims: usize,
    /// The dimensions that wrap around by the description, possibly dimensions of one node.
    wraps: [bool; 3],
    /// The sides of the cubes that optical switches join; `None` if the machine has no such cubes.
    cube: Option<[u32; 3]>,
    /// The groups of a tree of switches; `None` if the machine is not a tree.
    levels: Option<Box<Levels>>,
    by_x: Divider,
    by_y: Divider,
    unavailable: Unavailable,
}

impl Default for Mesh {
    /// Returns the machine of a single node.
    fn default() -> Self {
        let (by_x, by_y) = (Divider::new(1), Divider::new(1));
        let unavailable = Unavailable::default();
        Self {
            extents: [1; 3],
            dims: 1,
            wraps: [false; 3],
            cube: None,
            levels: None,
            by_x,
            by_y,
            unavailable,
        }
    }
}

impl Mesh {
    /// Returns the mesh with these extents (1 to 3 numbers, x first). The result is an error if an extent is
    /// 0 or there are more than [`MAX_NODES`] nodes.
    #[inline]
    pub fn new(extents: &[u32]) -> Result<Self, MeshError> {
        Self::wrapping(extents, [false; 3])
    }

    /// Returns the torus with these extents (1 to 3 numbers, x first): every dimension wraps around. The
    /// result is an error if an extent is 0 or there are more than [`MAX_NODES`] nodes.
    #[inline]
    pub fn torus(extents: &[u32]) -> Result<Self, MeshError> {
        Self::wrapping(extents, [true; 3])
    }

    /// Returns the machine with these extents (1 to 3 numbers, x first). The dimensions with `true` in
    /// `wraps` wrap around; entries for dimensions that the machine does not have are ignored. The result is
    /// an error if an extent is 0 or there are more than [`MAX_NODES`] nodes.
    #[inline]
    pub fn wrapping(extents: &[u32], wraps: [bool; 3]) -> Result<Self, MeshError> {
        Self::build(extents, wraps).map_err(|problem| problem.in_description(&grammar::sizes(extents)))
    }

    /// Returns the machine with these extents and wraps.
    fn build(extents: &[u32], mut wraps: [bool; 3]) -> Result<Self, Problem> {
        if extents.is_empty() || extents.len() > 3 {
            return Err(Problem::of_sizes(format!("{} dimensions", extents.len())));
        }
        if let Some(i) = extents.iter().position(|&extent| extent == 0) {
            return Err(Problem::of_sizes(format!("size {} is 0", i + 1)));
        }
        let nodes = extents.iter().fold(1_u64, |product, &extent| product.saturating_mul(u64::from(extent)));
        if nodes > u64::from(MAX_NODES) {
            let problem = format!("{nodes} nodes, more than the {MAX_NODES} that are supported");
            return Err(Problem::of_sizes(problem));
        }
        let mut padded = [1; 3];
        padded[..extents.len()].copy_from_slice(extents);
        wraps[extents.len()..].fill(false);
        let (by_x, by_y) = (Divider::new(padded[0]), Divider::new(padded[1]));
        let unavailable = Unavailable::default();
        Ok(Self {
            extents: padded,
            dims: extents.len(),
            wraps,
            cube: None,
            levels: None,
            by_x,
            by_y,
            unavailable,
        })
    }

    /// Returns the numbers of nodes along x, y and z. They are 1 in dimensions that the machine does not
    /// have.
    #[inline]
    pub fn extents(&self) -> [u32; 3] {
        self.extents
    }

    /// Returns the number of dimensions in the description of the machine, 1 to 3.
    #[inline]
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Returns whether the machine is an array or a ring, and not a tree of switches.
    #[inline]
    pub fn is_array(&self) -> bool {
        self.dims == 1 && self.levels.is_none()
    }

    /// Returns whether a submesh with these sides along x, y and z is not longer than the machine anywhere.
    #[inline]
    pub fn fits(&self, sides: [u32; 3]) -> bool {
        (0..3).all(|d| sides[d] <= self.extents()[d])
    }

    /// Returns the sides of the cubes of a machine whose cubes are joined by optical circuit switches; `None`
    /// if the machine has no switches. The cubes form a row along z: cube n begins at (0, 0, n · depth of a
    /// cube), and has consecutive node numbers. Distances are measured in that row, as if no switch had
    /// joined other cubes.
    #[inline]
    pub fn cube(&self) -> Option<[u32; 3]> {
        self.cube
    }

    /// Returns the groups of a tree of switches; `None` if the machine is not a tree.
    #[inline]
    pub fn levels(&self) -> Option<&Levels> {
        self.levels.as_deref()
    }

    /// Returns the machine that pictures draw, with the same node numbers. A tree of switches has a row for
    /// each leaf and a layer for each group of leaves; other machines are drawn as they are.
    pub fn drawn(&self) -> Cow<'_, Self> {
        let Some(levels) = &self.levels else { return Cow::Borrowed(self) };
        let fans = levels.fans();
        let (leaf, leaves) = (levels.leaf(), fans.iter().rev().nth(1).copied().unwrap_or(1));
        let sides = [leaf, leaves, self.nodes() / (leaf * leaves)];
        let rows = Self::new(&sides[..fans.len().min(3)]);
        rows.map_or(Cow::Borrowed(self), |rows| {
            Cow::Owned(Self { unavailable: self.unavailable.clone(), ..rows })
        })
    }

    /// Returns the number of hops of a shortest path between two nodes; on a tree of switches, of links.
    pub fn distance(&self, a: NodeId, b: NodeId) -> u32 {
        match &self.levels {
            Some(levels) => levels.links(a, b),
            None => self.l1(self.coord(a), self.coord(b)),
        }
    }

    /// Returns whether dimension `d` wraps around: whether its first and its last position are neighbours. A
    /// dimension of one node never wraps, since there is nothing to join.
    #[inline]
    pub fn wraps(&self, d: usize) -> bool {
        self.wraps[d] && self.extents[d] > 1
    }

    /// Returns [`Self::wraps`] of each dimension.
    #[inline]
    pub fn wrap(&self) -> [bool; 3] {
        [0, 1, 2].map(|d| self.wraps(d))
    }

    /// Returns whether some dimension wraps around.
    #[inline]
    pub fn wraps_any(&self) -> bool {
        (0..3).any(|d| self.wraps(d))
    }

    /// Returns whether some dimension is a ring of an odd number of nodes. Without one, a step between
    /// neighbours always changes the parity of x + y + z, so that nodes equally far from a third one are an
    /// even number of hops apart.
    #[inline]
    pub fn has_odd_ring(&self) -> bool {
        (0..3).any(|d| self.wraps(d) && self.extents[d] % 2 == 1)
    }

    /// Returns whether the description makes every dimension wrap around, as it does for a torus.
    fn wraps_everywhere(&self) -> bool {
        self.wraps[..self.dims].iter().all(|&wraps| wraps)
    }

    /// Returns the same machine with more nodes unavailable, given as intervals `runs` of first and last
    /// nodes. The result is an error if a node is outside the machine, is unavailable already or is named
    /// twice, or if no node is left.
    #[inline]
    pub fn without(&self, runs: &[(NodeId, NodeId)]) -> Result<Self, UnavailableError> {
        let all = [self.unavailable(), runs].concat();
        Ok(Self { unavailable: Unavailable::new(all, self.nodes())?, ..self.clone() })
    }

    /// Returns the number of nodes, available or not: all nodes have numbers below it.
    #[inline]
    pub fn nodes(&self) -> u32 {
        self.extents.iter().product()
    }

    /// Returns the number of nodes that jobs can have.
    #[inline]
    pub fn available(&self) -> u32 {
        self.nodes() - self.unavailable.count()
    }

    /// Returns the nodes that no job can have, as intervals of their first and last nodes, ascending. There
    /// are none on most machines.
    #[inline]
    pub fn unavailable(&self) -> &[(NodeId, NodeId)] {
        self.unavailable.runs()
    }

    /// Returns whether jobs can have `node`. O(log r) for r intervals of unavailable nodes.
    #[inline]
    pub fn is_available(&self, node: NodeId) -> bool {
        !self.unavailable.contains(node)
    }

    /// Returns the coordinates of `node`.
    #[inline]
    pub fn coord(&self, node: NodeId) -> Coord {
        let row = self.by_x.quotient(node);
        let layer = self.by_y.quotient(row);
        [node - row * self.extents[0], row - layer * self.extents[1], layer]
    }

    /// Returns the node at `coord`, which must lie inside the machine.
    #[inline]
    pub fn node(&self, coord: Coord) -> NodeId {
        debug_assert!((0..3).all(|d| coord[d] < self.extents[d]), "{coord:?} outside {self}");
        coord[0] + self.extents[0] * (coord[1] + self.extents[1] * coord[2])
    }

    /// Returns the hops between positions `a` and `b` of dimension `d`, the shorter way round if the
    /// dimension wraps.
    #[inline]
    pub fn hops(&self, d: usize, a: u32, b: u32) -> u32 {
        let straight = a.abs_diff(b);
        if self.wraps[d] { straight.min(self.extents[d] - straight) } else { straight }
    }

    /// Returns the L1 distance of two nodes: the number of hops of a shortest path between them.
    #[inline]
    pub fn l1(&self, a: Coord, b: Coord) -> u32 {
        (0..3).map(|d| self.hops(d, a[d], b[d])).sum()
    }

    /// Returns the L∞ distance of two nodes: the greatest of their hops along one dimension.
    #[inline]
    pub fn l_inf(&self, a: Coord, b: Coord) -> u32 {
        (0..3).map(|d| self.hops(d, a[d], b[d])).max().unwrap_or(0)
    }

    /// Returns every node in *location order*: sorted by x, then y, then z. Centre-based and buddy allocators
    /// break ties by it.
    #[inline]
    pub fn location_order(&self) -> impl Iterator<Item = NodeId> + '_ {
        let [width, length, depth] = self.extents;
        (0..width)
            .flat_map(move |x| (0..length).flat_map(move |y| (0..depth).map(move |z| self.node([x, y, z]))))
    }
}

/// Division by a fixed number through one multiplication. The result is exact: for n, d < 2^32, n/d is the
/// high half of n · ⌈2^64/d⌉ (Lemire, Kaser, Kurz, "Faster remainder by direct computation", Softw. Pract.
/// Exper. 2019).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Divider {
    divisor: u32,
    magic: u64,
}

impl Divider {
    /// Returns the division by `divisor`, which must be at least 1.
    fn new(divisor: u32) -> Self {
        // For divisor 1 the factor would be 2^64, which does not fit into 64 bits, so `quotient` treats it
        // separately.
        let magic = if divisor == 1 { 0 } else { u64::MAX / u64::from(divisor) + 1 };
        Self { divisor, magic }
    }

    /// Returns ⌊`n` / divisor⌋.
    fn quotient(self, n: u32) -> u32 {
        if self.divisor == 1 {
            return n;
        }
        ((u128::from(self.magic) * u128::from(n)) >> 64) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_coordinates_are_inverse() -> Result<(), MeshError> {
        for text in ["7", "16x8", "5x5x4", "1x9", "torus:3x1x2", "4x3x2:wrap=xz", "4096x4096"] {
            let mesh: Mesh = text.parse()?;
            assert_eq!(mesh.to_string(), text);
            for node in (0..mesh.nodes()).step_by(1 + mesh.nodes() as usize / 1000) {
                let [x, y, z] = mesh.coord(node);
                let [width, length, _] = mesh.extents();
                assert_eq!([x, y, z], [node % width, node / width % length, node / width / length]);
                assert_eq!(mesh.node([x, y, z]), node);
            }
        }
        Ok(())
    }

    #[test]
    fn torus_distances_go_the_shorter_way_round() -> Result<(), MeshError> {
        let (mesh, torus) = (Mesh::new(&[8, 5])?, Mesh::torus(&[8, 5])?);
        assert_eq!((mesh.l1([0, 0, 0], [7, 4, 0]), torus.l1([0, 0, 0], [7, 4, 0])), (11, 2));
        assert_eq!((mesh.l_inf([0, 0, 0], [4, 4, 0]), torus.l_inf([0, 0, 0], [4, 4, 0])), (4, 4));
        Ok(())
    }

    #[test]
    fn each_dimension_wraps_on_its_own() -> Result<(), MeshError> {
        let mesh: Mesh = "8x5x4:wrap=xz".parse()?;
        assert_eq!((mesh.wrap(), mesh.wraps_any()), ([true, false, true], true));
        assert_eq!((mesh.l1([0, 0, 0], [7, 4, 3]), mesh.l_inf([0, 0, 0], [7, 4, 3])), (1 + 4 + 1, 4));
        assert_eq!(Mesh::wrapping(&[8, 5, 4], [true, false, true])?, mesh);
        assert_eq!(Mesh::torus(&[1, 9])?.wrap(), [false, true, false]);
        assert!(!Mesh::torus(&[1])?.wraps_any() && !Mesh::new(&[3, 3])?.wraps_any());
        Ok(())
    }

    #[test]
    fn trees_are_drawn_in_rows_of_leaves() -> Result<(), MeshError> {
        for (text, extents) in
            [("tree:24", [24, 1, 1]), ("tree:18x24", [24, 18, 1]), ("tree:2x3x8x4", [4, 8, 6])]
        {
            let mesh: Mesh = format!("{text}:without=3").parse()?;
            assert_eq!((mesh.drawn().extents(), mesh.drawn().unavailable()), (extents, &[(3, 3)][..]));
        }
        let (mesh, tree): (Mesh, Mesh) = ("4x3".parse()?, "tree:3x4".parse()?);
        assert_eq!((*mesh.drawn() == mesh, mesh.distance(0, 11), tree.distance(0, 11)), (true, 5, 4));
        assert!("7".parse::<Mesh>()?.is_array() && !tree.is_array());
        Ok(())
    }

    #[test]
    fn location_order_is_x_then_y_then_z() -> Result<(), MeshError> {
        let mesh = Mesh::new(&[2, 2, 2])?;
        let order: Vec<Coord> = mesh.location_order().map(|node| mesh.coord(node)).collect();
        assert_eq!(order[..3], [[0, 0, 0], [0, 0, 1], [0, 1, 0]]);
        assert!(order.is_sorted());
        Ok(())
    }
}
