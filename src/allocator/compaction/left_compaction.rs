//! Left ordered compaction, LOC: tasks of an array move left, in their order, to make room for a job.
//!
//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in partitionable-array
//! machines", 1996.
//!
//! 1. A job goes to the leftmost free block that is long enough.
//! 2. If there is none although enough processors are free, it goes to the window that covers fewest busy processors; the
//!    tasks there move left, and those left of them as far as they are in the way.
//! 3. The elements move step by step, by the schedule of least delay; the job starts when the window is free.
//!
//! Never refuses while enough processors are free. See `compactor` for what it costs. Time O(tasks + elements that move ·
//! schedules considered).

use super::compactor::{COSTS, Compactor, Ways, take_costs};
use crate::allocator::seam::{Entry, Kind, Promises};

pub(crate) const ENTRY: Entry = Entry {
    name: "left-compaction",
    summary: "tasks of an array move left, in order, to make room",
    source: "Diessel, ElGindy, Beresford-Smith, 1996",
    parameters: COSTS,
    max_dims: 1,
    kind: Kind::Contiguous,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |params, setup| {
        let processors = setup.mesh.nodes();
        Ok(Box::new(Compactor::new(processors, Some((Ways::Left, take_costs(params)?)))))
    },
};
