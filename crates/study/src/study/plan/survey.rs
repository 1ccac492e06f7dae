//! Surveys of logs: the facts about jobs that planning needs, by workload rules and by the separately
//! replayed parts of a log.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::study::axes::{Requests, left_out};
use crate::study::jobs::{JobsError, kind_of};
use crate::study::log::RecordedNodesError;
use crate::study::options::Options;
use crate::study::planned::StudyLog;
use crate::study::replay_spec::ReplaySpec;
use crate::study::source::JobSource;
use meshreplay_alloc::allocator::{self, follows_lists};
use meshreplay_base::job::{Job, Time};
use meshreplay_logs::{NodeRuns, Partitions, SizeSource};
use meshreplay_workload::{Estimate, Model, Rules};

/// Selects the facts that a survey collects.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a kind of facts")]
pub(super) struct SurveyScope {
    /// Distinct requests of the jobs.
    pub(super) requests: bool,
    /// Processors in use at once, because the log sizes machines.
    pub(super) size: bool,
    /// Whether machines are given, too.
    pub(super) given: bool,
    /// Whether the period of the log follows from it, once its format is known.
    pub(super) period: bool,
    /// Whether its planned outages follow from it.
    pub(super) outages: bool,
}

/// Counts the jobs of a log while it is read.
pub(super) struct Counts {
    pub(super) wanted: SurveyScope,
    /// For each set of rules, the jobs by partition; `None` if that is unknown.
    pub(super) by_rules: Vec<BTreeMap<Option<i64>, Survey>>,
    /// Runs with node lists, or all runs if the log sizes machines or its period follows from it; under the
    /// first set of rules.
    pub(super) runs: NodeRuns,
    /// For each set of rules, start and time limit of the jobs with both, if outages follow from the log.
    pub(super) limits: Vec<Vec<StartAndLimit>>,
}

/// Recorded start of a job and the end of its time limit, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct StartAndLimit {
    pub(super) start: i64,
    pub(super) limit: i64,
}

/// The facts about the jobs of one part of a log under one set of rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Survey {
    /// The number of jobs.
    pub(super) jobs: u64,
    /// The number of jobs with a time limit, and of those whose limit is their run time.
    pub(super) limited: u64,
    limited_by_run: u64,
    /// The number of jobs that ran although the log does not say when they started.
    pub(super) unstarted: u64,
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
    /// Size of the machine, or the reason why it is not known.
    pub(super) size: Result<LogSize, String>,
    /// The number of nodes in the header or by their names, and which of them; `None` if neither tells.
    pub(super) own_nodes: Option<(u64, SizeSource)>,
    /// Machines of the part.
    pub(super) machines: PartMachines,
    /// Whether it has several partitions that are not known to share nodes.
    pub(super) pools_partitions: bool,
    /// The reason why recorded and simulated waits of the part cannot be compared.
    pub(super) doubt: Option<String>,
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
    /// Whether the number is the size, and not only enough for the jobs.
    pub(super) is_known: bool,
    /// Whether it follows from the use of the machine, and not from a header or the names of nodes.
    pub(super) is_of_use: bool,
}

impl Counts {
    /// Starts counting under this number of sets of rules.
    pub(super) fn new(rules: usize, wanted: SurveyScope) -> Self {
        Self {
            wanted,
            by_rules: vec![BTreeMap::new(); rules],
            runs: if wanted.size { NodeRuns::default() } else { NodeRuns::limited() },
            limits: vec![Vec::new(); rules],
        }
    }

    /// Counts a job under the rules with this position.
    pub(super) fn add(&mut self, rules: usize, job: &Job) {
        let (partition, list) = (job.logged.partition.known(), job.logged.nodes);
        if let (true, Some(limit), Some(start)) =
            (self.wanted.outages, job.known_estimate(), job.recorded_start())
        {
            let [start, limit] = [start, start + limit].map(|time| time.as_micros() / 1_000_000);
            self.limits[rules].push(StartAndLimit { start, limit });
        }
        if rules == 0 && (self.wanted.size || self.wanted.period || list.is_some()) {
            // Records are in seconds. A job that ran without a recorded wait started at its submission.
            let wait = job.logged.wait.or((job.run > Time::ZERO).then_some(Time::ZERO));
            let times = wait.map(|wait| [job.submit, job.submit + wait, job.submit + wait + job.run]);
            let times = times.map(|times| times.map(|time| time.as_micros() / 1_000_000));
            self.runs.add(times, job.procs, list, partition);
        }
        let survey = self.by_rules[rules].entry(partition).or_default();
        survey.jobs += 1;
        survey.limited += u64::from(job.known_estimate().is_some());
        survey.limited_by_run += u64::from(job.estimate == job.run);
        survey.unstarted += u64::from(job.logged.wait.is_none() && job.run > Time::ZERO);
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
        let size = "it is a workload model, from which no machine follows".to_owned();
        Self {
            partition: None,
            by_rules: vec![survey; rules],
            size: Err(size),
            own_nodes: None,
            machines: PartMachines::All,
            pools_partitions: false,
            doubt: None,
        }
    }

    /// Returns the name of the part in messages: the log, with the partitions.
    pub(super) fn name(&self, log: &str) -> String {
        match &self.partition {
            Some(partition) => format!("{log}, partition {}", partition.label()),
            None => log.to_owned(),
        }
    }
}

impl PartSurvey {
    /// Returns a note on jobs of a site without a time limit; `None` if all have one, or none has.
    pub(super) fn note_on_limits(&self, log: &str) -> Option<String> {
        let Survey { jobs, limited, .. } = self.by_rules.first()?;
        let is_some = *limited > 0 && limited < jobs;
        is_some.then(|| {
            format!(
                "{}: {} of {jobs} jobs have no time limit; schedulers plan as if they never ended",
                self.name(log),
                jobs - limited
            )
        })
    }
}

impl Survey {
    /// Adds the jobs of another partition.
    pub(super) fn add(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.limited += other.limited;
        self.limited_by_run += other.limited_by_run;
        self.unstarted += other.unstarted;
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

    /// Returns the reason why the limits of a site's log do not say how long schedulers expected its jobs to
    /// run.
    pub(super) fn doubt(&self, log: &StudyLog, rules: &Rules) -> Option<String> {
        const FEWEST: u64 = 10;
        let limits = |what: &str| Some(format!("its time limits {what}"));
        if log.is_of_site && matches!(rules.estimate, Estimate::Exact | Estimate::Factor(_)) {
            limits("are replaced by --estimate")
        } else if log.has_doubtful_limits {
            limits("may be no limits, or in another unit")
        } else if log.is_of_site && self.limited == 0 && self.jobs > 0 {
            limits("are not known; for a comparison, replay a table that has them (--columns req-time=NAME)")
        } else if log.is_of_site && self.limited >= FEWEST && self.limited_by_run == self.limited {
            limits("are the run times")
        } else {
            None
        }
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
