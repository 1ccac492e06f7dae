//! Studies: the Cartesian product of logs, machines, schedulers, allocators and more as a flat list of cells,
//! and the code that runs the cells. A cell is one replay of a study, with all its replications.
//!
//! [`Study::read`] plans a study from its file. [`Shard`] divides the cells among processes. [`sweep`] runs
//! them. Results are named by content keys, so that a restarted study replays only the cells without a
//! result. [`Axes`] is the product on its own, and [`Replay`] is one replay on its own.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "jobs have numbers of 32 bits, replays are fewer than memory can hold, and positions are those \
         in lists"
)]

mod axes;
mod file;
mod jobs;
mod key;
mod log;
mod manifest;
mod options;
mod plan;
mod planned;
mod replay;
mod replay_spec;
mod run;
mod shard;
mod shared_jobs;
mod snapshot;
mod source;

pub use axes::{
    ALL, Axes, AxisValues, Combination, LogPart, MachineArg, MachinesWithTopology, NoTopology,
    UNAVAILABLE_OF_AUTO,
};
pub use file::{StudyError, StudyKey};
pub use jobs::{JobsError, fitting};
pub use key::{content_key, sha256};
pub use log::{LoadedLog, LogSource, LogStart, MOST_KEPT, RecordedNodesError, load, log_name};
pub use manifest::{Manifest, ManifestCell, ManifestLog, RunManifest};
pub use options::{Flag, FlagValue, Keyed, OPTIONS, Options, ReplayOption, headings};
pub use plan::{Draft, PeriodChoice, PlanError, covered};
pub use planned::{JobBytes, PlannedReplay, REFUSED_SHARE, Study, StudyLog, doubt_of_refused, not_compared};
pub use replay::{JOBS_AT_ONCE, Outcome, Replay, RunError};
pub use replay_spec::{Argument, Axis, COORDINATES, Coordinate, Labelled, Labels, ReplaySpec};
pub use run::{Keep, KeepError, Progress, Running, State, SweepError, TakeCellRows, sweep};
pub use shard::{MAX_SHARDS, Shard};
pub use shared_jobs::LoadJobsError;
pub use snapshot::{RunningJob, Snapshot};
pub use source::{JobSource, LogStream};
