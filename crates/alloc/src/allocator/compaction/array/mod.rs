//! A linear array of processors with its tasks: first fit, and plans that move tasks to make room for another
//! one.
//!
//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in
//! partitionable-array machines", 1996. Processors are numbered from 0 at the left. `tasks` has the array,
//! `window` finds the place for the incoming task and the tasks that must move, and `schedule` finds the step
//! of each of their elements.

mod schedule;
mod tasks;
mod window;

pub use self::schedule::{Schedule, Suspension, Transfer};
pub use self::tasks::{Array, Task};
pub use self::window::{CompactionWindow, Shift};
