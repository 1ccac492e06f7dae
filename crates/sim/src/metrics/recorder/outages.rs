//! Outages: available nodes, and the losses of killed jobs.

use std::collections::BTreeMap;

use meshreplay_base::job::{Job, Time};
use meshreplay_machine::machine::NodeId;

/// A downtime of a node. Its job may have continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Downtime {
    /// The node.
    pub node: NodeId,
    /// Start.
    pub from: Time,
    /// End, or `None` if the node did not come up during the replay.
    pub until: Option<Time>,
}

/// A run that ended by a kill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostRun {
    /// The job.
    pub job: Job,
    /// Start of the run.
    pub start: Time,
    /// Time of the kill.
    pub end: Time,
    /// Number of nodes.
    pub allocated: u32,
    /// The nodes as intervals, such as `0-3 7`. Empty unless placements are kept.
    pub nodes: String,
}

impl LostRun {
    /// Returns the arrival of the job, the start and the end of the run, in seconds.
    pub fn times_s(&self) -> [f64; 3] {
        [self.job.submit, self.start, self.end].map(Time::as_seconds)
    }
}

/// The outages of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutageRecord {
    /// The first arrival of a job. Nodes count as available from then on.
    pub first: Time,
    /// Changes of the number of available nodes: time and new number, ascending. The first entry is the
    /// machine before any change.
    pub available: Vec<(Time, u32)>,
    /// Failures of nodes.
    pub failures: u64,
    /// Node-seconds of killed runs.
    pub lost_node_s: f64,
    /// Kills of jobs.
    pub kills: u64,
    /// The last kill, or `None` if there was none.
    pub last_kill: Option<Time>,
    /// Jobs given up after too many kills.
    pub given_up: u64,
    /// Jobs that never started, because nodes that they needed did not come up.
    pub never_started: u64,
    /// Downtimes of nodes, ordered by their starts.
    pub downtimes: Vec<Downtime>,
    /// Killed runs, ordered by their ends.
    pub lost_runs: Vec<LostRun>,
    /// Whether `downtimes` and `lost_runs` are recorded.
    keeps_times: bool,
    /// The entry in `downtimes` of each node that is down.
    down: BTreeMap<NodeId, usize>,
}

impl OutageRecord {
    /// Creates a record without outages for a machine of `nodes` nodes and a first arrival at `first`. Single
    /// downtimes and lost runs are recorded if `keeps_times`.
    pub(super) fn new(nodes: u32, first: Time, keeps_times: bool) -> Self {
        Self { first, available: vec![(Time::from_micros(i64::MIN), nodes)], keeps_times, ..Self::default() }
    }

    /// Records that a node goes down or comes up.
    pub(super) fn change_node(&mut self, node: NodeId, is_down: bool, now: Time) {
        self.failures += u64::from(is_down);
        if !self.keeps_times {
            return;
        }
        if is_down {
            self.down.insert(node, self.downtimes.len());
            self.downtimes.push(Downtime { node, from: now, until: None });
        } else if let Some(at) = self.down.remove(&node) {
            self.downtimes[at].until = Some(now);
        }
    }

    /// Records that `nodes` nodes are available from `now` on.
    pub(super) fn change(&mut self, nodes: u32, now: Time) {
        match self.available.last_mut() {
            Some(last) if last.0 == now => last.1 = nodes,
            _ => self.available.push((now, nodes)),
        }
    }

    /// Records a kill.
    pub(super) fn kill(&mut self, lost: LostRun) {
        self.kills += 1;
        self.lost_node_s += (lost.end - lost.start).as_seconds() * f64::from(lost.allocated);
        self.last_kill = Some(lost.end);
        if self.keeps_times {
            self.lost_runs.push(lost);
        }
    }

    /// Returns the available node-seconds from `since` to `until`.
    pub(in crate::metrics) fn available_node_s(&self, since: Time, until: Time) -> f64 {
        // Sum in whole node-microseconds, so that nothing is lost to rounding.
        let mut node_micros = 0_i128;
        for (i, &(from, nodes)) in self.available.iter().enumerate() {
            let to = self.available.get(i + 1).map_or(until, |next| next.0.min(until));
            let micros = (to - from.max(since)).as_micros().max(0);
            node_micros += i128::from(micros) * i128::from(nodes);
        }
        node_micros as f64 / 1e6
    }
}

/// The waits of the killed jobs of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KilledWaits {
    /// For each killed run, the start of the wait for it in seconds.
    before: Vec<f64>,
    /// The ends of the killed runs in seconds, ascending, by the number and the bits of the arrival of the
    /// job.
    ends_s: BTreeMap<(i64, u64), Vec<f64>>,
}

impl KilledWaits {
    /// Creates the waits from killed runs: the number of the job, and its arrival, the start and the end of
    /// the run in seconds. Runs must be in the order of their ends. O(R·log R) for R runs.
    pub fn of(runs: impl IntoIterator<Item = (i64, [f64; 3])>) -> Self {
        let mut waits = Self::default();
        for (number, [submit_s, start_s, end_s]) in runs {
            waits.before.push(waits.since(number, submit_s, start_s));
            waits.ends_s.entry((number, submit_s.to_bits())).or_default().push(end_s);
        }
        waits
    }

    /// Returns the start of the wait for each run, in order, in seconds.
    pub fn before(&self) -> &[f64] {
        &self.before
    }

    /// Returns the start of the wait, in seconds, for the run that started at `start_s`: the job's last
    /// kill before, or its arrival. Jobs may share number and arrival, as tasks of an array do; then it is
    /// the last kill of any of them.
    pub fn since(&self, number: i64, submit_s: f64, start_s: f64) -> f64 {
        let Some(ends_s) = self.ends_s.get(&(number, submit_s.to_bits())) else { return submit_s };
        ends_s[..ends_s.partition_point(|end_s| *end_s <= start_s)].last().copied().unwrap_or(submit_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_seconds_are_those_between_first_and_last() {
        let at = Time::from_seconds;
        let mut record = OutageRecord::new(10, at(5), true);
        assert!((record.available_node_s(at(5), at(25)) - 200.0).abs() < 1e-9);
        for (time, nodes) in [(3, 9), (8, 7), (8, 6), (20, 10), (30, 4)] {
            record.change(nodes, at(time));
        }
        let expected = 9.0 * 3.0 + 6.0 * 12.0 + 10.0 * 5.0;
        assert!((record.available_node_s(at(5), at(25)) - expected).abs() < 1e-9);
        assert_eq!(record.available.len(), 5, "changes of one instant are one");
        for (node, is_down, time) in [(3, true, 1), (4, true, 2), (3, false, 2), (3, true, 7)] {
            record.change_node(node, is_down, at(time));
        }
        let found: Vec<_> = record.downtimes.iter().map(|time| (time.node, time.from, time.until)).collect();
        assert_eq!(found, [(3, at(1), Some(at(2))), (4, at(2), None), (3, at(7), None)]);
        assert_eq!(record.failures, 3);
    }

    #[test]
    fn jobs_do_not_wait_while_they_run() {
        // Job 7 arrives at 10 s and is killed twice; another job of that number arrives later.
        let runs = [(7, [10.0, 15.0, 20.0]), (7, [10.0, 40.0, 60.0]), (7, [50.0, 50.0, 55.0])];
        let waits = KilledWaits::of(runs);
        let seconds = |times_s: &[f64]| times_s.iter().map(|time_s| *time_s as i64).collect::<Vec<_>>();
        assert_eq!(seconds(waits.before()), [10, 20, 50]);
        let last = [waits.since(7, 10.0, 70.0), waits.since(7, 50.0, 70.0), waits.since(8, 10.0, 70.0)];
        assert_eq!(seconds(&last), [60, 55, 10]);
    }

    #[test]
    fn jobs_of_one_number_and_arrival_wait_from_the_last_kill_before_their_run() {
        // Two tasks of an array run at once. One is killed at 60 s and runs again from 65 s on, the other at
        // 70 s and from 80 s on.
        let waits = KilledWaits::of([(5, [0.0, 0.0, 60.0]), (5, [0.0, 0.0, 70.0])]);
        let seconds = [waits.since(5, 0.0, 65.0), waits.since(5, 0.0, 80.0), waits.since(5, 0.0, 0.0)];
        assert_eq!((waits.before(), seconds), ([0.0; 2].as_slice(), [60.0, 70.0, 0.0]));
    }
}
