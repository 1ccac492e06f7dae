//! The allocators of linear arrays: first fit, and first fit with compaction to the left, to the right, to the better
//! of both sides, or for nothing.
//!
//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in partitionable-array
//! machines", 1996; Theorem 2 and Corollary 1 for the right and for both directions.
//!
//! 1. A job goes to the left end of the leftmost free block that is long enough. `linear-first-fit` makes a job wait if
//!    there is none.
//! 2. The others make room if enough processors are free. `left-compaction` (LOC): the job goes to the window that
//!    covers fewest busy processors; the tasks there move left, in their order, and those left of them as far as they
//!    are in the way. `right-compaction`: the mirror image. `ordered-compaction`: both are planned, and the one whose
//!    window covers fewer busy processors is carried out; ties to the smaller delay, the shorter schedule, the left.
//!    `cost-free-compaction` (CFC): all tasks slide to the left end in their order, at once and without delay, and
//!    the job goes right of them; it is the yardstick of the paper.
//! 3. The elements move step by step, by the schedule of least delay; the job starts when the window is free.
//!
//! Whoever compacts never refuses while enough processors are free. See `compactor` for what it costs. Time O(tasks)
//! for first fit, and O(tasks + elements that move · schedules considered) for compaction, twice that for both
//! directions.

use super::compactor::{Compactor, Costs, Ways};
use crate::allocator::seam::{Contiguity, Entry, Promises, Served, Setup, Strategy};
use crate::spec::{Params, SpecError};

pub(crate) const LINEAR_FIRST_FIT: Entry = Entry {
    name: "linear-first-fit",
    summary: "the leftmost free block of an array that is long enough",
    source: "Diessel, ElGindy, Beresford-Smith, 1996",
    parameters: "",
    max_dims: 1,
    kind: Contiguity::Contiguous,
    promises: |_| Promises { exact: true, complete: false, forgets: true },
    build: |_, setup| {
        let strategy = Strategy::of(Compactor::new(setup.mesh.nodes(), None));
        Ok(strategy.served(Served::BySubmesh(super::compactor::SUBMESHES)))
    },
};

pub(crate) const LEFT: Entry = Entry {
    name: "left-compaction",
    summary: "tasks of an array move left, in order, to make room",
    parameters: Costs::PARAMETERS,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |params, setup| compaction(Ways::Left, params, setup),
    ..LINEAR_FIRST_FIT
};

pub(crate) const RIGHT: Entry = Entry {
    name: "right-compaction",
    summary: "tasks of an array move right, in order, to make room",
    build: |params, setup| compaction(Ways::Right, params, setup),
    ..LEFT
};

pub(crate) const ORDERED: Entry = Entry {
    name: "ordered-compaction",
    summary: "the better of left and right compaction",
    build: |params, setup| compaction(Ways::Both, params, setup),
    ..LEFT
};

pub(crate) const COST_FREE: Entry = Entry {
    name: "cost-free-compaction",
    summary: "all tasks of an array slide left at once, for nothing",
    parameters: "",
    build: |params, setup| compaction(Ways::Free, params, setup),
    ..LEFT
};

/// Builds an allocator that compacts in this way, at the costs that parameters give it if it has any.
fn compaction(ways: Ways, params: &mut Params, setup: &Setup<'_>) -> Result<Strategy, SpecError> {
    let costs = if ways == Ways::Free { Costs::NONE } else { Costs::take(params)? };
    Ok(Strategy::of(Compactor::new(setup.mesh.nodes(), Some((ways, costs)))).moving_jobs())
}
