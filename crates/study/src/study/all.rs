//! The name `all` in place of an allocator: every registered allocator that can serve the machine and all
//! jobs of the log, and the recommended curve. The others are left out with a note. An allocator given by its
//! own name is never left out: planning fails if it cannot serve the machine, and the workload rules decide
//! about jobs that it cannot serve.

use std::collections::BTreeSet;

use super::jobs::{JobsError, asked, served};
use meshreplay_alloc::allocator::{self, ALLOCATORS, Request, Setup};
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::Mesh;

/// Stands for every allocator that can serve the machine.
pub const ALL: &str = "all";

/// The allocator on a curve that README recommends.
const RECOMMENDED: &str = "hilbert+bf";

/// Expands `spec` on `machine`: [`ALL`] to every allocator that can serve the machine, any other spec to
/// itself.
pub(super) fn expanded(spec: &Spec, machine: &Mesh) -> Vec<Spec> {
    if *spec != Spec::named(ALL) {
        return vec![spec.clone()];
    }
    let serving = ALLOCATORS.iter().filter(|entry| entry.serves(machine));
    let serving = serving.map(|entry| Spec::named(entry.name));
    // A short form of the allocator `curve`, whose row of the registry has another curve and rule.
    let serves = |spec: &Spec| allocator::find(spec).is_ok_and(|(entry, _)| entry.serves(machine));
    serving.chain(RECOMMENDED.parse().ok().filter(serves)).collect()
}

/// Returns a note for each reason for which `all` leaves out allocators that cannot serve `machine`.
pub(super) fn unserving(machine: &Mesh) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for entry in ALLOCATORS {
        let Some(refusal) = entry.refusal(machine) else { continue };
        match reasons.iter_mut().find(|(reason, _)| *reason == refusal) {
            Some((_, names)) => names.push(entry.name),
            None => reasons.push((refusal, vec![entry.name])),
        }
    }
    let note = |(reason, names): (String, Vec<&str>)| {
        // Reasons are sentences about one allocator, which begin with "it".
        let reason = if names.len() > 1 { reason.replacen("it ", "each ", 1) } else { reason };
        format!("all leaves out '{}' on {machine}: {reason}", names.join("', '"))
    };
    reasons.into_iter().map(note).collect()
}

/// The distinct requests of the jobs of a log.
pub(super) type Requests = BTreeSet<Request>;

/// Returns a note if `all` leaves `allocator` out of the replay of `log` on `machine`, because it finds no
/// nodes on the idle machine for one of `requests`. The note names the first such request. Requests larger
/// than the machine do not count.
pub(super) fn left_out(
    log: &str,
    requests: &Requests,
    machine: &Mesh,
    allocator: &Spec,
) -> Result<Option<String>, JobsError> {
    let built = allocator::build(allocator, &Setup::new(machine, 0))?;
    let served = served(requests.iter().copied(), machine, built);
    let refused = served.into_iter().find(|(_, fits)| !fits);
    Ok(refused.map(|(request, _)| {
        let (name, asked) = (allocator::short(allocator), asked(&request));
        format!("{log} on {machine}: all leaves out '{name}', which never finds a place for {asked}")
    }))
}
