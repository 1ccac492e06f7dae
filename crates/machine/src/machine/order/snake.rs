//! Snake (boustrophedon) orders. They turn round at the end of every run instead of going back to the start,
//! so they never jump.

use super::{Mesh, NodeId, Side, Sides};

/// Returns the nodes of the snake that runs along the longest side, then steps along the next.
pub(super) fn row(mesh: &Mesh) -> Vec<NodeId> {
    let Sides([long, middle, short]) = Sides::of(mesh);
    boustrophedon([long, middle, short])
}

/// Returns the nodes of the snake that runs along the shortest side, then steps along the next.
pub(super) fn column(mesh: &Mesh) -> Vec<NodeId> {
    let Sides([long, middle, short]) = Sides::of(mesh);
    boustrophedon([short, middle, long])
}

/// Returns the nodes of the snake that runs along `fast` and steps along `middle`, then along `slow`. Each
/// run goes the other way than the run before, also from one layer to the next. The steps along `middle` go
/// the other way in every second layer.
fn boustrophedon([fast, middle, slow]: [Side; 3]) -> Vec<NodeId> {
    let mut nodes = Vec::with_capacity((fast.extent * middle.extent * slow.extent) as usize);
    let mut backwards = false;
    for layer in 0..slow.extent {
        for step in 0..middle.extent {
            let row = if layer % 2 == 0 { step } else { middle.extent - 1 - step };
            let start = layer * slow.stride + row * middle.stride;
            let run = (0..fast.extent).map(|i| start + i * fast.stride);
            if backwards {
                nodes.extend(run.rev());
            } else {
                nodes.extend(run);
            }
            backwards = !backwards;
        }
    }
    nodes
}
