//! Audit of a running replay: the rules for schedules, checked on the events that an observer receives, and
//! against the records of the replay.
//!
//! A separate table maps nodes to jobs. If all starts, ends and nodes in the records match the events, and no
//! event gives a node to two jobs, then the schedule in the records is feasible. The cost is two accesses to
//! the table for each node of each placement, and memory for the waiting and running jobs.

use std::collections::VecDeque;

use super::{ScheduledJob, Violation};
use meshreplay_alloc::allocator::Rearrangement;
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Mesh, NodeId};
use meshreplay_sim::engine::{Compaction, Fate, Observer, Placed, Record};
use meshreplay_sim::execution::JobTraffic;
use meshreplay_sim::scheduler::Waiting;

/// Holder of a free node.
const NOBODY: u32 = 0;

/// Holder of an unavailable node.
const UNAVAILABLE: u32 = u32::MAX;

/// What was observed of a job in the replay.
#[derive(Clone, Copy, Debug, Default)]
struct RunObservation {
    /// Start and end of its last run, moves included; `None` before them.
    from: Option<Time>,
    until: Option<Time>,
    /// Nodes of its last run.
    nodes: usize,
}

/// An observer that checks events and forwards them to another observer. The first violation stops the
/// replay.
pub struct LiveAudit<'a> {
    inner: &'a mut dyn Observer,
    stop: Stop,
    /// Holder of each node: its job plus 1, [`NOBODY`] or [`UNAVAILABLE`].
    holders: Vec<u32>,
    /// Whether each node is down; empty while all nodes are up.
    down: Vec<bool>,
    /// Nodes in use.
    held: usize,
    /// The job that leaves next, and the observations of it and of later jobs.
    first: JobId,
    observations: VecDeque<RunObservation>,
    /// Whether jobs have been moved. A job that waits for moves gets its nodes before it starts.
    has_moves: bool,
    /// The first violation and its job, whose number is unknown until it leaves.
    violation: Option<(JobId, Violation)>,
}

impl<'a> LiveAudit<'a> {
    /// Returns an observer of a replay on `mesh` that forwards events to `inner`. Throws `stop` at a
    /// violation.
    pub fn new(mesh: &Mesh, inner: &'a mut dyn Observer, stop: Stop) -> Self {
        let mut holders = vec![NOBODY; mesh.nodes() as usize];
        for &(first, last) in mesh.unavailable() {
            holders[first as usize..=last as usize].fill(UNAVAILABLE);
        }
        Self {
            inner,
            stop,
            holders,
            down: Vec::new(),
            held: 0,
            first: 0,
            observations: VecDeque::new(),
            has_moves: false,
            violation: None,
        }
    }

    /// Fails with a message about the first violation of a finished replay.
    pub fn finish(self) -> Result<(), String> {
        if let Some((_, violation)) = &self.violation {
            return Err(message(violation));
        }
        match self.holders.iter().position(|&holder| holder != NOBODY && holder != UNAVAILABLE) {
            Some(node) if self.held > 0 => {
                // Its number was in the records, which are gone.
                let what =
                    format!("the job of row {} still holds node {node} at the end", self.holders[node]);
                let expected = "no node".to_owned();
                Err(message(&Violation { at: Time::MAX, number: 0, row: 0, what, expected }))
            }
            _ => Ok(()),
        }
    }

    /// Returns the observations of a job; `None` if it has left.
    fn observation(&mut self, job: JobId) -> Option<&mut RunObservation> {
        let at = job.checked_sub(self.first)? as usize;
        if at >= self.observations.len() {
            self.observations.resize(at + 1, RunObservation::default());
        }
        self.observations.get_mut(at)
    }

    /// Reports a violation by a job, if it is the first one. The replay stops when the job's number is known.
    fn report(&mut self, job: JobId, at: Time, what: String, expected: &str) {
        if self.violation.is_none() {
            let (row, expected) = (u64::from(job) + 1, expected.to_owned());
            self.violation = Some((job, Violation { at, number: 0, row, what, expected }));
        }
    }

    /// Gives a job a node, or reports a violation.
    #[cold]
    fn take_one(&mut self, job: JobId, node: NodeId, now: Time) {
        let holder = self.holders.get(node as usize).copied();
        if let Some(what) = self.conflict(job, node, holder) {
            return self.report(job, now, what, "a free node");
        }
        if let Some(holder) = self.holders.get_mut(node as usize) {
            *holder = job + 1;
        }
    }

    /// Returns in words why a job cannot have a node with this holder; `None` if it can.
    fn conflict(&self, job: JobId, node: NodeId, holder: Option<u32>) -> Option<String> {
        match holder {
            None => Some(format!("holds node {node}, which is outside of the machine")),
            Some(UNAVAILABLE) => Some(format!("takes node {node}, which is unavailable")),
            Some(NOBODY) if self.down.get(node as usize) == Some(&true) => {
                Some(format!("takes node {node}, which is down"))
            }
            Some(NOBODY) => None,
            Some(holder) if holder == job + 1 => Some(format!("takes node {node} twice")),
            Some(holder) => Some(format!("takes node {node}, which the job of row {holder} holds")),
        }
    }

    /// Checks the record of a leaving job against the observations.
    fn check_record(&mut self, id: JobId, job: &Job, record: &Record, run: RunObservation) {
        let Record { start, end, allocated, .. } = *record;
        let Job { submit, procs, .. } = *job;
        let scheduled = ScheduledJob { submit, start, end, procs, allocated, ..ScheduledJob::default() };
        if let Some([what, expected]) = scheduled.contradiction(Some(run.nodes as u64)) {
            return self.report(id, start, what, &expected);
        }
        let (Some(from), Some(until)) = (run.from, run.until) else {
            return self.report(id, start, "has no nodes at its end".to_owned(), "a start and an end");
        };
        if start < from || (start > from && !self.has_moves) {
            return self.report(id, start, format!("gets its nodes at {from}"), "them at its start");
        }
        if end != until {
            self.report(id, end, format!("gives its nodes back at {until}"), "them at its end");
        }
    }
}

/// Returns the holders of `nodes` if the nodes are consecutive and `holder` holds all of them; `None`
/// otherwise.
fn all_held_by<'h>(holders: &'h mut [u32], nodes: &[NodeId], holder: u32) -> Option<&'h mut [u32]> {
    let (first, last) = (*nodes.first()? as usize, *nodes.last()? as usize);
    // A quick test that rejects most lists.
    if last.checked_sub(first)? != nodes.len().checked_sub(1)? {
        return None;
    }
    let holders = holders.get_mut(first..=last)?;
    // Branch-free, so that the loops vectorize.
    let gaps = nodes.windows(2).fold(0, |gaps, pair| gaps | (pair[0].wrapping_add(1) ^ pair[1]));
    let differs = holders.iter().fold(0, |differs, other| differs | (other ^ holder));
    (gaps | differs == 0).then_some(holders)
}

fn message(violation: &Violation) -> String {
    format!("the audit finds that the replay is wrong: {violation}")
}

impl Observer for LiveAudit<'_> {
    fn instant(&mut self, now: Time) {
        self.inner.instant(now);
    }

    fn queued(&mut self, waiting: &Waiting, job: &Job) {
        self.inner.queued(waiting, job);
    }

    fn started(&mut self, id: JobId, nodes: u32) {
        self.inner.started(id, nodes);
    }

    fn returning(&mut self, id: JobId, nodes: u32) {
        self.inner.returning(id, nodes);
    }

    fn ended(&mut self, id: JobId) {
        self.inner.ended(id);
    }

    fn allocated(&mut self, job: JobId, placed: Option<Placed<'_>>, cost_ns: u64) {
        self.inner.allocated(job, placed, cost_ns);
    }

    fn occupied(&mut self, job: JobId, nodes: &[NodeId], now: Time) {
        let all_up = self.down.is_empty();
        match all_held_by(&mut self.holders, nodes, NOBODY) {
            Some(holders) if all_up => holders.fill(job + 1),
            _ => {
                for &node in nodes {
                    match self.holders.get_mut(node as usize) {
                        Some(holder) if all_up && *holder == NOBODY => *holder = job + 1,
                        _ => self.take_one(job, node, now),
                    }
                }
            }
        }
        self.held += nodes.len();
        if let Some(run) = self.observation(job) {
            run.from.get_or_insert(now);
            (run.until, run.nodes) = (None, nodes.len());
        } else {
            self.report(job, now, "starts after its end".to_owned(), "one run");
        }
        self.inner.occupied(job, nodes, now);
    }

    fn vacated(&mut self, nodes: &[NodeId], now: Time) {
        let first = nodes.first().and_then(|&node| self.holders.get(node as usize));
        let holder = first.copied().filter(|&holder| holder != UNAVAILABLE).unwrap_or(NOBODY);
        let mut odd = None;
        if let Some(holders) = all_held_by(&mut self.holders, nodes, holder) {
            holders.fill(NOBODY);
        } else {
            for &node in nodes {
                match self.holders.get_mut(node as usize) {
                    Some(held) if *held == holder => *held = NOBODY,
                    _ => odd = odd.or(Some(node)),
                }
            }
        }
        match (odd, holder.checked_sub(1)) {
            (None, Some(_)) => {}
            (Some(node), Some(job)) => {
                let what = format!("gives node {node} back, which it does not hold");
                self.report(job, now, what, "its own nodes");
            }
            // The nodes are free, unavailable or outside the machine, or the list is empty.
            (_, None) => {
                let node = nodes.first().map_or("no node".to_owned(), |node| format!("node {node}"));
                let what = format!("{node} is given back, which no job holds");
                let expected = "nodes of a job".to_owned();
                if self.violation.is_none() {
                    let violation = Violation { at: now, number: 0, row: 0, what, expected };
                    self.stop.fail_dated(message(&violation));
                    self.violation = Some((JobId::MAX, violation));
                }
            }
        }
        self.held = self.held.saturating_sub(nodes.len());
        if let Some(job) = holder.checked_sub(1)
            && let Some(run) = self.observation(job)
        {
            run.until = Some(now);
            let had = run.nodes;
            if had != nodes.len() {
                let what = format!("gives {} of its {had} nodes back", nodes.len());
                self.report(job, now, what, "all of them");
            }
        }
        self.inner.vacated(nodes, now);
    }

    fn compaction(&mut self, what: Compaction, plan: &Rearrangement) {
        self.has_moves = true;
        self.inner.compaction(what, plan);
    }

    fn changed(&mut self, node: NodeId, is_down: bool, now: Time) {
        self.down.resize(self.holders.len(), false);
        if let Some(known) = self.down.get_mut(node as usize) {
            *known = is_down;
        }
        self.inner.changed(node, is_down, now);
    }

    fn available(&mut self, nodes: u32, now: Time) {
        self.inner.available(nodes, now);
    }

    fn killed(&mut self, job: JobId, nodes: u32, ran: Time, now: Time) {
        if let Some(run) = self.observation(job) {
            // The next run starts from scratch.
            *run = RunObservation::default();
        }
        self.inner.killed(job, nodes, ran, now);
    }

    fn released(&mut self, cost_ns: u64) {
        self.inner.released(cost_ns);
    }

    fn on_job_final(&mut self, job: &Job, record: &Record, traffic: Option<JobTraffic>) {
        let id = self.first;
        let run = self.observations.pop_front().unwrap_or_default();
        self.first += 1;
        if record.fate == Fate::Completed {
            self.check_record(id, job, record, run);
        }
        if let Some((by, violation)) = &mut self.violation
            && *by <= id
        {
            if *by == id {
                violation.number = job.number;
            }
            self.stop.fail_dated(message(violation));
        }
        self.inner.on_job_final(job, record, traffic);
    }

    fn finished(&mut self, jobs: usize) {
        self.inner.finished(jobs);
    }
}

#[cfg(test)]
mod tests;
