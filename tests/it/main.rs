//! Tests of result files and of the command. Tests of the crates are in crates/*/tests. The first line of
//! each module gives its purpose.
#![expect(clippy::print_stdout, reason = "tests say what they skip")]

#[expect(dead_code, reason = "some of it only the tests of the core use")]
#[path = "../../crates/study/tests/replays/support.rs"]
mod core_support;
mod support;

mod all_allocators;
mod answers_cli;
mod attack_small;
mod audit_cli;
mod audited_cli;
mod calibration;
mod check_cli;
mod closing_lines;
mod compaction;
mod comparisons_cli;
mod contradictions;
mod damaged_logs;
mod data_out;
mod dependencies;
mod docs;
mod docs_links;
mod docs_pictures;
mod docs_registries;
mod exec_cli;
mod far_times;
#[cfg(unix)]
mod faults;
mod fetch;
mod foreign_logs;
mod groups_cli;
mod hardening;
mod labels_cli;
mod loads_cli;
mod lublin;
mod mistakes_cli;
mod native_logs;
mod network;
mod optimum_cli;
mod orders;
mod outages_cli;
mod own_data;
mod papers;
mod partitions_cli;
mod plot_cli;
mod plot_panels_cli;
mod plot_paper_cli;
mod predictions_cli;
mod recorded_cli;
mod recorded_nodes_cli;
mod released;
mod replay_cli;
mod report_cli;
mod reproduce_cli;
mod reproduce_compaction;
mod reproduce_walker;
mod results_cli;
mod scripts;
mod show_cli;
mod signals;
mod sites_cli;
mod slices_cli;
mod slurm_cli;
mod slurm_logs;
mod strangers;
mod stream_faults;
mod streams;
mod strict_reading;
mod study_messages;
mod sweep_cli;
mod synthetic_cli;
mod table_cli;
mod table_paper_cli;
mod terminal_cli;
mod tidy;
mod tidy_jobs_cli;
mod time_zones;
mod together_cli;
mod trace_cli;
mod trees_cli;
mod unavailable_cli;
mod useless_options;
mod writers;
mod wrong_inputs;
