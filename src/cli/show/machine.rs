//! `meshreplay show machine`: the levels of a machine, and the machine of a topology of Slurm.

use std::path::PathBuf;

use anyhow::anyhow;

use super::{Failure, print};
use crate::cli::terminal::screen;
use crate::disk::TEMPORARY;
use crate::figure::show::machine::machine;
use crate::frame::{FrameError, write_text};
use crate::machine::Mesh;
use crate::machine::mesh::MeshError;
use crate::machine::topology::Topology;

/// Show a machine: its nodes, and the levels of a tree of switches.
///
/// A file is a topology of Slurm: topology.conf, topology.yaml, or the output of scontrol show topology. Its
/// machine is a tree of switches, whose description takes the place of the file in commands and studies.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  meshreplay show machine tree:4x8x24
  meshreplay show machine topology.conf --node-map nodes.csv")]
pub(super) struct Args {
    /// Machine, such as tree:18x24 or 16x8, or file with a topology
    #[arg(value_name = "MACHINE|FILE")]
    machine: String,

    /// Write the numbers of the topology's nodes to this file, for --node-map of replay
    #[arg(long, value_name = "FILE")]
    node_map: Option<PathBuf>,

    /// Overwrite the file if it exists
    #[arg(long, requires = "node_map")]
    force: bool,
}

/// Prints the machine, and writes the node map.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let path = PathBuf::from(&args.machine);
    if !path.is_file() {
        let mesh: Mesh = args
            .machine
            .parse()
            .map_err(|error: MeshError| Failure::Usage(anyhow!("{error}, or a file with a topology")))?;
        if args.node_map.is_some() {
            return Err(Failure::Usage(anyhow!(
                "--node-map needs the names of nodes; give a file with a topology"
            )));
        }
        return print(&machine(&mesh, screen()));
    }
    let topology = Topology::read(&path)?;
    let mut text = machine(&topology.mesh, screen());
    text.extend(topology.block_sizes.iter().map(|sizes| {
        let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
        format!("\nblock sizes: slurm-block:sizes={}\n", sizes.join("+"))
    }));
    text.extend(topology.notes.iter().map(|note| format!("\nnote: {note}\n")));
    if let Some(map) = &args.node_map {
        if map.is_file() && !args.force {
            return Err(anyhow!("{} already exists; --force overwrites it", map.display()).into());
        }
        write_text::<FrameError>(map, TEMPORARY, &|put| put(&topology.node_map()))?;
    }
    print(&text)
}
