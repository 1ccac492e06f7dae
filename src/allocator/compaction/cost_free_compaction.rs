//! Cost-free compaction, CFC: all tasks of an array slide left at once and for nothing.
//!
//! The yardstick of O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in
//! partitionable-array machines", 1996.
//!
//! 1. A job goes to the leftmost free block that is long enough.
//! 2. If there is none although enough processors are free, all tasks slide to the left end in their order, without delay,
//!    and the job goes right of them.
//!
//! Never refuses while enough processors are free. Time O(processors of the tasks that move).

use super::compactor::{Compactor, Costs, Ways};
use crate::allocator::seam::{Entry, Kind, Promises};

pub(crate) const ENTRY: Entry = Entry {
    name: "cost-free-compaction",
    summary: "all tasks of an array slide left at once, for nothing",
    source: "Diessel, ElGindy, Beresford-Smith, 1996",
    parameters: "",
    max_dims: 1,
    kind: Kind::Contiguous,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |_, setup| {
        let processors = setup.mesh.nodes();
        Ok(Box::new(Compactor::new(processors, Some((Ways::Free, Costs::NONE)))))
    },
};
