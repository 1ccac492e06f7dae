//! The Hilbert curve of squares and cubes.

use super::hilbert_walk::{bits, node, skilling, walk};
use super::{Mesh, NodeId, Side, Sides, spliced};

/// Returns the nodes along the curve. Squares and cubes of side 2^n have the Hilbert curve from the origin to
/// the far end of the x axis. Other rectangles have the curve of [`spliced`]. Other cuboids have the curve of
/// the smallest cube of side 2^n that contains them, without the nodes that they lack; it jumps where the
/// curve of the cube leaves the cuboid.
pub(super) fn nodes(mesh: &Mesh) -> Vec<NodeId> {
    let Sides([long, middle, short]) = Sides::of(mesh);
    if short.extent == 1 {
        return spliced::nodes(mesh);
    }
    let cells: Vec<u32> = (0..long.extent).collect();
    let sides = [long, middle, short];
    let mut nodes = Vec::with_capacity(Sides(sides).nodes());
    walk(sides.map(|side| &cells[..side.extent as usize]), bits(long.extent), skilling, |at| {
        nodes.push(node(&sides, at));
    });
    nodes
}

/// Returns whether the curve is sure to be continuous: on cubes of side 2^n, and on rectangles where
/// [`spliced`] is.
pub(super) fn is_continuous(mesh: &Mesh) -> bool {
    let Sides([long, _, short]) = Sides::of(mesh);
    if short.extent == 1 {
        return spliced::is_continuous(mesh);
    }
    long == Side { extent: short.extent, ..long } && long.extent.is_power_of_two()
}
