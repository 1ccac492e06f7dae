//! The interface between schedulers and the engine: the trait of schedulers, their view of the replay, and
//! the rows of the registry.

use super::running_jobs::RunningJobs;
use super::wait_queue::{Admission, Slot, WaitQueue, Waiting};
use meshreplay_base::job::{JobId, Time};
use meshreplay_base::spec::{Params, Spec, SpecError};

/// The replay as seen by a scheduler at one instant, with its possible actions.
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
    /// Returns the recorded start of `job`, or `None` if unknown.
    fn recorded_start(&self, _job: JobId) -> Option<Time> {
        None
    }
    /// Returns whether the replay is stopped. A long pass then returns early, and its result is not used.
    fn stopped(&self) -> bool {
        false
    }
    /// Returns whether nodes are down. Then a waiting job may not fit even when all running jobs have ended.
    fn is_degraded(&self) -> bool {
        false
    }
    /// Returns the planned outages of the whole machine, each with its beginning and its end, in order. No
    /// job starts that would run into one by its estimate.
    fn planned_outages(&self) -> &[[Time; 2]] {
        &[]
    }
    /// Returns the longest estimate of a job that may start now: the time to the next planned outage, below 0
    /// during one, and [`Time::MAX`] without one. O(log of the outages).
    fn longest(&self) -> Time {
        let (outages, now) = (self.planned_outages(), self.now());
        let next = outages.get(outages.partition_point(|[_, end]| *end <= now));
        next.map_or(Time::MAX, |[begin, _]| *begin - now)
    }
    /// Returns the condition for starting a job now if no other job needs protection.
    fn admission(&self) -> Admission {
        Admission { longest: self.longest(), ..Admission::by_count(self.free()) }
    }
    /// Returns whether enough nodes are free for a waiting job until the next planned outage.
    fn fits(&self, job: &Waiting) -> bool {
        self.admission().admits(job.nodes, job.estimate)
    }
    /// Tries to start the waiting job at `slot`. Returns true if it has started and left the queue, and false
    /// if the allocator refused it, if running jobs have to move first, or if there is no job at `slot`.
    fn try_start(&mut self, slot: Slot) -> bool;
    /// Returns the criterion of the allocator for serving a job. Unless it is [`Decides::Counts`], a
    /// scheduler that protects the head has to call [`Self::reserve`].
    fn decides(&self) -> Decides {
        Decides::Counts
    }
    /// Reserves nodes for the waiting job at `slot`, which cannot start now, and returns its shadow time: the
    /// first estimated end of a running job at which the job could start, after all jobs that are expected to
    /// end by then. Replaces an earlier reservation.
    ///
    /// Returns `None` if there is no such end.
    fn reserve(&mut self, _slot: Slot) -> Option<Time> {
        None
    }
    /// As [`Self::try_start`], but starts the job only where it leaves room for the reserved job. Returns
    /// false without a reservation.
    fn try_start_beside(&mut self, _slot: Slot) -> bool {
        false
    }
}

/// The criterion of the allocator for serving a waiting job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// The number of free nodes. A job is served whenever enough nodes are free.
    Counts,
    /// Free submeshes. A job is served whenever a suitable submesh is free.
    Submeshes,
    /// The whole set of free nodes, in any way. A job may be refused now and served when fewer nodes are
    /// free.
    State,
}

/// A scheduler: decides which waiting jobs start now.
pub trait Scheduler: Send {
    /// Makes a pass: starts the waiting jobs that may start now.
    fn start_jobs(&mut self, view: &mut dyn View);

    /// Invalidates all plans, after a change other than arrivals, starts and ends: nodes have gone down or
    /// come up, jobs have returned to the queue or left it without a start, or running jobs are expected to
    /// end later because they have outlived predictions.
    fn machine_changed(&mut self) {}

    /// Returns the passes that the scheduler wants at an instant with several events.
    fn pass(&self) -> Pass {
        Pass::Batch
    }

    /// Returns the time of the next pass that is needed even without an event, or `None` if events are
    /// enough.
    fn wakes(&self) -> Option<Time> {
        None
    }
}

/// The passes at an instant with several events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// One, after all departures and arrivals of the instant.
    Batch,
    /// One after every event: arrivals first, then departures. Events of one kind keep the order of their
    /// creation. Jobs that end when their estimates run out are gone before the first pass.
    PerEvent,
    /// One after all departures of the instant, if there are any, and one after each arrival.
    Separate,
}

/// The cause of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Any events. The scheduler did not ask to distinguish them, see [`Pass::Separate`].
    Batch,
    /// Jobs have ended.
    Departures,
    /// A job has arrived. It is the last one in the queue.
    Arrival,
}

/// Builds a scheduler from the parameters of its spec.
pub type Builder = fn(&mut Params) -> Result<Box<dyn Scheduler>, SpecError>;

/// A row of the registry of schedulers.
#[derive(Clone, Copy, Debug)]
pub struct SchedulerEntry {
    /// Its name in specs, in kebab-case.
    pub name: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// Its source: authors, title or section, venue and year.
    pub source: &'static str,
    /// Its parameters as `key=default (others)`; empty if it has none.
    pub parameters: &'static str,
    /// Its promise to waiting jobs, in words.
    pub promises: &'static str,
    /// Returns its laws, from its spec with all defaults written out. `tests/replays` of the crate study
    /// checks them.
    pub laws: fn(&Spec) -> Laws,
    /// Builds the scheduler.
    pub build: Builder,
}

/// The laws of a scheduler beyond the common ones. All schedulers start every job once and
/// not before its arrival. Unless a scheduler follows recorded starts, a job runs whenever jobs wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a law of its own")]
pub struct Laws {
    /// Jobs start in order of arrival.
    pub in_order: bool,
    /// No job starts before its recorded start, so the machine may be idle while jobs wait. With an allocator
    /// that serves by count, no due job fits at the end of an instant. Jobs without a recorded start are due
    /// at once.
    pub as_recorded: bool,
    /// The waiting time after which younger jobs may not overtake a job, or `None` if they always may.
    pub passed_until: Option<Time>,
    /// With an allocator that serves by count, the oldest waiting job does not fit at the end of an instant.
    pub head_does_not_fit: bool,
    /// With an allocator that serves by count, no waiting job fits at the end of an instant.
    pub nobody_fits: bool,
    /// With an allocator that serves by count, and no estimate too short, the oldest waiting job starts by
    /// the shadow time that it had when it became the oldest.
    pub head_in_time: bool,
}
