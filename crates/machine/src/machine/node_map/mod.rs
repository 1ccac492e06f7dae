//! Node maps: where on a machine the nodes with the names of a log are.
//!
//! [`NodeMapSource`] is what a user writes: the path of a table with a row for each node or of a topology of
//! Slurm, or a pattern of names such as `nid{rank}`. [`NodeMap`] is its meaning on one machine.
//!
//! Names are in natural order: `node2` comes before `node10`.

mod pattern;
mod table;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

pub use self::pattern::Pattern;
pub use self::table::RowProblem;
use super::mesh::{Mesh, NodeId};
use meshreplay_base::spec::SpecError;

/// The description of a node map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeMapSource {
    /// The file at this path has a table: a row for each node with its name and its place.
    File(String),
    /// Names are made of their places.
    Pattern(Pattern),
}

impl FromStr for NodeMapSource {
    type Err = SpecError;

    /// Reads a pattern, which has a brace, or else the path of a file. The file is not opened.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        if text.contains('{') { Ok(Self::Pattern(text.parse()?)) } else { Ok(Self::File(text.to_owned())) }
    }
}

/// Writes the text that gives this source when it is read.
impl fmt::Display for NodeMapSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.pad(path),
            Self::Pattern(pattern) => pattern.fmt(f),
        }
    }
}

/// The reason why a node map has no meaning on a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeMapError {
    /// The file cannot be read.
    #[error("node map {}: {problem}; expected a file with rows name,x,y,z or name,number, or a pattern such \
         as nid{{rank}}", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The reason that the operating system gives.
        problem: String,
    },
    /// The file has no row.
    #[error("node map {}: it has no row; expected rows such as node1,0,0 or node1,0", path.display())]
    Empty {
        /// The path of the file.
        path: PathBuf,
    },
    /// A row is wrong.
    #[error("node map {}:{line}: {problem}", path.display())]
    Row {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: RowProblem,
    },
    /// The file is a topology that is malformed, or of another machine.
    #[error("node map {}:{line}: {problem}", path.display())]
    Topology {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it, in words.
        problem: String,
    },
    /// The pattern does not say which node of this machine a name stands for.
    #[error("node map {pattern}: machine {machine} has {dims} dimensions; expected {{rank}}, or {expected}")]
    Dimensions {
        /// The pattern.
        pattern: String,
        /// The machine.
        machine: String,
        /// The number of its dimensions.
        dims: usize,
        /// The fields that a pattern for this machine may have.
        expected: &'static str,
    },
}

/// A node map on one machine.
#[derive(Clone, Debug)]
pub enum NodeMap {
    /// The nodes of each name, in the order of the rows.
    Table(BTreeMap<String, Vec<NodeId>>),
    /// The pattern that names follow.
    Pattern(Pattern),
}

/// The reason why a node map has no node for a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoNode {
    /// The table has no row for the name, or the name does not follow the pattern.
    #[error("the node map has no place for it")]
    Unknown,
    /// The name follows the pattern, but the place is not on the machine.
    #[error("its place by the pattern is {0}, which is outside of the machine")]
    Outside(String),
}

impl NodeMapSource {
    /// Returns the map on `mesh`. Fails if a file cannot be read or does not suit the machine.
    pub fn on(&self, mesh: &Mesh) -> Result<NodeMap, NodeMapError> {
        match self {
            Self::File(path) => table::read(Path::new(path), mesh).map(NodeMap::Table),
            Self::Pattern(pattern) => pattern.suits(mesh).map(|()| NodeMap::Pattern(pattern.clone())),
        }
    }

    /// Returns the source with the same word in place of the path of a file.
    #[must_use]
    pub fn without_path(&self) -> Self {
        match self {
            Self::File(_) => Self::File("file".to_owned()),
            Self::Pattern(_) => self.clone(),
        }
    }

    /// Returns the path of the file; `None` for a pattern.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::File(path) => Some(path),
            Self::Pattern(_) => None,
        }
    }
}

impl NodeMap {
    /// Maps `names` to the available nodes of `mesh`, in the order of their numbers. Names beyond the number
    /// of available nodes have no node.
    pub fn in_order(names: impl IntoIterator<Item = String>, mesh: &Mesh) -> Self {
        let nodes = (0..mesh.nodes()).filter(|&node| mesh.is_available(node));
        Self::Table(names.into_iter().zip(nodes).map(|(name, node)| (name, vec![node])).collect())
    }

    /// Returns the nodes on `mesh` that `name` stands for, at least one.
    pub fn nodes(&self, name: &str, mesh: &Mesh) -> Result<Vec<NodeId>, NoNode> {
        match self {
            Self::Table(table) => table.get(name).cloned().ok_or(NoNode::Unknown),
            Self::Pattern(pattern) => Ok(vec![pattern.node(name, mesh)?]),
        }
    }
}

/// Compares two names so that runs of digits count as numbers. Names that differ only in leading zeros have
/// the order of their texts.
pub fn natural_order(name: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (name.as_bytes(), other.as_bytes());
    while let (Some(first), Some(second)) = (left.first(), right.first()) {
        let order = if first.is_ascii_digit() && second.is_ascii_digit() {
            let (digits, after) = split_number(left);
            let (others, behind) = split_number(right);
            (left, right) = (after, behind);
            // Without leading zeros, the longer number is the larger one.
            digits.len().cmp(&others.len()).then_with(|| digits.cmp(others))
        } else {
            (left, right) = (&left[1..], &right[1..]);
            first.cmp(second)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| name.cmp(other))
}

/// Splits a text that begins with digits behind them. Returns the digits without leading zeros, and the rest.
fn split_number(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let zeros = text[..end].iter().take_while(|&&byte| byte == b'0').count();
    (&text[zeros..end], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_count_as_numbers() {
        let sorted =
            ["", "0", "00", "1", "a", "a1b2", "a1b10", "a2", "a02", "a10", "aa", "n99999999999999999999"];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                // Of equal numbers the one with more zeros comes first in the order of texts.
                let expected = match (*a, *b) {
                    ("a2", "a02") => Ordering::Greater,
                    ("a02", "a2") => Ordering::Less,
                    _ => i.cmp(&j),
                };
                assert_eq!(natural_order(a, b), expected, "{a} {b}");
            }
        }
    }
}
