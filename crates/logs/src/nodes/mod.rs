//! The nodes that jobs had according to a log: lists of names, and how much jobs share of them.

mod list;
mod runs;

pub(crate) use list::NO_NODES;
pub use list::{NodeList, NodeListError};
pub(crate) use runs::RecordedRun;
pub use runs::{NodeRuns, NodeUse, RunEnds, RunsOnNodes};
