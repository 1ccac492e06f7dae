//! The bound on a mesh: the better of the cheap bounds and of the one that slices the mesh.

use super::{grid, layers};

/// Returns the bound for k nodes of a mesh with these sides, each above 1.
pub(super) fn mesh_bound(sides: &[u64], k: u64) -> u64 {
    grid::simple(sides, k).max(layers::bound(sides, k))
}
