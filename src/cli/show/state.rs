//! A machine in a given state, and what an allocator places in it.

use std::fmt;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

use super::Failure;
use crate::allocator::{self, Built, Placement, Request, Setup};
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
/// Allocators may keep an index of what is in use, so a new one is told.
pub(super) fn placed(
    spec: &Spec,
    state: &Machine,
    procs: u32,
    seed: u64,
) -> Result<(String, Option<Vec<NodeId>>), Failure> {
    let mesh = state.mesh();
    let Built { spec: resolved, mut strategy, .. } =
        allocator::build(spec, &Setup { mesh, seed }).context("--allocator").map_err(Failure::Usage)?;
    let name = allocator::short(&resolved);
    let busy: Vec<NodeId> = (0..mesh.nodes()).filter(|&node| !state.free().contains(node)).collect();
    if !busy.is_empty() {
        strategy.taken(&Placement::of(busy), state);
    }
    let Some(placement) = strategy.propose(&Request::of(procs), state) else { return Ok((name, None)) };
    if placement.rearrangement.is_some() {
        let problem = "it moves the jobs that run, and a state of nodes does not say which they are";
        return Err(Failure::Failed(anyhow::anyhow!("{resolved} cannot be shown here: {problem}")));
    }
    state.clone().occupy(&placement.nodes).with_context(|| resolved.to_string())?;
    Ok((name, Some(placement.nodes)))
}
