//! How a log is read.

use super::names::Partitions;
use crate::spec::Spec;

/// The options of reading a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Whether lines that do not follow the format are skipped and counted. Otherwise reading stops at the first of
    /// them.
    pub lenient: bool,
    /// The spec of the format, such as `nas-ipsc` or `columns:submit=3,run=5,procs=2`. With `None` the format is found
    /// by the file name, then by the first line that is neither blank nor a comment. If neither tells, it is SWF, or a
    /// table if that line does not begin with a number. So it
    /// is with the name [`AUTO`](super::formats::AUTO), whose parameters are those of the format that is found.
    pub format: Option<Spec>,
    /// The partitions whose records are read. With `None` all records are.
    pub partition: Option<Partitions>,
}
