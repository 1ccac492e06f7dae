//! A view of a machine that only counts nodes, for unit tests of schedulers.

use super::running_jobs::{Running, RunningJobs};
use super::seam::{Cause, View};
use super::wait_queue::{Slot, WaitQueue, Waiting};
use meshreplay_base::job::{JobId, NodesFor, Time};

/// A machine and a queue. Jobs are given as (processors, estimate in seconds) and numbered in the order of
/// arrival. They end only on request.
pub(super) struct Fake {
    now: Time,
    cause: Cause,
    free: u32,
    queue: WaitQueue,
    running: RunningJobs,
    arrived: JobId,
    /// The recorded start of each job, unknown for jobs beyond the list.
    pub(super) starts: Vec<Option<Time>>,
    /// The planned outages.
    pub(super) planned: Vec<[Time; 2]>,
    /// The jobs that have started, in order.
    pub(super) started: Vec<JobId>,
}

impl Fake {
    /// Creates an idle machine of `nodes` nodes at time 0, with `jobs` in the queue.
    pub(super) fn new(nodes: u32, jobs: &[(u32, i64)]) -> Self {
        let (queue, running) = (WaitQueue::default(), RunningJobs::default());
        let (now, cause) = (Time::ZERO, Cause::Batch);
        let mut fake = Self {
            now,
            cause,
            free: nodes,
            queue,
            running,
            arrived: 0,
            starts: Vec::new(),
            planned: Vec::new(),
            started: Vec::new(),
        };
        fake.advance(0, jobs);
        fake
    }

    /// Advances the clock to `now_s` seconds, and adds `jobs` to the queue.
    pub(super) fn advance(&mut self, now_s: i64, jobs: &[(u32, i64)]) {
        self.now = Time::from_seconds(now_s);
        for &(procs, estimate_s) in jobs {
            let (estimate, nodes) = (Time::from_seconds(estimate_s), NodesFor::exactly(procs));
            let (job, submit) = (self.arrived, self.now);
            self.queue.push(Waiting { slot: 0, job, submit, procs, nodes, estimate });
            self.arrived += 1;
        }
    }

    /// Adds a job, whose arrival is the cause of the next pass.
    pub(super) fn arrive(&mut self, now_s: i64, procs: u32, estimate_s: i64) {
        self.advance(now_s, &[(procs, estimate_s)]);
        self.cause = Cause::Arrival;
    }

    /// Ends running jobs, whose departure is the cause of the next pass.
    pub(super) fn depart(&mut self, now_s: i64, jobs: &[JobId]) {
        self.advance(now_s, &[]);
        self.cause = Cause::Departures;
        for &job in jobs {
            let running = self.running.iter().find(|running| running.job == job).copied();
            let Running { estimated_end, nodes, .. } = running.expect("it runs");
            self.running.remove(estimated_end, job);
            self.free += nodes;
        }
    }
}

impl View for Fake {
    fn recorded_start(&self, job: JobId) -> Option<Time> {
        self.starts.get(job as usize).copied().flatten()
    }

    fn now(&self) -> Time {
        self.now
    }
    fn cause(&self) -> Cause {
        self.cause
    }
    fn free(&self) -> u32 {
        self.free
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
        let Some(job) = self.queue.get(slot).filter(|job| self.fits(job)) else { return false };
        self.queue.remove(slot);
        self.free -= job.procs;
        let estimated_end = self.now + job.estimate;
        let start = self.now;
        self.running.insert(Running { estimated_end, job: job.job, nodes: job.procs, start });
        self.started.push(job.job);
        true
    }
}
