//! A machine in a given state, and what an allocator places in it.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

use super::Failure;
use crate::allocator::{self, Placement, Request, Setup};
use crate::machine::{Coord, Machine, Mesh, NodeId};
use crate::spec::Spec;

/// Coordinates as given, `x,y` or `x,y,z`, not yet matched against a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position(Vec<u32>);

impl FromStr for Position {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let coordinate = |part: &str| {
            part.parse().with_context(|| format!("'{part}' is not a coordinate; expected such as 3,1"))
        };
        Ok(Self(text.split(',').map(coordinate).collect::<Result<_>>()?))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&parts.join(","))
    }
}

/// The machine with these nodes in use.
pub(super) fn occupied(mesh: &Mesh, busy: &[Position]) -> Result<Machine> {
    let mut machine = Machine::new(mesh.clone());
    for position in busy {
        let expected = || {
            let ranges = mesh.extents().map(|extent| format!("0 to {}", extent - 1));
            ranges[..mesh.dims()].join(", ")
        };
        let inside = position.0.iter().zip(mesh.extents()).all(|(&at, extent)| at < extent);
        if position.0.len() != mesh.dims() || !inside {
            bail!("--busy {position} is not on machine {mesh}; expected coordinates {}", expected());
        }
        let mut coord: Coord = [0; 3];
        coord[..position.0.len()].copy_from_slice(&position.0);
        if machine.occupy(&[mesh.node(coord)]).is_err() {
            bail!("--busy {position} is given twice; give it once");
        }
    }
    Ok(machine)
}

/// The allocator's name in short, and what it places in this state; `None` if it refuses.
///
/// Allocators may keep an index of what they have placed, so a new one gets there by placing single nodes until the
/// machine is full and releasing those that are free in `state`.
pub(super) fn placed(
    spec: &Spec,
    state: &Machine,
    procs: u32,
    seed: u64,
) -> Result<(String, Option<Vec<NodeId>>), Failure> {
    let mesh = state.mesh();
    let (mut allocator, resolved) =
        allocator::build(spec, &Setup { mesh, seed }).context("--allocator").map_err(Failure::Usage)?;
    let name = allocator::short(&resolved);
    let mut machine = Machine::new(mesh.clone());
    let mut single: Vec<Placement> = Vec::new();
    if state.free_count() < mesh.nodes() {
        while machine.free_count() > 0 {
            let placement = allocator.allocate(&Request::of(1), &machine).unwrap_or_default();
            if placement.nodes.len() != 1 {
                let problem = "it does not place single nodes; give no --busy";
                return Err(Failure::Failed(anyhow::anyhow!(
                    "{resolved} cannot be shown in this state: {problem}"
                )));
            }
            machine.occupy(&placement.nodes).with_context(|| resolved.to_string())?;
            single.push(placement);
        }
        for placement in single.iter().filter(|placement| state.free().contains(placement.nodes[0])) {
            machine.vacate(&placement.nodes);
            allocator.released(placement, &machine);
        }
    }
    let Some(placement) = allocator.allocate(&Request::of(procs), &machine) else { return Ok((name, None)) };
    machine.occupy(&placement.nodes).with_context(|| resolved.to_string())?;
    Ok((name, Some(placement.nodes)))
}
