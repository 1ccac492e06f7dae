//! Logs and models to jobs.

pub mod lublin;
mod rules;
mod spelling;

pub use rules::{
    Estimate, LeftOut, Overrun, Oversize, Reason, RuleSet, Rules, Sizes, Status, Workload, WorkloadBuilder,
    scaled,
};
