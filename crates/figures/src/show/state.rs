//! A machine with some nodes in use, and the placement that an allocator chooses in this state.

use std::fmt;
use std::str::FromStr;

use super::{ShowError, picture};
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

/// Returns the name of the allocator, as typed, and the nodes that it chooses in this state; `None` for the
/// nodes if it refuses the job.
///
/// A new allocator may keep an index of busy nodes, so all busy nodes are reported to it as one placement.
pub fn placed(
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

/// The machines that are tried: most allocators serve the first one.
const MACHINES: [&str; 5] = ["8x8", "16", "4x4x4", "ocs:2x4x4x4", "tree:8x8"];
/// The number of processors of the job.
const PROCS: u32 = 7;

/// Returns a drawing of the nodes that an allocator gives to a job of seven processors on a small machine
/// with some nodes in use; `None` if it is not registered, or places no such job.
pub fn sample(spec: &Spec) -> Option<String> {
    MACHINES.iter().find_map(|machine| {
        let mesh: Mesh = machine.parse().ok()?;
        let mut state = Machine::new(mesh.clone());
        state.occupy(&in_use(&mesh)).ok()?;
        let (_, nodes) = placed(spec, &state, PROCS, 1).ok()?;
        let nodes = nodes?;
        let taken =
            if nodes.len() as u32 == PROCS { String::new() } else { format!(", and gets {}", nodes.len()) };
        let title =
            format!("A job of {PROCS} processors on {machine}, where some nodes are in use{taken}:\n\n");
        Some(title + &picture::placement(&mesh, &nodes, state.free()))
    })
}

/// Returns the nodes in use: a square (or a row) of them, and single ones, so that neither all nor no
/// contiguous places are free.
fn in_use(mesh: &Mesh) -> Vec<NodeId> {
    let is_used = |&node: &NodeId| {
        let [x, y, z] = mesh.drawn().coord(node);
        let in_square = (1..=3).contains(&x) && y <= 2 && z == 0;
        in_square || [[6, 1, 0], [5, 5, 0], [0, 6, 0], [2, 3, 2]].contains(&[x, y, z])
    };
    (0..mesh.nodes()).filter(is_used).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_alloc::allocator::ALLOCATORS;

    #[test]
    fn every_allocator_has_a_drawing() {
        let lacking: Vec<&str> = ALLOCATORS
            .iter()
            .map(|row| row.name)
            .filter(|name| sample(&Spec::named(name)).is_none())
            .collect();
        assert!(lacking.is_empty(), "{lacking:?}");
        let text = sample(&Spec::named("naive")).unwrap_or_default();
        // The lowest row has node 0 free and nodes 1 to 3 in use.
        assert!(text.contains("\n■ × × × ■ ■ ■ ■\n"), "{text}");
        assert_eq!(text.matches('■').count(), 7 + 1, "seven nodes, and the legend");
    }
}
