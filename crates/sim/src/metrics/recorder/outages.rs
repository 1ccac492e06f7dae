//! Measures outages: how many nodes were available, and what jobs lost that were killed.

use std::collections::BTreeMap;

use meshreplay_base::job::{Job, Time};
use meshreplay_machine::machine::NodeId;

/// A time for which a node was down. A job that it had may have gone on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Downtime {
    /// The node.
    pub node: NodeId,
    /// The time at which it went down.
    pub from: Time,
    /// The time at which it came up; `None` if it did not during the replay.
    pub until: Option<Time>,
}

/// A run of a job that ended because the job was killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostRun {
    /// The job.
    pub job: Job,
    /// The start of the run.
    pub start: Time,
    /// The time at which the job was killed.
    pub end: Time,
    /// The number of nodes that it had.
    pub allocated: u32,
    /// Its nodes as intervals, such as `0-3 7`; empty if placements were not asked for.
    pub nodes: String,
}

impl LostRun {
    /// Returns the times of the arrival of the job, of the start of the run and of its end, in seconds.
    pub fn times_s(&self) -> [f64; 3] {
        [self.job.submit, self.start, self.end].map(Time::as_seconds)
    }
}

/// The outages of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutageRecord {
    /// The time from which nodes count as available: the first arrival of a job.
    pub first: Time,
    /// The times at which the number of available nodes changes, ascending, each with the new number. The
    /// first entry is the machine before any change.
    pub available: Vec<(Time, u32)>,
    /// The number of times that a node went down.
    pub failures: u64,
    /// The node-seconds of the runs in which jobs were killed.
    pub lost_node_s: f64,
    /// The number of times that a job was killed.
    pub kills: u64,
    /// The time at which a job was last killed; `None` if none was.
    pub last_kill: Option<Time>,
    /// The number of jobs that were killed once too often and given up.
    pub given_up: u64,
    /// The number of jobs that never started, because nodes that they needed did not come up.
    pub never_started: u64,
    /// The times for which nodes were down, in the order in which they went down.
    pub downtimes: Vec<Downtime>,
    /// The runs in which jobs were killed, in the order of their ends.
    pub lost_runs: Vec<LostRun>,
    /// Whether `downtimes` and `lost_runs` are filled.
    keeps_times: bool,
    /// The position in `downtimes` of each node that is down.
    down: BTreeMap<NodeId, usize>,
}

impl OutageRecord {
    /// Returns a record without outages of a machine of `nodes` nodes to which jobs arrive from `first` on.
    /// Single downtimes and lost runs are kept if `keeps_times`.
    pub(super) fn new(nodes: u32, first: Time, keeps_times: bool) -> Self {
        Self { first, available: vec![(Time::from_micros(i64::MIN), nodes)], keeps_times, ..Self::default() }
    }

    /// Notes that a node goes down or comes up.
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

    /// Notes that `nodes` nodes are available from `now` on.
    pub(super) fn change(&mut self, nodes: u32, now: Time) {
        match self.available.last_mut() {
            Some(last) if last.0 == now => last.1 = nodes,
            _ => self.available.push((now, nodes)),
        }
    }

    /// Notes that a job was killed, which loses its run.
    pub(super) fn kill(&mut self, lost: LostRun) {
        self.kills += 1;
        self.lost_node_s += (lost.end - lost.start).as_seconds() * f64::from(lost.allocated);
        self.last_kill = Some(lost.end);
        if self.keeps_times {
            self.lost_runs.push(lost);
        }
    }

    /// Returns the node-seconds of the nodes that were available from `since` to `until`.
    pub(in crate::metrics) fn available_node_s(&self, since: Time, until: Time) -> f64 {
        // The node-seconds of the changes are summed in whole node-microseconds, so that none is lost to
        // rounding.
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
