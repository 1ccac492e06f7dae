//! The registry: the rows of all schedulers, and the function that builds a scheduler from its spec.

use super::seam::{Entry, Scheduler};
use meshreplay_base::spec::{Params, Spec, SpecError, unknown};

/// The rows of all schedulers.
pub const SCHEDULERS: &[Entry] = &[
    super::fcfs::ENTRY,
    super::easy::ENTRY,
    super::conservative::ENTRY,
    super::first_fit_queue::ENTRY,
    super::bypass_queue::ENTRY,
    super::recorded::ENTRY,
];

/// The name of the scheduler that starts jobs when their log says so. It needs a log with recorded waits.
pub const RECORDED: &str = super::recorded::ENTRY.name;

/// Builds the scheduler that `spec` names. Returns it with the spec in which every default is written out.
/// Fails if no scheduler has this name, or if a parameter is unknown or invalid.
pub fn build(spec: &Spec) -> Result<(Box<dyn Scheduler>, Spec), SpecError> {
    let Some(entry) = SCHEDULERS.iter().find(|entry| entry.name == spec.name) else {
        return Err(unknown("scheduler", &spec.name, SCHEDULERS.iter().map(|entry| entry.name)));
    };
    let mut params = Params::new(spec);
    let scheduler = (entry.build)(&mut params)?;
    Ok((scheduler, params.finish()?))
}

/// Returns the spec without the parameters that have their default values, such as `easy` or
/// `easy:pass=per-event`.
pub fn short(spec: &Spec) -> Spec {
    let mut short = spec.clone();
    if let Ok((_, default)) = build(&Spec::named(&spec.name)) {
        short.params.retain(|key, value| default.params.get(key) != Some(value));
    }
    short
}
