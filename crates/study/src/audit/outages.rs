//! Audit of schedules with outages. Killed runs count as runs, no run starts on a node that is down, and a
//! job is killed only when one of its nodes goes down.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;

use super::ScheduledJob;
use super::state::{AuditCounts, Violation};
use super::stream::{ScheduleStream, audit_stream};
use meshreplay_base::job::{Period, Time};
use meshreplay_machine::machine::{Mesh, NodeId};

/// Nodes as intervals from first to last, the start of their outage and its end.
pub type Downtime = (Vec<(NodeId, NodeId)>, Time, Time);

/// Outages of nodes, and the runs that they killed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownOutages {
    /// Outages. The end is the end of time if the nodes did not come up.
    pub down: Vec<Downtime>,
    /// Killed runs.
    pub killed: Vec<ScheduledJob>,
}

/// Audits the schedule that `read` returns against these outages. Returns counts of what was checked, or the
/// first violation: a conflict between runs, or else a run on nodes that are down. Fails if a job cannot be
/// read. For R runs of n nodes and D outages of single nodes, this adds O((R·n + D)·log D) to the plain
/// audit.
pub fn audit_outages<'w, E: From<io::Error> + 'w>(
    read: &mut dyn FnMut() -> Result<ScheduleStream<'w, E>, E>,
    outages: &KnownOutages,
    mesh: &Mesh,
    period: Option<Period>,
) -> Result<Result<AuditCounts, Violation>, E> {
    let times = Rc::new(Times::of(outages));
    // The first run of the schedule, in file order, that starts on a node that is down.
    let odd: Rc<RefCell<Option<Violation>>> = Rc::default();
    let mut watched = || -> Result<ScheduleStream<'w, E>, E> {
        let (times, odd) = (Rc::clone(&times), Rc::clone(&odd));
        odd.take();
        Ok(Box::new(read()?.inspect(move |job| {
            let mut odd = odd.borrow_mut();
            if let (Ok(run), None) = (job, &*odd) {
                *odd = times.starts_on_down(run);
            }
        })))
    };
    let checked = match audit_stream(&mut watched, &outages.killed, mesh, None, period)? {
        Ok(checked) => checked,
        violation => return Ok(violation),
    };
    let is_inside = |run: &&ScheduledJob| period.is_none_or(|period| run.is_in(period));
    let killed: Vec<&ScheduledJob> = outages.killed.iter().filter(is_inside).collect();
    let odd = odd.take().or_else(|| killed.iter().find_map(|run| times.starts_on_down(run)));
    Ok(match odd.or_else(|| killed.iter().find_map(|run| times.is_killed_on_up(run))) {
        Some(violation) => Err(violation),
        None => Ok(checked),
    })
}

/// Outages of each node, sorted by start.
struct Times(BTreeMap<NodeId, Vec<(Time, Time)>>);

impl Times {
    fn of(outages: &KnownOutages) -> Self {
        let mut down: BTreeMap<NodeId, Vec<(Time, Time)>> = BTreeMap::new();
        for (nodes, from, until) in &outages.down {
            for node in nodes.iter().flat_map(|&(first, last)| first..=last) {
                down.entry(node).or_default().push((*from, *until));
            }
        }
        for times in down.values_mut() {
            times.sort_unstable();
        }
        Self(down)
    }

    fn of_node(&self, node: NodeId) -> &[(Time, Time)] {
        self.0.get(&node).map_or(&[][..], Vec::as_slice)
    }

    /// Returns the violation of a run that starts on a node that is down.
    fn starts_on_down(&self, run: &ScheduledJob) -> Option<Violation> {
        run.each_node().find_map(|node| {
            let times = self.of_node(node);
            // The last outage that began before or at the start.
            let before = times.partition_point(|(from, _)| *from <= run.start);
            let (from, until) = times[..before].last().filter(|(_, until)| *until > run.start)?;
            let until = if *until == Time::MAX { "for good".to_owned() } else { format!("until {until}") };
            let what = format!("starts on node {node}, which is down from {from} {until}");
            Some(Violation::of(run, run.start, what, "nodes that are up".to_owned()))
        })
    }

    /// Returns the violation of a killed run whose nodes are known and all up at its end.
    fn is_killed_on_up(&self, run: &ScheduledJob) -> Option<Violation> {
        let goes_down = |node| self.of_node(node).binary_search_by_key(&run.end, |(from, _)| *from).is_ok();
        if run.nodes.is_none() || run.each_node().any(goes_down) {
            return None;
        }
        let what = "is killed while all of its nodes are up".to_owned();
        Some(Violation::of(run, run.end, what, "one of them to go down then".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{job, stream};
    use super::*;

    fn on(number: i64, times: [i64; 3], nodes: (NodeId, NodeId)) -> ScheduledJob {
        ScheduledJob { nodes: Some(vec![nodes]), ..job(number, times, nodes.1 - nodes.0 + 1) }
    }

    /// Job 1 on nodes 0 and 1 is killed at 4 s when node 0 goes down until 9 s, and runs again from `again_s`
    /// on.
    fn example(again_s: i64, down: [i64; 2]) -> Result<AuditCounts, Violation> {
        let at = Time::from_seconds;
        let jobs = vec![on(1, [0, again_s, again_s + 10], (0, 1)), on(2, [0, 0, 30], (2, 3))];
        let killed = vec![on(1, [0, 0, 4], (0, 1))];
        let outages = KnownOutages { down: vec![(vec![(0, 0)], at(down[0]), at(down[1]))], killed };
        let mesh = Mesh::new(&[4]).expect("a machine");
        audit_outages(&mut || Ok(stream(&jobs)), &outages, &mesh, None).expect("jobs in memory")
    }

    #[test]
    fn runs_start_on_nodes_that_are_up() {
        assert_eq!(example(9, [4, 9]).map(|checked| (checked.jobs, checked.peak)), Ok((3, 4)));
        let told = |found: Result<AuditCounts, Violation>| found.map_err(|violation| violation.to_string());
        assert_eq!(
            told(example(8, [4, 9])),
            Err("at 8 s, job 1 (row 1) starts on node 0, which is down from 4 s until 9 s; expected nodes \
                 that are up"
                .to_owned())
        );
        assert_eq!(
            told(example(9, [5, 9])),
            Err("at 4 s, job 1 (row 1) is killed while all of its nodes are up; expected one of them to go \
                 down then"
                .to_owned())
        );
        // The killed run counts: no other job may have its nodes.
        assert!(told(example(3, [4, 9])).is_err_and(|violation| violation.starts_with("at 3 s, job 1")));
    }
}
