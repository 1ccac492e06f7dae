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

/// Name of the scheduler that starts jobs at their recorded starts. It needs a log with recorded waits.
pub const RECORDED: &str = super::recorded::ENTRY.name;

/// Builds the scheduler named by `spec`. Returns it with the spec with all defaults written out. Fails for an
/// unknown name, or an unknown or invalid parameter.
pub fn build(spec: &Spec) -> Result<(Box<dyn Scheduler>, Spec), SpecError> {
    let Some(entry) = SCHEDULERS.iter().find(|entry| entry.name == spec.name) else {
        return Err(unknown("scheduler", &spec.name, SCHEDULERS.iter().map(|entry| entry.name)));
    };
    let mut params = Params::new(spec);
    let scheduler = (entry.build)(&mut params)?;
    Ok((scheduler, params.finish()?))
}

/// Returns the spec without parameters at their defaults, such as `easy` or `easy:pass=per-event`.
pub fn short(spec: &Spec) -> Spec {
    let mut short = spec.clone();
    if let Ok((_, default)) = build(&Spec::named(&spec.name)) {
        short.params.retain(|key, value| default.params.get(key) != Some(value));
    }
    short
}
