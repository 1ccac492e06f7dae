//! Logs and models to jobs.

mod left_out;
pub mod lublin;
mod rules;
mod spelling;

pub use left_out::{LeftOut, Reason};
pub use rules::{
    Estimate, Overrun, Oversize, RuleSet, Rules, Sizes, Status, Workload, WorkloadBuilder, scaled,
};
