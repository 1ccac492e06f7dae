//! What a replay is at an instant: the machine, who waits, who runs where.

use std::time::Instant;

use super::held::Held;
use super::reservation::{Reservation, RunningPlaces};
use super::{Observer, Record, ReplayError};
use crate::allocator::{Allocator, Placement, Request};
use crate::execution::{Execution, Started};
use crate::job::{Job, JobId, Time};
use crate::machine::Machine;
use crate::scheduler::{Cause, Decides, Dispatch, Running, RunningJobs, Scheduler, Slot, WaitQueue, Waiting};

/// Everything that changes during a replay; to the scheduler it is the view.
pub(super) struct State<'a> {
    pub(super) jobs: &'a [Job],
    pub(super) now: Time,
    /// What the next pass is for.
    pub(super) cause: Cause,
    pub(super) machine: Machine,
    pub(super) allocator: &'a mut dyn Allocator,
    pub(super) execution: &'a mut dyn Execution,
    pub(super) timed: bool,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) queue: WaitQueue,
    pub(super) running: RunningJobs,
    /// Of running jobs; empty before and after.
    pub(super) placements: Vec<Placement>,
    pub(super) records: Vec<Record>,
    /// A job that others make room for.
    pub(super) held: Option<Held>,
    /// The place that was reserved last.
    pub(super) reservation: Option<Reservation>,
    /// The first thing that went wrong; nothing starts after it.
    pub(super) error: Option<ReplayError>,
}

impl State<'_> {
    fn arrive(&mut self, job: JobId) {
        let Job { submit, procs, estimate, .. } = self.jobs[job as usize];
        if self.queue.is_empty() {
            self.records[job as usize].head = self.now;
        }
        let nodes = self.allocator.nodes_for(&self.request(job), self.machine.mesh());
        self.queue.push(Waiting { slot: 0, job, submit, procs, nodes, estimate });
    }

    /// A pass of the scheduler, unless a job is about to start that others make room for.
    pub(super) fn dispatch(&mut self, scheduler: &mut dyn Scheduler) {
        if self.held.is_none() {
            scheduler.dispatch(self);
        }
    }

    /// All events of an instant, then one pass.
    pub(super) fn batch(&mut self, done: &mut Vec<JobId>, arriving: &[JobId], scheduler: &mut dyn Scheduler) {
        done.drain(..).for_each(|job| self.end(job));
        for &job in arriving {
            self.arrive(job);
        }
        self.dispatch(scheduler);
    }

    /// A pass after each event of an instant. A scheduler that is asked then counts on estimates: jobs that end as
    /// their estimates run out are gone for it from the first pass on; other departures come after the arrivals.
    pub(super) fn one_by_one(
        &mut self,
        done: &mut Vec<JobId>,
        arriving: &[JobId],
        scheduler: &mut dyn Scheduler,
    ) {
        let expected = |state: &Self, job: JobId| {
            state.records[job as usize].start + state.jobs[job as usize].estimate <= state.now
        };
        // Jobs that could be moved must not be there any more once they have ended.
        let movable = self.allocator.rearranges();
        let expected = |state: &Self, job: JobId| movable || expected(state, job);
        for &job in &*done {
            if expected(self, job) {
                self.end(job);
            }
        }
        for &job in arriving {
            self.arrive(job);
            self.dispatch(scheduler);
        }
        for job in done.drain(..) {
            if !expected(self, job) {
                self.end(job);
            }
            self.dispatch(scheduler);
        }
    }

    /// All departures of an instant, then a pass; then one after each arrival.
    pub(super) fn kind_by_kind(
        &mut self,
        done: &mut Vec<JobId>,
        arriving: &[JobId],
        scheduler: &mut dyn Scheduler,
    ) {
        if !done.is_empty() {
            done.drain(..).for_each(|job| self.end(job));
            self.cause = Cause::Departures;
            self.dispatch(scheduler);
        }
        self.cause = Cause::Arrival;
        for &job in arriving {
            self.arrive(job);
            self.dispatch(scheduler);
        }
    }

    fn end(&mut self, job: JobId) {
        let placement = std::mem::take(&mut self.placements[job as usize]);
        let record = &mut self.records[job as usize];
        record.end = self.now;
        self.running.remove(record.start + self.jobs[job as usize].estimate + record.suspended, job);
        self.machine.vacate(&placement.nodes);
        self.observer.vacated(&placement.nodes, self.now);
        let began = self.timed.then(Instant::now);
        self.allocator.released(&placement, &self.machine);
        self.observer.released(elapsed_ns(began));
    }

    fn request(&self, job: JobId) -> Request {
        Request::from(&self.jobs[job as usize])
    }

    /// Asks the allocator for a place for `job`, and takes it into use, unless others must move first. A place that is not
    /// beside the reservation, where it has to be, is given back, and another one made if there is one. A job that is
    /// refused gets the place that is reserved for it, if that is free.
    fn place(&mut self, job: JobId, beside: Option<&mut Reservation>) -> Option<(Placement, u64)> {
        let request = self.request(job);
        let began = self.timed.then(Instant::now);
        let mut answer = self.allocator.allocate(&request, &self.machine);
        let cost_ns = elapsed_ns(began);
        if self.machine.is_stopped() {
            // The allocator may have given up, which is no refusal.
            return None;
        }
        if let Some(reservation) = beside {
            answer = reservation.make_room(answer, &request, (self.allocator, &self.machine));
        } else if answer.is_none()
            && let Some(nodes) = self.reservation.as_ref().and_then(|kept| kept.nodes_for(job, &self.machine))
        {
            let placement = Placement::of(nodes.to_vec());
            self.allocator.occupied(&placement, &self.machine);
            answer = Some(placement);
        }
        if let Some(placement) = &answer {
            let number = self.jobs[job as usize].number;
            let found = placement.nodes.len();
            if found < request.procs as usize {
                self.error = Some(ReplayError::WrongSize { number, found, procs: request.procs });
                return None;
            }
            if placement.rearrangement.is_some() {
                return answer.map(|placement| (placement, cost_ns));
            }
            if let Err(problem) = self.machine.occupy(&placement.nodes) {
                self.error = Some(ReplayError::BadPlacement { number, problem });
                return None;
            }
        }
        self.observer.allocated(job, answer.as_ref(), cost_ns);
        if let Some(placement) = &answer {
            self.observer.occupied(job, &placement.nodes, self.now);
        }
        answer.map(|placement| (placement, cost_ns))
    }
}

impl State<'_> {
    /// Whether anything may start: nothing has gone wrong, and nobody waits for others to make room.
    fn may_start(&self) -> bool {
        self.error.is_none() && self.held.is_none() && !self.machine.is_stopped()
    }

    /// Starts a waiting job, whose nodes are in use already.
    pub(super) fn start(&mut self, waiting: Waiting, placement: Placement) {
        let Waiting { slot, job, estimate, .. } = waiting;
        let was_head = self.queue.head().is_some_and(|head| head.job == job);
        self.queue.remove(slot);
        let record = &mut self.records[job as usize];
        record.head = if was_head { record.head } else { self.now };
        if let Some(head) = self.queue.head().filter(|_| was_head) {
            self.records[head.job as usize].head = self.now;
        }
        let nodes = placement.nodes.len() as u32;
        self.placements[job as usize] = placement;
        let (start, estimated_end) = (self.now, self.now + estimate);
        self.running.insert(Running { estimated_end, job, nodes, start });
        let record = &mut self.records[job as usize];
        (record.start, record.end, record.allocated) = (self.now, self.now, nodes);
        let nodes = &self.placements[job as usize].nodes;
        self.execution.start(Started { id: job, job: &self.jobs[job as usize], nodes, now: self.now });
    }
}

impl Dispatch for State<'_> {
    fn now(&self) -> Time {
        self.now
    }

    fn stopped(&self) -> bool {
        self.machine.is_stopped()
    }

    fn cause(&self) -> Cause {
        self.cause
    }

    fn free(&self) -> u32 {
        self.machine.free_count()
    }

    fn queue(&self) -> &WaitQueue {
        &self.queue
    }

    fn running(&self) -> &RunningJobs {
        &self.running
    }

    fn try_start(&mut self, slot: Slot) -> bool {
        let Some(waiting) = self.queue.get(slot).filter(|_| self.may_start()) else { return false };
        let Some((placement, cost_ns)) = self.place(waiting.job, None) else { return false };
        if placement.rearrangement.is_some() {
            return self.hold(waiting.job, placement, cost_ns);
        }
        self.start(waiting, placement);
        true
    }

    fn decides(&self) -> Decides {
        if self.allocator.must_foresee() {
            Decides::State
        } else if self.allocator.boxes(&Request::of(1), self.machine.mesh()).is_some() {
            Decides::Boxes
        } else {
            Decides::Counts
        }
    }

    fn reserve(&mut self, slot: Slot) -> Option<Time> {
        let job = self.queue.get(slot)?.job;
        let request = self.request(job);
        let running = RunningPlaces { running: &self.running, placements: &self.placements, now: self.now };
        let found = if let Some(boxes) = self.allocator.boxes(&request, self.machine.mesh()) {
            Reservation::of_boxes(&self.machine, running, &boxes)
        } else {
            let before = self.reservation.take();
            Reservation::of_nodes(&self.machine, running, (job, request), (self.allocator, before))
        };
        let (shadow, reservation) = found?;
        self.reservation = Some(reservation);
        Some(shadow)
    }

    fn try_start_beside(&mut self, slot: Slot) -> bool {
        let Some(waiting) = self.queue.get(slot).filter(|_| self.may_start()) else { return false };
        let Some(mut reservation) = self.reservation.take() else { return false };
        let placed = self.place(waiting.job, Some(&mut reservation));
        let started = placed.is_some();
        if let Some((placement, _)) = placed {
            self.start(waiting, placement);
        }
        self.reservation = Some(reservation);
        started
    }
}

/// Nanoseconds since `began`, or 0 where nothing is timed.
fn elapsed_ns(began: Option<Instant>) -> u64 {
    began.map_or(0, |began| u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX))
}
