//! Groups of partitions that share nodes, and are therefore separate machines.

use std::collections::BTreeMap;

use super::survey::Survey;
use meshreplay_base::words::counted;
use meshreplay_logs::{LogNames, NameKind, Partitions, RunsOnNodes};

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
pub(super) struct Sharing {
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
    pub(super) fn overlapping(
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
    pub(super) fn note_on_pooled(
        &self,
        log: &str,
        label: impl Fn(i64) -> String,
        has_auto: bool,
    ) -> Option<String> {
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
