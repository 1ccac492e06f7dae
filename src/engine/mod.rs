//! Time: replays jobs through a scheduler, an allocator and an execution model.
//!
//! Events of one instant: departures first, then arrivals, each in the order in which they came about, then one pass of
//! the scheduler (or as [`crate::scheduler::Pass`] says). The engine owns the machine, carries out and checks every
//! placement, and emits plain records; everything else reads them.

mod error;
mod event_loop;
mod next_job;
mod observer;
mod rearrangement;
mod reservation;
mod state;

pub use self::error::ReplayError;
pub use self::event_loop::{Parts, replay};
pub use self::observer::{Compaction, Observer, Record};
