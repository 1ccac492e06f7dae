//! The tests of the core, which need neither data frames nor the command. Each module says in its first line what it is
//! for.
#![expect(clippy::print_stdout, reason = "tests say what they skip")]

mod support;

mod audited;
mod contiguous;
mod contiguous_states;
mod easy_boxes;
mod examples;
mod exhaustive;
mod goodput;
mod guests;
mod head_promise;
mod law_breakers;
mod laws;
mod naive_twins;
mod networks;
mod oracle;
mod outage_twin;
mod outages;
mod paired;
mod predictions;
mod recorded;
mod recorded_nodes;
mod rfold_oracle;
mod round_trip;
mod scheduler_laws;
mod schedulers;
mod served_when_down;
mod slurm_logs;
mod slurm_oracle;
mod snug_twin;
mod table_logs;
mod table_subsets;
mod trace_logs;
mod unavailable;
mod yardsticks;
