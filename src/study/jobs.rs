//! The jobs of a cell: arrivals scaled, all within the range of time, none larger than the machine.

use std::sync::Arc;

use super::log::LoadedLog;
use crate::job::{Job, Time};
use crate::machine::Mesh;
use crate::workload::{Oversize, scaled};

/// Why jobs cannot be replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JobsError {
    /// A job is larger than the machine, and nobody said that such jobs are to be left out.
    #[error(
        "{log}: job {number} asks for {procs} processors, machine {machine} has {nodes}; \
         --oversize skip leaves such jobs out"
    )]
    TooLarge {
        /// Name of the log.
        log: String,
        /// The job's number in the log.
        number: i64,
        /// Its processors.
        procs: u32,
        /// The machine.
        machine: Mesh,
        /// Its nodes.
        nodes: u32,
    },
    /// Without the jobs that are larger than the machine none is left.
    #[error("{log}: no job to replay on machine {machine}; all {jobs} are larger")]
    NoneFits {
        /// Name of the log.
        log: String,
        /// The machine.
        machine: Mesh,
        /// Number of jobs.
        jobs: usize,
    },
    /// A replay could pass the last representable time.
    #[error(
        "{log}: arrivals (field 2) times {arrival_scale:e} and run times (field 4) leave the range of time, \
         292,000 years; `meshreplay trace info` shows the log's, the arrival scale changes arrivals"
    )]
    OutOfRange {
        /// Name of the log.
        log: String,
        /// What arrivals were multiplied by.
        arrival_scale: f64,
    },
}

/// The jobs of `log`, arrivals multiplied by `arrival_scale`.
///
/// Times beyond their range are clamped to it, and results would be wrong without a word; so even if every job waited
/// for all others, the last end must be within.
pub fn scaled_jobs(log: &LoadedLog, arrival_scale: f64) -> Result<Vec<Job>, JobsError> {
    let jobs = scaled(&log.workload.jobs, arrival_scale);
    let micros = |time: Time| i128::from(time.as_micros());
    let last_arrival = jobs.iter().map(|job| micros(job.submit)).max().unwrap_or_default();
    let runs: i128 = jobs.iter().map(|job| micros(job.run)).sum();
    if last_arrival + runs < micros(Time::MAX) {
        Ok(jobs)
    } else {
        Err(JobsError::OutOfRange { log: log.name.clone(), arrival_scale })
    }
}

/// The jobs of `log` that `machine` can hold, and how many it cannot.
pub fn fitting(
    log: &str,
    jobs: &Arc<Vec<Job>>,
    machine: &Mesh,
    oversize: Oversize,
) -> Result<(Arc<Vec<Job>>, u64), JobsError> {
    let nodes = machine.nodes();
    let Some(large) = jobs.iter().find(|job| job.procs > nodes) else { return Ok((Arc::clone(jobs), 0)) };
    let (log, machine) = (log.to_owned(), machine.clone());
    if oversize == Oversize::Error {
        let (number, procs) = (large.number, large.procs);
        return Err(JobsError::TooLarge { log, number, procs, machine, nodes });
    }
    let fitting: Vec<Job> = jobs.iter().filter(|job| job.procs <= nodes).copied().collect();
    if fitting.is_empty() {
        return Err(JobsError::NoneFits { log, machine, jobs: jobs.len() });
    }
    let left_out = (jobs.len() - fitting.len()) as u64;
    Ok((Arc::new(fitting), left_out))
}
