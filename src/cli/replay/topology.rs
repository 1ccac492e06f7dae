//! The option `--topology`: a topology of Slurm in place of the machine `auto`.

use std::path::Path;

use anyhow::{Result, bail};

use crate::allocator::follows_lists;
use crate::machine::node_map::NodeMapSource;
use crate::machine::topology::Topology;
use crate::spec::GivenSpec;
use crate::study::{ALL, MachineArg, Options};

/// The machines of a command, with notes on a topology.
pub(super) struct Machines {
    pub(super) machines: Vec<MachineArg>,
    pub(super) notes: Vec<String>,
}

impl Machines {
    /// Returns the machines with the tree of the topology at `path` in place of `auto`. Its names are the node
    /// map, if an allocator follows node lists and no other map is given. Fails if the topology cannot be read
    /// or no machine is `auto`.
    pub(super) fn with_topology(
        machines: &[MachineArg],
        path: Option<&Path>,
        allocators: &[GivenSpec],
        options: &mut Options,
    ) -> Result<Self> {
        let Some(path) = path else { return Ok(Self { machines: machines.to_vec(), notes: Vec::new() }) };
        let is_auto = |machine: &MachineArg| machine.to_string() == "auto";
        if !machines.iter().any(is_auto) {
            bail!("--topology gives the machine of --machine auto; write auto, or leave it out");
        }
        let Topology { mesh, notes, .. } = Topology::read(path)?;
        let mut follows = allocators.iter().map(|given| &given.spec);
        if options.node_map.is_none() && follows.any(|spec| follows_lists(spec) || spec.name == ALL) {
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
