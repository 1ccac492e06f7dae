//! The source of the jobs of a replay: a log, or a workload model that draws new jobs from each seed.

mod arrivals;
mod stream;

use std::sync::Arc;

pub(super) use self::arrivals::{Ranks, StreamedArrivals};
pub(super) use self::stream::BATCHES;
pub use self::stream::LogStream;

use super::all::Requests;
use super::jobs::{JobsError, check_range, drawn_jobs, fitting, kind_of};
use super::log::{RecordedNodes, RecordedNodesError, recorded_nodes};
use meshreplay_base::job::Job;
use meshreplay_logs::{LogNames, LogSummary};
use meshreplay_machine::machine::Mesh;
use meshreplay_machine::machine::node_map::NodeMapSource;
use meshreplay_workload::{Arrivals, Model, Rules};

/// The jobs of a replay, or the model that draws them.
#[derive(Clone, Debug)]
pub enum JobSource {
    /// Jobs of a log. They are the same for every seed, except for arrival times that are drawn.
    Recorded {
        /// The jobs, with scaled arrival times. Replays with equal jobs share the list.
        jobs: Arc<Vec<Job>>,
        /// The number of records of the log that are not among the jobs.
        skipped: u64,
        /// The rule for arrival times. If they are drawn, the arrival scale is applied when they are drawn.
        arrivals: Arrivals,
        /// The factor that the gaps between drawn arrivals are multiplied by.
        arrival_scale: f64,
        /// The names behind the numbers of the jobs, and when the log begins.
        names: Arc<LogNames>,
        /// The facts about the log, with the lists of nodes that its jobs had. `None` if the jobs are of no
        /// log.
        log: Option<Arc<LogSummary>>,
    },
    /// Jobs of a log that are too many to be kept. They are read again while replays run.
    Streamed {
        /// The log.
        stream: Box<LogStream>,
        /// The number of jobs that are no larger than the machine.
        count: u64,
        /// The number of records of the log that are not among them.
        skipped: u64,
    },
    /// Jobs that a workload model draws from the seed.
    Drawn {
        /// The model.
        model: Box<Model>,
        /// The workload rules, which are applied to the drawn jobs.
        rules: Rules,
        /// The factor that arrival times are multiplied by.
        arrival_scale: f64,
    },
}

impl JobSource {
    /// Returns a source of jobs of a log that arrive as they were recorded. `skipped` is the number of
    /// records of the log that are not among the jobs.
    pub fn recorded(jobs: Arc<Vec<Job>>, skipped: u64) -> Self {
        let (names, arrivals) = (Arc::default(), Arrivals::Recorded);
        Self::Recorded { jobs, skipped, arrivals, arrival_scale: 1.0, names, log: None }
    }

    /// Returns the source with the facts about the log that its jobs are of. Nothing changes if jobs are
    /// drawn.
    #[must_use]
    pub fn of_log(mut self, summary: &Arc<LogSummary>) -> Self {
        if let Self::Recorded { log, names, .. } = &mut self {
            (*log, *names) = (Some(Arc::clone(summary)), Arc::new(summary.names()));
        }
        self
    }

    /// Returns the nodes of `machine` that the jobs had according to the log called `log`. `map` says where
    /// nodes with these names are.
    pub(super) fn recorded_nodes(
        &self,
        log: &str,
        map: Option<&NodeMapSource>,
        machine: &Mesh,
    ) -> Result<RecordedNodes, RecordedNodesError> {
        let Self::Recorded { jobs, arrivals, arrival_scale, log: Some(summary), .. } = self else {
            return Err(RecordedNodesError::no_lists(log));
        };
        let are_logged = *arrivals == Arrivals::Recorded && arrival_scale.to_bits() == 1.0_f64.to_bits();
        recorded_nodes(log, jobs, &summary.facts.names, map, machine, are_logged)
    }

    /// Returns the jobs of the replication with this seed that `machine` is large enough for, and the number
    /// of records or drawn jobs that are not among them.
    pub(super) fn jobs(
        &self,
        log: &str,
        seed: u64,
        machine: &Mesh,
    ) -> Result<(Arc<Vec<Job>>, u64), JobsError> {
        match self {
            Self::Recorded { jobs, skipped, arrivals, arrival_scale, .. } => {
                let Some(drawn) = arrivals.redraw(jobs, *arrival_scale, seed) else {
                    return Ok((Arc::clone(jobs), *skipped));
                };
                check_range(log, &drawn, *arrival_scale)?;
                Ok((Arc::new(drawn), *skipped))
            }
            Self::Streamed { stream, .. } => stream.whole(machine),
            Self::Drawn { model, rules, arrival_scale } => {
                let (mut jobs, left_out) = drawn_jobs(model, rules, *arrival_scale, seed, machine)?;
                if let Some(redrawn) = rules.arrivals.redraw(&jobs, *arrival_scale, seed) {
                    check_range(log, &redrawn, *arrival_scale)?;
                    jobs = redrawn;
                }
                let (jobs, large) = fitting(&model.to_string(), &Arc::new(jobs), machine, rules.oversize)?;
                Ok((jobs, left_out + large))
            }
        }
    }

    /// Returns the different requests of the jobs of all `seeds`. Jobs larger than `machine` are left out as
    /// in a replay.
    pub(super) fn requests(
        &self,
        log: &str,
        seeds: impl Iterator<Item = u64>,
        machine: &Mesh,
    ) -> Result<Requests, JobsError> {
        let mut requests = Requests::new();
        for seed in seeds {
            let (jobs, _) = self.jobs(log, seed, machine)?;
            requests.extend(jobs.iter().map(kind_of));
            if !matches!(self, Self::Drawn { .. }) {
                // The jobs of a log have the same requests with every seed.
                break;
            }
        }
        Ok(requests)
    }

    /// Returns the number of records of the log that are not replayed. `None` for a model, where it depends
    /// on the seed.
    pub fn skipped(&self) -> Option<u64> {
        match self {
            Self::Recorded { skipped, .. } | Self::Streamed { skipped, .. } => Some(*skipped),
            Self::Drawn { .. } => None,
        }
    }

    /// Returns the names behind the numbers of the jobs. A model has none.
    pub fn names(&self) -> Arc<LogNames> {
        match self {
            Self::Recorded { names, .. } => Arc::clone(names),
            Self::Streamed { stream, .. } => stream.names(),
            Self::Drawn { .. } => Arc::default(),
        }
    }

    /// Returns the number of jobs. For a model, it is the number of jobs that it draws, before any is left
    /// out.
    pub fn count(&self) -> u64 {
        match self {
            Self::Recorded { jobs, .. } => jobs.len() as u64,
            Self::Streamed { count, .. } => *count,
            Self::Drawn { model, .. } => u64::from(model.jobs()),
        }
    }
}
