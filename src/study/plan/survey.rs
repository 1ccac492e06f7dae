//! Surveys of logs: the facts about jobs that planning needs, by workload rules and by the parts of a log that are
//! replayed on their own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::allocator::{self, follows_lists};
use crate::job::{Job, Time};
use crate::study::all::{Requests, left_out};
use crate::study::jobs::{JobsError, kind_of};
use crate::study::log::RecordedNodesError;
use crate::study::options::Options;
use crate::study::planned::StudyLog;
use crate::study::replay_spec::ReplaySpec;
use crate::study::source::JobSource;
use crate::trace::{Header, InUse, LogNames, NameKind, PartitionChoice, Partitions, no_such_partition};
use crate::workload::{LeftOut, Model, Reason, Rules};

/// What a survey of a log looks for, beside the number of its jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Whether it counts the jobs of each partition by themselves.
    pub(super) partitions: bool,
    /// Whether it collects the different requests of the jobs.
    pub(super) requests: bool,
    /// Whether it finds out how many processors were in use at once.
    pub(super) size: bool,
}

/// Counts the jobs of a log while they are read.
pub(super) struct Counts {
    wanted: Wanted,
    /// For each set of rules the jobs by the number of their partition; `None` if that is unknown or not wanted.
    by_rules: Vec<BTreeMap<Option<i64>, Count>>,
}

/// The jobs of one partition under one set of rules.
#[derive(Clone, Debug, Default)]
struct Count {
    survey: Survey,
    in_use: InUse<Time>,
    /// The most processors that a job asks for.
    widest: u32,
}

impl Count {
    /// Adds the jobs of another partition.
    fn add(&mut self, other: &Self) {
        self.survey.jobs += other.survey.jobs;
        self.survey.names_users |= other.survey.names_users;
        self.survey.has_lists |= other.survey.has_lists;
        self.survey.work_procs_us += other.survey.work_procs_us;
        if let Some((first, last)) = other.survey.arrivals {
            self.survey.arrives(first);
            self.survey.arrives(last);
        }
        self.survey.requests.extend(&other.survey.requests);
        self.in_use.extend(other.in_use.clone());
        self.widest = self.widest.max(other.widest);
    }
}

/// The facts about the jobs of one part of a log under one set of rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Survey {
    /// The number of jobs.
    pub(super) jobs: u64,
    /// Whether any job names its user.
    pub(super) names_users: bool,
    /// Whether any job has a list of nodes.
    has_lists: bool,
    /// The sum of processors times run time over the jobs, in microseconds.
    work_procs_us: i128,
    /// The first and the last arrival; `None` if there are no jobs.
    arrivals: Option<(Time, Time)>,
    /// The different requests of the jobs. Empty for a workload model, which draws jobs for each machine, and where no
    /// allocator is checked against them.
    requests: Requests,
}

/// The surveys of a part of a log that is replayed on its own.
#[derive(Clone, Debug)]
pub(super) struct PartSurvey {
    /// The partitions whose jobs the part has; `None` for the whole log.
    pub(super) partition: Option<Partitions>,
    /// One survey for each set of rules.
    pub(super) by_rules: Vec<Survey>,
    /// The size of the machine; `None` for a workload model, or if it was not wanted.
    pub(super) size: Option<LogSize>,
}

/// The size of the machine of a log, or of a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogSize {
    pub(super) nodes: u64,
    /// What these nodes are, in words that follow the number.
    pub(super) source: &'static str,
}

impl Counts {
    /// Returns the counts before the first job, for this number of sets of rules.
    pub(super) fn new(rules: usize, wanted: Wanted) -> Self {
        Self { wanted, by_rules: vec![BTreeMap::new(); rules] }
    }

    /// Counts a job under the rules with this position.
    pub(super) fn add(&mut self, rules: usize, job: &Job) {
        let partition = job.logged.partition.known().filter(|_| self.wanted.partitions);
        let Count { survey, in_use, widest } = self.by_rules[rules].entry(partition).or_default();
        *widest = job.procs.max(*widest);
        if let (true, 0, Some(start)) = (self.wanted.size, rules, job.recorded_start()) {
            in_use.add(start, start + job.run, i64::from(job.procs));
        }
        survey.jobs += 1;
        survey.names_users |= job.logged.user.known().is_some();
        survey.has_lists |= job.logged.nodes.is_some();
        survey.work_procs_us += i128::from(job.procs) * i128::from(job.run.as_micros());
        survey.arrives(job.submit);
        if self.wanted.requests {
            survey.requests.insert(kind_of(job));
        }
    }

    /// Returns the parts of the log that `choices` name, in their order. Adds notes on jobs that no part has. Fails, in
    /// words, if no job belongs to a partition.
    pub(super) fn parts(
        &self,
        choices: &[PartitionChoice],
        (log, names, header): (&str, &LogNames, &Header),
        notes: &mut Vec<String>,
    ) -> Result<Vec<PartSurvey>, String> {
        let known: BTreeSet<i64> = self.by_rules.iter().flat_map(BTreeMap::keys).copied().flatten().collect();
        let label = |number: i64| names.label(NameKind::Partition, number);
        let mut parts = Vec::new();
        for choice in choices {
            match choice {
                PartitionChoice::All => {
                    parts.push(self.part(None, &|_| true, |jobs| LogSize::of(header, jobs)));
                }
                PartitionChoice::Each if known.is_empty() => return Err(self.unknown(log, "", &known, names)),
                PartitionChoice::Each => {
                    let without = self.jobs(|number| number.is_none());
                    if without > 0 {
                        notes.push(format!("{log}: left out {without} that name no partition"));
                    }
                    for &number in &known {
                        let partition = Partitions::new([label(number)]);
                        parts.push(self.of_numbers(partition, &[number], (header, names)));
                    }
                }
                PartitionChoice::Of(given) => {
                    let numbers = names
                        .partition_numbers(given, &known.iter().copied())
                        .map_err(|missing| self.unknown(log, &missing, &known, names))?;
                    let partition = Partitions::new(numbers.iter().map(|&number| label(number)));
                    let mut others = LeftOut::default();
                    let is_other =
                        |number: Option<i64>| number.is_none_or(|number| !numbers.contains(&number));
                    others.add(Reason::Partition, self.jobs(is_other));
                    if others.total() > 0 {
                        notes.push(format!("{log}, partition {}: left out {others}", given.label()));
                    }
                    parts.push(self.of_numbers(partition, &numbers, (header, names)));
                }
            }
        }
        Ok(parts)
    }

    /// Returns the number of jobs, under the first set of rules, whose partition `is` one of those that are meant.
    fn jobs(&self, is: impl Fn(Option<i64>) -> bool) -> u64 {
        let of = self.by_rules.iter().take(1).flatten().filter(|(number, _)| is(**number));
        of.map(|(_, count)| count.survey.jobs).sum()
    }

    /// Returns the part with the jobs of the partitions with these numbers.
    fn of_numbers(
        &self,
        partition: Option<Partitions>,
        numbers: &[i64],
        (header, names): (&Header, &LogNames),
    ) -> PartSurvey {
        let is_chosen = |number: Option<i64>| number.is_some_and(|number| numbers.contains(&number));
        let told = |&number: &i64| header.partition_procs(number, &names.label(NameKind::Partition, number));
        let told: Option<i64> = numbers.iter().collect::<BTreeSet<_>>().into_iter().map(told).sum();
        self.part(partition, &is_chosen, |jobs| {
            if let Some(nodes) = told.and_then(|nodes| u64::try_from(nodes).ok()) {
                return LogSize { nodes, source: "processors of the partition in the log's header" };
            }
            let needed = LogSize::needed(jobs, [
                "processors that its jobs had in use at once, as the header does not tell the partition's",
                "processors that one of its jobs asks for, as the header does not tell the partition's",
            ]);
            let whole = header.processors().and_then(|whole| u64::try_from(whole).ok());
            match whole.filter(|&whole| whole < needed.nodes) {
                Some(nodes) => LogSize { nodes, source: "processors of the whole machine, as its jobs had no fewer in use" },
                None => needed,
            }
        })
    }

    /// Returns the part with the jobs whose partition `is_chosen`. `size` returns the size of its machine from these jobs.
    fn part(
        &self,
        partition: Option<Partitions>,
        is_chosen: &dyn Fn(Option<i64>) -> bool,
        size: impl FnOnce(&Count) -> LogSize,
    ) -> PartSurvey {
        let sum = |counts: &BTreeMap<Option<i64>, Count>| {
            let mut sum = Count::default();
            counts.iter().filter(|(number, _)| is_chosen(**number)).for_each(|(_, count)| sum.add(count));
            sum
        };
        let counts: Vec<Count> = self.by_rules.iter().map(sum).collect();
        let size = self.wanted.size.then(|| size(counts.first().unwrap_or(&Count::default())));
        PartSurvey { partition, by_rules: counts.into_iter().map(|count| count.survey).collect(), size }
    }

    /// Returns the message about a partition that no job has.
    fn unknown(&self, log: &str, missing: &str, known: &BTreeSet<i64>, names: &LogNames) -> String {
        let count = |&number: &i64| {
            (names.label(NameKind::Partition, number), self.jobs(|other| other == Some(number)))
        };
        format!("{log}: {}", no_such_partition(missing, known.iter().map(count).collect()))
    }
}

impl LogSize {
    /// Returns the number of processors in the header of the log or, if it has none, the number that its jobs need.
    fn of(header: &Header, jobs: &Count) -> Self {
        let known = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
        if let Some(nodes) = known(header.max_procs()) {
            return Self { nodes, source: "processors of its header (MaxProcs)" };
        }
        if let Some(nodes) = known(header.max_nodes()) {
            return Self { nodes, source: "nodes of its header (MaxNodes)" };
        }
        Self::needed(
            jobs,
            [
                "processors that were in use at once, as its header has no number MaxProcs or MaxNodes",
                "processors that one of its jobs asks for, as its header has no number MaxProcs or MaxNodes",
            ],
        )
    }

    /// Returns the number of processors with which all jobs can start as the log says: the most that were in use at once, or
    /// those of the widest job, as its start may be unknown. The words for the one and for the other are given.
    fn needed(jobs: &Count, [at_once, of_widest]: [&'static str; 2]) -> Self {
        let (nodes, widest) = (jobs.in_use.clone().most(), u64::from(jobs.widest));
        if widest > nodes {
            Self { nodes: widest, source: of_widest }
        } else {
            Self { nodes, source: at_once }
        }
    }
}

impl PartSurvey {
    /// Returns the only part of a workload model, for this number of sets of rules.
    pub(super) fn of_model(model: &Model, rules: usize) -> Self {
        let survey = Survey { jobs: u64::from(model.jobs()), ..Survey::default() };
        Self { partition: None, by_rules: vec![survey; rules], size: None }
    }

    /// Returns what messages call the part: the name of the log, with the partitions.
    pub(super) fn name(&self, log: &str) -> String {
        match &self.partition {
            Some(partition) => format!("{log}, partition {}", partition.label()),
            None => log.to_owned(),
        }
    }
}

impl Survey {
    /// Notes the arrival of a job.
    fn arrives(&mut self, at: Time) {
        let (first, last) = self.arrivals.unwrap_or((at, at));
        self.arrivals = Some((first.min(at), last.max(at)));
    }

    /// Returns the load that the jobs offer to so many nodes: their work, by what the nodes can do between the first and the
    /// last arrival. `None` for a workload model, or if all jobs arrive at once.
    pub(super) fn offered_load(&self, nodes: u32) -> Option<f64> {
        let (first, last) = self.arrivals?;
        let capacity = (last - first).as_micros() as f64 * f64::from(nodes);
        (capacity > 0.0).then(|| self.work_procs_us as f64 / capacity)
    }

    /// Returns the reason why jobs cannot be placed by the nodes that they had according to the log; `None` if they can, or if
    /// the jobs are not in memory.
    fn lists_problem(&self, log: &StudyLog, spec: &ReplaySpec, options: &Options) -> Option<String> {
        let none = || RecordedNodesError::NoLists { log: spec.log.to_string() };
        if !self.has_lists {
            return Some(none().to_string());
        }
        let loaded = log.loaded.as_ref()?;
        let source = JobSource::recorded(Arc::new(loaded.jobs_of(spec.partition.as_ref()).into_owned()), 0)
            .of_log(&loaded.summary);
        let found = source.recorded_nodes(&spec.log, options.node_map.as_ref(), &spec.machine);
        found.err().map(|error| error.to_string())
    }

    /// Returns a note that says why `all` leaves the replay out, or `None` if it does not.
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
