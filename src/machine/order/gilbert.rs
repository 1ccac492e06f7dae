//! The generalised Hilbert curve of rectangles and boxes of any size (after J. Červený).
//!
//! A block is a corner and three edges that span it; its path leaves the corner and ends at the far end of the first
//! edge. Long blocks are cut across; others become three (flat or tall) or five (cube-like) blocks that go up, over and
//! back down, each again a block with its own first edge. Halves are made even where that is possible, since a path
//! along an edge of odd length cannot cover a cross-section of even size.

use super::{Mesh, NodeId, Side, Sides};

/// Returns the curve from the first node to the far end of the longest side.
pub(super) fn nodes(mesh: &Mesh) -> Vec<NodeId> {
    let sides = Sides::of(mesh);
    let mut nodes = Vec::with_capacity(sides.nodes());
    Block { corner: 0, edges: sides.0.map(Edge::along) }.visit(&mut nodes);
    nodes
}

/// Continuous on lines, on rectangles unless parity forbids it, and on boxes of which every side is even.
///
/// A rectangle whose long side is odd and whose short side is even (and longer than 2, where the path ends elsewhere)
/// has exactly one diagonal step of two hops: a path between two corners on the same colour of a chessboard cannot
/// cover as many black as white fields. Boxes with odd sides have some, at most one in ten steps up to 12 a side.
pub(super) fn is_continuous(mesh: &Mesh) -> bool {
    let sides = Sides::of(mesh);
    let Sides([long, middle, short]) = sides;
    let even = |side: Side| side.extent.is_multiple_of(2);
    match sides.dims() {
        0 | 1 => true,
        2 => even(long) || !even(middle) || middle.extent == 2,
        _ => even(long) && even(middle) && even(short),
    }
}

/// An edge of a block: its number of nodes and the signed step in node numbers along it.
#[derive(Clone, Copy)]
struct Edge {
    length: i64,
    step: i64,
}

impl Edge {
    fn along(side: Side) -> Self {
        Self { length: i64::from(side.extent), step: i64::from(side.stride) }
    }

    /// Returns the first half, even if it can be, and the rest.
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

    /// Returns the same nodes from the other end.
    fn reversed(self) -> Self {
        Self { step: -self.step, ..self }
    }

    /// Offset of the node after its last.
    fn past(self) -> i64 {
        self.length * self.step
    }

    /// Offset of its last node.
    fn last(self) -> i64 {
        self.past() - self.step
    }
}

/// A box of nodes and the way through it.
#[derive(Clone, Copy)]
struct Block {
    corner: i64,
    edges: [Edge; 3],
}

impl Block {
    fn visit(self, nodes: &mut Vec<NodeId>) {
        let [a, b, c] = self.edges;
        let [wide, high, deep] = self.edges.map(|edge| edge.length);
        let longest = wide.max(high).max(deep);
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

    /// Returns the block spanned by `edges` whose corner lies `offset` from this one's.
    fn part(self, offset: i64, edges: [Edge; 3]) -> Self {
        Self { corner: self.corner + offset, edges }
    }

    /// Up along one half of `up` in the near half of the first edge, across, and back down in the far half. `flat` is
    /// the edge that is not cut.
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

    /// Five blocks: up, over to the far side of the third edge, along the first edge there, back, and down.
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
