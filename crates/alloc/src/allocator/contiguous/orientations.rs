//! The orientations of a job's shape, and the parameter `turn`, which enables all of them.

use crate::allocator::seam::{Request, Submeshes};
use meshreplay_base::spec::{Params, SpecError};
use meshreplay_machine::machine::{Machine, Mesh, NodeId, Submesh};

/// Whether an allocator may turn the shape that a job asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Only the requested orientation.
    No,
    /// The requested orientation, then all others.
    Yes,
}

/// The help text of the parameter `turn`.
pub(crate) const TURN: &str = "turn=no (yes)";

/// Reads the parameter `turn`; `no` if it is not given. Fails for values other than `no` and `yes`.
pub(crate) fn take_turn(params: &mut Params) -> Result<Turn, SpecError> {
    params.choose("turn", &[("no", Turn::No), ("yes", Turn::Yes)])
}

/// Does the same as [`take_turn`], but `no` is not written into the resolved spec.
pub(crate) fn take_turn_unwritten(params: &mut Params) -> Result<Turn, SpecError> {
    params.choose_unwritten("turn", &[("no", Turn::No), ("yes", Turn::Yes)])
}

/// Returns the orientations of the shape `[a, b, c]` that fit `mesh`, each once. The shape itself comes
/// first, then (b, a, c), (a, c, b), (c, a, b), (c, b, a) and (b, c, a). The list is empty if no orientation
/// fits.
pub(crate) fn orientations([a, b, c]: [u32; 3], mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut orientations = distinct([[a, b, c], [b, a, c], [a, c, b], [c, a, b], [c, b, a], [b, c, a]]);
    orientations.retain(|&sizes| mesh.fits(sizes));
    orientations
}

/// Returns the sizes without repetitions, each at its first place.
pub(crate) fn distinct(sizes: [[u32; 3]; 6]) -> Vec<[u32; 3]> {
    let mut distinct: Vec<[u32; 3]> = Vec::with_capacity(6);
    for sizes in sizes {
        if !distinct.contains(&sizes) {
            distinct.push(sizes);
        }
    }
    distinct
}

impl Turn {
    /// Returns the submeshes that can serve a request: its shape in the requested orientation, or in every
    /// one. Their nodes are in row-major order.
    pub(crate) fn submeshes(self) -> Submeshes {
        let sizes = match self {
            Self::No => as_it_is,
            Self::Yes => in_every_orientation,
        };
        Submeshes { sizes, nodes: row_by_row }
    }
}

/// Returns the requested shape; empty if it does not fit `mesh` in this orientation.
fn as_it_is(request: &Request, mesh: &Mesh) -> Vec<[u32; 3]> {
    request.sides_on(mesh).filter(|&shape| mesh.fits(shape)).into_iter().collect()
}

/// Returns the orientations of a request's shape that fit `mesh`; empty if none fits.
fn in_every_orientation(request: &Request, mesh: &Mesh) -> Vec<[u32; 3]> {
    request.sides_on(mesh).map_or_else(Vec::new, |shape| orientations(shape, mesh))
}

/// Returns the nodes of a submesh in row-major order: x fastest, then y, then z.
pub(crate) fn row_by_row(_request: &Request, place: Submesh, machine: &Machine) -> Vec<NodeId> {
    place.nodes(machine)
}
