//! The argument that takes nodes out of machines.

use std::path::Path;

use anyhow::Result;

use crate::machine::{Mesh, make_unavailable};

/// The nodes that `--unavailable` names.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct Holes {
    /// Nodes that no job can have, on every machine: a file (nodes, intervals or coordinates on its lines, or
    /// a table with commas and a column node), intervals such as 0-3,17, coordinates such as (3,1), or
    /// submeshes by two corners such as (0,0)-(3,1). They become part of the machine: 16x8:without=0-3,17.
    #[arg(long, value_name = "FILE|NODES", num_args = 1..)]
    unavailable: Vec<String>,
}

impl Holes {
    /// Returns whether no nodes are named.
    pub(in crate::cli) fn is_empty(&self) -> bool {
        self.unavailable.is_empty()
    }

    /// Returns the machine without the nodes.
    pub(in crate::cli) fn out_of(&self, machine: &Mesh) -> Result<Mesh> {
        let more = |mesh: Mesh, text: &String| make_unavailable(&mesh, text, Path::new(text));
        Ok(self.unavailable.iter().try_fold(machine.clone(), more)?)
    }
}
