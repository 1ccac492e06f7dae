//! Contiguous allocation on a linear array, with running jobs moved aside for a waiting one.
//!
//! If no hole is wide enough for a job although enough processors are free, tasks move to one side, or to the better of
//! both, or slide together for nothing. A placement then carries a rearrangement, which the engine carries out: jobs
//! stand still for a while, and the new one starts later. `rows` has the allocators, first fit without moves among
//! them; `array` decides which tasks move and when each element moves; `compactor` turns that into placements.

pub mod array;
mod compactor;
pub(super) mod rows;
