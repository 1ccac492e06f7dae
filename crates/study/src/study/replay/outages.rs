//! Outages in replays: compatibility, and the changes of one replication.

use super::super::options::Options;
use super::super::replay_spec::ReplaySpec;
use meshreplay_alloc::allocator;
use meshreplay_base::job::{Job, Time};
use meshreplay_base::spec::SpecError;
use meshreplay_machine::machine::outages::{OutageFileError, Treatment};
use meshreplay_sim::engine::OutagePlan;
use meshreplay_sim::execution::{self, Execution};

/// Fails if a replay cannot have the outages in `options`: its allocator refuses machines with missing nodes,
/// or its network cannot kill jobs.
pub(in crate::study) fn check(spec: &ReplaySpec, options: &Options) -> Result<(), SpecError> {
    if !options.take_nodes_down() {
        return Ok(());
    }
    // Guests serve every machine, even with missing nodes.
    if !spec.allocator.is_guest() {
        let (entry, _) = allocator::find(&spec.allocator)?;
        if let Some(reason) = entry.refuses_unavailable {
            let problem =
                format!("nodes may not go down: {reason}; leave out --outages, or give another allocator");
            return Err(unsuited(entry.name, spec, problem));
        }
    }
    if spec.network.is_guest() {
        return Ok(());
    }
    let setup = execution::Setup { mesh: &spec.machine, jobs: 0, seed: 0 };
    let (model, _) = execution::build(&spec.network, &setup)?;
    if options.on_outage != Treatment::Drain && !model.cancels() {
        return Err(cannot_cancel(spec));
    }
    Ok(())
}

/// The error for an execution model that cannot kill jobs.
fn cannot_cancel(spec: &ReplaySpec) -> SpecError {
    let problem =
        "it cannot stop the messages of a job that is killed; give --on-outage drain, or leave out --outages";
    unsuited(&spec.network.name, spec, problem.to_owned())
}

/// The error that an algorithm, the `owner`, cannot serve the machine of a replay.
fn unsuited(owner: &str, spec: &ReplaySpec, problem: String) -> SpecError {
    SpecError::Unsuited { owner: owner.to_owned(), machine: spec.machine.to_string(), problem }
}

/// Fails if an execution model lacks a capability that the outages or the allocator need. The capabilities of
/// a guest are known only after it is built.
pub(in crate::study) fn check_execution(
    spec: &ReplaySpec,
    outages: Option<&OutagePlan>,
    moves_jobs: bool,
    execution: &dyn Execution,
) -> Result<(), SpecError> {
    if outages.is_some_and(|plan| plan.treatment != Treatment::Drain) && !execution.cancels() {
        return Err(cannot_cancel(spec));
    }
    if moves_jobs && !execution.postpones() {
        let problem = format!("it moves running jobs, which network '{}' cannot", spec.network);
        return Err(unsuited(&spec.allocator.to_string(), spec, problem));
    }
    Ok(())
}

/// Returns the outages of one replication; `None` if no node goes down. Random failures begin with the first
/// arrival, which is the same for all allocators.
pub(in crate::study) fn plan(
    spec: &ReplaySpec,
    options: &Options,
    first_arrival: Time,
    seed: u64,
) -> Result<Option<OutagePlan>, OutageFileError> {
    let Some(source) = options.outages.as_ref().filter(|source| source.takes_nodes_down()) else {
        return Ok(None);
    };
    let changes = source.on(&spec.machine, seed, first_arrival)?;
    Ok(Some(OutagePlan { changes, treatment: options.on_outage }))
}

/// Returns the first arrival; 0 without jobs.
pub(in crate::study) fn first_arrival(jobs: &[Job]) -> Time {
    jobs.iter().map(|job| job.submit).min().unwrap_or(Time::ZERO)
}
