//! Snakes: boustrophedon orders, which turn round at the end of every run instead of going back, and so never jump.

use super::{Mesh, NodeId, Side, Sides};

/// Runs along the longest side, then steps along the next.
pub(super) fn row(mesh: &Mesh) -> Vec<NodeId> {
    let Sides([long, middle, short]) = Sides::of(mesh);
    boustrophedon([long, middle, short])
}

/// Runs along the shortest side, then steps along the next.
pub(super) fn column(mesh: &Mesh) -> Vec<NodeId> {
    let Sides([long, middle, short]) = Sides::of(mesh);
    boustrophedon([short, middle, long])
}

/// Runs along `fast`, each run the other way than the one before, whether or not a layer lies between them; steps
/// along `middle`, each layer the other way.
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
