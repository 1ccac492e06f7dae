//! The rows of all schedulers, and how a spec finds its row and is built.

use super::seam::{Entry, Scheduler};
use super::{bypass_queue, conservative, easy, fcfs, first_fit_queue};
use crate::spec::{Params, Spec, SpecError, unknown};

/// Every scheduler.
pub const SCHEDULERS: &[Entry] =
    &[fcfs::ENTRY, easy::ENTRY, conservative::ENTRY, first_fit_queue::ENTRY, bypass_queue::ENTRY];

/// Builds the scheduler that `spec` names, and the spec with every default written out.
pub fn build(spec: &Spec) -> Result<(Box<dyn Scheduler>, Spec), SpecError> {
    let Some(entry) = SCHEDULERS.iter().find(|entry| entry.name == spec.name) else {
        return Err(unknown("scheduler", &spec.name, SCHEDULERS.iter().map(|entry| entry.name)));
    };
    let mut params = Params::new(spec);
    let scheduler = (entry.build)(&mut params)?;
    Ok((scheduler, params.finish()?))
}
