//! Logs and models to jobs.

mod arrivals;
mod left_out;
pub mod lublin;
mod rules;
mod shape_rule;
mod sides;
mod spelling;
mod synthetic;

pub use arrivals::Arrivals;
pub use left_out::{LeftOut, Reason};
pub use rules::{
    Estimate, Overrun, Oversize, RuleSet, Rules, Sizes, Status, Workload, WorkloadBuilder, scaled,
};
pub use shape_rule::ShapeRule;
pub use sides::{Outside, SideLaw, Sides as SideLengths};
pub use synthetic::{Synthetic, SyntheticError};
