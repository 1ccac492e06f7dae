//! The orientations in which a shape can be placed, and whether others than the first are tried.

use crate::allocator::seam::Request;
use crate::machine::Mesh;
use crate::spec::{Params, SpecError};

/// Whether a strategy turns a shape that does not fit as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    No,
    Yes,
}

/// What the parameter of that name is in help texts.
pub(crate) const TURN: &str = "turn=no (yes)";

/// Takes the parameter `turn`.
pub(crate) fn take_turn(params: &mut Params) -> Result<Turn, SpecError> {
    params.choose("turn", &[("no", Turn::No), ("yes", Turn::Yes)])
}

/// The orientations of the shape `[a, b, c]` that fit `mesh`, each once: as it is, then its permutations in the order
/// (b, a, c), (a, c, b), (c, a, b), (c, b, a), (b, c, a).
pub(crate) fn orientations([a, b, c]: [u32; 3], mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut found: Vec<[u32; 3]> = Vec::with_capacity(6);
    for sizes in [[a, b, c], [b, a, c], [a, c, b], [c, a, b], [c, b, a], [b, c, a]] {
        if (0..3).all(|d| sizes[d] <= mesh.extents()[d]) && !found.contains(&sizes) {
            found.push(sizes);
        }
    }
    found
}

/// The orientations of the shape of a request that a strategy tries, those that fit `mesh`.
pub(crate) fn tried(request: &Request, mesh: &Mesh, turn: Turn) -> Vec<[u32; 3]> {
    let Some(shape) = request.sides_on(mesh) else { return Vec::new() };
    match turn {
        Turn::No if (0..3).any(|d| shape[d] > mesh.extents()[d]) => Vec::new(),
        Turn::No => vec![shape],
        Turn::Yes => orientations(shape, mesh),
    }
}
