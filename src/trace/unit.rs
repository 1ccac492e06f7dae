//! What the processors of a job are, in logs that count several things.

use super::formats::Format;
use super::nodes::NodeUse;
use crate::spec::{Params, Spec, SpecError};

/// The unit in which the sizes of jobs are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Whole nodes.
    Nodes,
    /// CPUs as the log counts them, cores or threads.
    Cpus,
    /// Graphics processors.
    Gpus,
}

/// The parameter of formats that names the unit.
const PARAMETER: &str = "unit";

/// The unit of a log that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogUnit {
    /// Whole nodes, as the user chose.
    NodesChosen,
    /// Whole nodes, as nobody chose a unit.
    NodesByDefault,
    /// Parts of nodes.
    Parts,
    /// Unknown, as the format counts one thing, whatever it is.
    Unknown,
}

impl Unit {
    /// Takes the parameter `unit` of a format. The default is nodes.
    pub(super) fn take(params: &mut Params) -> Result<Self, SpecError> {
        params.choose(PARAMETER, &[("nodes", Self::Nodes), ("cpus", Self::Cpus), ("gpus", Self::Gpus)])
    }
}

impl LogUnit {
    /// Returns the unit of a log of this format that was read as `spec` says.
    pub fn new(format: &Format, spec: Option<&Spec>) -> Self {
        match spec.and_then(|spec| spec.params.get(PARAMETER)).map(String::as_str) {
            _ if !format.has_parameter(PARAMETER) => Self::Unknown,
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

    /// Returns whether jobs share too many nodes to have whole ones: 5 % of the node time or more counts more than once, and
    /// nobody has chosen nodes all the same.
    pub fn refuses(self, node_use: &NodeUse) -> bool {
        self == Self::NodesByDefault && node_use.repeated > 0 && 20 * node_use.repeated >= node_use.listed
    }
}
