//! Audits the schedule of a machine whose nodes went down and came up: the runs in which jobs were killed count as runs, no
//! run starts on a node that is down, and a job is killed only as one of its nodes goes down.

use std::collections::BTreeMap;

use super::checks::audit;
use super::state::{Checked, Violation};
use super::{Schedule, ScheduledJob};
use crate::job::Time;
use crate::machine::{Mesh, NodeId};

/// Nodes as intervals from first to last, the time from which on and the time until which they were down.
pub type Downtime = (Vec<(NodeId, NodeId)>, Time, Time);

/// When nodes were down, and the runs in which jobs were killed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownOutages {
    /// The nodes that were down as intervals from first to last, with the time from which on and the time until which
    /// they were down. The end of time if they did not come up.
    pub down: Vec<Downtime>,
    /// The runs in which jobs were killed.
    pub killed: Vec<ScheduledJob>,
}

/// Returns how much was checked of a schedule with these outages, or the first violation: of one run by others, or else of
/// a run by nodes that are down. O((R·n + D)·log D) beside the plain audit, for R runs of n nodes and D downtimes of
/// single nodes.
pub fn audit_outages(schedule: &Schedule, outages: &KnownOutages, mesh: &Mesh) -> Result<Checked, Violation> {
    let jobs: Vec<ScheduledJob> = schedule.jobs.iter().chain(&outages.killed).cloned().collect();
    let checked = audit(&Schedule { jobs, left_out: 0 }, mesh, None)?;
    let mut down: BTreeMap<NodeId, Vec<(Time, Time)>> = BTreeMap::new();
    for (nodes, from, until) in &outages.down {
        for node in nodes.iter().flat_map(|&(first, last)| first..=last) {
            down.entry(node).or_default().push((*from, *until));
        }
    }
    for times in down.values_mut() {
        times.sort_unstable();
    }
    let times_of = |node: NodeId| down.get(&node).map_or(&[][..], Vec::as_slice);
    for run in schedule.jobs.iter().chain(&outages.killed) {
        for node in run.each_node() {
            let times = times_of(node);
            // The last time at which the node went down up to the start.
            let before = times.partition_point(|(from, _)| *from <= run.start);
            if let Some((from, until)) = times[..before].last().filter(|(_, until)| *until > run.start) {
                let until =
                    if *until == Time::MAX { "for good".to_owned() } else { format!("until {until}") };
                let what = format!("starts on node {node}, which is down from {from} {until}");
                return Err(Violation::of(run, run.start, what, "nodes that are up".to_owned()));
            }
        }
    }
    for run in outages.killed.iter().filter(|run| run.nodes.is_some()) {
        let goes_down = |node| times_of(node).binary_search_by_key(&run.end, |(from, _)| *from).is_ok();
        if !run.each_node().any(goes_down) {
            let what = "is killed while all of its nodes are up".to_owned();
            return Err(Violation::of(run, run.end, what, "one of them to go down then".to_owned()));
        }
    }
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::job;
    use super::*;

    fn on(number: i64, times: [i64; 3], nodes: (NodeId, NodeId)) -> ScheduledJob {
        ScheduledJob { nodes: Some(vec![nodes]), ..job(number, times, nodes.1 - nodes.0 + 1) }
    }

    /// Job 1 on nodes 0 and 1 is killed at 4 s as node 0 goes down until 9 s, and runs again from `again_s` on.
    fn example(again_s: i64, down: [i64; 2]) -> Result<Checked, Violation> {
        let at = Time::from_seconds;
        let jobs = vec![on(1, [0, again_s, again_s + 10], (0, 1)), on(2, [0, 0, 30], (2, 3))];
        let killed = vec![on(1, [0, 0, 4], (0, 1))];
        let outages = KnownOutages { down: vec![(vec![(0, 0)], at(down[0]), at(down[1]))], killed };
        let schedule = Schedule { jobs, left_out: 0 };
        let mesh =
            "4".parse().map_err(|_| Violation::of(&schedule.jobs[0], at(0), String::new(), String::new()))?;
        audit_outages(&schedule, &outages, &mesh)
    }

    #[test]
    fn runs_start_on_nodes_that_are_up() {
        assert_eq!(example(9, [4, 9]).map(|checked| (checked.jobs, checked.peak)), Ok((3, 4)));
        let told = |found: Result<Checked, Violation>| found.map_err(|violation| violation.to_string());
        assert_eq!(
            told(example(8, [4, 9])),
            Err("at 8 s, job 1 (row 1) starts on node 0, which is down from 4 s until 9 s; expected nodes that are up"
                .to_owned())
        );
        assert_eq!(
            told(example(9, [5, 9])),
            Err("at 4 s, job 1 (row 1) is killed while all of its nodes are up; expected one of them to go down then"
                .to_owned())
        );
        // The run that was killed counts: nobody else may have its nodes.
        assert!(told(example(3, [4, 9])).is_err_and(|violation| violation.starts_with("at 3 s, job 1")));
    }
}
