//! The shape of a machine (mesh, torus or array): node numbers, coordinates and distances.

use std::fmt;
use std::str::FromStr;

pub use super::node::{Coord, NodeId};
use super::unavailable::Unavailable;
pub use super::unavailable::UnavailableError;

/// The greatest number of nodes of a machine.
pub const MAX_NODES: u32 = 1 << 24;

/// The shape of a machine: one to three dimensions. On a torus all of them wrap around. Some nodes can be unavailable:
/// they have a number and a place, but no job can have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mesh {
    extents: [u32; 3],
    dims: usize,
    torus: bool,
    by_x: Divider,
    by_y: Divider,
    unavailable: Unavailable,
}

/// The error for a description of a machine that does not follow the grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("machine '{text}': {problem}; expected 1 to 3 sizes such as 400, 16x8, 8x8x4 or torus:16x8")]
pub struct MeshError {
    text: String,
    problem: String,
}

impl Mesh {
    /// Returns the mesh with these extents (1 to 3 numbers, x first). The result is an error if an extent is 0 or there
    /// are more than [`MAX_NODES`] nodes.
    pub fn new(extents: &[u32]) -> Result<Self, MeshError> {
        Self::build(extents, false, &label(extents, false))
    }

    /// Returns the torus with these extents (1 to 3 numbers, x first), in which every dimension wraps around. The
    /// result is an error if an extent is 0 or there are more than [`MAX_NODES`] nodes.
    pub fn torus(extents: &[u32]) -> Result<Self, MeshError> {
        Self::build(extents, true, &label(extents, true))
    }

    /// Returns the mesh or torus with these extents. `text` is the description for the error.
    fn build(extents: &[u32], torus: bool, text: &str) -> Result<Self, MeshError> {
        let fail = |problem: String| MeshError { text: text.to_owned(), problem };
        if extents.is_empty() || extents.len() > 3 {
            return Err(fail(format!("{} dimensions", extents.len())));
        }
        if let Some(i) = extents.iter().position(|&extent| extent == 0) {
            return Err(fail(format!("size {} is 0", i + 1)));
        }
        let nodes = extents.iter().fold(1_u64, |product, &extent| product.saturating_mul(u64::from(extent)));
        if nodes > u64::from(MAX_NODES) {
            return Err(fail(format!("{nodes} nodes, more than the {MAX_NODES} that are supported")));
        }
        let mut padded = [1; 3];
        padded[..extents.len()].copy_from_slice(extents);
        let (by_x, by_y) = (Divider::new(padded[0]), Divider::new(padded[1]));
        let unavailable = Unavailable::default();
        Ok(Self { extents: padded, dims: extents.len(), torus, by_x, by_y, unavailable })
    }

    /// Returns the numbers of nodes along x, y and z. They are 1 in dimensions that the machine does not have.
    pub fn extents(&self) -> [u32; 3] {
        self.extents
    }

    /// Returns the number of dimensions in the description of the machine, 1 to 3.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Returns whether the dimensions wrap around.
    pub fn is_torus(&self) -> bool {
        self.torus
    }

    /// Returns whether dimension `d` wraps around.
    pub fn wraps(&self, _d: usize) -> bool {
        self.torus
    }

    /// Returns the same machine with more nodes unavailable: those of `runs`, each given by its first and its last node.
    /// The result is an error if one of them is outside the machine, is unavailable already or is named twice, or if no
    /// node is left.
    pub fn without(&self, runs: &[(NodeId, NodeId)]) -> Result<Self, UnavailableError> {
        let all = [self.unavailable(), runs].concat();
        Ok(Self { unavailable: Unavailable::new(all, self.nodes())?, ..self.clone() })
    }

    /// Returns the number of nodes, available or not: all nodes have numbers below it.
    pub fn nodes(&self) -> u32 {
        self.extents.iter().product()
    }

    /// Returns the number of nodes that jobs can have.
    pub fn available(&self) -> u32 {
        self.nodes() - self.unavailable.count()
    }

    /// Returns the nodes that no job can have, as intervals of their first and last nodes, ascending. There are none on
    /// most machines.
    pub fn unavailable(&self) -> &[(NodeId, NodeId)] {
        self.unavailable.runs()
    }

    /// Returns whether jobs can have `node`. O(log r) for r intervals of unavailable nodes.
    pub fn is_available(&self, node: NodeId) -> bool {
        !self.unavailable.contains(node)
    }

    /// Returns the coordinates of `node`.
    pub fn coord(&self, node: NodeId) -> Coord {
        let row = self.by_x.quotient(node);
        let layer = self.by_y.quotient(row);
        [node - row * self.extents[0], row - layer * self.extents[1], layer]
    }

    /// Returns the node at `coord`, which must lie inside the machine.
    pub fn node(&self, coord: Coord) -> NodeId {
        debug_assert!((0..3).all(|d| coord[d] < self.extents[d]), "{coord:?} outside {self}");
        coord[0] + self.extents[0] * (coord[1] + self.extents[1] * coord[2])
    }

    /// Returns the hops between positions `a` and `b` of dimension `d`. On a torus it is the shorter way round.
    pub fn hops(&self, d: usize, a: u32, b: u32) -> u32 {
        let straight = a.abs_diff(b);
        if self.torus { straight.min(self.extents[d] - straight) } else { straight }
    }

    /// Returns the L1 distance of two nodes: the number of hops of a shortest path between them.
    pub fn l1(&self, a: Coord, b: Coord) -> u32 {
        (0..3).map(|d| self.hops(d, a[d], b[d])).sum()
    }

    /// Returns the L∞ distance of two nodes: the greatest of their hops along one dimension.
    pub fn l_inf(&self, a: Coord, b: Coord) -> u32 {
        (0..3).map(|d| self.hops(d, a[d], b[d])).max().unwrap_or(0)
    }

    /// Returns every node in *location order*: sorted by x, then y, then z. Centre-based and buddy allocators break
    /// ties by it.
    pub fn location_order(&self) -> impl Iterator<Item = NodeId> + '_ {
        let [width, length, depth] = self.extents;
        (0..width)
            .flat_map(move |x| (0..length).flat_map(move |y| (0..depth).map(move |z| self.node([x, y, z]))))
    }
}

/// Returns the description of a machine, such as `16x8` or `torus:16x8`.
fn label(extents: &[u32], torus: bool) -> String {
    let sizes: Vec<String> = extents.iter().map(u32::to_string).collect();
    format!("{}{}", if torus { "torus:" } else { "" }, sizes.join("x"))
}

impl fmt::Display for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&label(&self.extents[..self.dims], self.torus))
    }
}

impl FromStr for Mesh {
    type Err = MeshError;

    fn from_str(text: &str) -> Result<Self, MeshError> {
        let fail = |problem: String| MeshError { text: text.to_owned(), problem };
        let (sizes, torus) = match text.split_once(':') {
            Some(("torus", sizes)) => (sizes, true),
            Some(("mesh", sizes)) => (sizes, false),
            Some((other, _)) => return Err(fail(format!("unknown kind '{other}'"))),
            None => (text, false),
        };
        let mut extents = Vec::new();
        for part in sizes.split('x') {
            extents.push(part.parse().map_err(|_| fail(format!("'{part}' is not a size")))?);
        }
        Self::build(&extents, torus, text)
    }
}

/// Division by a fixed number through one multiplication. The result is exact: for n, d < 2^32, n/d is the high half of
/// n · ⌈2^64/d⌉ (Lemire, Kaser, Kurz, "Faster remainder by direct computation", Softw. Pract. Exper. 2019).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Divider {
    divisor: u32,
    magic: u64,
}

impl Divider {
    /// Returns the division by `divisor`, which must be at least 1.
    fn new(divisor: u32) -> Self {
        // For divisor 1 the factor would be 2^64, which does not fit into 64 bits, so `quotient` treats it separately.
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
        for text in ["7", "16x8", "5x5x4", "1x9", "torus:3x1x2", "4096x4096"] {
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
    fn wrong_machines_are_named() {
        for (text, problem) in [
            ("0x8", "size 1 is 0"),
            ("16x", "'' is not a size"),
            ("16*8", "'16*8' is not a size"),
            ("2x2x2x2", "4 dimensions"),
            ("ring:8", "unknown kind 'ring'"),
            ("65536x65536", "4294967296 nodes"),
            ("-4", "'-4' is not a size"),
        ] {
            let message = text.parse::<Mesh>().expect_err("wrong").to_string();
            assert!(message.contains(problem), "{text}: {message}");
        }
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
