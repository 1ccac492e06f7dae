//! Causes of waiting in a running replay.

use super::accumulator::Why;
use super::cause::JobWhy;
use crate::engine::{Observer, Placed, Record};
use meshreplay_base::job::{Job, JobId, Time};

/// Explains the waits of a replay as it runs, with the refusals of its allocator. Limits are the estimates of
/// the jobs, also in replays with predictions.
#[derive(Debug)]
pub struct WhyObserver {
    /// The accumulator.
    pub why: Why,
    /// The waiting times of the jobs that are final and were not taken out, in the order of the log.
    pub jobs: Vec<JobWhy>,
    /// The next job to become final.
    next: JobId,
}

impl WhyObserver {
    /// Creates the observer of a replay on `nodes` available nodes.
    pub fn new(nodes: u32) -> Self {
        Self { why: Why::new(nodes), jobs: Vec::new(), next: 0 }
    }
}

impl Observer for WhyObserver {
    fn instant(&mut self, now: Time) {
        self.why.advance(now);
    }

    fn queued(&mut self, id: JobId, job: &Job, nodes: u32) {
        self.why.arrive(id, job.submit, nodes, Some(job.estimate));
    }

    fn allocated(&mut self, job: JobId, placed: Option<Placed<'_>>, _cost_ns: u64) {
        if placed.is_none() {
            self.why.refuse(job);
        }
    }

    fn started(&mut self, id: JobId, nodes: u32) {
        self.why.start(id, nodes);
    }

    fn returning(&mut self, id: JobId, nodes: u32) {
        self.why.set_returning(id, nodes);
    }

    fn ended(&mut self, id: JobId) {
        self.why.end(id);
    }

    fn available(&mut self, nodes: u32, _now: Time) {
        self.why.set_up(nodes);
    }

    fn released(&mut self, _cost_ns: u64) {}

    fn on_job_final(&mut self, _job: &Job, _record: &Record) {
        self.jobs.push(self.why.remove(self.next));
        self.next += 1;
    }
}
