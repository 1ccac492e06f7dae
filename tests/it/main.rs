//! One test binary. Each module says in its first line what it is for.
#![expect(clippy::print_stdout, reason = "tests say what they skip")]

mod support;

mod all_allocators;
mod audit_cli;
mod compaction;
mod contiguous;
mod data_out;
mod easy_boxes;
mod examples;
mod exhaustive;
mod far_times;
mod fetch;
mod head_promise;
mod laws;
mod lublin;
mod naive_twins;
mod native_logs;
mod network;
mod oracle;
mod orders;
mod papers;
mod plot_cli;
mod replay_cli;
mod reproduce_cli;
mod reproduce_compaction;
mod reproduce_walker;
mod results_cli;
mod schedulers;
mod scripts;
mod show_cli;
mod signals;
mod slurm_cli;
mod snug_twin;
mod strangers;
mod sweep_cli;
mod synthetic_cli;
mod table_cli;
mod tidy;
mod trace_cli;
mod trace_logs;
mod writers;
mod yardsticks;
