//! Where the jobs of a replay come from: a log, or a workload model that draws them anew from each seed.

use std::sync::Arc;

use super::all::Requests;
use super::jobs::{JobsError, drawn_jobs, fitting, within_range};
use crate::allocator::Request;
use crate::job::Job;
use crate::machine::Mesh;
use crate::workload::{Arrivals, Rules, Synthetic};

/// The jobs of a replay, or how to draw them.
#[derive(Clone, Debug)]
pub enum JobSource {
    /// The same for every seed.
    Recorded {
        /// The jobs, arrivals scaled; shared by the replays that have the same ones.
        jobs: Arc<Vec<Job>>,
        /// Records of the log that are not among them.
        skipped: u64,
        /// When they arrive; the arrival scale is in the jobs unless it is drawn.
        arrivals: Arrivals,
        /// What gaps are multiplied by, where they are drawn.
        arrival_scale: f64,
    },
    /// Drawn from the seed.
    Drawn {
        /// The model.
        model: Box<Synthetic>,
        /// What becomes of its jobs.
        rules: Rules,
        /// What arrival times are multiplied by.
        arrival_scale: f64,
    },
}

impl JobSource {
    /// Returns a source of jobs that arrive as they were recorded; `skipped` records of their log are not among them.
    pub fn recorded(jobs: Arc<Vec<Job>>, skipped: u64) -> Self {
        Self::Recorded { jobs, skipped, arrivals: Arrivals::Recorded, arrival_scale: 1.0 }
    }

    /// Returns the jobs of `seed`, and how many records or draws are not among them.
    pub(super) fn jobs(
        &self,
        log: &str,
        seed: u64,
        machine: &Mesh,
    ) -> Result<(Arc<Vec<Job>>, u64), JobsError> {
        match self {
            Self::Recorded { jobs, skipped, arrivals, arrival_scale } => {
                let Some(drawn) = arrivals.redraw(jobs, *arrival_scale, seed) else {
                    return Ok((Arc::clone(jobs), *skipped));
                };
                Ok((Arc::new(within_range(log, drawn, *arrival_scale)?), *skipped))
            }
            Self::Drawn { model, rules, arrival_scale } => {
                let (jobs, left_out) = drawn_jobs(model, rules, *arrival_scale, seed, machine)?;
                let jobs = match rules.arrivals.redraw(&jobs, *arrival_scale, seed) {
                    Some(drawn) => within_range(log, drawn, *arrival_scale)?,
                    None => jobs,
                };
                let (jobs, large) = fitting(&model.to_string(), &Arc::new(jobs), machine, rules.oversize)?;
                Ok((jobs, left_out + large))
            }
        }
    }

    /// Returns what the jobs of any of `seeds` ask for that `machine` is large enough for.
    pub(super) fn requests(
        &self,
        log: &str,
        seeds: impl Iterator<Item = u64>,
        machine: &Mesh,
    ) -> Result<Requests, JobsError> {
        let mut requests = Requests::new();
        for seed in seeds {
            let (jobs, _) = self.jobs(log, seed, machine)?;
            requests.extend(jobs.iter().map(Request::from));
            if matches!(self, Self::Recorded { .. }) {
                // The jobs of a log ask for the same with every seed.
                break;
            }
        }
        Ok(requests)
    }

    /// Returns how many records of the log are not replayed; `None` for a model, where it depends on the seed.
    pub fn skipped(&self) -> Option<u64> {
        match self {
            Self::Recorded { skipped, .. } => Some(*skipped),
            Self::Drawn { .. } => None,
        }
    }

    /// Returns the number of jobs; of a model that of the jobs that it draws, before any is left out.
    pub fn count(&self) -> u64 {
        match self {
            Self::Recorded { jobs, .. } => jobs.len() as u64,
            Self::Drawn { model, .. } => u64::from(model.jobs()),
        }
    }
}
