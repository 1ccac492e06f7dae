//! The replay loop: advances the simulated clock from one instant with an event to the next.
//! It begins on an empty machine, or with jobs that already run.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::ReplayError;
use super::observer::Observer;
use super::outages::{OutagePlan, OutageState};
use super::predictions::{PredictionPlan, PredictionState};
use super::rearrangement::NextJob;
use super::state::ReplayState;
use super::window::JobWindow;
use crate::execution::{Execution, Next};
use crate::scheduler::{Cause, Pass, RunningJobs, Scheduler, WaitQueue, Waiting};
use meshreplay_alloc::allocator::Strategy;
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Machine, Mesh, RecentlyHeld};

/// Hands out the jobs of a replay in the order of their arrival. Jobs that arrive at the same time keep the
/// order of the log.
pub trait ArrivalSource {
    /// Returns the next job with its position in the log, or `None` after the last one. Every position from 0
    /// on appears once. Returns the same job until [`Self::advance`] is called, so that the caller can copy
    /// the job straight to its slot. Fails if the jobs cannot be read.
    fn next_job(&mut self) -> Result<Option<(JobId, &Job)>, ReplayError>;

    /// Moves on to the job after the one that [`Self::next_job`] returns. Fails if the later jobs cannot be
    /// numbered.
    fn advance(&mut self) -> Result<(), ReplayError>;

    /// Returns how long the replay was blocked on the reader of the log, which does not count as time of the
    /// replay.
    fn waited(&self) -> Duration {
        Duration::ZERO
    }
}

/// An in-memory list of jobs as a source.
pub struct JobList<'a> {
    jobs: &'a [Job],
    /// The positions of the jobs by arrival; `None` if the list has that order.
    order: Option<Vec<JobId>>,
    next: usize,
}

impl<'a> JobList<'a> {
    /// Creates the source of `jobs`. Fails if a job asks for more processors than `mesh` has available nodes.
    /// O(J) for J jobs sorted by arrival, otherwise O(J·log J).
    pub fn new(jobs: &'a [Job], mesh: &Mesh) -> Result<Self, ReplayError> {
        let nodes = mesh.available();
        if let Some(job) = jobs.iter().find(|job| job.procs > nodes) {
            let machine = mesh.clone();
            return Err(ReplayError::Oversize { number: job.number, procs: job.procs, machine, nodes });
        }
        let order = (!jobs.is_sorted_by_key(|job| job.submit)).then(|| {
            let mut order: Vec<JobId> = (0..jobs.len() as JobId).collect();
            // The sort is stable, so jobs that arrive together keep their order.
            order.sort_by_key(|&job| jobs[job as usize].submit);
            order
        });
        Ok(Self { jobs, order, next: 0 })
    }
}

impl ArrivalSource for JobList<'_> {
    fn next_job(&mut self) -> Result<Option<(JobId, &Job)>, ReplayError> {
        let at = match &self.order {
            Some(order) => order.get(self.next).copied(),
            None => Some(self.next as JobId),
        };
        Ok(at.and_then(|id| self.jobs.get(id as usize).map(|job| (id, job))))
    }

    fn advance(&mut self) -> Result<(), ReplayError> {
        self.next += 1;
        Ok(())
    }
}

/// The parts of a replay.
pub struct Parts<'a> {
    /// The mesh or torus. All its available nodes are free at first.
    pub mesh: Mesh,
    /// Decides when jobs start.
    pub scheduler: &'a mut dyn Scheduler,
    /// Decides where jobs run.
    pub allocator: &'a mut Strategy,
    /// Decides how long jobs run.
    pub execution: &'a mut dyn Execution,
    /// Whether allocator calls are timed with a monotonic clock.
    pub timed: bool,
    /// Outages of nodes, or `None` if all nodes are always up. Outages require an allocator that moves no
    /// jobs. If jobs are killed, the execution model must support it.
    pub outages: Option<OutagePlan>,
    /// Planned outages of the whole machine, each with its beginning and its end, in order. No job starts
    /// that would run into one by its estimate. Nodes go down only by `outages`.
    pub planned: Arc<[[Time; 2]]>,
    /// The predictor of run times, or `None` if schedulers plan with the estimates of the jobs.
    pub predictions: Option<PredictionPlan>,
    /// The jobs that run when the replay begins, or `None` if it begins with an idle machine.
    pub opening: Option<Opening>,
    /// Stops the replay, also during an allocator call or a scheduling pass.
    pub stop: Stop,
}

/// Returns the error of a replay that was stopped at the instant `now`: the failure of a part, or an
/// interruption by another thread.
fn stopped(stop: &Stop, now: Time) -> ReplayError {
    let failed = |reason: &str| {
        let at = if stop.is_dated() { String::new() } else { format!("at {} s: ", now.as_seconds()) };
        ReplayError::Failed(at + reason)
    };
    stop.reason().map_or(ReplayError::Interrupted, failed)
}

/// The number of instants between two calls of [`Observer::finished`].
const INSTANTS_PER_REPORT: u32 = 1024;

/// Returns the next instant with an event: the earlier of `event` and the next end of a job. Returns `None`
/// if no further event will come.
///
/// `event` is the time of the next event that is not the end of a job; `None` if there is none. Fails if the
/// replay is stopped, or if the next end lies beyond the range of time.
fn next_instant(state: &mut ReplayState<'_>, event: Option<Time>) -> Result<Option<Time>, ReplayError> {
    let completion = match state.execution.next_completion(event.unwrap_or(Time::MAX), &state.stop) {
        Next::Stopped => return Err(stopped(&state.stop, state.now)),
        Next::At(end) => Some(end),
        Next::Later | Next::Idle => None,
    };
    let next = event.into_iter().chain(completion).min();
    if next == Some(Time::MAX) {
        // Additions of times saturate. A job that would end at `Time::MAX` therefore has no representable
        // end.
        let mut ended = Vec::new();
        state.execution.advance(Time::MAX, &mut ended);
        return Err(state.beyond_time(ended.first().copied()));
    }
    Ok(next)
}

impl ReplayState<'_> {
    /// Applies the departures and arrivals of an instant and runs the passes that the scheduler asks for.
    /// Empties `done`. `started` is true if a job has just started after a rearrangement.
    fn run_passes(
        &mut self,
        done: &mut Vec<JobId>,
        arriving: &[JobId],
        started: bool,
        scheduler: &mut dyn Scheduler,
    ) {
        match scheduler.pass() {
            Pass::Batch => self.pass_once(done, arriving, scheduler),
            Pass::PerEvent => self.pass_per_event(done, arriving, scheduler),
            Pass::Separate => self.pass_per_kind(done, arriving, scheduler),
        }
        if started && scheduler.pass() != Pass::Batch {
            // The job that room was made for has started. That is neither an arrival nor a departure, but the
            // head of the queue may have changed.
            self.cause = Cause::Departures;
            self.run_scheduler(scheduler);
        }
    }

    /// Applies all departures and arrivals of an instant, then runs one pass. Empties `done`.
    fn pass_once(&mut self, done: &mut Vec<JobId>, arriving: &[JobId], scheduler: &mut dyn Scheduler) {
        done.drain(..).for_each(|job| self.depart(job));
        for &job in arriving {
            self.arrive(job);
        }
        self.run_scheduler(scheduler);
    }

    /// Applies the events of an instant one by one, arrivals before departures, with a pass after each.
    /// Empties `done`.
    ///
    /// Schedulers with such passes rely on estimates. So jobs that end as estimated or later have left the
    /// machine before the first pass.
    fn pass_per_event(&mut self, done: &mut Vec<JobId>, arriving: &[JobId], scheduler: &mut dyn Scheduler) {
        let expected =
            |state: &Self, job: JobId| state.window[job].record.start + state.expected_run(job) <= state.now;
        // An allocator that moves jobs must not see a job on the machine that has ended.
        let movable = self.allocator.moves_jobs;
        let expected = |state: &Self, job: JobId| movable || expected(state, job);
        for &job in &*done {
            if expected(self, job) {
                self.end(job);
            }
        }
        for &job in arriving {
            self.arrive(job);
            self.run_scheduler(scheduler);
        }
        for job in done.drain(..) {
            if !expected(self, job) {
                self.end(job);
            }
            self.report_run(job);
            self.run_scheduler(scheduler);
        }
    }

    /// Applies all departures of an instant, with one pass if there are any, then the arrivals with a pass
    /// after each. Empties `done`.
    fn pass_per_kind(&mut self, done: &mut Vec<JobId>, arriving: &[JobId], scheduler: &mut dyn Scheduler) {
        if !done.is_empty() {
            done.drain(..).for_each(|job| self.depart(job));
            self.cause = Cause::Departures;
            self.run_scheduler(scheduler);
        }
        self.cause = Cause::Arrival;
        for &job in arriving {
            self.arrive(job);
            self.run_scheduler(scheduler);
        }
    }

    /// Returns the time of the next event other than the end of a job or the correction of a prediction: the
    /// earliest of the next arrival, the end of a rearrangement stage, the scheduler's wake-up, the next
    /// change of a node and the end of a planned outage. `None` if there is none.
    fn next_event(&self, arrival: Option<Time>, scheduler: &dyn Scheduler) -> Option<Time> {
        let due = self.rearranging.as_ref().map(NextJob::due);
        let wake = scheduler.wakes().filter(|&wake| wake > self.now);
        let change = self.next_change(arrival.is_some());
        let reopening = self.next_reopening();
        arrival.into_iter().chain(due).chain(wake).chain(change).chain(reopening).min()
    }

    /// Moves the clock to `now` and adds the jobs that end then to `done`. `event` and `correction` are the
    /// times of the next other event and of the next correction of a prediction. Returns whether there is a
    /// pass: not if a correction is all that happens.
    fn advance(
        &mut self,
        now: Time,
        event: Option<Time>,
        correction: Option<Time>,
        done: &mut Vec<JobId>,
    ) -> bool {
        self.now = now;
        self.execution.advance(now, done);
        let has_pass = event == Some(now) || !done.is_empty() || correction != Some(now);
        if has_pass {
            self.observer.instant(now);
        }
        has_pass
    }

    /// Adds the jobs that arrive now to the window and replaces `arriving` by their ids. `next` is the next
    /// arrival and becomes the first later one.
    fn take_arriving(
        &mut self,
        next: &mut Option<Time>,
        arrivals: &mut dyn ArrivalSource,
        arriving: &mut Vec<JobId>,
    ) -> Result<(), ReplayError> {
        arriving.clear();
        while *next == Some(self.now) {
            if let Some((id, job)) = arrivals.next_job()? {
                self.window.add(id, job)?;
                arriving.push(id);
            }
            arrivals.advance()?;
            *next = next_arrival(arrivals, self.now)?;
        }
        Ok(())
    }

    /// Emits the final records in the order of the log, and removes their jobs from the window.
    fn emit_final(&mut self) {
        while let Some((id, job, record)) = self.window.next_final() {
            self.observer.on_job_final(job, record, self.execution.traffic_of(id));
            self.window.remove_next();
        }
    }

    /// Checks that every job has run. It is called when no further event will come.
    fn check_end(&self) -> Result<(), ReplayError> {
        if !self.running.is_empty() || self.rearranging.is_some() {
            // These jobs have no end that can be represented as a time.
            return Err(self.beyond_time(None));
        }
        match self.queue.head() {
            Some(head) => {
                let number = self.window.job(head.job).number;
                Err(ReplayError::Stuck { number, procs: head.procs })
            }
            None => Ok(()),
        }
    }

    /// Returns the error that `job` ends beyond the range of time. Without a `job`, the error names a running
    /// job or else the job of the pending rearrangement.
    fn beyond_time(&self, job: Option<JobId>) -> ReplayError {
        let next = self.rearranging.as_ref().map(|next| next.job);
        let job = job.or_else(|| self.running.iter().next().map(|running| running.job)).or(next);
        let number = job.map_or(0, |job| self.window.job(job).number);
        ReplayError::OutOfRange { number }
    }
}

/// Returns the arrival of the next job, not before `now`, or `None` after the last one.
fn next_arrival(arrivals: &mut dyn ArrivalSource, now: Time) -> Result<Option<Time>, ReplayError> {
    Ok(arrivals.next_job()?.map(|(_, job)| job.submit.max(now)))
}

/// Replays the jobs of `arrivals`, none of them larger than the machine. Jobs arrive in the order of their
/// submissions, and simultaneous submissions in the order of the log. Reports each final record to
/// [`Observer::on_job_final`] immediately, in the order of the log. Fails if a job never starts or ends, if
/// the replay is stopped, or if the jobs cannot be read.
///
/// O(J log J) for J jobs, plus the time of the scheduler and the allocator. Memory holds the waiting and
/// running jobs, and the jobs that ended before an older job of the log did.
pub fn replay(
    arrivals: &mut dyn ArrivalSource,
    parts: Parts<'_>,
    observer: &mut dyn Observer,
) -> Result<(), ReplayError> {
    let scheduler = parts.scheduler;
    let Opening { at, mut running } = parts.opening.unwrap_or_default();
    let mut state = ReplayState {
        predictions: parts.predictions.map(PredictionState::new),
        outages: parts.outages.map(|plan| OutageState::new(plan, &parts.mesh)),
        planned: parts.planned,
        window: JobWindow::default(),
        now: at,
        cause: Cause::Batch,
        recently_held: RecentlyHeld::new(parts.mesh.nodes()),
        machine: Machine::new(parts.mesh).with_stop(parts.stop.clone()),
        allocator: parts.allocator,
        execution: parts.execution,
        timed: parts.timed,
        stop: parts.stop,
        observer,
        queue: WaitQueue::default(),
        running: RunningJobs::default(),
        rearranging: None,
        reservation: None,
        error: None,
    };
    let (mut finished, mut instants, mut done, mut arriving) = (0, 0_u32, Vec::new(), Vec::new());
    let mut next = next_arrival(arrivals, at)?;
    loop {
        let event = state.next_event(next, scheduler);
        let correction = state.next_correction();
        let Some(now) = next_instant(&mut state, event.into_iter().chain(correction).min())? else {
            if state.drop_stranded(scheduler) {
                continue;
            }
            break;
        };
        // `done` receives the jobs that end now. The passes below remove them from the machine.
        let has_pass = state.advance(now, event, correction, &mut done);
        finished += done.len();
        state.correct(&done, scheduler);
        state.drop_plan_if_ended(&done);
        let started = state.finish_stages();
        state.change_nodes(&mut done, scheduler);
        state.reopen(&mut done, scheduler);
        state.take_arriving(&mut next, arrivals, &mut arriving)?;
        state.open(&mut running, &mut arriving);
        if has_pass {
            state.run_passes(&mut done, &arriving, started, scheduler);
        }
        if let Some(error) = state.error {
            return Err(error);
        }
        state.emit_final();
        instants += 1;
        if instants % INSTANTS_PER_REPORT == 0 {
            state.observer.finished(finished);
        }
        if state.stop.is_thrown() {
            return Err(stopped(&state.stop, state.now));
        }
    }
    state.check_end()?;
    state.emit_final();
    state.observer.finished(finished);
    Ok(())
}

/// The state of the machine when a replay begins. Jobs that were submitted before arrive then.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// The beginning.
    pub at: Time,
    /// The running jobs in the order of their placement, submitted before the beginning. Their run times and
    /// estimates are the rest from the beginning on. A job that the allocator refuses waits at the head of
    /// the queue.
    pub running: Vec<JobId>,
}

/// Submission of jobs at the head of the queue, before all others.
const FIRST: Time = Time::from_micros(i64::MIN);

impl ReplayState<'_> {
    /// Places the running jobs, and removes them from `arriving`. Empties `running`. O(R·log R) for R of
    /// them.
    pub(super) fn open(&mut self, running: &mut Vec<JobId>, arriving: &mut Vec<JobId>) {
        if running.is_empty() {
            return;
        }
        let set: BTreeSet<JobId> = running.iter().copied().collect();
        arriving.retain(|job| !set.contains(job));
        for job in running.drain(..) {
            let waiting = Waiting { submit: FIRST, ..self.arrival(job) };
            self.observer.queued(&waiting, self.window.job(job));
            self.queue.insert(waiting);
            if let Some(waiting) = self.queue.find(FIRST, job) {
                self.start_at(waiting.slot);
            }
        }
    }
}
