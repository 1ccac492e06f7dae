//! Runs of jobs on the nodes of their lists: the processors in use at once, the node time that jobs share,
//! and the partitions that share nodes.
//!
//! A sweep over the runs by start time, with the end of the last run on each node, finds the node time with
//! several jobs. O(n log n) for n runs, plus the lengths of their lists.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "runs and nodes are counted in memory; sums of times are in 128 bits, which hold any"
)]

use std::collections::BTreeMap;

use super::list::{MOST_KEPT, NodeNumbers};
use crate::names::Names;
use crate::record::Record;
use crate::site::{Levels, SiteWindow, idle_spans};

/// A run of a job. Times are in any unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedRun {
    pub(crate) submit: i64,
    /// [`UNKNOWN`] if the log does not say when the run began; then the end is the same.
    pub(crate) start: i64,
    pub(crate) end: i64,
    /// The number of its partition; below 0 if that is unknown.
    partition: i64,
    pub(crate) procs: u32,
    /// Number of its list of nodes; 0 for none.
    list: u32,
}

/// Start of a run with unknown times.
const UNKNOWN: i64 = i64::MAX;

/// Two partitions belong together if the node time that they share is at least this part of the smaller
/// one's.
const LINKED: i128 = 100;

/// Limit of runs in memory, 320 MB.
const MOST_RUNS: usize = 1 << 23;

/// The runs of a log, gathered while it is read. The default keeps all.
#[derive(Debug, Default)]
pub struct NodeRuns {
    runs: Vec<RecordedRun>,
    has_limit: bool,
    /// Whether there were more runs than the limit, so that none is kept.
    are_too_many: bool,
}

/// The runs of a log with its lists of nodes.
pub struct RunsOnNodes<'a> {
    /// The runs by their starts.
    runs: Vec<RecordedRun>,
    are_too_many: bool,
    nodes: NodeNumbers<'a>,
}

/// The ends of the runs of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunEnds {
    /// The last submission.
    pub last_submission: i64,
    /// The last end.
    pub last_end: i64,
    /// The longest time from a submission to the end.
    pub longest_turnaround: i64,
}

/// How some runs of a log use nodes. Node time is the sum over runs of the nodes in the list times the
/// length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeUse {
    /// The number of different nodes in the lists.
    pub nodes: u64,
    /// The node time of all lists.
    pub listed: i128,
    /// The node time that counts more than once, as several runs had a node at the same time.
    pub repeated: i128,
    /// The number of runs with a list.
    pub lists: u64,
    /// The number of runs whose list has as many nodes as the job has processors.
    pub of_size: u64,
    /// The number of runs above zero length.
    pub runs: u64,
    /// The number of those whose list has as many nodes as the job has processors.
    pub runs_of_size: u64,
}

impl NodeUse {
    /// Returns the share, from 0 to 1, of the node time that counts more than once.
    pub fn shared(&self) -> f64 {
        if self.listed == 0 { 0.0 } else { self.repeated as f64 / self.listed as f64 }
    }

    /// Returns whether more of it counts more than once than roundings of times explain: 0.1 %.
    pub fn is_shared(&self) -> bool {
        self.repeated > 0 && 1000 * self.repeated >= self.listed
    }

    /// Returns whether most lists have as many nodes as their jobs have processors, so that processors are
    /// nodes.
    pub fn are_whole_nodes(&self) -> bool {
        2 * self.of_size > self.lists
    }

    /// Returns whether every run has as many nodes as its job has processors.
    pub fn names_all(&self) -> bool {
        self.runs > 0 && self.runs_of_size == self.runs
    }
}

impl NodeRuns {
    /// Returns an empty collection that drops all runs beyond 2^23.
    pub fn limited() -> Self {
        Self { has_limit: true, ..Self::default() }
    }

    /// Adds a run with its submission, start and end, if known, the number of its list of nodes and its
    /// partition.
    pub fn add(&mut self, times: Option<[i64; 3]>, procs: u32, list: Option<u32>, partition: Option<i64>) {
        if self.are_too_many {
            return;
        }
        let [submit, start, end] = times.filter(|[_, start, end]| start <= end).unwrap_or([UNKNOWN; 3]);
        let (partition, list) = (partition.unwrap_or(-1), list.unwrap_or_default());
        self.runs.push(RecordedRun { submit, start, end, partition, procs, list });
        if self.has_limit && self.runs.len() > MOST_RUNS {
            (self.runs, self.are_too_many) = (Vec::new(), true);
        }
    }

    /// Adds the run of a record, in seconds. The start of a job that ran is its submission if its wait is
    /// unknown.
    pub fn add_record(&mut self, record: &Record) {
        let Record { submit_s, wait_s, run_s, nodes, partition, .. } = *record;
        let start_s = submit_s.saturating_add(wait_s.max(0));
        let is_known = submit_s >= 0 && run_s >= 0 && (wait_s >= 0 || run_s > 0);
        let times = is_known.then(|| [submit_s, start_s, start_s.saturating_add(run_s)]);
        let procs = record.procs().and_then(|procs| u32::try_from(procs).ok()).unwrap_or_default();
        if is_known || nodes.is_some() {
            self.add(times, procs, nodes, (partition >= 0).then_some(partition));
        }
    }

    /// Returns the runs with the lists of their log.
    pub fn on_nodes(self, names: &Names) -> RunsOnNodes<'_> {
        let mut runs = self.runs;
        runs.sort_unstable_by_key(|run| run.start);
        let are_too_many = self.are_too_many;
        RunsOnNodes { runs, are_too_many, nodes: NodeNumbers::new(names, MOST_KEPT) }
    }
}

impl RunsOnNodes<'_> {
    /// Returns true if the limit was exceeded and all runs were dropped.
    pub fn are_too_many(&self) -> bool {
        self.are_too_many
    }

    /// Returns the processors of the largest job; 0 without runs.
    pub fn largest(&self) -> u64 {
        self.runs.iter().map(|run| u64::from(run.procs)).max().unwrap_or(0)
    }

    /// Returns how the runs of the partitions that are `chosen` use nodes. `None` is a run of an unknown
    /// partition.
    pub fn node_use(&mut self, chosen: &dyn Fn(Option<i64>) -> bool) -> NodeUse {
        let mut found = NodeUse::default();
        // Until when each node is taken; the least number if it was not used yet.
        let mut taken: Vec<i64> = Vec::new();
        for run in self.runs.iter().filter(|run| chosen(run.partition())) {
            let has_length = run.start < run.end;
            found.runs += u64::from(has_length);
            let nodes = if run.list > 0 { self.nodes.nodes(run.list) } else { continue };
            let is_of_size = nodes.len() == run.procs as usize;
            found.lists += u64::from(!nodes.is_empty());
            found.of_size += u64::from(is_of_size);
            found.runs_of_size += u64::from(is_of_size && has_length);
            found.listed += run.length() * nodes.len() as i128;
            for &node in nodes {
                if taken.len() <= node as usize {
                    taken.resize(node as usize + 1, i64::MIN);
                }
                let until = &mut taken[node as usize];
                found.nodes += u64::from(*until == i64::MIN);
                let shared = i128::from((*until).min(run.end)) - i128::from(run.start);
                found.repeated += shared.max(0);
                *until = run.end.max(*until);
            }
        }
        found
    }

    /// Returns the time at each level of use by the runs of the partitions that are `chosen`.
    pub fn levels(&self, chosen: &dyn Fn(Option<i64>) -> bool) -> Levels {
        let known = self.runs.iter().filter(|run| run.is_known() && chosen(run.partition()));
        Levels::new(known.map(RecordedRun::usage))
    }

    /// Returns the node time, as processors times length, of the jobs submitted from `time` on.
    pub(crate) fn work_since(&self, time: i64) -> f64 {
        let later = self.runs.iter().filter(|run| run.is_known() && run.submit >= time);
        later.map(|run| run.length() * i128::from(run.procs)).sum::<i128>() as f64
    }

    /// Returns the ends of the runs with known times; `None` without such runs.
    pub fn ends(&self) -> Option<RunEnds> {
        let known = || self.runs.iter().filter(|run| run.is_known());
        Some(RunEnds {
            last_submission: known().map(|run| run.submit).max()?,
            last_end: known().map(|run| run.end).max()?,
            longest_turnaround: known().map(|run| run.end.saturating_sub(run.submit)).max()?,
        })
    }

    /// Returns the times of maintenance: 6 h or more in which nothing ran and a job waited that ran later.
    /// Times of runs must be in seconds. O(n) for n runs.
    pub fn idle_spans(&self) -> Vec<[i64; 2]> {
        idle_spans(&self.runs)
    }

    /// Returns the beginning of the window that the runs are; `None` if they are a whole log.
    pub fn window(&self) -> Option<SiteWindow> {
        SiteWindow::find(&self.runs)
    }

    /// Returns the partitions that share nodes, group by group, in the order of their numbers. Partitions
    /// without lists are in no group. Two partitions are linked if the node time that they share is 1 % of
    /// the smaller one's or more: for each node the time of the partition that used it less. Groups are the
    /// connected components. `None` if the lists name more nodes than any machine has.
    pub fn groups(&mut self) -> Option<Vec<Vec<i64>>> {
        let mut places = BTreeMap::new();
        for run in self.runs.iter().filter(|run| run.list > 0 && run.partition >= 0) {
            places.insert(run.partition, 0_usize);
        }
        places.values_mut().zip(0..).for_each(|(place, at)| *place = at);
        // The node time of each partition, and that of each node by partition.
        let (mut totals, mut by_node) = (vec![0_i128; places.len()], Vec::<Vec<(usize, i128)>>::new());
        for run in self.runs.iter().filter(|run| run.list > 0) {
            let Some(&place) = places.get(&run.partition) else { continue };
            // A run of zero length still links partitions, for want of other evidence.
            let length = run.length().max(1);
            for &node in self.nodes.nodes(run.list) {
                totals[place] += length;
                if by_node.len() <= node as usize {
                    by_node.resize(node as usize + 1, Vec::new());
                }
                let of_node = &mut by_node[node as usize];
                match of_node.iter_mut().find(|(other, _)| *other == place) {
                    Some((_, time)) => *time += length,
                    None => of_node.push((place, length)),
                }
            }
        }
        let mut shared = BTreeMap::<(usize, usize), i128>::new();
        for of_node in by_node {
            for (i, &(one, time)) in of_node.iter().enumerate() {
                for &(other, also) in &of_node[i + 1..] {
                    *shared.entry((one.min(other), one.max(other))).or_default() += time.min(also);
                }
            }
        }
        let is_linked = |&(&(one, other), &time): &(&(usize, usize), &i128)| {
            LINKED * time >= totals[one].min(totals[other])
        };
        let links: Vec<(usize, usize)> = shared.iter().filter(is_linked).map(|(&pair, _)| pair).collect();
        let numbers: Vec<i64> = places.into_keys().collect();
        let named = (0..numbers.len()).filter(|&place| totals[place] > 0);
        (!self.nodes.is_too_large()).then(|| components(&numbers, named, &links))
    }
}

/// Returns the connected components of `numbers`, restricted to the places `named`.
fn components(
    numbers: &[i64],
    named: impl Iterator<Item = usize>,
    links: &[(usize, usize)],
) -> Vec<Vec<i64>> {
    // The first place of the component of each place.
    let mut first: Vec<usize> = (0..numbers.len()).collect();
    for &(one, other) in links {
        let (low, high) = (first[one].min(first[other]), first[one].max(first[other]));
        first.iter_mut().filter(|place| **place == high).for_each(|place| *place = low);
    }
    let mut groups = BTreeMap::<usize, Vec<i64>>::new();
    for place in named {
        groups.entry(first[place]).or_default().push(numbers[place]);
    }
    groups.into_values().collect()
}

impl RecordedRun {
    /// Returns whether its times are known.
    pub(crate) fn is_known(&self) -> bool {
        self.start != UNKNOWN
    }

    /// Returns start, end and processors.
    pub(crate) fn usage(&self) -> (i64, i64, u32) {
        (self.start, self.end, self.procs)
    }

    /// Returns the number of its partition; `None` if that is unknown.
    fn partition(&self) -> Option<i64> {
        (self.partition >= 0).then_some(self.partition)
    }

    /// Returns how long it lasted.
    pub(crate) fn length(&self) -> i128 {
        i128::from(self.end) - i128::from(self.start)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the runs with lists of single nodes that stand for themselves.
    fn runs(names: &mut Names, given: &[(i64, i64, i64, Vec<u8>)]) -> NodeRuns {
        let mut runs = NodeRuns::default();
        for (start, length, partition, nodes) in given {
            let list: Vec<String> = nodes.iter().map(|node| format!("n{node}")).collect();
            let number = (!list.is_empty()).then(|| names.nodes(list.join(",").as_bytes())).flatten();
            runs.add(Some([*start, *start, start + length]), nodes.len() as u32, number, Some(*partition));
        }
        runs
    }

    #[test]
    fn partitions_are_grouped_by_the_node_time_that_they_share() {
        // Partition 1 has nodes 0 to 3 for 1,000 each, and partition 2 has nodes 4 and 5, and node 0 for some
        // time.
        let groups = |time: i64| {
            let mut names = Names::default();
            let given = [
                (0, 1000, 1, vec![0, 1, 2, 3]),
                (0, 10_000, 2, vec![4, 5]),
                (9000, time, 2, vec![0]),
                (0, 10, 7, vec![]),
            ];
            runs(&mut names, &given).on_nodes(&names).groups()
        };
        // The smaller one has 4,000.
        assert_eq!(groups(39), Some(vec![vec![1], vec![2]]));
        assert_eq!(groups(40), Some(vec![vec![1, 2]]));
        assert_eq!(groups(0), Some(vec![vec![1], vec![2]]));
    }

    #[test]
    fn groups_are_connected_components() {
        let mut names = Names::default();
        let given = [
            (0, 10, 5, vec![1, 2]),
            (0, 10, 2, vec![3, 4]),
            (0, 10, 9, vec![4, 6]),
            (20, 10, 5, vec![7]),
            (40, 10, 1, vec![6, 7]),
            (0, 0, 3, vec![9]),
            (0, 5, -1, vec![3, 9]),
            (0, 10, 4, vec![]),
        ];
        let groups = runs(&mut names, &given).on_nodes(&names).groups();
        assert_eq!(groups, Some(vec![vec![1, 2, 5, 9], vec![3]]));
    }

    proptest! {
        /// The sweep finds what counting instant by instant finds.
        #[test]
        fn node_use_is_that_of_every_instant(
            given in proptest::collection::vec(
                (0_i64..40, 0_i64..12, -1_i64..3, proptest::collection::vec(0_u8..9, 0..5)), 0..25),
            chosen in -1_i64..3,
        ) {
            let mut names = Names::default();
            let mut all = runs(&mut names, &given);
            all.add(None, 3, None, None);
            let is_chosen = |partition: Option<i64>| partition.unwrap_or(-1) != chosen;
            let found = all.on_nodes(&names).node_use(&is_chosen);
            let mut expected = NodeUse { lists: 0, ..NodeUse::default() };
            let kept: Vec<_> = given.iter().filter(|(.., partition, _)| *partition != chosen).collect();
            let mut different = std::collections::BTreeSet::new();
            for (_, length, _, nodes) in &kept {
                let mut nodes = nodes.clone();
                let procs = nodes.len();
                nodes.sort_unstable();
                nodes.dedup();
                expected.lists += u64::from(procs > 0);
                expected.of_size += u64::from(procs > 0 && nodes.len() == procs);
                expected.runs += u64::from(*length > 0);
                expected.runs_of_size += u64::from(*length > 0 && procs > 0 && nodes.len() == procs);
                expected.listed += i128::from(*length) * nodes.len() as i128;
                different.extend(nodes);
            }
            expected.nodes = different.len() as u64;
            for instant in 0..60 {
                let running = |node: u8| {
                    let has = kept.iter().filter(|(start, length, _, nodes)| {
                        (*start..start + length).contains(&instant) && nodes.contains(&node)
                    });
                    has.count() as i128
                };
                for node in 0..9 {
                    expected.repeated += (running(node) - 1).max(0);
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
