//! `all` in place of an allocator: every row of the registry, but for those that have no place for a job or cannot serve the
//! machine. Whoever names an allocator gets an error then instead.

use std::collections::BTreeSet;

use super::jobs::{JobsError, served};
use super::product::Axes;
use super::source::JobSource;
use crate::allocator::{self, ALLOCATORS, Request};
use crate::job::Job;
use crate::machine::Mesh;
use crate::spec::Spec;

/// What stands for every allocator that can serve a machine.
pub const ALL: &str = "all";

/// The allocators that `spec` stands for on `machine`.
pub(super) fn written_out(spec: &Spec, machine: &Mesh) -> Vec<Spec> {
    if *spec != Spec::named(ALL) {
        return vec![spec.clone()];
    }
    let serving = ALLOCATORS.iter().filter(|entry| entry.serves(machine));
    serving.map(|entry| Spec::named(entry.name)).collect()
}

impl Axes {
    /// What `all` leaves out because it cannot serve a machine: a note for each allocator and machine.
    pub fn unserved(&self) -> Vec<String> {
        if !self.allocators.contains(&Spec::named(ALL)) {
            return Vec::new();
        }
        let of_machine = |machine: &Mesh| {
            let unserving = ALLOCATORS.iter().filter(|entry| !entry.serves(machine));
            let note = |entry: &allocator::Entry| {
                let (name, most) = (entry.name, entry.max_dims);
                format!(
                    "all leaves out '{name}' on {machine}: it is for machines of at most {most} dimensions"
                )
            };
            unserving.map(note).collect::<Vec<_>>()
        };
        self.machines.iter().flat_map(of_machine).collect()
    }
}

/// What the jobs of a log ask for, each once.
pub type Requests = BTreeSet<Request>;

/// What a job asks for.
pub(super) fn request(job: &Job) -> Request {
    Request { procs: job.procs, shape: job.shape }
}

impl JobSource {
    /// What the jobs ask for that `machine` is large enough for, with each of `seeds`.
    pub fn requests(
        &self,
        log: &str,
        seeds: impl Iterator<Item = u64>,
        machine: &Mesh,
    ) -> Result<Requests, JobsError> {
        let mut requests = Requests::new();
        for seed in seeds {
            let (jobs, _) = self.jobs(log, seed, machine)?;
            requests.extend(jobs.iter().map(request));
            if matches!(self, Self::Recorded { .. }) {
                break;
            }
        }
        Ok(requests)
    }
}

/// Why `all` leaves `allocator` out of the replay of `log` on `machine`: the first of `requests` that is not larger than the
/// machine and for which the allocator finds no place while nothing else runs. `None` if there is none.
pub fn left_out(
    log: &str,
    requests: &Requests,
    machine: &Mesh,
    allocator: &Spec,
) -> Result<Option<String>, JobsError> {
    let served = served(requests.iter().copied(), machine, allocator)?;
    let refused = served.into_iter().find(|(_, fits)| !fits);
    Ok(refused.map(|(request, _)| {
        let (name, asked) = (allocator::short(allocator), super::jobs::asked(&request));
        format!("{log} on {machine}: all leaves out '{name}', which never finds a place for {asked}")
    }))
}
