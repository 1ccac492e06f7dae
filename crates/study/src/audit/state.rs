//! Machine state during an audit, and the results of the audit.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "a job that starts takes at most the free nodes, and gives them back once; ranges of nodes end \
         at or after their beginnings; places are those of jobs in memory"
)]

use std::collections::BTreeSet;
use std::ops::Index;
use std::{fmt, mem};

use super::ScheduledJob;
use meshreplay_base::job::Time;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::{Mesh, NodeId};

/// The first thing that is wrong with a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The time of the violation.
    pub at: Time,
    /// The log's number of the job.
    pub number: i64,
    /// The job's row in the file, from 1; 0 for a violation without a job.
    pub row: u64,
    /// What was found, in words.
    pub what: String,
    /// What was expected, in words.
    pub expected: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, number, row, what, expected } = self;
        match row {
            0 => write!(f, "at {at}, {what}; expected {expected}"),
            _ => write!(f, "at {at}, job {number} (row {row}) {what}; expected {expected}"),
        }
    }
}

impl Violation {
    /// Returns a violation by `job`.
    pub(super) fn of(job: &ScheduledJob, at: Time, what: String, expected: String) -> Self {
        Self { at, number: job.number, row: job.row, what, expected }
    }
}

/// Counts of what was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuditCounts {
    /// The number of jobs.
    pub jobs: u64,
    /// The number of instants with events.
    pub instants: u64,
    /// Most nodes in use at once.
    pub peak: u32,
    /// Jobs with known nodes, which were all checked.
    pub placed: u64,
    /// Jobs that hold more nodes than they ask for, such as whole submeshes.
    pub larger: u64,
    /// Jobs that were moved, whose nodes were not checked.
    pub moved: u64,
    /// Instants with a waiting job where the policy was checked.
    pub decisions: u64,
    /// Promises to jobs at the head of the queue.
    pub promises: u64,
    /// Promises that were not checked, because another job ran longer than estimated.
    pub void: u64,
}

/// Owner of unavailable nodes.
const NOBODY: usize = usize::MAX;

/// A waiting or running job. Jobs are ordered by their positions in the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct JobAt {
    /// Position in the schedule, from 0.
    position: u64,
    /// Index in the window, which is reused after the job has left.
    pub(super) place: usize,
}

/// Waiting and running jobs, and free indices.
#[derive(Debug, Default)]
pub(super) struct ActiveJobs {
    jobs: Vec<ScheduledJob>,
    free: Vec<usize>,
}

impl ActiveJobs {
    /// Adds a job.
    pub(super) fn add(&mut self, position: u64, job: ScheduledJob) -> JobAt {
        let place = self.free.pop().unwrap_or_else(|| {
            self.jobs.push(ScheduledJob::default());
            self.jobs.len() - 1
        });
        self.jobs[place] = job;
        JobAt { position, place }
    }

    /// Removes a job.
    pub(super) fn remove(&mut self, at: JobAt) -> ScheduledJob {
        self.free.push(at.place);
        mem::take(&mut self.jobs[at.place])
    }

    fn in_place(&self, place: usize) -> &ScheduledJob {
        &self.jobs[place]
    }
}

impl Index<JobAt> for ActiveJobs {
    type Output = ScheduledJob;

    fn index(&self, at: JobAt) -> &ScheduledJob {
        self.in_place(at.place)
    }
}

/// The machine at an instant of the schedule.
pub(super) struct State {
    /// Waiting and running jobs.
    pub(super) jobs: ActiveJobs,
    /// The current time.
    pub(super) now: Time,
    /// Free nodes.
    pub(super) free: u32,
    /// Available nodes.
    available: u32,
    /// Owner of each node: the index of its job in the window plus 1, 0 if it is free, or [`NOBODY`].
    owners: Vec<usize>,
    /// Running jobs by expected end.
    pub(super) running: BTreeSet<(Time, JobAt)>,
}

impl State {
    /// Returns the idle machine `mesh`.
    pub(super) fn idle(mesh: &Mesh) -> Self {
        let mut owners = vec![0; mesh.nodes() as usize];
        for &(first, last) in mesh.unavailable() {
            owners[first as usize..=last as usize].fill(NOBODY);
        }
        let available = mesh.available();
        let (jobs, running) = (ActiveJobs::default(), BTreeSet::new());
        Self { jobs, now: Time::ZERO, free: available, available, owners, running }
    }

    /// Returns the number of nodes in use.
    pub(super) fn used(&self) -> u32 {
        self.available - self.free
    }

    /// Ends a job, frees its nodes and returns it.
    pub(super) fn end(&mut self, at: JobAt) -> ScheduledJob {
        let job = self.jobs.remove(at);
        self.running.remove(&(job.expected_end(), at));
        self.free += job.allocated;
        if !job.moved {
            for node in job.each_node() {
                self.owners[node as usize] = 0;
            }
        }
        job
    }

    /// Starts a job and occupies its nodes. Fails if its times or counts are wrong, or if its nodes are not
    /// free.
    pub(super) fn start(&mut self, at: JobAt, checked: &mut AuditCounts) -> Result<(), Violation> {
        let job = &self.jobs[at];
        let violation = |what: String, expected: String| Err(Violation::of(job, self.now, what, expected));
        let placed = job
            .nodes
            .as_ref()
            .map(|nodes| nodes.iter().map(|(first, last)| u64::from(last - first) + 1).sum());
        if let Some([what, expected]) = job.contradiction(placed) {
            return violation(what, expected);
        }
        let nodes = self.owners.len();
        let mut ends = job.nodes.iter().flatten().map(|(_, last)| *last);
        if let Some(outside) = ends.find(|&last| last as usize >= nodes) {
            return violation(format!("holds node {outside}"), format!("a node from 0 to {}", nodes - 1));
        }
        if job.end == job.start {
            return Ok(());
        }
        if job.allocated > self.free {
            let (used, available) = (self.used(), self.available);
            return violation(
                format!(
                    "takes {} while {used} of {available} are in use",
                    counted(job.allocated, "processor")
                ),
                format!("at most {}", self.free),
            );
        }
        checked.moved += u64::from(job.moved);
        self.free -= job.allocated;
        checked.larger += u64::from(job.allocated > job.procs);
        self.running.insert((job.expected_end(), at));
        if !job.moved && job.nodes.is_some() {
            checked.placed += 1;
            self.occupy(at)?;
        }
        Ok(())
    }

    /// Makes a job the owner of its nodes. Fails if one of them has an owner.
    fn occupy(&mut self, at: JobAt) -> Result<(), Violation> {
        let job = &self.jobs[at];
        for node in job.each_node() {
            let owner = mem::replace(&mut self.owners[node as usize], at.place + 1);
            if owner > 0 {
                let what = self.conflict(node, owner, at);
                return Err(Violation::of(job, self.now, what, "a free node".to_owned()));
            }
        }
        Ok(())
    }

    /// Returns in words why a job cannot have a node of this owner.
    fn conflict(&self, node: NodeId, owner: usize, at: JobAt) -> String {
        if owner == NOBODY {
            return format!("takes node {node}, which is unavailable");
        }
        if owner == at.place + 1 {
            return format!("names node {node} twice");
        }
        let ScheduledJob { number, end, .. } = self.jobs.in_place(owner - 1);
        format!("takes node {node}, which job {number} holds until {end}")
    }
}
