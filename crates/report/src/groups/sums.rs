//! The passes over jobs by group. The first pass finds the groups and the replays, and sums up at once unless
//! the sums depend on all jobs; in this case a second pass sums up.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::ops::Range;

use super::{Group, Grouping, JobGroups, ReplayWithJobs};
use meshreplay_base::job::Period;
use meshreplay_results::frame::{JobOrder, Key, Replication, SavedTable};
use meshreplay_sim::metrics::{GroupSums, JobRow, OfGroups};

/// The jobs of a replay, as index by the first pass.
#[derive(Default)]
struct ReplayJobs {
    order: JobOrder,
    /// The node-seconds of each group, by its position; `None` for a group without jobs here.
    node_s: Vec<Option<f64>>,
}

/// The groups of all jobs, as index by the first pass.
#[derive(Default)]
pub(super) struct GroupIndex {
    /// The groups in order of discovery.
    groups: Vec<Group>,
    /// The position of the group of each value of its column.
    of_number: HashMap<Option<u64>, usize>,
    of_text: HashMap<String, usize>,
    replays: BTreeMap<Replication, ReplayJobs>,
}

/// Jobs, and the position of the group of each.
pub(super) type Grouped = (Vec<JobRow>, Vec<usize>);

impl GroupIndex {
    /// Returns the position of the group of the job in row `i`. A new group gets the next position.
    fn position(&mut self, jobs: &JobGroups<'_>, by: &Grouping, i: usize) -> usize {
        let key = (by.key)(jobs, i);
        let known = match key {
            Key::Text(text) => self.of_text.get(text),
            Key::Number(bits) => self.of_number.get(&Some(bits)),
            Key::Missing => self.of_number.get(&None),
        };
        if let Some(position) = known {
            return *position;
        }
        // Several values may have one label, such as `unknown`.
        let group = (by.group)(jobs, i);
        let position = self.groups.iter().position(|other| *other == group).unwrap_or(self.groups.len());
        if position == self.groups.len() {
            self.groups.push(group);
        }
        match key {
            Key::Text(text) => self.of_text.insert(text.to_owned(), position),
            Key::Number(bits) => self.of_number.insert(Some(bits), position),
            Key::Missing => self.of_number.insert(None, position),
        };
        position
    }

    /// Returns these rows, each with the position of its group.
    pub(super) fn grouped(&mut self, jobs: &JobGroups<'_>, by: &Grouping, rows: Range<usize>) -> Grouped {
        rows.map(|i| (jobs.rows.row(i), self.position(jobs, by, i))).unzip()
    }

    /// Adds jobs of a replay, which count inside its period.
    pub(super) fn add(&mut self, key: Replication, (rows, positions): &Grouped, period: Option<Period>) {
        let ReplayJobs { order, node_s } = self.replays.entry(key).or_default();
        node_s.resize(node_s.len().max(self.groups.len()), None);
        for (row, &at) in rows.iter().zip(positions) {
            order.add(row.submit_s);
            let [from_s, to_s] = period.map_or([row.start_s, row.end_s], |Period { from, to }| {
                [row.start_s.max(from.as_seconds()), row.end_s.min(to.as_seconds())]
            });
            *node_s[at].get_or_insert(0.0) += (to_s - from_s).max(0.0) * f64::from(row.allocated);
        }
    }

    /// Returns the number of jobs of each replay.
    pub(super) fn counts(&self) -> BTreeMap<Replication, u64> {
        self.replays.iter().map(|(key, replay)| (*key, replay.order.jobs)).collect()
    }

    /// Returns all groups, in the order of their positions.
    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Returns the position of each group that has jobs in these replays, with their node-seconds, in the
    /// order of the groups.
    pub(super) fn ranked(&self, replays: &[ReplayWithJobs]) -> Vec<(usize, f64)> {
        let of = |at: usize, replay: &ReplayWithJobs| {
            self.replays.get(&replay.key).and_then(|replay| replay.node_s.get(at)).copied().flatten()
        };
        let total = |at: usize| {
            let mut all = replays.iter().filter_map(|replay| of(at, replay));
            all.next().map(|first| (at, first + all.sum::<f64>()))
        };
        let mut ranked: Vec<(usize, f64)> = (0..self.groups.len()).filter_map(total).collect();
        ranked.sort_by_key(|(at, _)| &self.groups[*at]);
        ranked
    }
}

/// The numbers of the replays while their jobs are read.
pub(super) struct Sums {
    /// The unfinished replays.
    open: HashMap<Replication, OpenReplay>,
    done: HashMap<Replication, OfGroups>,
}

/// An unfinished replay.
#[derive(Default)]
struct OpenReplay {
    /// The number of missing jobs.
    left: u64,
    /// The result of [`Trim::period_s`](meshreplay_sim::metrics::Trim::period_s).
    period_s: Option<[f64; 2]>,
    sums: GroupSums,
}

impl Sums {
    /// Prepares the sums of all replays of a summary, with all jobs in means.
    pub(super) fn single_pass(summary: &SavedTable) -> Self {
        let open = |row: usize| {
            // Without a known number of jobs, jobs may come until the end.
            let left = summary.number("jobs", row).map_or(u64::MAX, |jobs| jobs as u64);
            Some((summary.replication(row)?, OpenReplay { left, ..OpenReplay::default() }))
        };
        Self { open: (0..summary.height()).filter_map(open).collect(), done: HashMap::new() }
    }

    /// Prepares the sums of `replays` for the second pass.
    pub(super) fn second_pass(index: &GroupIndex, replays: &[ReplayWithJobs]) -> Self {
        let open = |&ReplayWithJobs { key, trim, .. }: &ReplayWithJobs| {
            let JobOrder { jobs, ends_s: [first_s, last_s], .. } = index.replays.get(&key)?.order;
            let period_s = trim.period_s(first_s, last_s);
            Some((key, OpenReplay { left: jobs, period_s, sums: GroupSums::new(trim) }))
        };
        Self { open: replays.iter().filter_map(open).collect(), done: HashMap::new() }
    }

    /// Adds the next jobs of a replay. Jobs beyond the expected number are ignored. Fails if waits cannot be
    /// kept in a temporary file.
    pub(super) fn add(&mut self, key: Replication, (rows, groups): &Grouped) -> io::Result<()> {
        let Some(open) = self.open.get_mut(&key) else { return Ok(()) };
        let period_s = open.period_s;
        let is_in_means =
            |i: usize| period_s.is_none_or(|[from_s, to_s]| (from_s..=to_s).contains(&rows[i].submit_s));
        open.sums.add(rows, groups, &is_in_means);
        open.left = open.left.saturating_sub(rows.len() as u64);
        if open.left == 0 { self.close(key) } else { Ok(()) }
    }

    /// Ends the sums of a replay.
    fn close(&mut self, key: Replication) -> io::Result<()> {
        if let Some(OpenReplay { sums, .. }) = self.open.remove(&key) {
            self.done.insert(key, sums.finish()?);
        }
        Ok(())
    }

    /// Finishes a replay and returns its numbers; `None` if it is unknown.
    pub(super) fn finish(&mut self, key: Replication) -> io::Result<Option<OfGroups>> {
        self.close(key)?;
        Ok(self.done.remove(&key))
    }
}
