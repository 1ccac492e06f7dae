//! Spliced Hilbert curves of rectangles: Hilbert squares side by side (walker-2010, Fig. 5).

use super::hilbert_walk::{bits, node, skilling, walk};
use super::{Mesh, NodeId, Sides};

/// Tiles the rectangle with squares whose side is the largest power of two that fits its short side, each walked from
/// its lower left to its lower right; the tiles follow each other along the short side first. Tiles that overhang are
/// walked without the nodes that are missing. Takes machines of at most two dimensions.
pub(super) fn nodes(mesh: &Mesh) -> Vec<NodeId> {
    let Sides([long, short, _]) = Sides::of(mesh);
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

/// Continuous where whole tiles make one row: the short side is 2^n and divides the long one.
pub(super) fn is_continuous(mesh: &Mesh) -> bool {
    let Sides([long, short, _]) = Sides::of(mesh);
    short.extent == tile(short.extent) && long.extent.is_multiple_of(short.extent)
}

/// Returns the largest power of two up to `extent`.
fn tile(extent: u32) -> u32 {
    1 << extent.ilog2()
}
