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
}
