//! The replay loop: advances the simulated clock from one instant with an event to the next.

use super::error::ReplayError;
use super::next_job::NextJob;
use super::observer::{Observer, Record};
use super::outage_state::{OutagePlan, OutageState};
use super::prediction_state::{PredictionPlan, PredictionState};
use super::state::ReplayState;
use crate::allocator::{Placement, Strategy};
use crate::execution::{Execution, Next};
use crate::job::{Job, JobId, Time};
use crate::machine::{Machine, Mesh};
use crate::scheduler::{Cause, Pass, RunningJobs, Scheduler, WaitQueue};
use crate::stop::Stop;

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
    /// The nodes that go down and come up; `None` if all nodes are always up. There can be outages only if the allocator
    /// moves no jobs. If jobs are killed, the execution model must support it.
    pub outages: Option<OutagePlan>,
    /// The predictor of run times; `None` if schedulers plan with the estimates of the jobs.
    pub predictions: Option<PredictionPlan>,
    /// The switch that stops the replay, also in the middle of an allocator's call or a scheduler's pass.
    pub stop: Stop,
}

/// Returns the error of a replay that was stopped: a part of it has failed, or another thread has thrown the switch.
fn stopped(stop: &Stop) -> ReplayError {
    stop.reason().map_or(ReplayError::Interrupted, |reason| ReplayError::Failed(reason.to_owned()))
}

/// The number of instants between two calls of [`Observer::finished`].
const INSTANTS_PER_REPORT: u32 = 1024;

/// Returns the next instant with an event: the earlier of `event` and the next end of a job. Returns `None` if no
/// further event will come.
///
/// `event` is the time of the next event that is not the end of a job; `None` if there is none. Fails if the replay is
/// stopped, or if the next end lies beyond the range of time.
fn next_instant(state: &mut ReplayState<'_>, event: Option<Time>) -> Result<Option<Time>, ReplayError> {
    let completion = match state.execution.next_completion(event.unwrap_or(Time::MAX), &state.stop) {
        Next::Stopped => return Err(stopped(&state.stop)),
        Next::At(end) => Some(end),
        Next::Later | Next::Idle => None,
    };
    let next = event.into_iter().chain(completion).min();
    if next == Some(Time::MAX) {
        // Additions of times saturate. A job that would end at `Time::MAX` therefore has no representable end.
        let mut ended = Vec::new();
        state.execution.advance(Time::MAX, &mut ended);
        return Err(state.beyond_time(ended.first().copied()));
    }
    Ok(next)
}

impl ReplayState<'_> {
    /// Applies the departures and arrivals of an instant and asks for the passes that the scheduler wants. Empties `done`.
    /// `started` says whether a job has started for which others have made room.
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
            // Room was made for a job, which has started: neither an arrival nor a departure, yet the head may be new.
            self.cause = Cause::Departures;
            self.run_scheduler(scheduler);
        }
    }

    /// Returns the time of the next event that neither ends a job nor corrects a prediction: the earliest of the next
    /// arrival, the end of a stage of making room, a wake-up that the scheduler asked for and a change of a node. `None`
    /// if there is none.
    fn next_event(&self, arrival: Option<Time>, scheduler: &dyn Scheduler) -> Option<Time> {
        let due = self.next_job.as_ref().map(NextJob::due);
        let wake = scheduler.wakes().filter(|&wake| wake > self.now);
        let change = self.next_change(arrival.is_some());
        arrival.into_iter().chain(due).chain(wake).chain(change).min()
    }

    /// Checks that every job has run. It is called when no further event will come.
    fn check_end(&self) -> Result<(), ReplayError> {
        if !self.running.is_empty() || self.next_job.is_some() {
            // These jobs have no end that can be represented as a time.
            return Err(self.beyond_time(None));
        }
        match self.queue.head() {
            Some(head) => {
                let number = self.jobs[head.job as usize].number;
                Err(ReplayError::Stuck { number, procs: head.procs })
            }
            None => Ok(()),
        }
    }

    /// Returns the error that `job` does not end within the range of time. Without a `job` the error names a running
    /// job, or else the job that others make room for.
    fn beyond_time(&self, job: Option<JobId>) -> ReplayError {
        let next = self.next_job.as_ref().map(|next| next.job);
        let job = job.or_else(|| self.running.iter().next().map(|running| running.job)).or(next);
        let number = job.map_or(0, |job| self.jobs[job as usize].number);
        ReplayError::OutOfRange { number }
    }
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

/// Returns the jobs in the order of their submissions; those that are submitted at the same time stay in the order of
/// `jobs`, as the sort is stable.
fn in_order_of_arrival(jobs: &[Job]) -> Vec<JobId> {
    let mut arrivals: Vec<JobId> = (0..jobs.len() as JobId).collect();
    arrivals.sort_by_key(|&job| jobs[job as usize].submit);
    arrivals
}

/// Replays `jobs` and returns one record for each of them, in the order of `jobs`. Jobs arrive in the order of their
/// submissions. Jobs that are submitted at the same time arrive in the order of `jobs`.
///
/// Fails as [`ReplayError`] says. Takes O(J log J) for J jobs, and the time of the scheduler and the allocator.
pub fn replay(
    jobs: &[Job],
    parts: Parts<'_>,
    observer: &mut dyn Observer,
) -> Result<Vec<Record>, ReplayError> {
    check_sizes(jobs, &parts.mesh)?;
    let arrivals = in_order_of_arrival(jobs);
    let scheduler = parts.scheduler;
    let mut state = ReplayState {
        predictions: parts.predictions.map(|plan| PredictionState::new(plan, jobs.len())),
        outages: parts.outages.map(|plan| OutageState::new(plan, &parts.mesh)),
        jobs,
        now: Time::ZERO,
        cause: Cause::Batch,
        machine: Machine::new(parts.mesh).with_stop(parts.stop.clone()),
        allocator: parts.allocator,
        execution: parts.execution,
        timed: parts.timed,
        stop: parts.stop,
        observer,
        queue: WaitQueue::default(),
        running: RunningJobs::default(),
        placements: jobs.iter().map(|_| Placement::default()).collect(),
        records: vec![Record::default(); jobs.len()],
        next_job: None,
        reservation: None,
        error: None,
    };
    let (mut next, mut finished, mut instants, mut done) = (0, 0, 0_u32, Vec::new());
    loop {
        let arrival = arrivals.get(next).map(|&job| jobs[job as usize].submit);
        let event = state.next_event(arrival, scheduler);
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
        // `arrivals` is sorted by submission, so the jobs that arrive now are its next ones.
        let arriving = arrivals[next..].iter().take_while(|&&job| jobs[job as usize].submit == now).count();
        let (first, arrived) = (next, next + arriving);
        next = arrived;
        // A correction alone starts no pass.
        if event == Some(now) || !done.is_empty() || correction != Some(now) {
            state.run_passes(&mut done, &arrivals[first..arrived], started, scheduler);
        }
        if let Some(error) = state.error {
            return Err(error);
        }
        instants += 1;
        if instants % INSTANTS_PER_REPORT == 0 {
            state.observer.finished(finished);
        }
        if state.stop.is_thrown() {
            return Err(stopped(&state.stop));
        }
    }
    state.check_end()?;
    state.observer.finished(finished);
    Ok(state.records)
}
