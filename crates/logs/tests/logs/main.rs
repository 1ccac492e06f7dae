//! Reading and writing logs of sites. The first line of each module states its purpose.

mod damaged_tables;
mod site;
mod slurm_logs;
mod trace_logs;
