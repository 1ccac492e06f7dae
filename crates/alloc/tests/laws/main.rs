//! Laws, twins and oracles of allocators. The first line of each module gives its purpose.
#![expect(clippy::print_stdout, reason = "tests say what they skip")]

mod contiguous;
mod contiguous_states;
mod examples;
mod exhaustive;
mod law_breakers;
mod laws;
mod list_twins;
mod naive_twins;
mod paper_twins;
mod plain_twins;
mod served_when_down;
mod slurm_oracle;
mod snug_twin;
mod tree_oracle;
mod unavailable;
mod yardsticks;
