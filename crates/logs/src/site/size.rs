//! The size of the machine of a log without a header.

use super::Levels;
use crate::nodes::NodeUse;
use crate::unit::LogUnit;
use meshreplay_base::words::counted;

/// The size of a machine, from its use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteSize {
    /// The size, and its source.
    Known(u64, SizeSource),
    /// Unknown. The sentence, without a full stop, gives the most processors in use at once.
    Unknown(String),
}

/// The source of the size of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeSource {
    /// The header.
    Header,
    /// The names of nodes.
    Names,
    /// The edge of the levels of use.
    Edge,
}

impl SizeSource {
    /// Returns words that follow the number.
    pub fn words(self) -> &'static str {
        match self {
            Self::Header => "processors by its header",
            Self::Names => "nodes in its lists of nodes",
            Self::Edge => "processors that its jobs fill and hardly ever exceed",
        }
    }
}

impl SiteSize {
    /// Returns the size of the machine with this use, in a log whose processors are of this unit. `largest`
    /// are the processors of the largest job. Times are in seconds.
    ///
    /// If every run has as many names of nodes as processors, the size is the number of names. Otherwise it
    /// is the edge of the levels of use, or the number of names if no more processors were in use at once.
    pub fn of_use(node_use: &NodeUse, levels: &Levels, unit: LogUnit, largest: u64) -> Self {
        let names = if unit.counts_nodes(node_use) { node_use.nodes } else { 0 };
        let (peak, peak_s) = levels.peak();
        let edge = levels.edge(largest);
        if names > 0 && (node_use.names_all() || names >= edge.unwrap_or(peak).max(largest)) {
            return Self::Known(names, SizeSource::Names);
        }
        match edge {
            Some(edge) => Self::Known(edge, SizeSource::Edge),
            None => Self::Unknown(format!(
                "the size of its machine is not known: its jobs had up to {} in use at once, for {peak_s} s, \
                 and the largest has {largest}",
                counted(peak, "processor")
            )),
        }
    }
}
