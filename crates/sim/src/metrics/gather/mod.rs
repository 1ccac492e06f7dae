//! Accumulation of numbers: from a stream of jobs, or from totals at the end.

mod number;
mod partial;
mod values;

pub use number::Number;
pub(super) use partial::{Compute, IsThere, MOST_VALUES, Partial, PerJob, for_each, per_job};
pub(super) use values::Values;
