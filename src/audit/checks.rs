//! Whether a machine can carry a schedule out.
//!
//! One pass over the instants at which something happens: jobs that end give their nodes back, jobs arrive, jobs start.
//! A job that runs for no time holds nothing. O(J log J + nodes of all placements).

use std::collections::BTreeSet;
use std::fmt;

use super::policy::{Promised, Rules};
use super::{Schedule, ScheduledJob};
use crate::job::Time;
use crate::machine::NodeId;

/// What is wrong with a schedule, at the first instant at which something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The instant.
    pub at: Time,
    /// The log's number of the job.
    pub number: i64,
    /// Its row in the file, from 1.
    pub row: u64,
    /// What was found.
    pub what: String,
    /// What was expected.
    pub expected: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, number, row, what, expected } = self;
        write!(f, "at {at}, job {number} (row {row}) {what}; expected {expected}")
    }
}

impl Violation {
    pub(super) fn of(job: &ScheduledJob, at: Time, what: String, expected: String) -> Self {
        Self { at, number: job.number, row: job.row, what, expected }
    }
}

/// How much of a schedule was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Jobs.
    pub jobs: u64,
    /// Instants at which something happens.
    pub instants: u64,
    /// Most processors in use at once.
    pub peak: u32,
    /// Jobs whose nodes are known and were followed.
    pub placed: u64,
    /// Jobs that were moved: their nodes were not followed.
    pub moved: u64,
    /// Instants at which the policy let somebody wait.
    pub decisions: u64,
    /// Jobs that headed the queue with a promise.
    pub promises: u64,
    /// Promises that a job broke which ran longer than estimated, so that they were not checked.
    pub void: u64,
}

/// The machine as a schedule leaves it.
pub(super) struct State<'a> {
    pub(super) jobs: &'a [ScheduledJob],
    pub(super) now: Time,
    pub(super) free: u32,
    nodes: u32,
    /// For each node the job that holds it and 1, or 0.
    owners: Vec<usize>,
    /// Running jobs by expected end.
    pub(super) running: BTreeSet<(Time, usize)>,
}

/// Checks a schedule on a machine of so many nodes, and against a policy if one is given.
pub fn audit(schedule: &Schedule, nodes: u32, promised: Option<Promised<'_>>) -> Result<Checked, Violation> {
    let jobs = schedule.jobs.as_slice();
    let mut state = State {
        jobs,
        now: Time::ZERO,
        free: nodes,
        nodes,
        owners: vec![0; nodes as usize],
        running: BTreeSet::new(),
    };
    let mut rules = promised.map(|promised| Rules::new(promised, jobs));
    let mut checked = Checked { jobs: jobs.len() as u64, ..Checked::default() };
    let sorted = |time: fn(&ScheduledJob) -> Time| {
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|&i| time(&jobs[i]));
        order
    };
    let (arrivals, starts, mut ends) =
        (sorted(|job| job.submit), sorted(|job| job.start), sorted(|job| job.end));
    ends.retain(|&i| jobs[i].end > jobs[i].start);
    let (mut arrived, mut started, mut ended) = (0, 0, 0);
    loop {
        let next = [
            arrivals.get(arrived).map(|&i| jobs[i].submit),
            starts.get(started).map(|&i| jobs[i].start),
            ends.get(ended).map(|&i| jobs[i].end),
        ];
        let Some(now) = next.into_iter().flatten().min() else { break };
        state.now = now;
        checked.instants += 1;
        if let Some(rules) = &mut rules {
            rules.before(&state, &mut checked)?;
        }
        let due = |order: &[usize], from: usize, time: fn(&ScheduledJob) -> Time| {
            from + order[from..].partition_point(|&i| time(&jobs[i]) <= now)
        };
        let until = due(&ends, ended, |job| job.end);
        for &i in &ends[ended..until] {
            state.end(i);
            if let Some(rules) = &mut rules {
                rules.ended(&jobs[i]);
            }
        }
        ended = until;
        let until = due(&arrivals, arrived, |job| job.submit);
        if let Some(rules) = &mut rules {
            arrivals[arrived..until].iter().for_each(|&i| rules.arrived(i));
        }
        arrived = until;
        let until = due(&starts, started, |job| job.start);
        for &i in &starts[started..until] {
            state.start(i, &mut checked)?;
        }
        checked.peak = checked.peak.max(nodes - state.free);
        if let Some(rules) = &mut rules {
            rules.after(&state, &starts[started..until], &mut checked)?;
        }
        started = until;
    }
    Ok(checked)
}

impl State<'_> {
    fn end(&mut self, i: usize) {
        let job = &self.jobs[i];
        self.running.remove(&(job.expected_end(), i));
        self.free += job.allocated;
        if !job.moved {
            for node in job.each_node() {
                self.owners[node as usize] = 0;
            }
        }
    }

    fn start(&mut self, i: usize, checked: &mut Checked) -> Result<(), Violation> {
        let job = &self.jobs[i];
        let wrong = |what: String, expected: String| Err(Violation::of(job, self.now, what, expected));
        if job.start < job.submit {
            return wrong("starts before it arrives".to_owned(), format!("{} or later", job.submit));
        }
        if job.end < job.start {
            return wrong(format!("ends before it starts, at {}", job.end), "a later end".to_owned());
        }
        if job.allocated < job.procs {
            return wrong(
                format!("has a placement of {} nodes", job.allocated),
                format!("{}, which it asks for", job.procs),
            );
        }
        let found: u64 = job.nodes.iter().flatten().map(|(first, last)| u64::from(last - first) + 1).sum();
        if job.nodes.is_some() && found != u64::from(job.allocated) {
            return wrong(
                format!("has a placement of {found} nodes"),
                format!("{}, which it is said to hold", job.allocated),
            );
        }
        if let Some(outside) =
            job.nodes.iter().flatten().map(|(_, last)| *last).find(|&last| last >= self.nodes)
        {
            return wrong(format!("holds node {outside}"), format!("a node from 0 to {}", self.nodes - 1));
        }
        if job.end == job.start {
            return Ok(());
        }
        if job.allocated > self.free {
            let (used, nodes) = (self.nodes - self.free, self.nodes);
            return wrong(
                format!("takes {} processors while {used} of {nodes} are in use", job.allocated),
                format!("at most {}", self.free),
            );
        }
        checked.moved += u64::from(job.moved);
        if !job.moved && job.nodes.is_some() {
            self.occupy(i)?;
            checked.placed += 1;
        }
        self.free -= job.allocated;
        self.running.insert((job.expected_end(), i));
        Ok(())
    }

    fn occupy(&mut self, i: usize) -> Result<(), Violation> {
        let job = &self.jobs[i];
        for node in job.each_node() {
            let owner = std::mem::replace(&mut self.owners[node as usize], i + 1);
            if owner > 0 {
                return Err(Violation::of(
                    job,
                    self.now,
                    self.conflict(node, owner - 1, i),
                    "a free node".to_owned(),
                ));
            }
        }
        Ok(())
    }

    fn conflict(&self, node: NodeId, owner: usize, i: usize) -> String {
        if owner == i {
            return format!("names node {node} twice");
        }
        let ScheduledJob { number, end, .. } = self.jobs[owner];
        format!("takes node {node}, which job {number} holds until {end}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::job;
    use super::*;

    fn first(jobs: &[ScheduledJob]) -> String {
        let schedule = Schedule { jobs: jobs.to_vec(), left_out: 0 };
        audit(&schedule, 8, None).expect_err("wrong").to_string()
    }

    fn on(nodes: &[(NodeId, NodeId)], job: &ScheduledJob) -> ScheduledJob {
        ScheduledJob { nodes: Some(nodes.to_vec()), ..job.clone() }
    }

    #[test]
    fn every_kind_of_violation_is_named() {
        let (a, b) = (job(1, [0, 0, 10], 5), job(2, [0, 5, 10], 4));
        assert_eq!(
            first(&[job(7, [5, 4, 9], 1)]),
            "at 4 s, job 7 (row 7) starts before it arrives; expected 5 s or later"
        );
        assert_eq!(
            first(&[job(1, [0, 4, 3], 1)]),
            "at 4 s, job 1 (row 1) ends before it starts, at 3 s; expected a later end"
        );
        assert_eq!(
            first(&[a.clone(), b.clone()]),
            "at 5 s, job 2 (row 2) takes 4 processors while 5 of 8 are in use; expected at most 3"
        );
        let small = ScheduledJob { allocated: 3, ..a.clone() };
        assert_eq!(
            first(&[small]),
            "at 0 s, job 1 (row 1) has a placement of 3 nodes; expected 5, which it asks for"
        );
        assert_eq!(
            first(&[on(&[(0, 3)], &a)]),
            "at 0 s, job 1 (row 1) has a placement of 4 nodes; expected 5, which it is said to hold"
        );
        assert_eq!(
            first(&[on(&[(0, 3), (8, 8)], &a)]),
            "at 0 s, job 1 (row 1) holds node 8; expected a node from 0 to 7"
        );
        assert_eq!(
            first(&[on(&[(0, 3), (2, 2)], &a)]),
            "at 0 s, job 1 (row 1) names node 2 twice; expected a free node"
        );
        let both = [on(&[(0, 4)], &a), on(&[(4, 6)], &job(2, [0, 5, 12], 3))];
        assert_eq!(
            first(&both),
            "at 5 s, job 2 (row 2) takes node 4, which job 1 holds until 10 s; expected a free node"
        );
    }

    #[test]
    fn nodes_are_free_again_at_the_end_and_moved_jobs_are_only_counted() -> Result<(), Violation> {
        let mut jobs = vec![
            on(&[(0, 4)], &job(1, [0, 0, 10], 5)),
            on(&[(0, 4)], &job(2, [3, 10, 12], 5)),
            on(&[(0, 7)], &job(3, [3, 12, 12], 8)),
        ];
        jobs.push(ScheduledJob { moved: true, ..on(&[(0, 2)], &job(4, [0, 10, 12], 3)) });
        let checked = audit(&Schedule { jobs, left_out: 0 }, 8, None)?;
        let expected = Checked { jobs: 4, instants: 4, peak: 8, placed: 2, moved: 1, ..Checked::default() };
        assert_eq!(checked, expected);
        Ok(())
    }
}
