//! Major and snake (boustrophedon) orders: runs along one side, row after row and layer after layer.
//!
//! In a major order the coordinates are the digits of the rank, as in an odometer. A snake turns round at the
//! end of every run instead of going back to the start, so that it never jumps.

use super::{Mesh, NodeId, Side, Sides};

/// Returns the major order with the longest side fastest.
pub(super) fn row(mesh: &Mesh) -> Vec<NodeId> {
    runs(Sides::from_mesh(mesh).0, false)
}

/// Returns the major order with the shortest side fastest.
pub(super) fn column(mesh: &Mesh) -> Vec<NodeId> {
    runs(shortest_first(mesh), false)
}

/// Returns the snake that runs along the longest side, then steps along the next.
pub(super) fn row_snake(mesh: &Mesh) -> Vec<NodeId> {
    runs(Sides::from_mesh(mesh).0, true)
}

/// Returns the snake that runs along the shortest side, then steps along the next.
pub(super) fn column_snake(mesh: &Mesh) -> Vec<NodeId> {
    runs(shortest_first(mesh), true)
}

fn shortest_first(mesh: &Mesh) -> [Side; 3] {
    let Sides([long, middle, short]) = Sides::from_mesh(mesh);
    [short, middle, long]
}

/// Returns every node in runs along `fast`, which step along `middle`, then along `slow`. In a snake each run
/// goes the other way than the run before, also from one layer to the next, and the steps along `middle` go
/// the other way in every second layer.
fn runs([fast, middle, slow]: [Side; 3], is_snake: bool) -> Vec<NodeId> {
    let mut nodes = Vec::with_capacity((fast.extent * middle.extent * slow.extent) as usize);
    let mut backwards = false;
    for layer in 0..slow.extent {
        for step in 0..middle.extent {
            let row = if is_snake && layer % 2 == 1 { middle.extent - 1 - step } else { step };
            let start = layer * slow.stride + row * middle.stride;
            let run = (0..fast.extent).map(|i| start + i * fast.stride);
            if backwards {
                nodes.extend(run.rev());
            } else {
                nodes.extend(run);
            }
            backwards = is_snake && !backwards;
        }
    }
    nodes
}
