//! Schedulers: when a waiting job starts. The trait, the view it decides from, and the registry.
//!
//! A scheduler sees processor counts and estimates, never nodes; it asks for a start and is told whether the allocator
//! could serve it.

mod bypass_queue;
mod conservative;
mod easy;
mod fcfs;
mod first_fit_queue;
mod order;
mod profile;
mod queue;
mod running;

pub use order::ORDERS;
pub use queue::{Backfill, Slot, WaitQueue, Waiting};
pub use running::{Running, RunningJobs};

use crate::job::Time;
use crate::spec::{Params, Spec, SpecError, unknown};

/// What a scheduler may look at and do at one instant.
pub trait Dispatch {
    /// The present.
    fn now(&self) -> Time;
    /// What this pass is for.
    fn cause(&self) -> Cause;
    /// Number of free nodes.
    fn free(&self) -> u32;
    /// The waiting jobs in order of arrival.
    fn queue(&self) -> &WaitQueue;
    /// The running jobs by estimated end.
    fn running(&self) -> &RunningJobs;
    /// Whether the replay is to end: a long pass returns then, and what it has done does not count.
    fn stopped(&self) -> bool {
        false
    }
    /// Starts the waiting job at `slot` and takes it off the queue; false if the allocator has no place for it.
    fn try_start(&mut self, slot: Slot) -> bool;
    /// What decides whether a job is served; where it is not counts, a place has to be reserved for the head.
    fn decides(&self) -> Decides {
        Decides::Counts
    }
    /// Reserves a place for the waiting job at `slot`, which has none now: the first estimated end of a running job at
    /// which there is one, all that end until then being gone. Replaces an earlier reservation.
    fn reserve(&mut self, _slot: Slot) -> Option<Time> {
        None
    }
    /// As [`Self::try_start`], but only where the job leaves a place for the one reserved.
    fn try_start_beside(&mut self, _slot: Slot) -> bool {
        false
    }
}

/// What decides whether the allocator serves a waiting job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// The number of free nodes: a job is served whenever as many are free as it takes.
    Counts,
    /// Whether one of the boxes that serve the job is free somewhere.
    Boxes,
    /// Which nodes are free, in any way: a job may be refused, and served once fewer nodes are free.
    State,
}

/// Decides which waiting jobs start now.
pub trait Scheduler: Send {
    /// Starts what may start; called after each pass of events.
    fn dispatch(&mut self, view: &mut dyn Dispatch);

    /// When the engine calls [`Self::dispatch`].
    fn pass(&self) -> Pass {
        Pass::Batch
    }

    /// The next time at which it wants to be asked even if nothing happens then; `None` if events are enough.
    fn wakes(&self) -> Option<Time> {
        None
    }
}

/// When a scheduler is asked, if several events share an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Once all departures and arrivals of the instant have been applied.
    Batch,
    /// After every single event: arrivals, then departures, each kind in the order in which it came about. Running
    /// jobs that end as their estimates run out, as expected, are gone from the first pass on.
    PerEvent,
    /// Once all departures of the instant have been applied, if there are any, then after each arrival.
    Separate,
}

/// What a pass is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Whatever has happened; all passes but those of [`Pass::Separate`].
    Batch,
    /// Jobs have ended.
    Departures,
    /// The last job of the queue has arrived.
    Arrival,
}

/// Builds a scheduler from the parameters that its spec gives.
pub type Builder = fn(&mut Params) -> Result<Box<dyn Scheduler>, SpecError>;

/// One row of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in specs; kebab-case.
    pub name: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// Authors, title or section, venue, year.
    pub source: &'static str,
    /// Its parameters as `key=default (others)`, or nothing.
    pub parameters: &'static str,
    /// What it promises to waiting jobs.
    pub promises: &'static str,
    /// Builds it.
    pub build: Builder,
}

/// Every scheduler.
pub const SCHEDULERS: &[Entry] =
    &[fcfs::ENTRY, easy::ENTRY, conservative::ENTRY, first_fit_queue::ENTRY, bypass_queue::ENTRY];

/// Builds the scheduler that `spec` names, and the spec with every default written out.
pub fn build(spec: &Spec) -> Result<(Box<dyn Scheduler>, Spec), SpecError> {
    let Some(entry) = SCHEDULERS.iter().find(|entry| entry.name == spec.name) else {
        return Err(unknown("scheduler", &spec.name, SCHEDULERS.iter().map(|entry| entry.name)));
    };
    let mut params = Params::new(spec);
    let scheduler = (entry.build)(&mut params)?;
    Ok((scheduler, params.finish()?))
}

#[cfg(test)]
mod fake;
