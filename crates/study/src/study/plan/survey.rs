//! Surveys of logs: the facts about jobs that planning needs, by workload rules and by the separately
//! replayed parts of a log.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::study::all::{Requests, left_out};
use crate::study::jobs::{JobsError, kind_of};
use crate::study::log::RecordedNodesError;
use crate::study::options::Options;
use crate::study::planned::StudyLog;
use crate::study::replay_spec::ReplaySpec;
use crate::study::source::JobSource;
use meshreplay_alloc::allocator::{self, follows_lists};
use meshreplay_base::job::{Job, Time};
use meshreplay_logs::{NodeRuns, Partitions};
use meshreplay_workload::{Model, Rules};

/// Selects the facts that a survey collects.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurveyScope {
    /// Distinct requests of the jobs.
    pub(super) requests: bool,
    /// Processors in use at once, because the log sizes machines.
    pub(super) size: bool,
    /// Whether machines are given, too.
    pub(super) given: bool,
}

/// Counts the jobs of a log while it is read.
pub(super) struct Counts {
    pub(super) wanted: SurveyScope,
    /// For each set of rules, the jobs by partition; `None` if that is unknown.
    pub(super) by_rules: Vec<BTreeMap<Option<i64>, Survey>>,
    /// Runs with node lists, or all runs if the log sizes machines; under the first set of rules.
    pub(super) runs: NodeRuns,
}

/// The facts about the jobs of one part of a log under one set of rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Survey {
    /// The number of jobs.
    pub(super) jobs: u64,
    /// Whether any job names its user.
    pub(super) names_users: bool,
    /// Sum of processors times run time, in microseconds.
    pub(super) widest: u32,
    /// The sum of processors times run time over the jobs, in microseconds.
    pub(super) work_procs_us: i128,
    /// The same sum over the jobs with node lists; `None` without any.
    pub(super) listed_procs_us: Option<i128>,
    /// First and last arrival; `None` without jobs.
    arrivals: Option<(Time, Time)>,
    /// Distinct requests. Empty for a workload model, which draws jobs for each machine, and if they are not
    /// collected.
    requests: Requests,
}

/// The surveys of a separately replayed part of a log.
#[derive(Clone, Debug)]
pub(super) struct PartSurvey {
    /// Partitions of the part; `None` for the whole log.
    pub(super) partition: Option<Partitions>,
    /// One survey for each set of rules.
    pub(super) by_rules: Vec<Survey>,
    /// Size of the machine; `None` for a workload model, or if it is not needed.
    pub(super) size: Option<LogSize>,
    /// Machines of the part.
    pub(super) machines: PartMachines,
    /// Whether it has several partitions that are not known to share nodes.
    pub(super) pools_partitions: bool,
}

/// The machines of a part of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartMachines {
    /// Given machines and machines that the log sizes.
    All,
    /// Given machines.
    Given,
    /// Machines that the log sizes.
    Autos,
}

/// The size of a log's machine, or of a part's machine.
#[derive(Clone, Debug)]
pub(super) struct LogSize {
    pub(super) nodes: u64,
    /// Source of the number, in words that follow it.
    pub(super) source: String,
}

impl Counts {
    /// Starts counting under this number of sets of rules.
    pub(super) fn new(rules: usize, wanted: SurveyScope) -> Self {
        Self {
            wanted,
            by_rules: vec![BTreeMap::new(); rules],
            runs: if wanted.size { NodeRuns::default() } else { NodeRuns::limited() },
        }
    }

    /// Counts a job under the rules with this position.
    pub(super) fn add(&mut self, rules: usize, job: &Job) {
        let (partition, list) = (job.logged.partition.known(), job.logged.nodes);
        if rules == 0 && (self.wanted.size || list.is_some()) {
            let when = job.recorded_start().map(|start| (start.as_micros(), (start + job.run).as_micros()));
            self.runs.add(when, job.procs, list, partition);
        }
        let survey = self.by_rules[rules].entry(partition).or_default();
        survey.jobs += 1;
        survey.widest = survey.widest.max(job.procs);
        survey.names_users |= job.logged.user.known().is_some();
        let work_procs_us = i128::from(job.procs) * i128::from(job.run.as_micros());
        survey.work_procs_us += work_procs_us;
        if list.is_some() {
            *survey.listed_procs_us.get_or_insert_default() += work_procs_us;
        }
        survey.arrives(job.submit);
        if self.wanted.requests {
            survey.requests.insert(kind_of(job));
        }
    }
}

impl PartSurvey {
    /// The only part of a workload model, for this number of sets of rules.
    pub(super) fn of_model(model: &Model, rules: usize) -> Self {
        let survey = Survey { jobs: u64::from(model.jobs()), ..Survey::default() };
        let (machines, pools_partitions) = (PartMachines::All, false);
        Self { partition: None, by_rules: vec![survey; rules], size: None, machines, pools_partitions }
    }

    /// Returns the name of the part in messages: the log, with the partitions.
    pub(super) fn name(&self, log: &str) -> String {
        match &self.partition {
            Some(partition) => format!("{log}, partition {}", partition.label()),
            None => log.to_owned(),
        }
    }
}

impl Survey {
    /// Adds the jobs of another partition.
    pub(super) fn add(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.names_users |= other.names_users;
        self.widest = self.widest.max(other.widest);
        self.work_procs_us += other.work_procs_us;
        if let Some(listed) = other.listed_procs_us {
            *self.listed_procs_us.get_or_insert_default() += listed;
        }
        if let Some((first, last)) = other.arrivals {
            self.arrives(first);
            self.arrives(last);
        }
        self.requests.extend(&other.requests);
    }

    /// Adds an arrival.
    fn arrives(&mut self, at: Time) {
        let (first, last) = self.arrivals.unwrap_or((at, at));
        self.arrivals = Some((first.min(at), last.max(at)));
    }

    /// Returns the offered load on a number of nodes: the work, divided by their capacity between the first
    /// and the last arrival. `None` for a workload model, or if all jobs arrive at once.
    pub(super) fn offered_load(&self, nodes: u32) -> Option<f64> {
        let (first, last) = self.arrivals?;
        let capacity = (last - first).as_micros() as f64 * f64::from(nodes);
        (capacity > 0.0).then(|| self.work_procs_us as f64 / capacity)
    }

    /// Returns the reason why recorded nodes cannot be used; `None` if they can, or if the jobs are not in
    /// memory.
    fn lists_problem(&self, log: &StudyLog, spec: &ReplaySpec, options: &Options) -> Option<String> {
        if self.listed_procs_us.is_none() {
            return Some(RecordedNodesError::no_lists(&spec.log).to_string());
        }
        let loaded = log.loaded.as_ref()?;
        let source = JobSource::recorded(Arc::new(loaded.jobs_of(spec.partition.as_ref()).into_owned()), 0)
            .of_log(&loaded.summary);
        let mapped = source.recorded_nodes(&spec.log, options.node_map.as_ref(), &spec.machine);
        mapped.err().map(|error| error.to_string())
    }

    /// Returns a note if `all` leaves the replay out.
    pub(super) fn left_out(
        &self,
        log: &StudyLog,
        spec: &ReplaySpec,
        options: &Options,
    ) -> Result<Option<String>, JobsError> {
        let ReplaySpec { log: name, rules, arrival_scale, machine, allocator, seed, .. } = spec;
        if follows_lists(allocator)
            && let Some(problem) = self.lists_problem(log, spec, options)
        {
            return Ok(Some(format!("all leaves out '{}': {problem}", allocator::short(allocator))));
        }
        let Some(model) = &log.source.model else {
            return left_out(name, &self.requests, machine, allocator);
        };
        let (model, rules) = (Box::new(model.clone()), Rules::clone(rules));
        let source = JobSource::Drawn { model, rules, arrival_scale: *arrival_scale };
        let requests = source.requests(name, options.replications.seeds(*seed), machine)?;
        left_out(name, &requests, machine, allocator)
    }
}
