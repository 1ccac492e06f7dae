//! Spliced Hilbert curves of rectangles: the Hilbert curves of squares, side by side (P. Walker, D. Bunde, V.
//! Leung, 2010, Fig. 5).

use super::hilbert::{bits, node, skilling, walk};
use super::{Mesh, NodeId, Sides};

/// Returns the nodes along the spliced curve of a machine with at most two dimensions.
///
/// The rectangle is tiled with squares. Their side is the largest power of two that fits into the short side.
/// The curve of each square starts at its lower left corner and ends at its lower right, where the long side
/// is horizontal. The squares follow each other along the short side first. Squares that reach beyond the
/// rectangle are walked without the missing nodes.
pub(super) fn nodes(mesh: &Mesh) -> Vec<NodeId> {
    let Sides([long, short, _]) = Sides::from_mesh(mesh);
    let tile = tile(short.extent);
    let cells: Vec<u32> = (0..tile).collect();
    let mut nodes = Vec::with_capacity((long.extent * short.extent) as usize);
    for x in (0..long.extent).step_by(tile as usize) {
        for y in (0..short.extent).step_by(tile as usize) {
            let width = tile.min(long.extent - x) as usize;
            let height = tile.min(short.extent - y) as usize;
            walk([&cells[..width], &cells[..height]], bits(tile), skilling, |[i, j]| {
                nodes.push(node(&[long, short], [x + i, y + j]));
            });
        }
    }
    nodes
}

/// Returns whether the curve is sure to be continuous. This holds if whole squares make one row: the short
/// side is 2^n and divides the long side.
pub(super) fn is_continuous(mesh: &Mesh) -> bool {
    let Sides([long, short, _]) = Sides::from_mesh(mesh);
    short.extent == tile(short.extent) && long.extent.is_multiple_of(short.extent)
}

/// Returns the largest power of two that is at most `extent`.
fn tile(extent: u32) -> u32 {
    1 << extent.ilog2()
}
