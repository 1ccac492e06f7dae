//! `all` in place of an allocator: it stands for every row of the registry, but for those that have no place for a job
//! or cannot serve the machine. An allocator that is named is an error then instead.

use std::collections::BTreeSet;

use super::jobs::{JobsError, asked, served};
use crate::allocator::{self, ALLOCATORS, Request};
use crate::machine::Mesh;
use crate::spec::Spec;

/// The name that stands for every allocator that can serve a machine.
pub const ALL: &str = "all";

/// Returns the allocators that `spec` stands for on `machine`: itself, unless it is [`ALL`].
pub(super) fn written_out(spec: &Spec, machine: &Mesh) -> Vec<Spec> {
    if *spec != Spec::named(ALL) {
        return vec![spec.clone()];
    }
    let serving = ALLOCATORS.iter().filter(|entry| entry.serves(machine));
    serving.map(|entry| Spec::named(entry.name)).collect()
}

/// Returns a note for each allocator that `all` leaves out because it cannot serve `machine`.
pub(super) fn unserving(machine: &Mesh) -> impl Iterator<Item = String> {
    ALLOCATORS.iter().filter(move |entry| !entry.serves(machine)).map(move |entry| {
        let (name, most) = (entry.name, entry.max_dims);
        format!("all leaves out '{name}' on {machine}: it is for machines of at most {most} dimensions")
    })
}

/// What the jobs of a log ask for, each once.
pub(super) type Requests = BTreeSet<Request>;

/// Returns why `all` leaves `allocator` out of the replay of `log` on `machine`: a note that names the first of
/// `requests` that is not larger than the machine and for which the allocator finds no place while nothing else runs.
/// `None` if it finds one for each.
pub(super) fn left_out(
    log: &str,
    requests: &Requests,
    machine: &Mesh,
    allocator: &Spec,
) -> Result<Option<String>, JobsError> {
    let served = served(requests.iter().copied(), machine, allocator)?;
    let refused = served.into_iter().find(|(_, fits)| !fits);
    Ok(refused.map(|(request, _)| {
        let (name, asked) = (allocator::short(allocator), asked(&request));
        format!("{log} on {machine}: all leaves out '{name}', which never finds a place for {asked}")
    }))
}
