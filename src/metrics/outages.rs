//! Measures outages: how many nodes were available, and what jobs lost that were killed.

use crate::job::Time;

/// The outages of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutageRecord {
    /// The time from which nodes count as available: the first arrival of a job.
    pub first: Time,
    /// The times at which the number of available nodes changes, ascending, each with the new number. The first entry is
    /// the machine before any change.
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
}

impl OutageRecord {
    /// Returns a record without outages of a machine of `nodes` nodes to which jobs arrive from `first` on.
    pub(super) fn new(nodes: u32, first: Time) -> Self {
        Self { first, available: vec![(Time::from_micros(i64::MIN), nodes)], ..Self::default() }
    }

    /// Counts a node that goes down.
    pub(super) fn fail(&mut self) {
        self.failures += 1;
    }

    /// Notes that `nodes` nodes are available from `now` on.
    pub(super) fn change(&mut self, nodes: u32, now: Time) {
        match self.available.last_mut() {
            Some(last) if last.0 == now => last.1 = nodes,
            _ => self.available.push((now, nodes)),
        }
    }

    /// Notes that a job was killed that had held `nodes` nodes for `ran`.
    pub(super) fn kill(&mut self, nodes: u32, ran: Time, now: Time) {
        self.kills += 1;
        self.lost_node_s += ran.as_seconds() * f64::from(nodes);
        self.last_kill = Some(now);
    }

    /// Returns the node-seconds of the nodes that were available from `since` to `until`.
    pub(super) fn available_node_s(&self, since: Time, until: Time) -> f64 {
        // The node-seconds of the changes are summed in whole node-microseconds, so that none is lost to rounding.
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
        let mut record = OutageRecord::new(10, at(5));
        assert!((record.available_node_s(at(5), at(25)) - 200.0).abs() < 1e-9);
        for (time, nodes) in [(3, 9), (8, 7), (8, 6), (20, 10), (30, 4)] {
            record.change(nodes, at(time));
        }
        let expected = 9.0 * 3.0 + 6.0 * 12.0 + 10.0 * 5.0;
        assert!((record.available_node_s(at(5), at(25)) - expected).abs() < 1e-9);
        assert_eq!(record.available.len(), 5, "changes of one instant are one");
    }
}
