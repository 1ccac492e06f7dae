//! The inputs for building a guest, its table of jobs, and the check of its placements.

use std::sync::Arc;

use meshreplay_alloc::allocator::{self, BuildError, Request, Served, Submeshes};
use meshreplay_base::job::{Job, JobId, NodesFor, Time};
use meshreplay_base::spec::Spec;
use meshreplay_base::stop::Stop;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::{Machine, Mesh, NodeId, NodeLists};

/// The inputs for building a guest for one replay.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The spec of the guest, such as `guest:mine`, used in messages.
    pub label: &'a str,
    /// The machine of the replay.
    pub mesh: &'a Mesh,
    /// The jobs of the replay by position. Empty if the guest is only asked which jobs it can serve.
    pub jobs: &'a [Job],
    /// The seed of the replication.
    pub seed: u64,
    /// The stop switch of the replay. A guest that cannot go on calls [`Stop::fail`] with a complete message
    /// that names it by `label`. A guest that waits checks [`Stop::is_thrown`] about every 50 ms and gives
    /// up.
    pub stop: &'a Stop,
    /// The nodes of jobs according to the log, or `None` if unknown or not needed.
    pub lists: Option<&'a Arc<NodeLists>>,
}

impl Setup<'_> {
    /// Returns the submeshes of an allocator that serves a request by its submesh, as `first-fit` does. Fails
    /// with a complete message.
    pub fn submeshes(&self) -> Result<Submeshes, String> {
        let like = allocator::Setup::new(self.mesh, self.seed);
        let built = allocator::build(&Spec::named("first-fit"), &like);
        match built.map_err(|error| format!("allocator '{}': {error}", self.label))?.strategy.served {
            Served::BySubmesh(submeshes) => Ok(submeshes),
            Served::ByCount | Served::ByState(_) => {
                Err(format!("allocator '{}' is served otherwise", self.label))
            }
        }
    }

    /// Returns the error of a guest that failed to start.
    pub(super) fn failed(&self, message: String) -> BuildError {
        let is_interrupted = self.stop.is_thrown() && self.stop.reason().is_none();
        if is_interrupted { BuildError::Interrupted } else { BuildError::Failed(message) }
    }
}

/// Facts about a job beyond its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobFacts {
    /// The log's number of the job.
    pub number: i64,
    /// The number of its user, or `None` if unknown.
    pub user: Option<i64>,
    /// The estimate of the run time at submission, without predictions, which may change.
    pub estimate: Time,
}

/// The jobs of a replay, for a guest that is an allocator.
#[derive(Clone, Debug, Default)]
pub struct JobTable(Vec<JobFacts>);

impl JobTable {
    /// Creates the table of the jobs of a replay.
    pub fn of(setup: &Setup<'_>) -> Self {
        let facts = |job: &Job| JobFacts {
            number: job.number,
            user: job.logged.user.known(),
            estimate: job.estimate,
        };
        Self(setup.jobs.iter().map(facts).collect())
    }

    /// Returns the job of a request and its position in the replay, or `None` if unknown.
    pub fn of_request(&self, request: &Request) -> Option<(JobId, JobFacts)> {
        let job = request.job?;
        Some((job, *self.0.get(job as usize)?))
    }
}

/// Fails with a description unless `nodes` are distinct free nodes of `machine` in the `expected` number,
/// usually `NodesFor::exactly(request.procs)`. The engine checks every placement again, except for too many
/// nodes. O(k log k) for k nodes.
pub fn check_placement(nodes: &[NodeId], expected: NodesFor, machine: &Machine) -> Result<(), String> {
    let (found, NodesFor { least, most }) = (nodes.len(), expected);
    if !(least as usize..=most as usize).contains(&found) {
        let expected = if least == most { least.to_string() } else { format!("{least} to {most}") };
        return Err(format!("its placement has {}, expected {expected}", counted(found, "node")));
    }
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    if let Some((node, _)) = sorted.iter().zip(sorted.iter().skip(1)).find(|(node, next)| node == next) {
        return Err(format!("its placement has node {node} twice, expected different nodes"));
    }
    let all = machine.mesh().nodes();
    if let Some(outside) = sorted.last().filter(|&&node| node >= all) {
        return Err(format!("its placement has node {outside}, expected numbers from 0 to {}", all - 1));
    }
    if let Some(node) = nodes.iter().find(|&&node| !machine.free().contains(node)) {
        return Err(format!("its placement has node {node}, which is not free"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_placement_is_said() -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new("4x2".parse()?);
        machine.occupy(&[3])?;
        for (nodes, words) in [
            (&[0, 1, 2][..], ""),
            (&[2, 0, 7], ""),
            (&[0], "has 1 node, expected 3"),
            (&[0, 1], "has 2 nodes, expected 3"),
            (&[0, 1, 2, 4], "has 4 nodes, expected 3"),
            (&[0, 1, 1], "node 1 twice"),
            (&[0, 8, 1], "node 8, expected numbers from 0 to 7"),
            (&[0, 3, 1], "node 3, which is not free"),
        ] {
            let found = check_placement(nodes, NodesFor::exactly(3), &machine).err().unwrap_or_default();
            assert_eq!(found.is_empty(), words.is_empty(), "{nodes:?}: {found}");
            assert!(found.contains(words), "{nodes:?}: {found}");
        }
        Ok(())
    }
}
