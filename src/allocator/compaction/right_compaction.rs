//! Right ordered compaction: the mirror image of left ordered compaction.
//!
//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in partitionable-array
//! machines", 1996, Theorem 2.
//!
//! 1. A job goes to the leftmost free block that is long enough.
//! 2. If there is none although enough processors are free, tasks move right as they would move left in `left-compaction`.
//!
//! Never refuses while enough processors are free. Time as for `left-compaction`.

use super::compactor::{COSTS, Compactor, Ways, take_costs};
use crate::allocator::seam::{Entry, Kind, Promises};

pub(crate) const ENTRY: Entry = Entry {
    name: "right-compaction",
    summary: "tasks of an array move right, in order, to make room",
    source: "Diessel, ElGindy, Beresford-Smith, 1996",
    parameters: COSTS,
    max_dims: 1,
    kind: Kind::Contiguous,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |params, setup| {
        let processors = setup.mesh.nodes();
        Ok(Box::new(Compactor::new(processors, Some((Ways::Right, take_costs(params)?)))))
    },
};
