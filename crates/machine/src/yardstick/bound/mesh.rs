//! The lower bound on a mesh: the larger of the cheap bounds and of the bound that slices the mesh.

use super::{grid, layers};

/// Returns the lower bound, in hops, for k nodes of a mesh with these sides, each above 1.
pub(super) fn mesh_bound(sides: &[u64], k: u64) -> u64 {
    grid::simple(sides, k).max(layers::bound(sides, k))
}
