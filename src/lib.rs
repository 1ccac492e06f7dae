//! Trace-driven replay of real HPC job logs through schedulers and processor allocators on meshes and tori.
#![forbid(unsafe_code)]

pub mod allocator;
pub mod cli;
pub mod engine;
pub mod execution;
pub mod frame;
pub mod job;
pub mod machine;
pub mod metrics;
pub mod render;
pub mod scheduler;
pub mod spec;
pub mod study;
pub mod trace;
pub mod workload;
