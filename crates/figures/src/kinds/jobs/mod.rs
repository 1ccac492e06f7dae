//! What kinds of plots share that show single jobs: their columns, their numbers, their nodes, and the axis
//! of time.

pub(super) mod columns;
pub(super) mod held_nodes;
pub(super) mod job_colours;
pub(super) mod time_axis;
pub(super) mod values;
