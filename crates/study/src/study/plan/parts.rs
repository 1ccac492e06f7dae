//! Parts of a log that are replayed on their own, and the sizes of their machines.

use std::collections::{BTreeMap, BTreeSet};

use super::PlanError;
use super::sharing::Sharing;
use super::survey::{Counts, LogSize, PartMachines, PartSurvey, Survey};
use meshreplay_base::words::counted;
use meshreplay_logs::{
    Header, LogNames, LogUnit, NameKind, Names, NodeUse, PartitionChoice, Partitions, RunsOnNodes, SiteSize,
    SizeSource, no_such_partition,
};
use meshreplay_workload::{LeftOut, Reason};

/// The facts about a log that its parts depend on.
pub(super) struct LogOfParts<'a> {
    pub(super) name: &'a str,
    pub(super) names: &'a LogNames,
    pub(super) header: &'a Header,
    /// Names, with the lists of nodes.
    pub(super) lists: &'a Names,
    pub(super) unit: LogUnit,
    pub(super) is_of_command: bool,
}

/// Divides a log into parts.
pub(super) struct PartChooser<'a> {
    counts: Counts,
    log: LogOfParts<'a>,
    runs: RunsOnNodes<'a>,
    sharing: Sharing,
}

impl<'a> PartChooser<'a> {
    /// Starts with the jobs of a log.
    pub(super) fn new(mut counts: Counts, log: LogOfParts<'a>) -> Self {
        let runs = std::mem::take(&mut counts.runs);
        let mut runs = runs.on_nodes(log.lists);
        let sharing = Sharing::new(counts.by_rules.first().unwrap_or(&BTreeMap::new()), &mut runs, log.names);
        Self { counts, log, runs, sharing }
    }

    pub(super) fn runs(&self) -> &RunsOnNodes<'a> {
        &self.runs
    }

    /// Returns the parts that `choices` select, in order. Adds notes on jobs in no part, on pooled
    /// partitions, and on shared nodes. Fails if a partition has no jobs, or if jobs share too many nodes to
    /// have whole ones.
    pub(super) fn chosen(
        mut self,
        choices: &[PartitionChoice],
        notes: &mut Vec<String>,
    ) -> Result<Vec<PartSurvey>, PlanError> {
        let known: BTreeSet<i64> =
            self.counts.by_rules.iter().flat_map(BTreeMap::keys).copied().flatten().collect();
        let log = self.log.name;
        if self.runs.are_too_many() && self.log.unit == LogUnit::NodesByDefault {
            notes.push(format!("{log}: too many jobs to find out whether they share nodes"));
        }
        let mut parts = Vec::new();
        for choice in choices {
            match choice {
                PartitionChoice::ByNodes => parts.extend(self.by_nodes(notes)?),
                PartitionChoice::All => parts.push(self.whole(PartMachines::All, notes)?),
                PartitionChoice::Each if known.is_empty() => return Err(self.unknown("", &known)),
                PartitionChoice::Each => {
                    let without = self.jobs(|number| number.is_none());
                    if without > 0 {
                        notes.push(format!("{log}: left out {without} that name no partition"));
                    }
                    for &number in &known {
                        parts.push(self.of_numbers(&[number], PartMachines::All, notes)?);
                    }
                }
                PartitionChoice::Of(given) => {
                    let numbers = self
                        .log
                        .names
                        .partition_numbers(given, &known.iter().copied())
                        .map_err(|missing| self.unknown(&missing, &known))?;
                    let mut others = LeftOut::default();
                    let is_other =
                        |number: Option<i64>| number.is_none_or(|number| !numbers.contains(&number));
                    others.add(Reason::Partition, self.jobs(is_other));
                    if others.total() > 0 {
                        notes.push(format!("{log}, partition {}: left out {others}", given.label()));
                    }
                    parts.push(self.of_numbers(&numbers, PartMachines::All, notes)?);
                }
            }
        }
        Ok(parts)
    }

    /// Returns groups of partitions that share nodes, if the log sizes machines and has several groups, but
    /// not too many; otherwise the whole log. Given machines always replay the whole log.
    fn by_nodes(&mut self, notes: &mut Vec<String>) -> Result<Vec<PartSurvey>, PlanError> {
        let groups = self.sharing.machines().filter(|_| self.counts.wanted.size).map(<[_]>::to_vec);
        let mut parts = Vec::new();
        for group in groups.iter().flatten() {
            parts.push(self.of_numbers(group, PartMachines::Autos, notes)?);
        }
        notes.extend(groups.iter().filter_map(|groups| self.in_no_group(groups)));
        if parts.is_empty() || self.counts.wanted.given {
            let machines = if parts.is_empty() { PartMachines::All } else { PartMachines::Given };
            parts.push(self.whole(machines, notes)?);
            let (label, has_auto) = (|number| self.label(number), self.counts.wanted.size);
            notes.extend(self.sharing.note_on_pooled(self.log.name, label, has_auto));
        }
        Ok(parts)
    }

    /// Returns a note on the jobs outside all groups; `None` without any.
    fn in_no_group(&self, groups: &[Vec<i64>]) -> Option<String> {
        let is_left = |number: Option<i64>| {
            number.is_none_or(|number| groups.iter().all(|group| !group.contains(&number)))
        };
        let count = self.jobs(is_left);
        (count > 0).then(|| {
            format!(
                "{}: left out {count} without a partition or in partitions without lists of nodes; \
                     --partition all has them",
                self.log.name
            )
        })
    }

    /// Counts the jobs, under the first set of rules, whose partition satisfies `is`.
    fn jobs(&self, is: impl Fn(Option<i64>) -> bool) -> u64 {
        let surveys = self.counts.by_rules.iter().take(1).flatten().filter(|(number, _)| is(**number));
        surveys.map(|(_, survey)| survey.jobs).sum()
    }

    /// Returns the part with all jobs.
    fn whole(&mut self, machines: PartMachines, notes: &mut Vec<String>) -> Result<PartSurvey, PlanError> {
        let size = |log: &LogOfParts<'_>, used: &Used| LogSize::of(log.header, used);
        self.part(None, machines, &|_| true, &size, notes)
    }

    /// Returns the part with these partitions.
    fn of_numbers(
        &mut self,
        numbers: &[i64],
        machines: PartMachines,
        notes: &mut Vec<String>,
    ) -> Result<PartSurvey, PlanError> {
        let partition = Partitions::new(numbers.iter().map(|&number| self.label(number)));
        let is_chosen = |number: Option<i64>| number.is_some_and(|number| numbers.contains(&number));
        let size = |log: &LogOfParts<'_>, used: &Used| Ok(LogSize::of_partitions(log, numbers, used));
        self.part(partition, machines, &is_chosen, &size, notes)
    }

    /// Returns the part with the partitions that satisfy `is_chosen`. `size` returns the size of its machine
    /// from its use.
    fn part(
        &mut self,
        partition: Option<Partitions>,
        machines: PartMachines,
        is_chosen: &dyn Fn(Option<i64>) -> bool,
        size: &dyn Fn(&LogOfParts<'_>, &Used) -> Result<LogSize, String>,
        notes: &mut Vec<String>,
    ) -> Result<PartSurvey, PlanError> {
        let sum = |surveys: &BTreeMap<Option<i64>, Survey>| {
            let mut sum = Survey::default();
            surveys.iter().filter(|(number, _)| is_chosen(**number)).for_each(|(_, one)| sum.add(one));
            sum
        };
        let by_rules: Vec<Survey> = self.counts.by_rules.iter().map(sum).collect();
        let node_use = self.runs.node_use(is_chosen);
        let first = by_rules.first();
        let [widest, unstarted] = first.map_or([0, 0], |survey| [u64::from(survey.widest), survey.unstarted]);
        let size = if self.counts.wanted.size {
            let levels = self.runs.levels(is_chosen);
            let known = SiteSize::of_use(&node_use, &levels, self.log.unit, widest);
            size(&self.log, &Used { widest, peak: levels.peak().0, unstarted, known })
        } else {
            Err("no machine follows from it".to_owned())
        };
        let headed = partition.is_none().then(|| self.log.header.max_procs()).flatten();
        let own_nodes = match headed.and_then(|procs| u64::try_from(procs).ok()) {
            Some(procs) => Some((procs, SizeSource::Header)),
            None if self.log.unit.counts_nodes(&node_use) && node_use.names_all() => {
                Some((node_use.nodes, SizeSource::Names))
            }
            None => None,
        };
        let in_part = self.sharing.overlapping(is_chosen, &mut self.runs);
        let unknown_size = || {
            size.as_ref()
                .ok()
                .filter(|size| !size.is_known)
                .map(|_| "the size of its machine is not known".to_owned())
        };
        let part = PartSurvey {
            partition,
            by_rules,
            machines,
            pools_partitions: self.sharing.pools(is_chosen),
            own_nodes,
            doubt: in_part.map(|numbers| self.overlap(&numbers)).or_else(unknown_size),
            size,
        };
        notes.extend(self.log.note_on_shared(&part.name(self.log.name), &node_use)?);
        Ok(part)
    }

    /// Returns the words for partitions that have some of their nodes in common.
    fn overlap(&self, numbers: &[i64]) -> String {
        let labels: Vec<String> = numbers.iter().map(|&number| self.label(number)).collect();
        format!(
            "partitions {} share nodes in part, so they are neither one machine nor several",
            labels.join(", ")
        )
    }

    fn label(&self, number: i64) -> String {
        self.log.names.label(NameKind::Partition, number)
    }

    /// The error about a partition without jobs.
    fn unknown(&self, missing: &str, known: &BTreeSet<i64>) -> PlanError {
        let count = |&number: &i64| (self.label(number), self.jobs(|other| other == Some(number)));
        let problem = no_such_partition(missing, known.iter().map(count).collect());
        PlanError::Unsuited(format!("{}: {problem}", self.log.name))
    }
}

impl LogOfParts<'_> {
    /// Returns a note on nodes that jobs of the part `name` share, if processors are nodes; `None` if hardly
    /// any are shared. Fails if 5 % or more of the node time is shared and the unit nodes is only a default.
    fn note_on_shared(&self, name: &str, node_use: &NodeUse) -> Result<Option<String>, PlanError> {
        let shared = node_use.shared();
        if !self.unit.counts_nodes(node_use) || !node_use.is_shared() {
            return Ok(None);
        }
        if self.unit.refuses(node_use) {
            let remedy = if self.is_of_command {
                "--unit cpus or --unit gpus counts parts of nodes, --unit nodes whole nodes all the same"
            } else {
                "input_format = \"auto:unit=cpus\" counts parts of nodes (or gpus), unit=nodes whole nodes \
                     all the same"
            };
            return Err(PlanError::Unsuited(format!(
                "{name}: jobs share nodes: {:.1} % of the node-seconds in its lists of nodes count more than \
                 once, and processors are nodes by default; {remedy}",
                100.0 * shared
            )));
        }
        let remedy = match self.unit {
            LogUnit::Unknown => "a column of cores counts those (--columns procs=COLUMN)",
            _ => "--unit cpus counts cores",
        };
        Ok(Some(format!(
            "{name}: jobs share nodes: {:.1} % of the node-seconds in its lists of nodes count more than \
             once, and processors are nodes; {remedy}",
            100.0 * shared
        )))
    }
}

/// The use of the machine of a part.
struct Used {
    /// Processors of the widest job.
    widest: u64,
    /// The most processors in use at once.
    peak: u64,
    /// Jobs that ran without a recorded start, which count from their submission on.
    unstarted: u64,
    /// The size that follows from the use.
    known: SiteSize,
}

impl Used {
    /// Returns the words on what the size assumes; empty if it assumes nothing.
    fn assumption(&self) -> String {
        let count = |verb| {
            format!(
                "; {} without a recorded start {verb} from the submission on",
                counted(self.unstarted, "job")
            )
        };
        match self.unstarted {
            0 => String::new(),
            1 => count("counts"),
            _ => count("count"),
        }
    }
}

impl LogSize {
    fn new(nodes: u64, source: impl Into<String>) -> Self {
        Self { nodes, source: source.into(), is_known: true, is_of_use: false }
    }

    /// Returns the size that follows from the use of the machine or the names of its nodes.
    fn found(nodes: u64, source: SizeSource, more: &str) -> Self {
        let is_of_use = source == SizeSource::Edge;
        Self { is_of_use, ..Self::new(nodes, format!("{}{more}", source.words())) }
    }

    /// Returns the number of processors in the log's header or, without one, the number that follows from the
    /// use of the machine. Fails if that is not known.
    fn of(header: &Header, used: &Used) -> Result<Self, String> {
        let known = |number: Option<i64>| number.and_then(|number| u64::try_from(number).ok());
        if let Some(nodes) = known(header.max_procs()) {
            return Ok(Self::new(nodes, "processors of its header (MaxProcs)"));
        }
        // MaxNodes may count hosts where jobs count cores, of which a host has two or more.
        let has_cores = |nodes: &u64| *nodes < used.widest || nodes.saturating_mul(2) <= used.peak;
        let hosts = known(header.max_nodes());
        let reason = match hosts {
            Some(_) => ", more than its header has as nodes (MaxNodes)",
            // Somebody wrote a size that cannot be read.
            None if ["MaxProcs", "MaxNodes"].iter().any(|key| header.get(key).is_some()) => {
                ", as its header has no number MaxProcs or MaxNodes"
            }
            None => "",
        };
        match (hosts.filter(|nodes| !has_cores(nodes)), &used.known) {
            (Some(nodes), _) => Ok(Self::new(nodes, "nodes of its header (MaxNodes)")),
            (None, SiteSize::Known(nodes, source)) => {
                Ok(Self::found(*nodes, *source, &format!("{reason}{}", used.assumption())))
            }
            (None, SiteSize::Unknown(reason)) => Err(reason.clone()),
        }
    }

    /// Returns the number of processors of partitions in the log's header or, without one, the number that
    /// follows from their use, at most that of the whole machine. If neither is known, it is the most that
    /// their jobs had in use at once, or the widest job.
    fn of_partitions(log: &LogOfParts<'_>, numbers: &[i64], used: &Used) -> Self {
        let LogOfParts { names, header, .. } = log;
        let headed =
            |&number: &i64| header.partition_procs(number, &names.label(NameKind::Partition, number));
        let headed: Option<i64> = numbers.iter().collect::<BTreeSet<_>>().into_iter().map(headed).sum();
        if let Some(nodes) = headed.and_then(|nodes| u64::try_from(nodes).ok()) {
            return Self::new(nodes, "processors of the partition in the log's header");
        }
        let needed = match &used.known {
            SiteSize::Known(nodes, source) => Self::found(*nodes, *source, &used.assumption()),
            SiteSize::Unknown(_) => {
                let source = "processors that its jobs need; the size of its machine is not known";
                Self { is_known: false, ..Self::new(used.peak.max(used.widest), source) }
            }
        };
        let whole = header.processors().and_then(|whole| u64::try_from(whole).ok());
        match whole.filter(|&whole| whole < needed.nodes) {
            Some(nodes) => Self {
                is_known: needed.is_known,
                ..Self::new(nodes, "processors of the whole machine, as its jobs had no fewer in use")
            },
            None => needed,
        }
    }
}
