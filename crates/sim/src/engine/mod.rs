//! The engine: a discrete-event simulation that replays jobs through a scheduler, an allocator and an
//! execution model.
//!
//! At each instant the engine applies departures, then arrivals, then asks the scheduler for one pass. A
//! scheduler can ask for more passes or another order, see [`crate::scheduler::Pass`]. Events of one kind
//! keep the order of their creation. A job enters when the clock reaches its arrival and leaves once its
//! record and all earlier records of the log are final. The engine owns the machine, checks and carries out
//! every placement, and reports plain records to an observer.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "jobs have numbers of 32 bits and machines at most 2^24 nodes; events are counted one by one, \
         of which 2^63 cannot happen"
)]

mod error;
mod event_loop;
mod observer;
mod outages;
mod predictions;
mod rearrangement;
mod reservation;
mod state;
mod window;

pub use self::error::ReplayError;
pub use self::event_loop::{ArrivalSource, JobList, Opening, Parts, replay};
pub use self::observer::{Compaction, Fate, Observer, Placed, Record};
pub use self::outages::OutagePlan;
pub use self::predictions::PredictionPlan;
