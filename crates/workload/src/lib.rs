//! Makes jobs: from the records of a log, or from workload models.
//!
//! [`Rules`] decide which records of a log become jobs and with which values. The models draw jobs at random.
//! A replay reads the jobs of either.
#![forbid(unsafe_code)]
// Arithmetic and casts are checked, clamped, or cannot overflow for the reason that the module gives.
#![cfg_attr(
    not(test),
    warn(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss
    )
)]
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "records are counted one by one, and casts of numbers with fractions clamp"
)]

mod convert;
pub mod models;
mod rules;

pub use convert::{Again, CONVERSION_REASONS, Converted, convert, most_in_use, names_rows};
pub use models::entry::{MODELS, ModelEntry};
pub use models::logs::{LublinLog, ModelLogError, write_model};
pub use models::lublin;
pub use models::lublin_jobs::{LUBLIN_TYPES, LublinJobs, LublinJobsError, MOST_LOAD};
pub use models::model::{Model, ModelError};
pub use models::side_lengths::{Outside, SideLaw, Sides as SideLengths};
pub use rules::arrivals::Arrivals;
pub use rules::rule_set::{
    Estimate, LeftOut, Overrun, Oversize, Reason, RuleSet, Rules, Sizes, Status, Workload, WorkloadBuilder,
    scaled, scaled_submit, with_limit,
};
pub use rules::shake::Shake;
pub use rules::shape_rule::ShapeRule;
pub use rules::spelling::{OVERRUNS, OVERSIZES, RULE_SETS, SIZES, STATUSES};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
