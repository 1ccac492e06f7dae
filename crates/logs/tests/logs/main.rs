//! Logs as sites write them, read and written. Each module says in its first line what it is for.

mod slurm_logs;
mod trace_logs;
