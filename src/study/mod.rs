//! Studies: the product of logs, machines, schedulers and allocators as a flat list of cells, and how they are run.
//!
//! [`Study::read`] plans a study from its file, [`Shard`] deals its cells out to several processes, [`sweep`] runs them.
//! A cell's result is named by its content key, so that whoever starts a study again replays only what is missing.
//! [`Axes`] is the product on its own, [`Cell`] one replay on its own.

mod all;
mod cell;
mod error;
mod jobs;
mod key;
mod keys;
mod log;
mod manifest;
mod options;
mod plan;
mod planned;
mod product;
mod running;
mod shard;
mod snapshot;
mod source;
mod sweep;
mod workloads;

pub use all::{ALL, Requests, left_out};
pub use cell::{Cell, CellError, Outcome, Plan};
pub use error::StudyError;
pub use jobs::{JobsError, fitting, scaled_jobs};
pub use key::{files, sha256};
pub use log::{LoadedLog, load, log_name};
pub use manifest::{Manifest, ManifestCell, ManifestLog};
pub use options::{Flag, Keyed, OPTIONS, PlanOption};
pub use planned::{Study, StudyCell, StudyLog};
pub use product::{Axes, Point};
pub use running::{Event, Running, State, run_all};
pub use shard::{MAX_SHARDS, Shard, weight};
pub use snapshot::{RunningJob, Snapshot};
pub use source::JobSource;
pub use sweep::{Keep, KeepError, Progress, SweepError, sweep};
pub use workloads::NoJobs;
