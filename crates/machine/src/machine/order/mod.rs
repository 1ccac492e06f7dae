//! Linear orders of the nodes of a machine: the space-filling curves of curve allocators and of paging.
//!
//! An order is a bijection between ranks 0, 1, … and nodes. Curves are defined with the *longest* side of the
//! machine as their x axis, whichever side that is. So the curve of 8x16 is the mirror image of that of 16x8,
//! and results do not depend on how a user writes a machine down. Of equal sides, x counts as the longer one,
//! then y, then z.
//!
//! Each family of orders has one file, and each order has one row of [`ORDERS`].
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "strides, coordinates and ranks are at most the 2^24 nodes of a machine, and what a walk adds \
         with a sign fits 64 bits; an order file has a bounded number of bytes for each node"
)]

mod file;
mod gilbert;
mod hilbert;
mod major;
mod spliced;
mod zoltan;

pub use file::{OrderFileError, from_file};

use super::{Mesh, NodeId};
use meshreplay_base::spec::{self, SpecError};

/// A bijection between ranks and nodes, both numbered `0..N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    name: String,
    nodes: Vec<NodeId>,
    ranks: Vec<u32>,
}

/// The reason why a list of nodes is no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// The number of a node is not below the length of the list.
    #[error("rank {rank} is node {node}, but the nodes of an order of {nodes} are numbered from 0 to \
         {}", .nodes - 1)]
    Outside {
        /// The index of the node in the list.
        rank: u32,
        /// The number of the node.
        node: NodeId,
        /// The length of the list.
        nodes: u32,
    },
    /// A node is in the list twice, so another one is missing.
    #[error("node {node} has rank {first} and rank {second}")]
    Twice {
        /// The number of the node.
        node: NodeId,
        /// The first index of the node in the list.
        first: u32,
        /// The second index of the node in the list.
        second: u32,
    },
}

impl Order {
    /// Returns the order with `nodes[r]` at rank r. The list must have each of the nodes `0..nodes.len()`
    /// exactly once. O(N).
    pub fn from_nodes(name: &str, nodes: Vec<NodeId>) -> Result<Self, OrderError> {
        const NONE: u32 = u32::MAX;
        let mut ranks = vec![NONE; nodes.len()];
        for (rank, &node) in nodes.iter().enumerate() {
            let rank = rank as u32;
            match ranks.get_mut(node as usize) {
                None => return Err(OrderError::Outside { rank, node, nodes: nodes.len() as u32 }),
                Some(place) if *place != NONE => {
                    return Err(OrderError::Twice { node, first: *place, second: rank });
                }
                Some(place) => *place = rank,
            }
        }
        Ok(Self { name: name.to_owned(), nodes, ranks })
    }

    /// Returns the name under which the order is registered, or the path of the file it was read from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether the order has no nodes. No machine has such an order.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the node at `rank`, which must be below the number of nodes.
    pub fn node_at(&self, rank: u32) -> NodeId {
        self.nodes[rank as usize]
    }

    /// Returns the rank of `node`, which must be below the number of nodes.
    pub fn rank_of(&self, node: NodeId) -> u32 {
        self.ranks[node as usize]
    }

    /// Returns all nodes, sorted by rank.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Returns the ranks of all nodes, sorted by node.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// Returns the jumps of the curve on `mesh`: each rank whose successor is not a neighbour, with the L1
    /// distance of the two nodes in hops. There are none if the curve is continuous. `mesh` must have as many
    /// nodes as the order.
    pub fn jumps<'a>(&'a self, mesh: &'a Mesh) -> impl Iterator<Item = (u32, u32)> + 'a {
        let hops = |pair: &[NodeId]| mesh.l1(mesh.coord(pair[0]), mesh.coord(pair[1]));
        (0..)
            .zip(self.nodes.windows(2))
            .map(move |(rank, pair)| (rank, hops(pair)))
            .filter(|jump| jump.1 != 1)
    }

    /// Returns whether nodes of consecutive ranks are always neighbours on `mesh`. O(N).
    pub fn is_continuous(&self, mesh: &Mesh) -> bool {
        self.jumps(mesh).next().is_none()
    }
}

/// A registered order.
#[derive(Debug)]
pub struct OrderEntry {
    /// The name on the command line and in results.
    pub name: &'static str,
    /// One line that describes the order in lists.
    pub summary: &'static str,
    /// The publication that defines the order.
    pub source: &'static str,
    /// The greatest number of dimensions (sides longer than one node) of a machine that the order supports.
    pub max_dims: usize,
    /// A function that returns whether the order is certain to be continuous on a mesh or torus of this
    /// shape. On other shapes it may be continuous by chance.
    pub continuous: fn(&Mesh) -> bool,
    /// A function that lists the nodes by rank. It is only called for machines with at most `max_dims`
    /// dimensions.
    nodes: fn(&Mesh) -> Vec<NodeId>,
}

impl OrderEntry {
    /// Returns the order of the nodes of `mesh`. The result is an error if the machine has too many
    /// dimensions. O(N) time and space; under a second for 2^24 nodes.
    pub fn build(&self, mesh: &Mesh) -> Result<Order, SpecError> {
        let unsuited = |problem: String| SpecError::Unsuited {
            owner: self.name.to_owned(),
            machine: mesh.to_string(),
            problem,
        };
        if Sides::from_mesh(mesh).dims() > self.max_dims {
            let most = self.max_dims;
            return Err(unsuited(format!(
                "it orders at most {most} dimensions; use hilbert or gilbert instead"
            )));
        }
        // Every function of a row makes a permutation (tests check all small shapes), so this error never
        // occurs.
        Order::from_nodes(self.name, (self.nodes)(mesh)).map_err(|error| unsuited(error.to_string()))
    }
}

/// The publications that the rows below refer to.
const LO: &str = "V. Lo, K. Windisch, W. Liu, B. Nitzberg, Noncontiguous processor allocation algorithms for \
                  mesh-connected multicomputers, IEEE TPDS 8(7), 1997";
const WALKER: &str = "P. Walker, D. P. Bunde, V. J. Leung, Faster high-quality processor allocation, 2010";
const HILBERT: &str = "D. Hilbert, Über die stetige Abbildung einer Linie auf ein Flächenstück, Math. Ann. \
     38, 1891; as an order of processors: V. J. Leung et al., CLUSTER 2002";
const ZOLTAN: &str = "the Hilbert space-filling-curve partitioner of the Zoltan library (K. Devine et al.), \
     used by P. Walker, D. P. Bunde, V. J. Leung, 2010";
const GILBERT: &str = "J. Červený, generalised Hilbert curve for rectangles and boxes of any size";

/// Every registered order.
pub const ORDERS: &[OrderEntry] = &[
    OrderEntry {
        name: "row-major",
        summary: "runs along the longest side, then the next, never reversing",
        source: LO,
        max_dims: 3,
        continuous: is_line,
        nodes: major::row,
    },
    OrderEntry {
        name: "column-major",
        summary: "runs along the shortest side, then the next, never reversing",
        source: LO,
        max_dims: 3,
        continuous: is_line,
        nodes: major::column,
    },
    OrderEntry {
        name: "row-snake",
        summary: "boustrophedon: runs along the longest side, reversing every run",
        source: WALKER,
        max_dims: 3,
        continuous: |_| true,
        nodes: major::row_snake,
    },
    OrderEntry {
        name: "column-snake",
        summary: "boustrophedon: runs along the shortest side, reversing every run",
        source: WALKER,
        max_dims: 3,
        continuous: |_| true,
        nodes: major::column_snake,
    },
    OrderEntry {
        name: "hilbert",
        summary: "Hilbert curve; spliced on other rectangles, the enclosing cube's on other boxes",
        source: HILBERT,
        max_dims: 3,
        continuous: hilbert::is_continuous,
        nodes: hilbert::nodes,
    },
    OrderEntry {
        name: "spliced-hilbert",
        summary: "Hilbert curves of the largest squares that fit, side by side (2D)",
        source: WALKER,
        max_dims: 2,
        continuous: spliced::is_continuous,
        nodes: spliced::nodes,
    },
    OrderEntry {
        name: "zoltan-hilbert",
        summary: "Hilbert keys of coordinates that are stretched to the unit square or cube, sorted",
        source: ZOLTAN,
        max_dims: 3,
        continuous: zoltan::is_continuous,
        nodes: zoltan::nodes,
    },
    OrderEntry {
        name: "gilbert",
        summary: "generalised Hilbert curve of any rectangle or box",
        source: GILBERT,
        max_dims: 3,
        continuous: gilbert::is_continuous,
        nodes: gilbert::nodes,
    },
];

/// Returns the order that is registered as `name` for the nodes of `mesh`. The result is an error if there is
/// no such order or the machine has too many dimensions for it. O(N).
pub fn build(name: &str, mesh: &Mesh) -> Result<Order, SpecError> {
    match ORDERS.iter().find(|entry| entry.name == name) {
        Some(entry) => entry.build(mesh),
        None => Err(spec::unknown("order", name, ORDERS.iter().map(|entry| entry.name))),
    }
}

/// Returns whether the machine has at most one dimension. There an order that follows the line is continuous.
fn is_line(mesh: &Mesh) -> bool {
    Sides::from_mesh(mesh).dims() <= 1
}

/// One side of a machine: its length in nodes, and the step in node numbers along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Side {
    extent: u32,
    stride: u32,
}

/// The three sides of a machine, the longest first. Of equal sides x comes before y, and y before z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sides([Side; 3]);

impl Sides {
    fn from_mesh(mesh: &Mesh) -> Self {
        let [width, length, depth] = mesh.extents();
        let mut sides = [
            Side { extent: width, stride: 1 },
            Side { extent: length, stride: width },
            Side { extent: depth, stride: width * length },
        ];
        sides.sort_by_key(|side| std::cmp::Reverse(side.extent));
        Self(sides)
    }

    /// Returns the number of sides that are longer than one node.
    fn dims(&self) -> usize {
        self.0.iter().filter(|side| side.extent > 1).count()
    }

    /// Returns the number of nodes of the machine.
    fn nodes(&self) -> usize {
        self.0.iter().map(|side| side.extent as usize).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_permutations_are_orders() {
        assert_eq!(
            Order::from_nodes("", vec![0, 3, 1]),
            Err(OrderError::Outside { rank: 1, node: 3, nodes: 3 })
        );
        assert_eq!(
            Order::from_nodes("", vec![2, 1, 2]),
            Err(OrderError::Twice { node: 2, first: 0, second: 2 })
        );
        let order = Order::from_nodes("mine", vec![2, 0, 1]).expect("a permutation");
        assert_eq!((order.ranks(), order.rank_of(2), order.node_at(2)), (&[1, 2, 0][..], 0, 1));
    }

    #[test]
    fn wrong_names_and_machines_are_explained() {
        let mesh = Mesh::new(&[4, 4, 4]).expect("a machine");
        let message = build("hilbrt", &mesh).expect_err("no such order").to_string();
        assert!(message.contains("unknown order 'hilbrt', did you mean 'hilbert'?"), "{message}");
        let message = build("spliced-hilbert", &mesh).expect_err("a cube").to_string();
        assert!(message.contains("'spliced-hilbert' cannot serve machine 4x4x4"), "{message}");
        assert!(build("spliced-hilbert", &Mesh::new(&[4, 1, 4]).expect("a machine")).is_ok());
    }
}
