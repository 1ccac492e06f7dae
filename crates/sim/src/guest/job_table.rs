//! Facts about jobs for guests that choose nodes.

use super::setup::Setup;
use meshreplay_alloc::allocator::Request;
use meshreplay_base::job::{Job, JobId, Time};

/// Facts about a job beyond its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobFacts {
    /// The log's number of the job.
    pub number: i64,
    /// The number of its user, or `None` if unknown.
    pub user: Option<i64>,
    /// The estimate of the run time at submission, without predictions, which may change.
    pub estimate: Time,
}

/// The jobs of a replay, for a guest that is an allocator.
#[derive(Clone, Debug, Default)]
pub struct JobTable(Vec<JobFacts>);

impl JobTable {
    /// Creates the table of the jobs of a replay.
    pub fn of(setup: &Setup<'_>) -> Self {
        let facts = |job: &Job| JobFacts {
            number: job.number,
            user: job.logged.user.known(),
            estimate: job.estimate,
        };
        Self(setup.jobs.iter().map(facts).collect())
    }

    /// Returns the job of a request and its position in the replay, or `None` if unknown.
    pub fn of_request(&self, request: &Request) -> Option<(JobId, JobFacts)> {
        let job = request.job?;
        Some((job, *self.0.get(job as usize)?))
    }
}
