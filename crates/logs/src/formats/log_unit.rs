//! The unit of a log that was read, and whether jobs can have whole ones.

use super::Format;
use crate::nodes::NodeUse;
use crate::unit::PARAMETER;
use meshreplay_base::spec::Spec;

/// The unit of a log that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogUnit {
    /// Whole nodes, as the user chose.
    NodesChosen,
    /// Whole nodes, by default.
    NodesByDefault,
    /// Parts of nodes.
    Parts,
    /// Unknown, as the format counts one thing, whatever it is.
    Unknown,
}

impl LogUnit {
    /// Returns the unit of a log of this format, read with `spec`.
    pub fn new(format: &Format, spec: Option<&Spec>) -> Self {
        match spec.and_then(|spec| spec.params.get(PARAMETER)).map(String::as_str) {
            _ if !format.has_parameter(PARAMETER) => Self::Unknown,
            None if default_unit(format) != Some("nodes") => Self::Parts,
            None => Self::NodesByDefault,
            Some("nodes") => Self::NodesChosen,
            Some(_) => Self::Parts,
        }
    }

    /// Returns whether processors are nodes, in a log whose runs use nodes like this.
    pub fn counts_nodes(self, node_use: &NodeUse) -> bool {
        match self {
            Self::NodesChosen | Self::NodesByDefault => true,
            Self::Parts => false,
            Self::Unknown => node_use.are_whole_nodes(),
        }
    }

    /// Returns true if jobs share too many nodes to have whole ones: at least 5 % of the node time counts
    /// more than once, and nodes are only the default unit.
    pub fn refuses(self, node_use: &NodeUse) -> bool {
        self == Self::NodesByDefault && node_use.repeated > 0 && 20 * node_use.repeated >= node_use.listed
    }
}

/// Returns the unit of a format where none is given: the first that its row lists.
fn default_unit(format: &Format) -> Option<&'static str> {
    let units = format.parameters.split(' ').find_map(|parameter| parameter.strip_prefix("unit="))?;
    units.split('|').next()
}
