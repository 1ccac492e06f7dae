//! Studies: the product of logs, machines, schedulers and allocators as a flat list of cells, and how they are run.
//!
//! [`Study::read`] plans a study from its file, [`Shard`] deals its cells out to several processes, [`sweep`] runs
//! them. A cell's result is named by its content key, so that whoever starts a study again replays only what is
//! missing. [`Axes`] is the product on its own, [`Replay`] one replay on its own.

mod all;
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
mod run_manifest;
mod running;
mod shard;
mod shared_jobs;
mod snapshot;
mod source;

pub use all::ALL;
pub use axes::{Axes, Combination};
pub use file::StudyError;
pub use jobs::{JobsError, fitting};
pub use key::{content_key, files, sha256};
pub use log::{LoadedLog, LogSource, load, log_name};
pub use manifest::{Manifest, ManifestCell, ManifestLog};
pub use options::{Flag, Gives, Keyed, OPTIONS, Options, ReplayOption};
pub use plan::{Draft, PlanError};
pub use planned::{PlannedReplay, Study, StudyLog};
pub use replay::{Outcome, Replay, RunError};
pub use replay_spec::{COORDINATES, Coordinate, ReplaySpec};
pub use run::{Keep, KeepError, Progress, SweepError, sweep};
pub use run_manifest::RunManifest;
pub use running::{Running, State};
pub use shard::{MAX_SHARDS, Shard, weight};
pub use shared_jobs::NoJobs;
pub use snapshot::{RunningJob, Snapshot};
pub use source::JobSource;
