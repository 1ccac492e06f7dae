//! A machine with some nodes in use, and the placement that an allocator chooses in this state.

use std::fmt;
use std::str::FromStr;

use super::error::ShowError;
use meshreplay_alloc::allocator::{self, Built, Placement, Request, Setup};
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::{Coord, Machine, Mesh, NodeId};

/// The coordinates of a node as the user wrote them, such as `3,1`. They may lie outside the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position(Vec<u32>);

impl FromStr for Position {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let coordinate = |part: &str| {
            part.parse().map_err(|_| format!("'{part}' is not a coordinate; expected such as 3,1"))
        };
        Ok(Self(text.split(',').map(coordinate).collect::<Result<_, _>>()?))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&parts.join(","))
    }
}

/// Returns the machine with these nodes in use. Fails if a position is outside the machine, or is given
/// twice.
pub(super) fn occupied(mesh: &Mesh, busy: &[Position]) -> Result<Machine, ShowError> {
    let mut machine = Machine::new(mesh.clone());
    for position in busy {
        let expected = || {
            let ranges = mesh.extents().map(|extent| format!("0 to {}", extent - 1));
            ranges[..mesh.dims()].join(", ")
        };
        let inside = position.0.iter().zip(mesh.extents()).all(|(&at, extent)| at < extent);
        if position.0.len() != mesh.dims() || !inside {
            let expected = expected();
            return Err(ShowError::Option(format!(
                "--busy {position} is not on machine {mesh}; expected coordinates {expected}"
            )));
        }
        let mut coord: Coord = [0; 3];
        coord[..position.0.len()].copy_from_slice(&position.0);
        if !mesh.is_available(mesh.node(coord)) {
            return Err(ShowError::Option(format!("--busy {position} is unavailable on machine {mesh}")));
        }
        if machine.occupy(&[mesh.node(coord)]).is_err() {
            return Err(ShowError::Option(format!("--busy {position} is given twice; give it once")));
        }
    }
    Ok(machine)
}

/// Returns the name of the allocator as it was given and the nodes that it chooses in this state; `None` for
/// the nodes if it refuses the job.
///
/// A new allocator knows the unavailable nodes but no busy ones, and some keep an index of them. Therefore it
/// is told about all busy nodes as one placement.
pub(super) fn placed(
    spec: &Spec,
    state: &Machine,
    procs: u32,
    seed: u64,
) -> Result<(String, Option<Vec<NodeId>>), ShowError> {
    let mesh = state.mesh();
    let Built { spec: resolved, mut strategy, .. } =
        allocator::build(spec, &Setup::new(mesh, seed)).map_err(ShowError::Allocator)?;
    let name = spec.to_string();
    let is_busy = |&node: &NodeId| mesh.is_available(node) && !state.free().contains(node);
    let busy: Vec<NodeId> = (0..mesh.nodes()).filter(is_busy).collect();
    if !busy.is_empty() {
        strategy.taken(&Placement::of(busy), state);
    }
    let Some(placement) = strategy.propose(&Request::of(procs), state) else { return Ok((name, None)) };
    if placement.rearrangement.is_some() {
        return Err(ShowError::Moves { allocator: resolved.to_string() });
    }
    let taken = state.clone().occupy(&placement.nodes);
    taken.map_err(|problem| ShowError::Placement { allocator: resolved.to_string(), problem })?;
    Ok((name, Some(placement.nodes)))
}
