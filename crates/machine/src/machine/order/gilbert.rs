//! The generalised Hilbert curve of rectangles and cuboids of any size (after J. Červený).
//!
//! A block is a corner and three edges. Its path starts at the corner and ends at the far end of the first
//! edge. A long block is cut across its first edge into two. Other blocks are cut into three (flat or tall
//! blocks) or five (cube-like blocks), along which the path goes up, over and back down. Each part is again a
//! block with its own first edge. An edge is cut so that its first part has even length where that is
//! possible. The reason is parity: a path that ends at the far end of an edge of odd length cannot visit all
//! nodes of a block whose cross-section has an even number of nodes.

use super::{Mesh, NodeId, Side, Sides};

/// Returns the nodes along the curve. It starts at node 0 and ends at the far end of the longest side, except
/// on rectangles with an odd side and a side of 2 nodes.
pub(super) fn nodes(mesh: &Mesh) -> Vec<NodeId> {
    let sides = Sides::from_mesh(mesh);
    let mut nodes = Vec::with_capacity(sides.nodes());
    Block { corner: 0, edges: sides.0.map(Edge::along) }.visit(&mut nodes);
    nodes
}

/// Returns whether the curve is sure to be continuous: on lines, on rectangles unless parity forbids it, and
/// on cuboids with even sides.
///
/// If the long side of a rectangle is odd and the short side is even, the curve has exactly one diagonal
/// step, of two hops. Colour the nodes like a chessboard: the two ends of the curve have the same colour, so
/// the curve cannot visit as many black as white nodes. (If the short side is 2, the curve ends elsewhere and
/// has no such step.) In most cuboids with an odd side some steps are longer than one hop. Up to 12 nodes a
/// side these are at most one step in ten.
pub(super) fn is_continuous(mesh: &Mesh) -> bool {
    let sides = Sides::from_mesh(mesh);
    let Sides([long, middle, short]) = sides;
    let even = |side: Side| side.extent.is_multiple_of(2);
    match sides.dims() {
        0 | 1 => true,
        2 => even(long) || !even(middle) || middle.extent == 2,
        _ => even(long) && even(middle) && even(short),
    }
}

/// An edge of a block: its number of nodes, and the signed step in node numbers along it.
#[derive(Clone, Copy)]
struct Edge {
    length: i64,
    step: i64,
}

impl Edge {
    /// Returns the edge along a whole side of the machine.
    fn along(side: Side) -> Self {
        Self { length: i64::from(side.extent), step: i64::from(side.stride) }
    }

    /// Returns the first half and the rest. The length of the first half is even unless the edge has two
    /// nodes.
    fn halves(self) -> (Self, Self) {
        let mut half = self.length / 2;
        if half % 2 == 1 && self.length > 2 {
            half += 1;
        }
        (Self { length: half, ..self }, Self { length: self.length - half, ..self })
    }

    /// Returns the first half, rounded down, and the rest.
    fn plain_halves(self) -> (Self, Self) {
        let half = self.length / 2;
        (Self { length: half, ..self }, Self { length: self.length - half, ..self })
    }

    /// Returns the edge in the opposite direction. The caller has to start at its other end.
    fn reversed(self) -> Self {
        Self { step: -self.step, ..self }
    }

    /// Returns the offset, in node numbers, from the first node to the position just behind the last.
    fn past(self) -> i64 {
        self.length * self.step
    }

    /// Returns the offset, in node numbers, from the first node to the last.
    fn last(self) -> i64 {
        self.past() - self.step
    }
}

/// A cuboid of nodes: its corner as a node number, and its edges from there. The path through it starts at
/// the corner and ends at the far end of the first edge.
#[derive(Clone, Copy)]
struct Block {
    corner: i64,
    edges: [Edge; 3],
}

impl Block {
    /// Appends the nodes of the block to `nodes`, along the path.
    fn visit(self, nodes: &mut Vec<NodeId>) {
        let [a, b, c] = self.edges;
        let [wide, high, deep] = self.edges.map(|edge| edge.length);
        let longest = wide.max(high).max(deep);
        // A row of nodes is visited directly.
        if wide * high * deep == longest {
            let step = self.edges.iter().find(|edge| edge.length == longest).map_or(0, |edge| edge.step);
            nodes.extend((0..longest).map(|i| (self.corner + i * step) as NodeId));
        } else if 2 * wide > 3 * high && 2 * wide > 3 * deep {
            let (near, far) = a.halves();
            self.part(0, [near, b, c]).visit(nodes);
            self.part(near.past(), [far, b, c]).visit(nodes);
        } else if 3 * high > 4 * deep {
            self.arch(b, c, false, nodes);
        } else if 3 * deep > 4 * high {
            self.arch(c, b, true, nodes);
        } else {
            self.knot(nodes);
        }
    }

    /// Returns the block with these edges whose corner is `offset` node numbers from the corner of this
    /// block.
    fn part(self, offset: i64, edges: [Edge; 3]) -> Self {
        Self { corner: self.corner + offset, edges }
    }

    /// Visits three blocks: up along the first half of `up` in the near half of the first edge, across in the
    /// other half of `up`, and back down in the far half of the first edge. `flat` is the edge that is not
    /// cut; with `flat_last` it comes last in the upright blocks.
    fn arch(self, up: Edge, flat: Edge, flat_last: bool, nodes: &mut Vec<NodeId>) {
        let a = self.edges[0];
        let (near, far) = if flat.length == 1 { a.plain_halves() } else { a.halves() };
        let (low, high) = up.halves();
        let pose = |first, second| if flat_last { [first, second, flat] } else { [first, flat, second] };
        let over = if flat_last { [a, flat, high] } else { [a, high, flat] };
        self.part(0, pose(low, near)).visit(nodes);
        self.part(low.past(), over).visit(nodes);
        self.part(a.last() + low.last(), pose(low.reversed(), far.reversed())).visit(nodes);
    }

    /// Visits five blocks: up, over to the far side of the third edge, along the first edge there, back, and
    /// down.
    fn knot(self, nodes: &mut Vec<NodeId>) {
        let [a, b, c] = self.edges;
        let ((near, far), (low, high), (front, back)) = (a.halves(), b.halves(), c.halves());
        self.part(0, [low, front, near]).visit(nodes);
        self.part(low.past(), [c, near, high]).visit(nodes);
        self.part(low.last() + c.last(), [a, low.reversed(), back.reversed()]).visit(nodes);
        self.part(a.last() + low.past() + c.last(), [c.reversed(), far.reversed(), high]).visit(nodes);
        self.part(a.last() + low.last(), [low.reversed(), front, far.reversed()]).visit(nodes);
    }
}
