//! The jobs of a schedule of any tool, which are read one by one.

use super::error::InspectError;
use crate::frame::SavedJobs;
use meshreplay_study::audit::{LogSchedule, Schedule, ScheduleStream};

/// The jobs of a schedule, which can be read from the first to the last any number of times.
#[derive(Debug)]
pub enum Jobs {
    /// They are those of results, or of a table of Batsim.
    Saved(SavedJobs),
    /// They are those of a log.
    Log(LogSchedule),
}

impl Default for Jobs {
    /// Returns no jobs.
    fn default() -> Self {
        Self::Saved(SavedJobs::Whole(Schedule::default()))
    }
}

impl Jobs {
    /// Returns the jobs one by one, in the order of the file. Each may be an error, after which no more come.
    pub fn walk(&self) -> Result<ScheduleStream<'_, InspectError>, InspectError> {
        Ok(match self {
            Self::Saved(jobs) => Box::new(jobs.walk().map(|job| Ok(job?))),
            Self::Log(log) => Box::new(log.walk()?.map(|job| Ok(job?))),
        })
    }

    /// Returns how many jobs there are.
    pub fn count(&self) -> u64 {
        match self {
            Self::Saved(jobs) => jobs.count(),
            Self::Log(log) => log.count,
        }
    }

    /// Returns the number of records of jobs that never ran.
    pub(super) fn left_out(&self) -> u64 {
        match self {
            Self::Saved(jobs) => jobs.left_out(),
            Self::Log(log) => log.left_out,
        }
    }

    /// Returns the number of the first job whose nodes are not known; `None` if those of all jobs are.
    pub(super) fn first_without_nodes(&self) -> Result<Option<i64>, InspectError> {
        match self {
            Self::Saved(jobs) => Ok(jobs.first_without_nodes()?),
            // Logs tell no nodes that schedules could have.
            Self::Log(log) => Ok(log.walk()?.next().transpose()?.map(|job| job.number)),
        }
    }
}
