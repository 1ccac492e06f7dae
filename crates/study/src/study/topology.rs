//! A topology of Slurm in place of the machine `auto`: the option `--topology`, and the key `topology` of
//! study files.

use std::path::Path;

use super::all::ALL;
use super::axes::MachineArg;
use super::options::Options;
use meshreplay_alloc::allocator::follows_lists;
use meshreplay_base::spec::GivenSpec;
use meshreplay_machine::machine::node_map::NodeMapSource;
use meshreplay_machine::machine::topology::{Topology, TopologyError};

/// Machines of which a topology gives one, with notes on it.
#[derive(Debug)]
pub struct MachinesWithTopology {
    /// The machines.
    pub machines: Vec<MachineArg>,
    /// Notes on the topology.
    pub notes: Vec<String>,
}

/// The reason why a topology gives no machine.
#[derive(Debug, thiserror::Error)]
pub enum NoTopology {
    /// No machine is `auto`.
    #[error("a topology gives the machine 'auto'; write machine auto, or leave the topology out")]
    NoAuto,
    /// The topology cannot be read.
    #[error(transparent)]
    Unreadable(#[from] TopologyError),
}

impl MachinesWithTopology {
    /// Returns the machines with the tree of the topology at `path` in place of `auto`. Its names are the
    /// node map, if an allocator follows node lists and no other map is given. Fails if the topology cannot
    /// be read or no machine is `auto`.
    pub fn read<'a>(
        machines: &[MachineArg],
        path: &Path,
        mut allocators: impl Iterator<Item = &'a GivenSpec>,
        options: &mut Options,
    ) -> Result<Self, NoTopology> {
        let is_auto = |machine: &MachineArg| machine.to_string() == "auto";
        if !machines.iter().any(is_auto) {
            return Err(NoTopology::NoAuto);
        }
        let Topology { mesh, notes, .. } = Topology::read(path)?;
        let is_followed = allocators.any(|given| follows_lists(&given.spec) || given.spec.name == ALL);
        if options.node_map.is_none() && is_followed {
            options.node_map = Some(NodeMapSource::File(path.display().to_string()));
        }
        let what = path.display();
        let described = format!("{what}: machine 'auto' is {mesh}");
        let notes = notes.into_iter().map(|note| format!("{what}: {note}"));
        let given = |machine: &MachineArg| {
            if is_auto(machine) { MachineArg::Given(mesh.clone()) } else { machine.clone() }
        };
        let machines = machines.iter().map(given).collect();
        Ok(Self { machines, notes: std::iter::once(described).chain(notes).collect() })
    }
}
