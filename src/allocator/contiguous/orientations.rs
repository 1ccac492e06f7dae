//! The orientations in which a shape can be placed, and whether others than the first are tried.

use crate::allocator::seam::{Request, Submeshes};
use crate::machine::{Cuboid, Machine, Mesh, NodeId};
use crate::spec::{Params, SpecError};

/// Whether a strategy turns a shape that does not fit as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    No,
    Yes,
}

/// The parameter of that name in help texts.
pub(crate) const TURN: &str = "turn=no (yes)";

/// Takes the parameter `turn`.
pub(crate) fn take_turn(params: &mut Params) -> Result<Turn, SpecError> {
    params.choose("turn", &[("no", Turn::No), ("yes", Turn::Yes)])
}

/// Returns the orientations of the shape `[a, b, c]` that fit `mesh`, each once: as it is, then its permutations in
/// the order (b, a, c), (a, c, b), (c, a, b), (c, b, a), (b, c, a).
pub(crate) fn orientations([a, b, c]: [u32; 3], mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut found: Vec<[u32; 3]> = Vec::with_capacity(6);
    for sizes in [[a, b, c], [b, a, c], [a, c, b], [c, a, b], [c, b, a], [b, c, a]] {
        if (0..3).all(|d| sizes[d] <= mesh.extents()[d]) && !found.contains(&sizes) {
            found.push(sizes);
        }
    }
    found
}

impl Turn {
    /// Returns the submeshes that serve a request: its shape as it is, or in every orientation; their nodes row by row.
    pub(crate) fn submeshes(self) -> Submeshes {
        let sizes = match self {
            Self::No => as_it_is,
            Self::Yes => in_every_orientation,
        };
        Submeshes { sizes, nodes: row_by_row }
    }
}

/// Returns the shape of a request if it fits `mesh` without being turned, or nothing.
fn as_it_is(request: &Request, mesh: &Mesh) -> Vec<[u32; 3]> {
    let fits = |shape: &[u32; 3]| (0..3).all(|d| shape[d] <= mesh.extents()[d]);
    request.sides_on(mesh).filter(fits).into_iter().collect()
}

/// Returns the orientations of the shape of a request that fit `mesh`.
fn in_every_orientation(request: &Request, mesh: &Mesh) -> Vec<[u32; 3]> {
    request.sides_on(mesh).map_or_else(Vec::new, |shape| orientations(shape, mesh))
}

/// Returns the nodes of a submesh: x fastest, then y, then z.
pub(crate) fn row_by_row(_request: &Request, place: Cuboid, machine: &Machine) -> Vec<NodeId> {
    place.nodes(machine)
}
