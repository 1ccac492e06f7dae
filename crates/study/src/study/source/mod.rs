//! The source of a replay's jobs: a log, or a workload model that draws new jobs from each seed.

mod stream;

use std::sync::Arc;

pub(super) use self::stream::BATCHES;
pub use self::stream::LogStream;
pub(super) use stream::{Ranks, StreamedArrivals};

use super::axes::Requests;
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
    /// Jobs of a log. They are the same for every seed, except for redrawn arrival times.
    Recorded {
        /// Jobs, with scaled arrival times. Replays with equal jobs share the list.
        jobs: Arc<Vec<Job>>,
        /// Records of the log that are not among the jobs.
        skipped: u64,
        /// Rule for arrival times. Redrawing applies the arrival scale.
        arrivals: Arrivals,
        /// Factor on the gaps between redrawn arrivals.
        arrival_scale: f64,
        /// Names behind the numbers of the jobs, and the start of the log.
        names: Arc<LogNames>,
        /// Facts about the log, with the recorded node lists. `None` for jobs without a log.
        log: Option<Arc<LogSummary>>,
    },
    /// Jobs of a log that is too long to keep. They are read again while replays run.
    Streamed {
        /// The log.
        stream: Box<LogStream>,
        /// Jobs that are no larger than the machine.
        count: u64,
        /// Other records of the log.
        skipped: u64,
    },
    /// Jobs that a workload model draws from the seed.
    Drawn {
        /// The model.
        model: Box<Model>,
        /// Workload rules for the drawn jobs.
        rules: Rules,
        /// Factor on arrival times.
        arrival_scale: f64,
    },
}

impl JobSource {
    /// Jobs of a log with recorded arrivals. `skipped` is the number of records of the log that are not among
    /// the jobs.
    pub fn recorded(jobs: Arc<Vec<Job>>, skipped: u64) -> Self {
        let (names, arrivals) = (Arc::default(), Arrivals::Recorded);
        Self::Recorded { jobs, skipped, arrivals, arrival_scale: 1.0, names, log: None }
    }

    /// Adds the facts about the log to recorded jobs.
    #[must_use]
    pub fn of_log(mut self, summary: &Arc<LogSummary>) -> Self {
        if let Self::Recorded { log, names, .. } = &mut self {
            (*log, *names) = (Some(Arc::clone(summary)), Arc::new(summary.names()));
        }
        self
    }

    /// Returns whether the jobs come from the accounting of a site.
    pub(super) fn is_of_site(&self) -> bool {
        matches!(self, Self::Recorded { log: Some(summary), .. } if summary.format.is_of_site())
    }

    /// Maps the recorded nodes of the jobs of the log called `log` to `machine`. `map` has the nodes of the
    /// names.
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

    /// Returns the jobs of the replication with this seed that fit `machine`, and the number of other records
    /// or drawn jobs.
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

    /// Returns the distinct requests of the jobs of all `seeds`, without jobs larger than `machine`.
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
                // Requests of a log do not depend on the seed.
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

    /// Returns the names behind the numbers of the jobs. Empty for a model.
    pub fn names(&self) -> Arc<LogNames> {
        match self {
            Self::Recorded { names, .. } => Arc::clone(names),
            Self::Streamed { stream, .. } => stream.names(),
            Self::Drawn { .. } => Arc::default(),
        }
    }

    /// Returns the number of jobs; for a model, before any are left out.
    pub fn count(&self) -> u64 {
        match self {
            Self::Recorded { jobs, .. } => jobs.len() as u64,
            Self::Streamed { count, .. } => *count,
            Self::Drawn { model, .. } => u64::from(model.jobs()),
        }
    }
}
