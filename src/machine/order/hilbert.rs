//! The Hilbert curve of squares and cubes.

use super::hilbert_walk::{bits, node, skilling, walk};
use super::{Mesh, NodeId, Side, Sides, spliced};

/// Squares and cubes of side 2^n in Hilbert order from the origin to the far end of x; other rectangles as
/// [`spliced`]; other boxes in the order of the enclosing cube, which jumps where the cube's curve leaves the box.
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

/// Continuous on squares and cubes of side 2^n and where the spliced order is.
pub(super) fn is_continuous(mesh: &Mesh) -> bool {
    let Sides([long, _, short]) = Sides::of(mesh);
    if short.extent == 1 {
        return spliced::is_continuous(mesh);
    }
    long == Side { extent: short.extent, ..long } && long.extent.is_power_of_two()
}
