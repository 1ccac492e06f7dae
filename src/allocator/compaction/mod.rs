//! Contiguous allocation on a linear array, with running jobs moved aside for a waiting one.
//!
//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in partitionable-array
//! machines", 1996. `linear_first_fit` moves nothing; the others move tasks to one side, or to both, in an order, or
//! without cost, if no hole is wide enough although enough processors are free. `array` decides which tasks move and
//! when each moves, `compactor` turns that into placements.

pub mod array;
mod compactor;
pub(super) mod cost_free_compaction;
pub(super) mod left_compaction;
pub(super) mod linear_first_fit;
pub(super) mod ordered_compaction;
pub(super) mod right_compaction;
