//! Major orders. The coordinates are the digits of the rank, as in an odometer.

use super::{Mesh, NodeId, Side, Sides};

/// Returns the nodes in the order in which the longest side runs fastest.
pub(super) fn row(mesh: &Mesh) -> Vec<NodeId> {
    let Sides([long, middle, short]) = Sides::of(mesh);
    odometer([long, middle, short])
}

/// Returns the nodes in the order in which the shortest side runs fastest.
pub(super) fn column(mesh: &Mesh) -> Vec<NodeId> {
    let Sides([long, middle, short]) = Sides::of(mesh);
    odometer([short, middle, long])
}

/// Returns every node. `fast` runs fastest, then `middle`, then `slow`, each always from its first position
/// to its last.
fn odometer([fast, middle, slow]: [Side; 3]) -> Vec<NodeId> {
    let mut nodes = Vec::with_capacity((fast.extent * middle.extent * slow.extent) as usize);
    for k in 0..slow.extent {
        for j in 0..middle.extent {
            let start = k * slow.stride + j * middle.stride;
            nodes.extend((0..fast.extent).map(|i| start + i * fast.stride));
        }
    }
    nodes
}
