//! The interface between schedulers and the engine: the trait of schedulers, the view of the replay from
//! which they decide, and the rows of the registry.

use super::running_jobs::RunningJobs;
use super::wait_queue::{Slot, WaitQueue};
use meshreplay_base::job::{JobId, Time};
use meshreplay_base::spec::{Params, Spec, SpecError};

/// The replay as a scheduler sees it at one instant: what it may read and do.
pub trait View {
    /// Returns the current time.
    fn now(&self) -> Time;
    /// Returns the cause of this pass.
    fn cause(&self) -> Cause;
    /// Returns the number of free nodes.
    fn free(&self) -> u32;
    /// Returns the waiting jobs in the order of arrival.
    fn queue(&self) -> &WaitQueue;
    /// Returns the running jobs in the order of their estimated ends.
    fn running(&self) -> &RunningJobs;
    /// Returns the time at which `job` started according to its log; `None` if it is unknown.
    fn recorded_start(&self, _job: JobId) -> Option<Time> {
        None
    }
    /// Returns whether the replay was stopped. A long pass then returns early. Its result is not used.
    fn stopped(&self) -> bool {
        false
    }
    /// Returns whether nodes are down, so that a waiting job may not fit even when all running jobs have
    /// ended.
    fn is_degraded(&self) -> bool {
        false
    }
    /// Asks for the start of the waiting job at `slot`. Returns whether it has started, and is no longer in
    /// the queue. It has not if the allocator refused it, if running jobs have to make room for it first, or
    /// if there is no job at `slot`.
    fn try_start(&mut self, slot: Slot) -> bool;
    /// Returns the criterion by which the allocator serves a job. Unless it is [`Decides::Counts`], a
    /// scheduler that protects the head has to call [`Self::reserve`].
    fn decides(&self) -> Decides {
        Decides::Counts
    }
    /// Reserves nodes for the waiting job at `slot`, which cannot start now, and returns its shadow time.
    /// This is the first estimated end of a running job at which the job could start, with all jobs gone that
    /// are expected to end up to then. Replaces an earlier reservation.
    ///
    /// Returns `None` if there is no such end.
    fn reserve(&mut self, _slot: Slot) -> Option<Time> {
        None
    }
    /// As [`Self::try_start`], but the job is started only where it leaves room for the reserved job. Returns
    /// false as well if there is no reservation.
    fn try_start_beside(&mut self, _slot: Slot) -> bool {
        false
    }
}

/// The criterion by which the allocator serves or refuses a waiting job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// The number of free nodes. A job is served whenever as many nodes are free as it takes.
    Counts,
    /// Free submeshes. A job is served whenever one of the submeshes that suit it is free.
    Submeshes,
    /// The whole set of free nodes, in any way. A job may be refused now and served when fewer nodes are
    /// free.
    State,
}

/// A scheduler. It decides which waiting jobs start now.
pub trait Scheduler: Send {
    /// Makes one pass: starts the waiting jobs that may start now.
    fn start_jobs(&mut self, view: &mut dyn View);

    /// Tells the scheduler that something else has changed than that jobs have arrived, started and ended:
    /// nodes have gone down or come up, jobs have returned to the queue or left it without a start, or
    /// running jobs are expected to end later because they have outlived predictions. What it has planned is
    /// void.
    fn machine_changed(&mut self) {}

    /// Returns how often the scheduler is asked at an instant with several events.
    fn pass(&self) -> Pass {
        Pass::Batch
    }

    /// Returns the next time at which the scheduler must be asked even without an event. Returns `None` if
    /// the events are enough.
    fn wakes(&self) -> Option<Time> {
        None
    }
}

/// How often a scheduler is asked at an instant with several events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Once, after all departures and arrivals of the instant.
    Batch,
    /// After every single event: arrivals first, then departures. Events of one kind keep the order in which
    /// they were created. Jobs that end when their estimates run out are gone from the first pass on.
    PerEvent,
    /// Once after all departures of the instant, if there are any, and then after each arrival.
    Separate,
}

/// The cause of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Any events. The scheduler has not asked to tell them apart, see [`Pass::Separate`].
    Batch,
    /// Jobs have ended.
    Departures,
    /// A job has arrived. It is the last one in the queue.
    Arrival,
}

/// A function that builds a scheduler from the parameters of its spec.
pub type Builder = fn(&mut Params) -> Result<Box<dyn Scheduler>, SpecError>;

/// A row of the registry of schedulers.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in specs, in kebab-case.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Its source: authors, title or section, venue and year.
    pub source: &'static str,
    /// Its parameters as `key=default (others)`; empty if it has none.
    pub parameters: &'static str,
    /// Its promise to waiting jobs, in words.
    pub promises: &'static str,
    /// Returns the laws that it keeps, for its spec with every default written out. `tests/replays` of the
    /// crate study checks them.
    pub laws: fn(&Spec) -> Laws,
    /// Builds the scheduler.
    pub build: Builder,
}

/// The laws that a scheduler keeps in addition to those that all schedulers keep. All schedulers start every
/// job once and not before its arrival. Unless a scheduler keeps to recorded starts, a job runs whenever jobs
/// wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a law of its own")]
pub struct Laws {
    /// Jobs start in order of arrival.
    pub in_order: bool,
    /// No job starts before its recorded start, so that the machine may stand idle while jobs wait. With an
    /// allocator that serves by count, no job whose recorded start has come, or is unknown, fits at the end
    /// of an instant.
    pub as_recorded: bool,
    /// The waiting time after which younger jobs may not overtake a job any more; `None` if they may always
    /// do so.
    pub passed_until: Option<Time>,
    /// With an allocator that serves by count, the oldest waiting job does not fit at the end of an instant.
    pub head_does_not_fit: bool,
    /// With an allocator that serves by count, no waiting job fits at the end of an instant.
    pub nobody_fits: bool,
    /// With an allocator that serves by count and estimates that are not too short, the oldest waiting job
    /// starts no later than the shadow time that it had when it became the oldest.
    pub head_in_time: bool,
}
