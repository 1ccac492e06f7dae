//! The replay loop.

use std::time::Instant;

use super::reservation::Reservation;
use super::{Observer, Record, ReplayError};
use crate::allocator::{Allocator, Placement, Request};
use crate::execution::Execution;
use crate::job::{Job, JobId, Time};
use crate::machine::{Cuboid, Machine, Mesh};
use crate::scheduler::{Cause, Dispatch, Pass, Running, RunningJobs, Scheduler, Slot, WaitQueue, Waiting};

/// What a replay is put together from.
pub struct Parts<'a> {
    /// The machine's shape; all nodes are free at first.
    pub mesh: Mesh,
    /// Decides when jobs start.
    pub scheduler: &'a mut dyn Scheduler,
    /// Decides where.
    pub allocator: &'a mut dyn Allocator,
    /// Decides how long.
    pub execution: &'a mut dyn Execution,
    /// Whether allocator calls are timed, with a monotonic clock.
    pub timed: bool,
}

/// How many instants pass between two calls of [`Observer::proceed`].
const INSTANTS_PER_REPORT: u32 = 1024;

/// Replays `jobs`, which arrive in order of submission and, within an instant, of position; one record per job, by
/// position. O(J log J) and what the scheduler and the allocator take.
pub fn replay(
    jobs: &[Job],
    parts: Parts<'_>,
    observer: &mut dyn Observer,
) -> Result<Vec<Record>, ReplayError> {
    let nodes = parts.mesh.nodes();
    if let Some(job) = jobs.iter().find(|job| job.procs > nodes) {
        let machine = parts.mesh;
        return Err(ReplayError::Oversize { number: job.number, procs: job.procs, machine, nodes });
    }
    let mut arrivals: Vec<JobId> = (0..jobs.len() as JobId).collect();
    arrivals.sort_by_key(|&job| jobs[job as usize].submit);
    let pass = parts.scheduler.pass();
    let scheduler = parts.scheduler;
    let mut state = State {
        jobs,
        now: Time::ZERO,
        cause: Cause::Batch,
        machine: Machine::new(parts.mesh),
        allocator: parts.allocator,
        execution: parts.execution,
        timed: parts.timed,
        observer,
        queue: WaitQueue::default(),
        running: RunningJobs::default(),
        placements: jobs.iter().map(|_| Placement::default()).collect(),
        records: vec![Record::default(); jobs.len()],
        reservation: None,
        error: None,
    };
    let (mut next, mut finished, mut instants, mut done) = (0, 0, 0_u32, Vec::new());
    loop {
        let arrival = arrivals.get(next).map(|&job| jobs[job as usize].submit);
        let Some(now) = [arrival, state.execution.next_completion()].into_iter().flatten().min() else {
            break;
        };
        state.now = now;
        state.execution.advance(now, &mut done);
        finished += done.len();
        let arriving = arrivals[next..].partition_point(|&job| jobs[job as usize].submit == now);
        let (first, arrived) = (next, next + arriving);
        next = arrived;
        match pass {
            Pass::Batch => state.batch(&mut done, &arrivals[first..arrived], scheduler),
            Pass::PerEvent => state.one_by_one(&mut done, &arrivals[first..arrived], scheduler),
            Pass::Separate => state.kind_by_kind(&mut done, &arrivals[first..arrived], scheduler),
        }
        if let Some(error) = state.error {
            return Err(error);
        }
        instants += 1;
        if instants % INSTANTS_PER_REPORT == 0 && !state.observer.proceed(finished) {
            return Err(ReplayError::Interrupted);
        }
    }
    if let Some(head) = state.queue.head() {
        return Err(ReplayError::Stuck { number: jobs[head.job as usize].number, procs: head.procs });
    }
    state.observer.proceed(finished);
    Ok(state.records)
}

/// Everything that changes during a replay; to the scheduler it is the view.
struct State<'a> {
    jobs: &'a [Job],
    now: Time,
    /// What the next pass is for.
    cause: Cause,
    machine: Machine,
    allocator: &'a mut dyn Allocator,
    execution: &'a mut dyn Execution,
    timed: bool,
    observer: &'a mut dyn Observer,
    queue: WaitQueue,
    running: RunningJobs,
    /// Of running jobs; empty before and after.
    placements: Vec<Placement>,
    records: Vec<Record>,
    /// The place that was reserved last.
    reservation: Option<Reservation>,
    /// The first thing that went wrong; nothing starts after it.
    error: Option<ReplayError>,
}

impl State<'_> {
    fn arrive(&mut self, job: JobId) {
        let Job { submit, procs, estimate, .. } = self.jobs[job as usize];
        self.queue.push(job, submit, procs, estimate);
    }

    /// All events of an instant, then one pass.
    fn batch(&mut self, done: &mut Vec<JobId>, arriving: &[JobId], scheduler: &mut dyn Scheduler) {
        done.drain(..).for_each(|job| self.end(job));
        for &job in arriving {
            self.arrive(job);
        }
        scheduler.dispatch(self);
    }

    /// A pass after each event of an instant. A scheduler that is asked then counts on estimates: jobs that end as
    /// their estimates run out are gone for it from the first pass on; other departures come after the arrivals.
    fn one_by_one(&mut self, done: &mut Vec<JobId>, arriving: &[JobId], scheduler: &mut dyn Scheduler) {
        let expected = |state: &Self, job: JobId| {
            state.records[job as usize].start + state.jobs[job as usize].estimate <= state.now
        };
        for &job in &*done {
            if expected(self, job) {
                self.end(job);
            }
        }
        for &job in arriving {
            self.arrive(job);
            scheduler.dispatch(self);
        }
        for job in done.drain(..) {
            if !expected(self, job) {
                self.end(job);
            }
            scheduler.dispatch(self);
        }
    }

    /// All departures of an instant, then a pass; then one after each arrival.
    fn kind_by_kind(&mut self, done: &mut Vec<JobId>, arriving: &[JobId], scheduler: &mut dyn Scheduler) {
        if !done.is_empty() {
            done.drain(..).for_each(|job| self.end(job));
            self.cause = Cause::Departures;
            scheduler.dispatch(self);
        }
        self.cause = Cause::Arrival;
        for &job in arriving {
            self.arrive(job);
            scheduler.dispatch(self);
        }
    }

    fn end(&mut self, job: JobId) {
        let placement = std::mem::take(&mut self.placements[job as usize]);
        let record = &mut self.records[job as usize];
        record.end = self.now;
        self.running.remove(record.start + self.jobs[job as usize].estimate, job);
        self.machine.vacate(&placement.nodes);
        let began = self.timed.then(Instant::now);
        self.allocator.released(&placement, &self.machine);
        self.observer.released(elapsed_ns(began));
    }

    fn request(&self, job: JobId) -> Request {
        let Job { procs, shape, .. } = self.jobs[job as usize];
        Request { procs, shape }
    }

    /// Asks the allocator for a place for `job`, and takes it into use. A place that is not beside the reservation, where
    /// it has to be, is given back, and another one made.
    fn place(&mut self, job: JobId, beside: Option<&Reservation>) -> Option<Placement> {
        let request = self.request(job);
        let began = self.timed.then(Instant::now);
        let mut answer = self.allocator.allocate(&request, &self.machine);
        let cost_ns = elapsed_ns(began);
        if let (Some(reservation), Some(placement)) = (beside, &answer) {
            let mesh = self.machine.mesh();
            if !Cuboid::around(mesh, &placement.nodes).is_some_and(|place| reservation.admits(&place)) {
                self.allocator.released(placement, &self.machine);
                let boxes = self.allocator.boxes(&request, mesh).unwrap_or_default();
                let place = reservation.beside(&self.machine, &boxes);
                answer = place.map(|place| self.allocator.take_box(&request, place, &self.machine));
            }
        }
        if let Some(placement) = &answer {
            let number = self.jobs[job as usize].number;
            let found = placement.nodes.len();
            if found < request.procs as usize {
                self.error = Some(ReplayError::WrongSize { number, found, procs: request.procs });
                return None;
            }
            if let Err(problem) = self.machine.occupy(&placement.nodes) {
                self.error = Some(ReplayError::BadPlacement { number, problem });
                return None;
            }
        }
        self.observer.allocated(job, answer.as_ref(), cost_ns);
        answer
    }
}

impl State<'_> {
    /// Starts a waiting job, whose nodes are in use already.
    fn start(&mut self, waiting: Waiting, placement: Placement) {
        let Waiting { slot, job, estimate, .. } = waiting;
        self.queue.remove(slot);
        let nodes = placement.nodes.len() as u32;
        self.placements[job as usize] = placement;
        self.running.insert(Running { estimated_end: self.now + estimate, job, nodes });
        self.records[job as usize] = Record { start: self.now, end: self.now, allocated: nodes };
        self.execution.start(job, self.now, self.jobs[job as usize].run);
    }
}

impl Dispatch for State<'_> {
    fn now(&self) -> Time {
        self.now
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
        let Some(waiting) = self.queue.get(slot).filter(|_| self.error.is_none()) else { return false };
        let Some(placement) = self.place(waiting.job, None) else { return false };
        self.start(waiting, placement);
        true
    }

    fn boxes_decide(&self) -> bool {
        self.allocator.boxes(&Request::of(1), self.machine.mesh()).is_some()
    }

    fn reserve(&mut self, slot: Slot) -> Option<Time> {
        let request = self.request(self.queue.get(slot)?.job);
        let boxes = self.allocator.boxes(&request, self.machine.mesh())?;
        let jobs = (&self.running, self.placements.as_slice());
        let (shadow, reservation) = Reservation::find(&self.machine, jobs, &boxes, self.now)?;
        self.reservation = Some(reservation);
        Some(shadow)
    }

    fn try_start_beside(&mut self, slot: Slot) -> bool {
        let Some(waiting) = self.queue.get(slot).filter(|_| self.error.is_none()) else { return false };
        let Some(mut reservation) = self.reservation.take() else { return false };
        let placement = self.place(waiting.job, Some(&reservation));
        let started = placement.is_some();
        if let Some(placement) = placement {
            if let Some(place) = Cuboid::around(self.machine.mesh(), &placement.nodes) {
                reservation.take(&place);
            }
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
