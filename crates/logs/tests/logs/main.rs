//! Logs as sites write them, read and written. The first line of each module states its purpose.

mod slurm_logs;
mod trace_logs;
