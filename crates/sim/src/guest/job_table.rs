//! What guests may know of the jobs for which they choose nodes.

use super::setup::Setup;
use meshreplay_alloc::allocator::Request;
use meshreplay_base::job::{Job, JobId, Time};

/// What a guest may know of a job, beside what its request says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobFacts {
    /// The log's own number of the job.
    pub number: i64,
    /// The number of its user; `None` if it is unknown.
    pub user: Option<i64>,
    /// The run time that was estimated for it when it was submitted. Predictions, which may change, are not
    /// in it.
    pub estimate: Time,
}

/// The jobs of a replay, as a guest that is an allocator keeps them.
#[derive(Clone, Debug, Default)]
pub struct JobTable(Vec<JobFacts>);

impl JobTable {
    /// Returns the table of the jobs of a replay.
    pub fn of(setup: &Setup<'_>) -> Self {
        let facts = |job: &Job| JobFacts {
            number: job.number,
            user: job.logged.user.known(),
            estimate: job.estimate,
        };
        Self(setup.jobs.iter().map(facts).collect())
    }

    /// Returns the job from which a request comes, with its position in the replay; `None` if nobody knows
    /// it.
    pub fn of_request(&self, request: &Request) -> Option<(JobId, JobFacts)> {
        let job = request.job?;
        Some((job, *self.0.get(job as usize)?))
    }
}
