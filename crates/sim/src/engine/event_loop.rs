//! The replay loop: advances the simulated clock from one instant with an event to the next.

use super::arrivals::{Arrivals, Listed};
use super::error::ReplayError;
use super::next_job::NextJob;
use super::observer::{Observer, Record};
use super::outage_state::{OutagePlan, OutageState};
use super::prediction_state::{PredictionPlan, PredictionState};
use super::state::ReplayState;
use super::window::Window;
use crate::execution::{Execution, Next};
use crate::scheduler::{Cause, Pass, RunningJobs, Scheduler, WaitQueue};
use meshreplay_alloc::allocator::Strategy;
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Machine, Mesh, RecentlyHeld};

/// The parts from which a replay is built.
pub struct Parts<'a> {
    /// The mesh or torus. All its available nodes are free at first.
    pub mesh: Mesh,
    /// The scheduler, which decides when jobs start.
    pub scheduler: &'a mut dyn Scheduler,
    /// The allocator, which decides on which nodes jobs run.
    pub allocator: &'a mut Strategy,
    /// The execution model, which decides how long jobs run.
    pub execution: &'a mut dyn Execution,
    /// Whether the allocator's calls are timed with a monotonic clock.
    pub timed: bool,
    /// The nodes that go down and come up; `None` if all nodes are always up. There can be outages only if
    /// the allocator moves no jobs. If jobs are killed, the execution model must support it.
    pub outages: Option<OutagePlan>,
    /// The predictor of run times; `None` if schedulers plan with the estimates of the jobs.
    pub predictions: Option<PredictionPlan>,
    /// The switch that stops the replay, also in the middle of an allocator's call or a scheduler's pass.
    pub stop: Stop,
}

/// Returns the error of a replay that was stopped: a part of it has failed, or another thread has thrown the
/// switch.
fn stopped(stop: &Stop) -> ReplayError {
    stop.reason().map_or(ReplayError::Interrupted, |reason| ReplayError::Failed(reason.to_owned()))
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
        Next::Stopped => return Err(stopped(&state.stop)),
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
    /// Applies the departures and arrivals of an instant and asks for the passes that the scheduler wants.
    /// Empties `done`. `started` says whether a job has started for which others have made room.
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
            // Room was made for a job, which has started: neither an arrival nor a departure, yet the head
            // may be new.
            self.cause = Cause::Departures;
            self.run_scheduler(scheduler);
        }
    }

    /// Returns the time of the next event that neither ends a job nor corrects a prediction: the earliest of
    /// the next arrival, the end of a stage of making room, a wake-up that the scheduler asked for and a
    /// change of a node. `None` if there is none.
    fn next_event(&self, arrival: Option<Time>, scheduler: &dyn Scheduler) -> Option<Time> {
        let due = self.next_job.as_ref().map(NextJob::due);
        let wake = scheduler.wakes().filter(|&wake| wake > self.now);
        let change = self.next_change(arrival.is_some());
        arrival.into_iter().chain(due).chain(wake).chain(change).min()
    }

    /// Adds the jobs that arrive now to the window, and puts their ids into `arriving` in place of what it
    /// holds. `next` is the next arrival; it becomes the first later one.
    fn take_arriving(
        &mut self,
        next: &mut Option<Time>,
        arrivals: &mut dyn Arrivals,
        arriving: &mut Vec<JobId>,
    ) -> Result<(), ReplayError> {
        arriving.clear();
        while *next == Some(self.now) {
            if let Some((id, job)) = arrivals.next_job()? {
                self.window.add(id, job)?;
                arriving.push(id);
            }
            arrivals.advance()?;
            *next = next_arrival(arrivals)?;
        }
        Ok(())
    }

    /// Lets the jobs leave whose records are final, in the order of the log, and appends the records to
    /// `records` if it is given.
    fn let_go(&mut self, records: &mut Option<&mut Vec<Record>>) {
        while let Some((job, record)) = self.window.next_final() {
            self.observer.left(job, record);
            if let Some(records) = records {
                records.push(*record);
            }
            self.window.remove_next();
        }
    }

    /// Checks that every job has run. It is called when no further event will come.
    fn check_end(&self) -> Result<(), ReplayError> {
        if !self.running.is_empty() || self.next_job.is_some() {
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

    /// Returns the error that `job` does not end within the range of time. Without a `job` the error names a
    /// running job, or else the job that others make room for.
    fn beyond_time(&self, job: Option<JobId>) -> ReplayError {
        let next = self.next_job.as_ref().map(|next| next.job);
        let job = job.or_else(|| self.running.iter().next().map(|running| running.job)).or(next);
        let number = job.map_or(0, |job| self.window.job(job).number);
        ReplayError::OutOfRange { number }
    }
}

/// Returns the time at which the next job arrives; `None` after the last one.
fn next_arrival(arrivals: &mut dyn Arrivals) -> Result<Option<Time>, ReplayError> {
    Ok(arrivals.next_job()?.map(|(_, job)| job.submit))
}

/// Checks that no job asks for more processors than the machine has available nodes.
fn check_sizes(jobs: &[Job], mesh: &Mesh) -> Result<(), ReplayError> {
    let nodes = mesh.available();
    match jobs.iter().find(|job| job.procs > nodes) {
        Some(job) => {
            let machine = mesh.clone();
            Err(ReplayError::Oversize { number: job.number, procs: job.procs, machine, nodes })
        }
        None => Ok(()),
    }
}

/// Replays `jobs` and returns one record for each of them, in the order of `jobs`. Jobs arrive in the order
/// of their submissions. Jobs that are submitted at the same time arrive in the order of `jobs`.
///
/// Fails as [`ReplayError`] says. Takes O(J log J) for J jobs, and the time of the scheduler and the
/// allocator.
pub fn replay(
    jobs: &[Job],
    parts: Parts<'_>,
    observer: &mut dyn Observer,
) -> Result<Vec<Record>, ReplayError> {
    check_sizes(jobs, &parts.mesh)?;
    let mut records = Vec::with_capacity(jobs.len());
    run(&mut Listed::new(jobs), parts, observer, Some(&mut records))?;
    Ok(records)
}

/// Replays the jobs of `arrivals`. Reports the record of each job to [`Observer::left`], in the order of the
/// log, as soon as it is final.
///
/// Memory holds the jobs that wait or run, and those that ended while an older job of the log still waits or
/// runs. Fails as [`replay`] does, but for jobs that are larger than the machine, which the caller leaves
/// out. Fails also if the jobs cannot be read.
pub fn replay_stream(
    arrivals: &mut dyn Arrivals,
    parts: Parts<'_>,
    observer: &mut dyn Observer,
) -> Result<(), ReplayError> {
    run(arrivals, parts, observer, None)
}

/// Replays the jobs of `arrivals`, and appends their records to `records` if it is given.
fn run(
    arrivals: &mut dyn Arrivals,
    parts: Parts<'_>,
    observer: &mut dyn Observer,
    mut records: Option<&mut Vec<Record>>,
) -> Result<(), ReplayError> {
    let scheduler = parts.scheduler;
    let mut state = ReplayState {
        predictions: parts.predictions.map(PredictionState::new),
        outages: parts.outages.map(|plan| OutageState::new(plan, &parts.mesh)),
        window: Window::default(),
        now: Time::ZERO,
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
        next_job: None,
        reservation: None,
        error: None,
    };
    let (mut finished, mut instants, mut done, mut arriving) = (0, 0_u32, Vec::new(), Vec::new());
    let mut next = next_arrival(arrivals)?;
    loop {
        let event = state.next_event(next, scheduler);
        let correction = state.next_correction();
        let Some(now) = next_instant(&mut state, event.into_iter().chain(correction).min())? else {
            if state.drop_stranded(scheduler) {
                continue;
            }
            break;
        };
        state.now = now;
        // `done` gets the jobs that end now. The passes below remove them from the machine.
        state.execution.advance(now, &mut done);
        finished += done.len();
        state.correct(&done, scheduler);
        state.drop_plan_if_ended(&done);
        let started = state.finish_stages();
        state.change_nodes(&mut done, scheduler);
        state.take_arriving(&mut next, arrivals, &mut arriving)?;
        // A correction alone starts no pass.
        if event == Some(now) || !done.is_empty() || correction != Some(now) {
            state.run_passes(&mut done, &arriving, started, scheduler);
        }
        if let Some(error) = state.error {
            return Err(error);
        }
        state.let_go(&mut records);
        instants += 1;
        if instants % INSTANTS_PER_REPORT == 0 {
            state.observer.finished(finished);
        }
        if state.stop.is_thrown() {
            return Err(stopped(&state.stop));
        }
    }
    state.check_end()?;
    state.let_go(&mut records);
    state.observer.finished(finished);
    Ok(())
}
