//! Parts of a log that are replayed on their own, and the sizes of their machines.

use std::collections::{BTreeMap, BTreeSet};

use super::period::LogPeriod;
use super::survey::{Counts, LogSize, PartMachines, PartSurvey, Survey};
use super::{Draft, PlanError};
use crate::study::axes::LogPart;
use crate::study::log::LogSource;
use crate::study::planned::StudyLog;
use crate::study::replay_spec::ReplaySpec;
use crate::study::shared_jobs::{LoadJobsError, read};
use meshreplay_base::words::counted;
use meshreplay_logs::{
    Header, LogNames, LogUnit, NameKind, Names, NodeUse, PartitionChoice, Partitions, RunsOnNodes, SiteSize,
    SizeSource, no_such_partition,
};
use meshreplay_machine::machine::{AutoMachine, Mesh};
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

/// Most groups of partitions that become separate machines by default.
const MOST_GROUPS: usize = 8;

/// A partition counts if its jobs have at least this fraction (1/100) of all work.
const COUNTS: i128 = 100;

/// Most partitions in a note.
const NAMED: usize = 4;

/// The work of the jobs of one partition.
struct Work {
    /// Partition; `None` for the jobs without one.
    number: Option<i64>,
    jobs: u64,
    /// Sum of processors times run time.
    all: i128,
    /// The same sum over the jobs with node lists.
    listed: i128,
}

/// The partitions of a log, and groups that share nodes.
struct Sharing {
    partitions: Vec<Work>,
    /// Groups of partitions that share nodes; `None` if the node lists do not cover all partitions that
    /// count.
    groups: Option<Vec<Vec<i64>>>,
}

impl Sharing {
    /// Groups the partitions.
    pub(super) fn new(
        surveys: &BTreeMap<Option<i64>, Survey>,
        runs: &mut RunsOnNodes<'_>,
        names: &LogNames,
    ) -> Self {
        let work = |(&number, survey): (&Option<i64>, &Survey)| Work {
            number,
            jobs: survey.jobs,
            all: survey.work_procs_us,
            listed: survey.listed_procs_us.unwrap_or_default(),
        };
        let mut sharing = Self { partitions: surveys.iter().map(work).collect(), groups: None };
        let are_listed =
            |partition: &&Work| partition.number.is_some() && 2 * partition.listed >= partition.all;
        if sharing.partitions.len() < 2 || !sharing.significant(&|_| true).iter().all(are_listed) {
            return sharing;
        }
        let Some(mut groups) = runs.groups() else { return sharing };
        sharing.add_mixed(&mut groups, names);
        let is_grouped = |number: i64| groups.iter().any(|group| group.contains(&number));
        if sharing.significant(&|_| true).iter().filter_map(|partition| partition.number).all(is_grouped) {
            sharing.groups = Some(groups);
        }
        sharing
    }

    /// Adds ungrouped partitions whose names are lists, as in jobs of Slurm that never started, to the group
    /// of the first known partition.
    fn add_mixed(&self, groups: &mut [Vec<i64>], names: &LogNames) {
        let label = |number: i64| names.label(NameKind::Partition, number);
        let of_group = |group: &Vec<i64>| group.iter().map(|&number| label(number)).collect::<Vec<_>>();
        let labels: Vec<Vec<String>> = groups.iter().map(of_group).collect();
        for number in self.partitions.iter().filter_map(|partition| partition.number) {
            let name = label(number);
            if !name.contains(',') || groups.iter().any(|group| group.contains(&number)) {
                continue;
            }
            let group_of = |one: &str| labels.iter().position(|group| group.iter().any(|other| other == one));
            if let Some(group) = name.split(',').find_map(group_of) {
                groups[group].push(number);
            }
        }
    }

    /// Returns the groups that become separate machines: several, but not too many. `None` if they are
    /// unknown, too.
    pub(super) fn machines(&self) -> Option<&[Vec<i64>]> {
        self.groups.as_deref().filter(|groups| (2..=MOST_GROUPS).contains(&groups.len()))
    }

    /// Returns the chosen partitions with 1 % or more of their total work, in descending order of work.
    fn significant(&self, chosen: &dyn Fn(Option<i64>) -> bool) -> Vec<&Work> {
        let chosen = || self.partitions.iter().filter(|partition| chosen(partition.number));
        let total: i128 = chosen().map(|partition| partition.all).sum();
        let counts = |partition: &&Work| partition.all > 0 && COUNTS * partition.all >= total;
        let mut partitions: Vec<&Work> = chosen().filter(counts).collect();
        partitions.sort_by_key(|partition| -partition.all);
        partitions
    }

    /// Returns whether several chosen partitions have 1 % or more of their total work and are not known to
    /// share nodes.
    pub(super) fn pools(&self, chosen: &dyn Fn(Option<i64>) -> bool) -> bool {
        let numbers: Vec<i64> = self.significant(chosen).iter().filter_map(|one| one.number).collect();
        let are_in = |group: &Vec<i64>| numbers.iter().all(|number| group.contains(number));
        numbers.len() > 1 && !self.groups.iter().flatten().any(are_in)
    }

    /// Returns the partitions with 1 % or more of the work of a group that share nodes in part, if a chosen
    /// partition is among them: one of them has used less than 90 % of the nodes of the group.
    fn overlapping(
        &self,
        chosen: &dyn Fn(Option<i64>) -> bool,
        runs: &mut RunsOnNodes<'_>,
    ) -> Option<Vec<i64>> {
        for group in self.groups.iter().flatten().filter(|group| group.len() > 1) {
            let is_in = |number: Option<i64>| number.is_some_and(|number| group.contains(&number));
            let members: Vec<i64> = self.significant(&is_in).iter().filter_map(|one| one.number).collect();
            if members.len() < 2 || !members.iter().any(|&number| chosen(Some(number))) {
                continue;
            }
            let all = runs.node_use(&is_in).nodes;
            let mut of_each =
                members.iter().map(|&member| runs.node_use(&|number| number == Some(member)).nodes);
            if of_each.any(|nodes| 10 * nodes < 9 * all) {
                return Some(members);
            }
        }
        None
    }

    /// Returns a note on the pooled partitions of the whole log called `log`; `None` if there is nothing to
    /// pool.
    fn note_on_pooled(&self, log: &str, label: impl Fn(i64) -> String, has_auto: bool) -> Option<String> {
        if !self.pools(&|_| true) {
            return None;
        }
        let total: i128 = self.partitions.iter().map(|partition| partition.all).sum();
        let named = self.significant(&|_| true);
        let named: Vec<&&Work> = named.iter().filter(|partition| partition.number.is_some()).collect();
        let words = |(i, partition): (usize, &&&Work)| {
            let share = 100.0 * partition.all as f64 / total as f64;
            let of_what = if i == 0 { " of the node-seconds" } else { "" };
            let name = partition.number.map(&label).unwrap_or_default();
            format!("{name} ({}, {share:.0} %{of_what})", counted(partition.jobs, "job"))
        };
        let mut list: Vec<String> = named.iter().take(NAMED).enumerate().map(words).collect();
        if named.len() > NAMED {
            list.push(format!("{} more", named.len() - NAMED));
        }
        let of_group = |group: &Vec<i64>| {
            let partitions = Partitions::new(group.iter().map(|&number| label(number)));
            partitions.map(|partitions| partitions.to_string())
        };
        let by_group = self.machines().map(|groups| groups.iter().filter_map(of_group).collect::<Vec<_>>());
        let choice = by_group.map_or_else(|| "each".to_owned(), |groups| groups.join(" "));
        let machine = if has_auto { "" } else { " --machine auto" };
        Some(format!(
            "{log}: partitions pooled on one machine: {}; --partition {choice}{machine} keeps them apart",
            list.join(", ")
        ))
    }
}

impl Draft {
    /// Finds the parts of each log and their machines, and adds a note on each machine that a log sizes.
    pub(super) fn size_machines(
        &mut self,
        surveys: &[Vec<PartSurvey>],
        notes: &mut Vec<String>,
    ) -> Result<(), PlanError> {
        for (log, parts) in self.logs.iter().zip(surveys) {
            let (mut found, mut groups) = (Vec::with_capacity(parts.len()), Vec::new());
            for part in parts {
                let machines = match part.machines {
                    PartMachines::Given => self.axes.machines.clone(),
                    PartMachines::All if self.axes.autos.is_empty() => self.axes.machines.clone(),
                    PartMachines::All => self.sized(log, part, notes)?,
                    PartMachines::Autos => {
                        let machines = self.autos(log, part)?;
                        groups.push((part, machines.clone()));
                        machines
                    }
                };
                found.push(LogPart { partition: part.partition.clone(), machines });
            }
            notes.extend(note_on_groups(log, &groups));
            self.axes.of_logs.push(found);
        }
        Ok(())
    }

    /// Returns whether the size of the machine of a replay follows from its use in this part of the log.
    pub(super) fn assumes_size(&self, part: &PartSurvey, spec: &ReplaySpec) -> bool {
        part.size.as_ref().is_ok_and(|size| size.is_of_use) && !self.axes.machines.contains(&spec.machine)
    }

    /// Returns the reason why recorded waits are not those of a given machine: the log has the number of its
    /// own nodes in its header or by their names, and this machine has another.
    pub(super) fn doubt_of_size(&self, part: &PartSurvey, spec: &ReplaySpec) -> Option<String> {
        // Pooled partitions are not compared either, for a reason that counts more.
        let (nodes, source) = part.own_nodes.filter(|_| !part.pools_partitions)?;
        let given = spec.machine.available();
        let has_other = u64::from(given) != nodes && self.axes.machines.contains(&spec.machine);
        let source = source.words();
        has_other.then(|| format!("its machine has the {nodes} {source}, and {} has {given}", spec.machine))
    }

    /// Reads logs again whose jobs were not kept, if parts or periods of them are replayed, which requires
    /// all jobs at once.
    pub(super) fn keep_parts(
        &self,
        logs: &mut [StudyLog],
        periods: &[LogPeriod],
    ) -> Result<(), LoadJobsError> {
        for (i, (log, period)) in logs.iter_mut().zip(periods).enumerate() {
            let is_stream = log.loaded.as_ref().is_some_and(|loaded| loaded.extent.is_some());
            let mut parts = self.axes.of_logs.get(i).into_iter().flatten();
            if is_stream && (period.period.is_some() || parts.any(|part| part.partition.is_some())) {
                let planned = StudyLog { loaded: None, ..log.clone() };
                log.loaded = Some(read(&planned, &self.axes.rules[0], usize::MAX)?);
            }
        }
        Ok(())
    }

    /// Returns the machines of a part of a log, and adds a note on each machine that the log sizes.
    fn sized(
        &self,
        log: &LogSource,
        part: &PartSurvey,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Mesh>, PlanError> {
        let name = part.name(&log.name);
        let mut machines = self.axes.machines.clone();
        let autos = self.autos(log, part)?;
        for ((place, auto), machine) in self.axes.autos.iter().zip(autos) {
            let without = match machine.nodes() - machine.available() {
                0 => String::new(),
                surplus => format!(" ({surplus} of its nodes are unavailable)"),
            };
            let note = |LogSize { nodes, source, .. }: &LogSize| {
                format!("{name}: machine '{auto}' is {machine}{without}, for the {nodes} {source}")
            };
            notes.extend(part.size.iter().map(note));
            machines.insert(*place, machine);
        }
        Ok(machines)
    }

    /// Returns the machines of a part of a log that the log sizes.
    fn autos(&self, log: &LogSource, part: &PartSurvey) -> Result<Vec<Mesh>, PlanError> {
        let name = part.name(&log.name);
        let unknown = |reason: &String| {
            PlanError::Unsuited(format!("{name}: {reason}; give the machine, such as 16x16"))
        };
        let nodes = part.size.as_ref().map_err(unknown)?.nodes;
        let on_nodes = |(_, machine): &(usize, AutoMachine)| {
            machine.on(nodes).ok_or_else(|| {
                PlanError::Unsuited(format!(
                    "{name}: machine '{machine}' would have {nodes} nodes, expected 1 to 2^24; give the \
                     machine, such as 16x16"
                ))
            })
        };
        self.axes.autos.iter().map(on_nodes).collect()
    }
}

/// Returns a note on partitions with their own machines; `None` without any.
fn note_on_groups(log: &LogSource, groups: &[(&PartSurvey, Vec<Mesh>)]) -> Option<String> {
    let words = |(part, machines): &(&PartSurvey, Vec<Mesh>)| {
        let name = part.partition.as_ref().map(Partitions::label).unwrap_or_default();
        let machines: Vec<String> = machines.iter().map(Mesh::to_string).collect();
        format!("{name} {}", machines.join(" and "))
    };
    let list: Vec<String> = groups.iter().map(words).collect();
    (!list.is_empty()).then(|| {
        format!(
            "{}: partitions that share no nodes are replayed on machines of their own: {}; --partition all \
                 pools them",
            log.name,
            list.join(", ")
        )
    })
}
