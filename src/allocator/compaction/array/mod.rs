//! Tasks on a linear array: where they are, first fit, and how moving some of them makes room for another one.
//!
//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in partitionable-array
//! machines", 1996. Processors are numbered from 0 at the left.

mod schedule;
mod tasks;
mod window;

pub use self::schedule::{Schedule, Transfer};
pub use self::tasks::{Array, Task};
pub use self::window::{Shift, Window};
