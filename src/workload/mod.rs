//! Logs and models to jobs.

pub mod lublin;
mod rules;

pub use rules::{
    Estimate, LeftOut, Oversize, Overrun, Reason, RuleSet, Rules, Status, Workload, WorkloadBuilder, scaled,
};
