//! The state of a replay at an instant: the machine, the queue and the running jobs. It implements the
//! scheduler's [`View`].

use std::sync::Arc;
use std::time::Instant;

use super::ReplayError;
use super::observer::{Observer, Placed, Record};
use super::outages::OutageState;
use super::predictions::PredictionState;
use super::rearrangement::NextJob;
use super::reservation::{Choice, Reservation, RunningPlaces};
use super::window::JobWindow;
use crate::execution::{Execution, Started};
use crate::scheduler::{Cause, Decides, Running, RunningJobs, Scheduler, Slot, View, WaitQueue, Waiting};
use meshreplay_alloc::allocator::{Placement, Request, Served, Strategy};
use meshreplay_base::job::{Job, JobId, NodesFor, Time};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Machine, NodeId, RecentlyHeld};

/// Everything that changes during a replay.
pub(super) struct ReplayState<'a> {
    /// The jobs that have arrived and have not left.
    pub(super) window: JobWindow,
    /// The current time.
    pub(super) now: Time,
    /// The cause of the next pass.
    pub(super) cause: Cause,
    /// The machine, with the nodes in use.
    pub(super) machine: Machine,
    /// Masks of recent placements.
    pub(super) recently_held: RecentlyHeld,
    /// The allocator.
    pub(super) allocator: &'a mut Strategy,
    /// The execution model.
    pub(super) execution: &'a mut dyn Execution,
    /// Whether the allocator's calls are timed.
    pub(super) timed: bool,
    /// The switch that stops the replay.
    pub(super) stop: Stop,
    /// The observer, which receives the events.
    pub(super) observer: &'a mut dyn Observer,
    /// The waiting jobs.
    pub(super) queue: WaitQueue,
    /// The running jobs.
    pub(super) running: RunningJobs,
    /// The pending rearrangement.
    pub(super) rearranging: Option<NextJob>,
    /// The last reservation; `None` if there is none.
    pub(super) reservation: Option<Reservation>,
    /// The outages; `None` if all nodes are always up.
    pub(super) outages: Option<OutageState>,
    /// The planned outages, each with its beginning and its end, in order.
    pub(super) planned: Arc<[[Time; 2]]>,
    /// The predictions; `None` if schedulers plan with the estimates of the jobs.
    pub(super) predictions: Option<PredictionState>,
    /// The first error. After an error no job starts.
    pub(super) error: Option<ReplayError>,
}

impl ReplayState<'_> {
    /// Adds a job to the queue. If the queue is empty, the job becomes its head now.
    pub(super) fn arrive(&mut self, job: JobId) {
        let waiting = self.arrival(job);
        self.observer.queued(&waiting, self.window.job(job));
        self.queue.push(waiting);
    }

    /// Returns the entry of the queue for a job that arrives now.
    pub(super) fn arrival(&mut self, job: JobId) -> Waiting {
        self.predict(job);
        let Job { submit, procs, .. } = *self.window.job(job);
        let estimate = self.expected_run(job);
        if self.queue.is_empty() {
            self.window[job].record.head = self.now;
        }
        if let Some(outages) = &mut self.outages {
            outages.idle_changes = 0;
        }
        let nodes = self.nodes_for(job);
        Waiting { slot: 0, job, submit, procs, nodes, estimate }
    }

    /// Returns the number of nodes that `job` will take.
    pub(super) fn nodes_for(&self, job: JobId) -> NodesFor {
        self.allocator.nodes_for(&self.request(job), self.machine.mesh())
    }

    pub(super) fn estimated_end(&self, job: JobId) -> Time {
        let Record { start, suspended, .. } = self.window[job].record;
        start + self.expected_run(job) + suspended
    }

    /// Runs a pass. Does nothing during a rearrangement.
    pub(super) fn run_scheduler(&mut self, scheduler: &mut dyn Scheduler) {
        if self.rearranging.is_none() {
            scheduler.start_jobs(self);
        }
    }

    /// Ends a job and passes its run time to the predictor.
    pub(super) fn depart(&mut self, job: JobId) {
        self.end(job);
        self.report_run(job);
    }

    /// Ends a job: frees its nodes and completes its record.
    pub(super) fn end(&mut self, job: JobId) {
        let placement = std::mem::take(&mut self.window[job].placement);
        let entry = &mut self.window[job];
        (entry.record.end, entry.is_final) = (self.now, true);
        let held = entry.held.take();
        let estimated_end = self.estimated_end(job);
        self.running.remove(estimated_end, job);
        self.set_due(job, Time::MAX);
        if let Some(held) = held {
            self.machine.vacate_held(&placement.nodes, &held);
        }
        self.observer.vacated(&placement.nodes, self.now);
        self.observer.ended(job);
        let began = self.timed.then(Instant::now);
        self.allocator.released(&placement, &self.machine);
        self.observer.released(elapsed_ns(began));
        self.take_drained(&placement.nodes);
    }

    fn request(&self, job: JobId) -> Request {
        Request { job: Some(job), ..Request::from(self.window.job(job)) }
    }

    /// Asks the allocator for nodes for `job` and occupies them, unless other jobs must move first. Returns
    /// the placement and the nanoseconds of the allocator's calls. `None` if the job does not start now: it
    /// was refused, the replay is stopped or the placement is invalid.
    ///
    /// With `beside`, the placement must leave room for the reserved job. Without it, a job that the
    /// allocator refuses gets its reserved nodes if they are free.
    fn place(&mut self, job: JobId, beside: Option<&mut Reservation>) -> Option<(Placement, u64)> {
        let request = self.request(job);
        let began = self.timed.then(Instant::now);
        let proposal = self.allocator.propose(&request, &self.machine);
        if self.stop.is_thrown() {
            // A stopped allocator may give up. Its `None` is not a refusal and is not reported.
            return None;
        }
        // Without a reservation the proposal is carried out unchanged. It is accepted before its nodes are
        // occupied, so that only the two calls of the allocator are timed.
        if let (Some(placement), None) = (&proposal, &beside) {
            self.accept(placement);
        }
        let mut cost_ns = elapsed_ns(began);
        let placement = match (proposal, beside) {
            (proposal @ Some(_), None) => proposal,
            (Some(proposal), Some(reservation)) => {
                match reservation.make_room(proposal, &request, self.allocator, &self.machine) {
                    Some(Choice::Proposal(placement)) => {
                        let began = self.timed.then(Instant::now);
                        self.accept(&placement);
                        cost_ns += elapsed_ns(began);
                        Some(placement)
                    }
                    Some(Choice::Other(placement)) => Some(self.notify_taken(placement)),
                    None => None,
                }
            }
            (None, beside) => {
                let kept = self.reservation.as_ref().filter(|_| beside.is_none());
                let nodes = kept.and_then(|kept| kept.nodes_for(job, &self.machine)).map(<[NodeId]>::to_vec);
                nodes.map(|nodes| self.notify_taken(Placement::of(nodes)))
            }
        };
        let Some(placement) = placement else {
            self.observer.allocated(job, None, cost_ns);
            return None;
        };
        if let Err(error) = self.carry_out(job, &request, &placement) {
            self.error = Some(error);
            return None;
        }
        if placement.rearrangement.is_none() {
            if let Some(held) = &self.window[job].held {
                self.observer.allocated(job, Some(Placed { placement: &placement, held }), cost_ns);
            }
            self.observer.occupied(job, &placement.nodes, self.now);
        }
        Some((placement, cost_ns))
    }

    /// Accepts the proposal of the allocator, unless jobs have to move first.
    fn accept(&mut self, proposal: &Placement) {
        if proposal.rearrangement.is_none() {
            self.allocator.accepted(proposal, &self.machine);
        }
    }

    /// Notifies the allocator of a placement that it did not propose, and returns the placement.
    fn notify_taken(&mut self, placement: Placement) -> Placement {
        self.allocator.taken(&placement, &self.machine);
        placement
    }

    /// Checks a placement and occupies its nodes, unless other jobs must move first. Fails if the placement
    /// has too few nodes, or nodes that are not free.
    fn carry_out(&mut self, job: JobId, request: &Request, placement: &Placement) -> Result<(), ReplayError> {
        let found = placement.nodes.len();
        if found < request.procs as usize {
            let number = self.window.job(job).number;
            return Err(ReplayError::WrongSize { number, found, procs: request.procs });
        }
        if placement.rearrangement.is_some() {
            return Ok(());
        }
        self.occupy(job, &placement.nodes)
    }

    /// Occupies `nodes` for `job`. Fails if one of them is not free.
    pub(super) fn occupy(&mut self, job: JobId, nodes: &[NodeId]) -> Result<(), ReplayError> {
        let held = self.recently_held.held(nodes);
        let done = self.machine.occupy_held(nodes, &held);
        self.window[job].held = Some(held);
        done.map_err(|problem| ReplayError::BadPlacement { number: self.window.job(job).number, problem })
    }
}

impl ReplayState<'_> {
    /// Returns whether any job may start now: no error, no rearrangement under way, not stopped.
    fn may_start(&self) -> bool {
        self.error.is_none() && self.rearranging.is_none() && !self.stop.is_thrown()
    }

    /// Starts the waiting job at `slot`, also into a planned outage. Returns as [`View::try_start`].
    pub(super) fn start_at(&mut self, slot: Slot) -> bool {
        let Some(waiting) = self.queue.get(slot).filter(|_| self.may_start()) else { return false };
        let Some((placement, cost_ns)) = self.place(waiting.job, None) else { return false };
        if placement.rearrangement.is_some() {
            return self.make_room(waiting.job, placement, cost_ns);
        }
        self.start(waiting, placement);
        true
    }

    /// Starts a waiting job on nodes that are already occupied.
    pub(super) fn start(&mut self, waiting: Waiting, placement: Placement) {
        let Waiting { slot, job, estimate, .. } = waiting;
        let was_head = self.queue.head().is_some_and(|head| head.job == job);
        self.queue.remove(slot);
        let record = &mut self.window[job].record;
        record.head = if was_head { record.head } else { self.now };
        // The next job becomes the head now.
        if let Some(head) = self.queue.head().filter(|_| was_head) {
            self.window[head.job].record.head = self.now;
        }
        let nodes = placement.nodes.len() as u32;
        self.observer.started(job, nodes);
        let (start, estimated_end) = (self.now, self.now + estimate);
        self.running.insert(Running { estimated_end, job, nodes, start });
        self.set_due(job, estimated_end);
        let entry = &mut self.window[job];
        (entry.record.start, entry.record.end, entry.record.allocated) = (self.now, self.now, nodes);
        (entry.record.backfilled, entry.placement) = (!was_head, placement);
        let nodes = &self.window[job].placement.nodes;
        if let Some(outages) = &mut self.outages {
            outages.hold(nodes, Some(job));
        }
        self.execution.start(Started { id: job, job: self.window.job(job), nodes, now: self.now });
    }
}

impl View for ReplayState<'_> {
    fn now(&self) -> Time {
        self.now
    }

    fn recorded_start(&self, job: JobId) -> Option<Time> {
        self.window.job(job).recorded_start()
    }

    fn is_degraded(&self) -> bool {
        self.machine.is_any_down()
    }

    fn stopped(&self) -> bool {
        self.stop.is_thrown()
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

    fn planned_outages(&self) -> &[[Time; 2]] {
        &self.planned
    }

    fn try_start(&mut self, slot: Slot) -> bool {
        let longest = self.longest();
        let is_in_time = self.queue.get(slot).is_some_and(|waiting| waiting.estimate <= longest);
        is_in_time && self.start_at(slot)
    }

    fn decides(&self) -> Decides {
        match self.allocator.served_on(&self.machine) {
            Served::ByCount => Decides::Counts,
            Served::BySubmesh(_) => Decides::Submeshes,
            Served::ByState(_) => Decides::State,
        }
    }

    fn reserve(&mut self, slot: Slot) -> Option<Time> {
        let job = self.queue.get(slot)?.job;
        let request = self.request(job);
        let running = RunningPlaces { running: &self.running, window: &self.window, now: self.now };
        let reservation = if let Served::BySubmesh(submeshes) = self.allocator.served_on(&self.machine) {
            Reservation::of_submeshes(
                &self.machine,
                running,
                &(submeshes.sizes)(&request, self.machine.mesh()),
            )
        } else {
            let before = self.reservation.take();
            Reservation::of_nodes(&self.machine, running, job, request, self.allocator, before)
        };
        let (shadow, reservation) = reservation?;
        self.reservation = Some(reservation);
        Some(shadow)
    }

    fn try_start_beside(&mut self, slot: Slot) -> bool {
        let longest = self.longest();
        let waiting = self.queue.get(slot).filter(|waiting| waiting.estimate <= longest && self.may_start());
        let Some(waiting) = waiting else { return false };
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

/// Returns the nanoseconds since `began`; 0 if `began` is `None` because nothing is timed.
fn elapsed_ns(began: Option<Instant>) -> u64 {
    began.map_or(0, |began| u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX))
}
