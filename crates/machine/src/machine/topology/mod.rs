//! Topologies of Slurm as machines: trees of switches with the names of their nodes.
//!
//! Files are a topology.conf, a topology.yaml or the output of `scontrol show topology`, told apart by their
//! first row. `conf` and `yaml_file` read the switches, and `tree` arranges them as a machine. A block of
//! topology/block is a leaf, and all blocks are below one switch.

mod conf;
pub mod host_list;
mod tree;
pub mod yaml;
mod yaml_file;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::yaml::Flaw;
use super::mesh::{Mesh, NodeId};
use meshreplay_base::memory;

/// A topology as a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// A tree of switches. Uneven groups are filled up with unavailable nodes.
    pub mesh: Mesh,
    /// Nodes by name.
    pub nodes: BTreeMap<String, NodeId>,
    /// The block sizes of topology/block, in nodes; `None` if the file has none.
    pub block_sizes: Option<Vec<u32>>,
    /// What the machine assumes about the file, in sentences.
    pub notes: Vec<String>,
}

/// The reason why a topology cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// The file cannot be read.
    #[error("topology {}: {problem}; expected a topology.conf, a topology.yaml or the output of `scontrol \
         show topology`", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The reason that the operating system gives.
        problem: String,
    },
    /// A line is wrong.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

/// A switch as a file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Switch {
    name: String,
    /// The number of its line, from 1.
    line: usize,
    below: Below,
}

/// What is below a switch, as lists of names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Below {
    Nodes(String),
    Switches(String),
}

/// The contents of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Description {
    /// The switches, or the blocks as leaf switches.
    switches: Vec<Switch>,
    /// Whether they are blocks, which belong together without a switch above them.
    are_blocks: bool,
    block_sizes: Option<Vec<u32>>,
    notes: Vec<String>,
}

/// Returns whether a text is a topology by its first row.
pub(super) fn is_topology(text: &str) -> bool {
    let is_row = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let first = text.trim_start_matches('\u{feff}').lines().map(str::trim).find(is_row);
    first.is_some_and(|first| conf::is_row(first) || yaml_file::is_row(first))
}

impl Topology {
    /// Reads the topology at `path`. Fails if it cannot be read or is not a forest of switches.
    pub fn read(path: &Path) -> Result<Self, TopologyError> {
        let bytes = memory::read_file(path).map_err(|error| TopologyError::Unreadable {
            path: path.to_owned(),
            problem: error.to_string(),
        })?;
        let parsed = Self::parse(&String::from_utf8_lossy(&bytes));
        parsed.map_err(|Flaw { line, problem }| TopologyError::Line { path: path.to_owned(), line, problem })
    }

    /// Reads the text of a topology. Fails as [`Self::read`] does.
    pub(super) fn parse(text: &str) -> Result<Self, Flaw> {
        let text = text.trim_start_matches('\u{feff}');
        let is_yaml = text.lines().map(str::trim).any(yaml_file::is_row);
        tree::arrange(if is_yaml { yaml_file::parse(text)? } else { conf::parse(text)? })
    }

    /// Returns the rows of a node map, with a header: the name and the number of each node.
    pub fn node_map(&self) -> String {
        let mut rows: Vec<(NodeId, &str)> =
            self.nodes.iter().map(|(name, &node)| (node, name.as_str())).collect();
        rows.sort_unstable();
        let rows = rows.into_iter().map(|(node, name)| format!("{name},{node}\n"));
        std::iter::once("name,number\n".to_owned()).chain(rows).collect()
    }
}

#[cfg(test)]
mod tests;
