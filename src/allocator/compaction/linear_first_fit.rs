//! Linear first fit: the leftmost free block of an array that is long enough.
//!
//! The first fit that O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in
//! partitionable-array machines", 1996, compare compaction with.
//!
//! 1. A job gets the left end of the leftmost block of free processors that is long enough; without one it waits.
//!
//! Time O(tasks) per call.

use super::compactor::Compactor;
use crate::allocator::seam::{Entry, Kind, Promises};

pub(crate) const ENTRY: Entry = Entry {
    name: "linear-first-fit",
    summary: "the leftmost free block of an array that is long enough",
    source: "Diessel, ElGindy, Beresford-Smith, 1996",
    parameters: "",
    max_dims: 1,
    kind: Kind::Contiguous,
    promises: |_| Promises { exact: true, complete: false, forgets: true },
    build: |_, setup| {
        let processors = setup.mesh.nodes();
        Ok(Box::new(Compactor::new(processors, None)))
    },
};
