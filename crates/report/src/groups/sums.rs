//! The readings of jobs by group: the first one finds the groups and the replays. It sums up as well, unless
//! the sums depend on what it finds; then a second one does.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::ops::Range;

use super::{Group, Grouping, JobGroups, Replayed};
use meshreplay_results::frame::{JobOrder, Key, Replication, Table};
use meshreplay_sim::metrics::{GroupSums, JobRow, OfGroups, Trim};

/// The jobs of a replay, as the first reading finds them.
#[derive(Default)]
struct OfReplay {
    order: JobOrder,
    /// The node-seconds of each group, by its position.
    node_s: Vec<f64>,
}

/// The groups of all jobs, as the first reading of the jobs finds them.
#[derive(Default)]
pub(super) struct Found {
    /// The groups in the order in which they were found.
    groups: Vec<Group>,
    /// The position of the group of each value of the column that tells it.
    of_number: HashMap<Option<u64>, usize>,
    of_text: HashMap<String, usize>,
    replays: BTreeMap<Replication, OfReplay>,
}

/// Jobs, and the position of the group of each.
pub(super) type Grouped = (Vec<JobRow>, Vec<usize>);

impl Found {
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
        // Several values may have one label, as all that are unknown.
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

    /// Adds jobs of a replay.
    pub(super) fn add(&mut self, key: Replication, (rows, positions): &Grouped) {
        let OfReplay { order, node_s } = self.replays.entry(key).or_default();
        node_s.resize(node_s.len().max(self.groups.len()), 0.0);
        for (row, &at) in rows.iter().zip(positions) {
            order.add(row.submit_s);
            node_s[at] += (row.end_s - row.start_s) * f64::from(row.allocated);
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

    /// Returns the position of each group with the node-seconds of its jobs in these replays, in the order of
    /// the groups.
    pub(super) fn ranked(&self, replays: &[Replayed]) -> Vec<(usize, f64)> {
        let of = |at: usize, replay: &Replayed| {
            self.replays.get(&replay.key).and_then(|replay| replay.node_s.get(at)).copied().unwrap_or(0.0)
        };
        let total = |at: usize| replays.iter().map(|replay| of(at, replay)).sum();
        let mut ranked: Vec<(usize, f64)> = (0..self.groups.len()).map(|at| (at, total(at))).collect();
        ranked.sort_by_key(|(at, _)| &self.groups[*at]);
        ranked
    }
}

/// The numbers of the replays while their jobs are read.
pub(super) struct Sums {
    /// The replays of which jobs are still to come.
    open: HashMap<Replication, Open>,
    done: HashMap<Replication, OfGroups>,
}

/// A replay of which jobs are still to come.
#[derive(Default)]
struct Open {
    /// How many.
    left: u64,
    trim: Trim,
    /// What [`Trim::bounds`] returns.
    bounds: Option<(usize, f64)>,
    /// How many have come.
    before: usize,
    sums: GroupSums,
    /// The jobs that have come, if it is known only then which of them count in means: they are in no order.
    kept: Option<Grouped>,
}

impl Sums {
    /// Prepares to sum up the replays of a summary, of which all jobs count in means.
    pub(super) fn of_all(summary: &Table) -> Self {
        let open = |row: usize| {
            // Where the number of jobs is not known, jobs may come until the end.
            let left = summary.number("jobs", row).map_or(u64::MAX, |jobs| jobs as u64);
            Some((summary.replication(row)?, Open { left, ..Open::default() }))
        };
        Self { open: (0..summary.height()).filter_map(open).collect(), done: HashMap::new() }
    }

    /// Prepares to sum up `replays`, whose jobs were found before.
    pub(super) fn of_found(found: &Found, replays: &[Replayed]) -> Self {
        let open = |&Replayed { key, trim, .. }: &Replayed| {
            let JobOrder { jobs, last_s, is_sorted } = found.replays.get(&key)?.order;
            let bounds = trim.bounds(jobs as usize, last_s);
            let kept = (bounds.is_some() && !is_sorted).then(Grouped::default);
            Some((key, Open { left: jobs, trim, bounds, kept, ..Open::default() }))
        };
        Self { open: replays.iter().filter_map(open).collect(), done: HashMap::new() }
    }

    /// Adds the next jobs of a replay. Jobs beyond those that are expected are left out. Fails if waits
    /// cannot be kept in a temporary file.
    pub(super) fn add(&mut self, key: Replication, (rows, groups): &Grouped) -> io::Result<()> {
        let Some(open) = self.open.get_mut(&key) else { return Ok(()) };
        if let Some(kept) = &mut open.kept {
            kept.0.extend(rows);
            kept.1.extend(groups);
        } else {
            let (before, bounds) = (open.before, open.bounds);
            open.sums.add(rows, groups, &|i| {
                bounds.is_none_or(|(first, end_s)| before + i >= first && rows[i].start_s < end_s)
            });
        }
        open.before += rows.len();
        open.left = open.left.saturating_sub(rows.len() as u64);
        if open.left == 0 { self.close(key) } else { Ok(()) }
    }

    /// Ends the sums of a replay.
    fn close(&mut self, key: Replication) -> io::Result<()> {
        let Some(Open { trim, mut sums, kept, .. }) = self.open.remove(&key) else { return Ok(()) };
        if let Some((rows, groups)) = kept {
            sums.add_trimmed(&rows, &groups, trim);
        }
        self.done.insert(key, sums.finish()?);
        Ok(())
    }

    /// Returns the numbers of a replay, of which no more jobs will come; `None` if it is unknown.
    pub(super) fn finish(&mut self, key: Replication) -> io::Result<Option<OfGroups>> {
        self.close(key)?;
        Ok(self.done.remove(&key))
    }
}
