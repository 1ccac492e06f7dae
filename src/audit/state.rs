//! The machine while a schedule is followed, and what is found on the way.

use std::collections::BTreeSet;
use std::fmt;

use super::ScheduledJob;
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

impl<'a> State<'a> {
    /// Returns a machine of so many nodes on which no job runs yet.
    pub(super) fn idle(jobs: &'a [ScheduledJob], nodes: u32) -> Self {
        Self {
            jobs,
            now: Time::ZERO,
            free: nodes,
            nodes,
            owners: vec![0; nodes as usize],
            running: BTreeSet::new(),
        }
    }

    /// Gives back the nodes of a job that ends.
    pub(super) fn end(&mut self, i: usize) {
        let job = &self.jobs[i];
        self.running.remove(&(job.expected_end(), i));
        self.free += job.allocated;
        if !job.moved {
            for node in job.each_node() {
                self.owners[node as usize] = 0;
            }
        }
    }

    /// Takes the nodes of a job that starts into use; fails if it cannot have them.
    pub(super) fn start(&mut self, i: usize, checked: &mut Checked) -> Result<(), Violation> {
        let job = &self.jobs[i];
        let violation = |what: String, expected: String| Err(Violation::of(job, self.now, what, expected));
        if job.start < job.submit {
            return violation("starts before it arrives".to_owned(), format!("{} or later", job.submit));
        }
        if job.end < job.start {
            return violation(format!("ends before it starts, at {}", job.end), "a later end".to_owned());
        }
        if job.allocated < job.procs {
            return violation(
                format!("has a placement of {} nodes", job.allocated),
                format!("{}, which it asks for", job.procs),
            );
        }
        let found: u64 = job.nodes.iter().flatten().map(|(first, last)| u64::from(last - first) + 1).sum();
        if job.nodes.is_some() && found != u64::from(job.allocated) {
            return violation(
                format!("has a placement of {found} nodes"),
                format!("{}, which it is said to hold", job.allocated),
            );
        }
        if let Some(outside) =
            job.nodes.iter().flatten().map(|(_, last)| *last).find(|&last| last >= self.nodes)
        {
            return violation(
                format!("holds node {outside}"),
                format!("a node from 0 to {}", self.nodes - 1),
            );
        }
        if job.end == job.start {
            return Ok(());
        }
        if job.allocated > self.free {
            let (used, nodes) = (self.nodes - self.free, self.nodes);
            return violation(
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

    /// Marks the nodes of a job as its own; fails if one of them has an owner.
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

    /// Says in words why the node cannot be had.
    fn conflict(&self, node: NodeId, owner: usize, i: usize) -> String {
        if owner == i {
            return format!("names node {node} twice");
        }
        let ScheduledJob { number, end, .. } = self.jobs[owner];
        format!("takes node {node}, which job {number} holds until {end}")
    }
}
