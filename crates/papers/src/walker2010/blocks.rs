//! The text about Fig. 12: the share of the largest block in a mesh of 16×15.

use meshreplay_alloc::allocator::{Setup, build};
use meshreplay_machine::machine::Mesh;

pub(super) const MACHINE: &str = "16x15";

/// Returns the share of the largest block of an allocator in the nodes of the mesh, in percent; `None` if the
/// allocator has no blocks.
pub(super) fn largest(allocator: &str) -> Option<f64> {
    let mesh: Mesh = MACHINE.parse().ok()?;
    let built = build(&allocator.parse().ok()?, &Setup::new(&mesh, 0)).ok()?;
    let blocks = built.strategy.blocks?(&mesh);
    let nodes = blocks.iter().map(|block| block.sizes.iter().product::<u32>()).max()?;
    Some(100.0 * f64::from(nodes) / f64::from(mesh.nodes()))
}
