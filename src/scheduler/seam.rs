//! The seam between schedulers and those who use them: the trait, the view from which they decide, and what a row of
//! the registry holds.

use super::running_jobs::RunningJobs;
use super::wait_queue::{Slot, WaitQueue};
use crate::job::Time;
use crate::spec::{Params, Spec, SpecError};

/// The replay as a scheduler sees it at one instant: what it may look at and do.
pub trait View {
    /// Returns the present time.
    fn now(&self) -> Time;
    /// Returns the reason of this pass.
    fn cause(&self) -> Cause;
    /// Returns the number of free nodes.
    fn free(&self) -> u32;
    /// Returns the waiting jobs in order of arrival.
    fn queue(&self) -> &WaitQueue;
    /// Returns the running jobs by estimated end.
    fn running(&self) -> &RunningJobs;
    /// Returns whether the replay is to end: a long pass returns then, and what it has done does not count.
    fn stopped(&self) -> bool {
        false
    }
    /// Starts the waiting job at `slot` and takes it off the queue. Returns false if the allocator has no place for it.
    fn try_start(&mut self, slot: Slot) -> bool;
    /// Returns what decides whether a job is served; if it is not counts, a place has to be reserved for the head.
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

/// The criterion by which the allocator serves a waiting job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// The number of free nodes: a job is served whenever as many are free as it takes.
    Counts,
    /// Whether one of the submeshes that serve the job is free somewhere.
    Submeshes,
    /// Which nodes are free, in any way: a job may be refused, and served once fewer nodes are free.
    State,
}

/// Decides which waiting jobs start now.
pub trait Scheduler: Send {
    /// Starts what may start now: one pass.
    fn start_jobs(&mut self, view: &mut dyn View);

    /// When the engine asks for a pass.
    fn pass(&self) -> Pass {
        Pass::Batch
    }

    /// Returns the next time at which it wants to be asked even if nothing happens then; `None` if events are enough.
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

/// The reason of a pass.
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
    /// Its promise to waiting jobs, in words.
    pub promises: &'static str,
    /// The laws to which tests/core hold it, given its spec with every default written out.
    pub laws: fn(&Spec) -> Laws,
    /// Builds it.
    pub build: Builder,
}

/// The laws that a scheduler keeps beyond those that all keep: that every job starts once, not before it arrives, and
/// that the machine is never idle while a job waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a law of its own")]
pub struct Laws {
    /// Jobs start in order of arrival.
    pub in_order: bool,
    /// A job may be passed by younger ones only until it has waited so long; always if `None`.
    pub passed_until: Option<Time>,
    /// With an allocator that serves by count, the oldest waiting job does not fit once an instant is over.
    pub head_does_not_fit: bool,
    /// With such an allocator, no waiting job fits once an instant is over.
    pub nobody_fits: bool,
    /// With such an allocator and estimates that are not too short, the oldest waiting job starts by the shadow time
    /// that it has as it becomes the oldest.
    pub head_in_time: bool,
}
