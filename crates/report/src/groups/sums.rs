//! The two readings of jobs by group: the first one finds the groups and the replays, and the second one sums up.

use std::collections::HashMap;
use std::io;

use super::{Group, GroupedJob, Grouping, JobColumns, Replayed};
use meshreplay_results::frame::Replication;
use meshreplay_sim::metrics::{GroupSums, OfGroups, Trim, group_numbers};

/// The jobs of a replay, as the first reading finds them.
#[derive(Default)]
struct OfReplay {
    /// How many there are.
    jobs: u64,
    /// The node-seconds of each group, by its position.
    node_s: Vec<f64>,
    /// When the last one arrived, in seconds, and whether one arrived before the one above it.
    last_s: f64,
    is_unordered: bool,
}

/// The groups of all jobs, as the first reading of the jobs finds them.
#[derive(Default)]
pub(super) struct Found {
    /// The position of each group in the order in which they were found.
    positions: HashMap<Group, usize>,
    replays: HashMap<Replication, OfReplay>,
}

impl Found {
    /// Adds the jobs of a part.
    pub(super) fn add(&mut self, columns: &JobColumns<'_>, by: &Grouping) {
        for (key, rows) in columns.jobs.replications() {
            let OfReplay { jobs, node_s, last_s, is_unordered } = self.replays.entry(key).or_default();
            let mut is_first = *jobs == 0;
            *jobs += rows.len() as u64;
            for i in rows {
                let next = self.positions.len();
                let at = *self.positions.entry((by.group)(columns, i)).or_insert(next);
                node_s.resize(node_s.len().max(at + 1), 0.0);
                let GroupedJob { submit_s, start_s, end_s, allocated, .. } = columns.job(i, 0);
                *is_unordered |= !is_first && submit_s.total_cmp(last_s).is_lt();
                (*last_s, is_first) = (submit_s, false);
                node_s[at] += (end_s - start_s) * f64::from(allocated);
            }
        }
    }

    /// Returns the replays that have jobs, in no order.
    pub(super) fn replays(&self) -> impl Iterator<Item = &Replication> {
        self.replays.keys()
    }

    /// Returns all groups, in no order.
    pub(super) fn groups(&self) -> impl Iterator<Item = &Group> {
        self.positions.keys()
    }

    /// Returns each group with the node-seconds of its jobs in these replays, in the order of the groups.
    pub(super) fn ranked(&self, replays: &[Replayed]) -> Vec<(&Group, f64)> {
        let of = |at: usize, replay: &Replayed| {
            self.replays.get(&replay.key).and_then(|replay| replay.node_s.get(at)).copied().unwrap_or(0.0)
        };
        let total = |at: usize| replays.iter().map(|replay| of(at, replay)).sum();
        let mut ranked: Vec<(&Group, f64)> =
            self.positions.iter().map(|(group, &at)| (group, total(at))).collect();
        ranked.sort_by_key(|(group, _)| *group);
        ranked
    }
}

/// The numbers of the replays while their jobs are read again.
pub(super) struct Sums {
    groups: usize,
    /// The replays of which jobs are still to come.
    open: HashMap<Replication, Open>,
    done: HashMap<Replication, OfGroups>,
}

/// A replay of which jobs are still to come.
struct Open {
    /// How many.
    left: u64,
    trim: Trim,
    /// If jobs are in the order of their arrival, which of them count in means.
    in_order: Option<Counting>,
    sums: Option<OfJobs>,
}

/// Which jobs of a replay count in means, as they come in the order of their arrival.
struct Counting {
    /// What [`Trim::bounds`] returns.
    bounds: Option<(usize, f64)>,
    /// How many have come.
    before: usize,
}

impl Counting {
    /// Returns the positions of those of the next jobs that count.
    fn kept(&mut self, jobs: &[GroupedJob]) -> Vec<usize> {
        let (before, bounds) = (self.before, self.bounds);
        self.before += jobs.len();
        let counts =
            |i: &usize| bounds.is_none_or(|(first, end_s)| before + i >= first && jobs[*i].start_s < end_s);
        (0..jobs.len()).filter(counts).collect()
    }
}

/// The numbers of a replay so far.
enum OfJobs {
    /// It is known which jobs count in means.
    Running(GroupSums),
    /// It is known once all jobs are, as they are in no order.
    Kept(Vec<GroupedJob>),
}

impl Sums {
    /// Prepares to sum up `replays` with jobs of so many groups.
    pub(super) fn new(found: &Found, replays: &[Replayed], groups: usize) -> Self {
        let none = OfReplay::default();
        let open = |Replayed { key, trim, .. }: &Replayed| {
            let OfReplay { jobs, last_s, is_unordered, .. } = found.replays.get(key).unwrap_or(&none);
            let bounds = trim.bounds(*jobs as usize, *last_s);
            let in_order = (bounds.is_none() || !is_unordered).then_some(Counting { bounds, before: 0 });
            (key.clone(), Open { left: *jobs, trim: *trim, in_order, sums: None })
        };
        Self { groups, open: replays.iter().map(open).collect(), done: HashMap::new() }
    }

    /// Adds jobs of a replay. `count` is the number of rows that were read, of which some may be of no group. Jobs beyond those
    /// that were found are left out, as the file has changed. Fails if waits cannot be kept in a temporary file.
    pub(super) fn add(&mut self, replay: &Replication, count: u64, jobs: Vec<GroupedJob>) -> io::Result<()> {
        let Some(Open { left, in_order, sums, .. }) = self.open.get_mut(replay) else { return Ok(()) };
        let begin = || match in_order {
            Some(_) => OfJobs::Running(GroupSums::new(self.groups)),
            None => OfJobs::Kept(Vec::new()),
        };
        match (sums.get_or_insert_with(begin), in_order) {
            (OfJobs::Running(sums), Some(counting)) => sums.add_kept(&jobs, &counting.kept(&jobs)),
            (OfJobs::Running(sums), None) => sums.add(&jobs),
            (OfJobs::Kept(kept), _) => kept.extend(jobs),
        }
        *left = left.saturating_sub(count);
        if *left == 0 { self.close(replay) } else { Ok(()) }
    }

    /// Ends the sums of a replay.
    fn close(&mut self, replay: &Replication) -> io::Result<()> {
        let Some(Open { trim, sums, .. }) = self.open.remove(replay) else { return Ok(()) };
        let numbers = match sums.unwrap_or(OfJobs::Kept(Vec::new())) {
            OfJobs::Running(sums) => sums.finish()?,
            OfJobs::Kept(jobs) => group_numbers(&jobs, trim, self.groups)?,
        };
        self.done.insert(replay.clone(), numbers);
        Ok(())
    }

    /// Returns the numbers of a replay, of which no more jobs will come; `None` if it is unknown.
    pub(super) fn finish(&mut self, replay: &Replication) -> io::Result<Option<OfGroups>> {
        self.close(replay)?;
        Ok(self.done.remove(replay))
    }
}
