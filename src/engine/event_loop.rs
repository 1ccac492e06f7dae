//! The replay loop: from one instant at which something happens to the next.

use super::error::ReplayError;
use super::next_job::NextJob;
use super::observer::{Observer, Record};
use super::state::ReplayState;
use crate::allocator::{Placement, Strategy};
use crate::execution::{Execution, Next};
use crate::job::{Job, JobId, Time};
use crate::machine::{Machine, Mesh};
use crate::scheduler::{Cause, Pass, RunningJobs, Scheduler, WaitQueue};
use crate::stop::Stop;

/// The parts that a replay is put together from.
pub struct Parts<'a> {
    /// The machine's shape; all nodes are free at first.
    pub mesh: Mesh,
    /// Decides when jobs start.
    pub scheduler: &'a mut dyn Scheduler,
    /// Decides where.
    pub allocator: &'a mut Strategy,
    /// Decides how long.
    pub execution: &'a mut dyn Execution,
    /// Whether allocator calls are timed, with a monotonic clock.
    pub timed: bool,
    /// Stops the replay once it is thrown, also in the middle of an allocator's call or a scheduler's pass.
    pub stop: Stop,
}

/// How many instants pass between two calls of [`Observer::finished`].
const INSTANTS_PER_REPORT: u32 = 1024;

/// Returns the next instant at which something happens: that of `event`, if there is one, or the end of a job before
/// it; `None` if nothing happens any more.
fn next_instant(state: &mut ReplayState<'_>, event: Option<Time>) -> Result<Option<Time>, ReplayError> {
    let completion = match state.execution.next_completion(event.unwrap_or(Time::MAX), &state.stop) {
        Next::Stopped => return Err(ReplayError::Interrupted),
        Next::At(end) => Some(end),
        Next::Later | Next::Idle => None,
    };
    let next = event.into_iter().chain(completion).min();
    if next == Some(Time::MAX) {
        // Sums of times stay at the end of their range.
        let mut ended = Vec::new();
        state.execution.advance(Time::MAX, &mut ended);
        return Err(state.beyond_time(ended.first().copied()));
    }
    Ok(next)
}

impl ReplayState<'_> {
    /// Returns whether all jobs have run, once nothing happens any more.
    fn check_end(&self) -> Result<(), ReplayError> {
        if !self.running.is_empty() || self.next_job.is_some() {
            // No end comes for them that could be told.
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

    /// Returns the error that `job`, or the first of those that run, does not end within the range of time.
    fn beyond_time(&self, job: Option<JobId>) -> ReplayError {
        let next = self.next_job.as_ref().map(|next| next.job);
        let job = job.or_else(|| self.running.iter().next().map(|running| running.job)).or(next);
        let number = job.map_or(0, |job| self.jobs[job as usize].number);
        ReplayError::OutOfRange { number }
    }
}

/// Fails if a job asks for more processors than the machine has nodes.
fn check_sizes(jobs: &[Job], mesh: &Mesh) -> Result<(), ReplayError> {
    let nodes = mesh.nodes();
    match jobs.iter().find(|job| job.procs > nodes) {
        Some(job) => {
            let machine = mesh.clone();
            Err(ReplayError::Oversize { number: job.number, procs: job.procs, machine, nodes })
        }
        None => Ok(()),
    }
}

/// Replays `jobs`, which arrive in order of submission and, within an instant, of position; one record per job, by
/// position. O(J log J) and what the scheduler and the allocator take.
pub fn replay(
    jobs: &[Job],
    parts: Parts<'_>,
    observer: &mut dyn Observer,
) -> Result<Vec<Record>, ReplayError> {
    check_sizes(jobs, &parts.mesh)?;
    let mut arrivals: Vec<JobId> = (0..jobs.len() as JobId).collect();
    arrivals.sort_by_key(|&job| jobs[job as usize].submit);
    let pass = parts.scheduler.pass();
    let scheduler = parts.scheduler;
    let mut state = ReplayState {
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
        let due = state.next_job.as_ref().map(NextJob::due);
        // The next instant is the earliest of an arrival, a stage of making room, a wake-up and the end of a job.
        let wake = scheduler.wakes().filter(|&wake| wake > state.now);
        let event = arrival.into_iter().chain(due).chain(wake).min();
        let Some(now) = next_instant(&mut state, event)? else { break };
        state.now = now;
        state.execution.advance(now, &mut done);
        finished += done.len();
        state.drop_plan_if_ended(&done);
        let started = state.finish_stages();
        let arriving = arrivals[next..].partition_point(|&job| jobs[job as usize].submit == now);
        let (first, arrived) = (next, next + arriving);
        next = arrived;
        match pass {
            Pass::Batch => state.pass_once(&mut done, &arrivals[first..arrived], scheduler),
            Pass::PerEvent => state.pass_per_event(&mut done, &arrivals[first..arrived], scheduler),
            Pass::Separate => state.pass_per_kind(&mut done, &arrivals[first..arrived], scheduler),
        }
        if started && pass != Pass::Batch {
            // The queue has a new head, and no event of its own has asked for it.
            state.cause = Cause::Departures;
            state.run_scheduler(scheduler);
        }
        if let Some(error) = state.error {
            return Err(error);
        }
        instants += 1;
        if instants % INSTANTS_PER_REPORT == 0 {
            state.observer.finished(finished);
        }
        if state.stop.is_thrown() {
            return Err(ReplayError::Interrupted);
        }
    }
    state.check_end()?;
    state.observer.finished(finished);
    Ok(state.records)
}
