//! The allocators of linear arrays: first fit without moves, and first fit with four kinds of compaction.
//!
//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in
//! partitionable-array machines", 1996; Theorem 2 and Corollary 1 for the right and for both directions.
//!
//! 1. A job goes to the left end of the leftmost free block that is long enough. If there is none,
//!    `linear-first-fit` makes the job wait. On a ring, a torus of one dimension, the block may go round the
//!    end.
//! 2. The other allocators make room if enough processors are free.
//!    * `left-compaction` (LOC): the job goes to the window that covers fewest busy processors. The tasks in
//!      the window move left in their order, and push the tasks to their left as far as these are in the way.
//!    * `right-compaction`: the mirror image of left compaction.
//!    * `ordered-compaction`: both directions are planned, and the plan with fewer busy processors in its
//!      window is carried out. Ties go to the smaller delay, then to the shorter schedule, then to the left.
//!    * `cost-free-compaction` (CFC): all tasks slide to the left end in their order, at once and without
//!      delay. The job goes to the right of all tasks. The paper compares the other allocators with this one.
//! 3. The elements of the tasks move step by step, by the schedule of least delay. The job starts when the
//!    window is free.
//!
//! A ring has no end for tasks to slide to, so the allocators with compaction refuse it.
//!
//! An allocator with compaction never refuses a job while enough processors are free, unless `free=more` asks
//! for more free processors than the job needs before a task moves, as the paper's words do. The costs of a
//! decision and of a step are parameters. First fit takes time O(tasks). Compaction takes time O(tasks +
//! e·s), where e elements move and s schedules are considered, and twice that for both directions.

use super::compactor::{Compactor, Costs, SUBMESHES, Ways};
use crate::allocator::contiguous::first_fit::FirstFit;
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Foresight, Memory, OnTori, Promises, Request, Served, Setup, Strategy,
};
use meshreplay_base::spec::{Params, SpecError};
use meshreplay_machine::machine::Machine;

pub(crate) const LINEAR_FIRST_FIT: AllocatorEntry = AllocatorEntry {
    name: "linear-first-fit",
    summary: "the leftmost free block of an array that is long enough",
    source: "Diessel, ElGindy, Beresford-Smith, 1996",
    max_dims: 1,
    promises: |_| Promises { exact: true, complete: false, memory: Memory::None },
    ..AllocatorEntry::contiguous(|_, setup| {
        // On a ring the block may go round the end.
        if setup.mesh.wraps_any() {
            return Ok(FirstFit::strategy(SUBMESHES));
        }
        let strategy = Strategy::of(Compactor::new(setup.mesh.nodes(), None));
        Ok(strategy.served(Served::BySubmesh(SUBMESHES)))
    })
};

pub(crate) const LEFT: AllocatorEntry = AllocatorEntry {
    name: "left-compaction",
    summary: "tasks of an array move left, in order, to make room",
    parameters: Costs::PARAMETERS,
    tori: OnTori::Refuses("tasks slide to an end of the array, and a ring has none"),
    refuses_unavailable: Some(
        "its tasks slide along the whole array, and a missing node would be in their way",
    ),
    promises: |spec| Promises {
        exact: true,
        complete: spec.params.get("free").is_none_or(|free| free != "more"),
        memory: Memory::UntilIdle,
    },
    build: |params, setup| compaction(Ways::Left, params, setup),
    ..LINEAR_FIRST_FIT
};

pub(crate) const RIGHT: AllocatorEntry = AllocatorEntry {
    name: "right-compaction",
    summary: "tasks of an array move right, in order, to make room",
    build: |params, setup| compaction(Ways::Right, params, setup),
    ..LEFT
};

pub(crate) const ORDERED: AllocatorEntry = AllocatorEntry {
    name: "ordered-compaction",
    summary: "the better of left and right compaction",
    build: |params, setup| compaction(Ways::Both, params, setup),
    ..LEFT
};

pub(crate) const COST_FREE: AllocatorEntry = AllocatorEntry {
    name: "cost-free-compaction",
    summary: "all tasks of an array slide left at once, for nothing",
    parameters: "",
    build: |params, setup| compaction(Ways::Free, params, setup),
    ..LEFT
};

/// Returns an allocator that compacts in these directions. Its costs are taken from the parameters, unless
/// compaction is free.
fn compaction(ways: Ways, params: &mut Params, setup: &Setup<'_>) -> Result<Strategy, SpecError> {
    let costs = if ways == Ways::Free { Costs::NONE } else { Costs::take(params)? };
    let compaction = Some((ways, costs));
    let strategy = Strategy::of(Compactor::new(setup.mesh.nodes(), compaction)).moving_jobs();
    if costs.spare == 0 {
        return Ok(strategy);
    }
    let foresight = move |request: &Request, machine: &Machine| {
        Compactor::for_state(machine, compaction).propose(request, machine)
    };
    Ok(strategy.served(Served::ByState(Foresight::Function(Box::new(foresight)))))
}
