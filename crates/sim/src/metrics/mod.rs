//! Metrics: the numbers computed from the records of a replay. [`METRICS`] has a row for each number, and a
//! [`Summary`] holds the numbers of one replay.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "jobs have numbers of 32 bits and machines at most 2^24 nodes; what happens is counted one by \
         one, and times are summed in 128 bits"
)]

mod backlog;
mod contention;
mod cost;
mod curves;
mod diameter;
mod dispersal;
mod facts;
mod finished_job;
mod fragmentation;
mod gather;
mod groups;
mod metric;
mod paired;
mod recorder;
mod registry;
mod replications;
mod rows;
mod shapes;
mod summary;
mod why;

pub use backlog::{OF_WAITS, saved_backlog};
pub use contention::{Contention, JobContention};
pub use cost::{Cost, clock_ns};
pub use curves::{BusyNodes, Distribution};
pub use dispersal::{Dispersal, Meter};
pub use facts::{JobRow, ReplayTotals, Trim};
pub use finished_job::{FinishedJob, Measures, More};
pub use fragmentation::{Fragmentation, FragmentationAt, FragmentationRecord, Slice, SliceFit, Slices};
pub use gather::Number;
pub use groups::{GroupNumbers, GroupSums, OfGroups, grouped_metrics};
pub use metric::{Better, ColumnInfo, ColumnType, Display, Group, Has, Metric, Needs, TableColumn};
pub use paired::{Difference, Interval95, PartFiller, PartSums, Parts, Uncertainty};
pub use recorder::{
    BATCH, Compactions, Downtime, KilledWaits, LostRun, Monitor, OutageRecord, Recorder, Recording, RowSink,
};
pub use registry::METRICS;
pub use replications::{Interval, Replications};
pub use shapes::{ShapeCount, count_by_shape};
pub use summary::{RunningSums, Summary, metric};
pub use why::{
    Explained, JobRun, JobWhy, RecordedWaits, TotalWhy, WaitCause, Why, WhyShares, explain, peak_within,
    shares_of,
};
