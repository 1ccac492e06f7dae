//! Ordered compaction in both directions: the better of left and right.
//!
//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in partitionable-array
//! machines", 1996, Theorem 2 and Corollary 1.
//!
//! 1. A job goes to the leftmost free block that is long enough.
//! 2. If there is none although enough processors are free, both compactions are planned. The one whose window covers fewer
//!    busy processors is carried out; ties to the smaller delay, the shorter schedule, the left.
//!
//! Never refuses while enough processors are free. Time twice that of `left-compaction`.

use super::compactor::{COSTS, Compactor, Ways, take_costs};
use crate::allocator::seam::{Entry, Kind, Promises};

pub(crate) const ENTRY: Entry = Entry {
    name: "ordered-compaction",
    summary: "the better of left and right compaction",
    source: "Diessel, ElGindy, Beresford-Smith, 1996",
    parameters: COSTS,
    max_dims: 1,
    kind: Kind::Contiguous,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |params, setup| {
        let processors = setup.mesh.nodes();
        Ok(Box::new(Compactor::new(processors, Some((Ways::Both, take_costs(params)?)))))
    },
};
