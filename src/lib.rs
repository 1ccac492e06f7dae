//! Trace-driven replay of real HPC job logs through schedulers and processor allocators on meshes and tori.
//!
//! Data flows one way. No stage calls back into an earlier one:
//!
//! ```text
//! file ─ trace ─► records ─ workload ─► jobs ─┐
//!                                             ├─ engine ─► records, dispersal, cost ─ metrics ─► frame ─► files, tables
//! specs ─ spec ─► allocator, scheduler ───────┘
//! ```
//!
//! These words have one meaning everywhere:
//!
//! * A *log* is a file of recorded jobs. A *replay* is the simulation of one log. A [`study`] is a set of
//!   replays.
//! * A *machine* is a mesh, a torus or an array, together with the set of its free nodes. The [`engine`] owns
//!   it.
//! * A *request* is what a job asks for. A *placement* is the list of nodes that the job gets, in rank order.
//! * A [`scheduler`] decides when a job starts, an [`allocator`] on which nodes, and an [`execution`] model
//!   how long it runs. An algorithm from outside this program is a [`guest`].
//! * The *pairwise sum* of a placement is the sum of the L1 distances over all unordered pairs of its nodes.
//!   It measures the dispersal of the job.
//!
//! ```
//! use std::sync::Arc;
//!
//! use meshreplay::job::{Job, Shape, Time};
//! use meshreplay::metrics::Monitor;
//! use meshreplay::study::{JobSource, Options, Replay, ReplaySpec};
//!
//! // Two jobs of 4 processors and one that must wait for both.
//! let job = |number, submit, run, procs| {
//!     let [submit, run] = [submit, run].map(Time::from_seconds);
//!     Job { number, submit, run, estimate: run, procs, shape: Shape::NearSquare, ..Job::default() }
//! };
//! let jobs = vec![job(1, 0, 60, 4), job(2, 0, 90, 4), job(3, 10, 30, 8)];
//! let spec = ReplaySpec::new("4x2".parse()?, "easy".parse()?, "hilbert+bf".parse()?);
//! let replay = Replay::new(spec, JobSource::recorded(Arc::new(jobs), 0));
//! let options = Options { jobs: true, ..Options::default() };
//! let outcome = replay.run(&options, &Monitor::default())?.remove(0);
//! assert_eq!(outcome.jobs[2].record.start, Time::from_seconds(90));
//! assert_eq!(outcome.jobs[0].measures.dispersal.pairwise_sum, 8); // a 2x2 block
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`audit`] checks schedules, whatever tool has produced them.
//!
//! Each algorithm cites its source. The command `list` shows all sources.
#![forbid(unsafe_code)]

pub mod cli;

pub use meshreplay_alloc::{allocator, laws};
pub use meshreplay_base::{disk, job, memory, prediction, spec, stop, words};
pub use meshreplay_machine::{machine, yardstick};
pub use meshreplay_results::{frame, inspect, sweep, text};
pub use meshreplay_sim::{engine, execution, guest, metrics, scheduler};
pub use meshreplay_study::{audit, study};
pub use {
    meshreplay_figures as figure, meshreplay_logs as trace, meshreplay_papers as paper,
    meshreplay_report as report, meshreplay_workload as workload,
};
