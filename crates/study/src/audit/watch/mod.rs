//! The audit of a replay while it runs: the rules of the audit of schedules, checked on what an observer
//! sees, and against the records that the replay gives of its jobs.
//!
//! A table of its own says which job holds each node. If every start, every end and every node in the records
//! is what was seen, and no node was ever seen with two jobs, then the schedule that the records make is
//! possible. It costs two accesses to the table for each node of each placement, and memory for the jobs that
//! wait or run.

use std::collections::VecDeque;

use super::{ScheduledJob, Violation};
use meshreplay_alloc::allocator::Rearrangement;
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Mesh, NodeId};
use meshreplay_sim::engine::{Compaction, Fate, Observer, Placed, Record};

/// The holder of a node that no job has.
const NOBODY: u32 = 0;

/// The holder of a node that no job can have.
const UNAVAILABLE: u32 = u32::MAX;

/// What was seen of a job that has not left.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The times from which on and until which it had nodes in its last run, moves included; `None` if it had
    /// none yet.
    from: Option<Time>,
    until: Option<Time>,
    /// The number of nodes that it has or had last.
    nodes: usize,
}

/// An observer that checks what happens, and passes everything on to another observer. The first violation
/// stops the replay.
pub struct Watch<'a> {
    inner: &'a mut dyn Observer,
    stop: Stop,
    /// The holder of each node: its job plus 1, [`NOBODY`] or [`UNAVAILABLE`].
    holders: Vec<u32>,
    /// Whether each node is down; empty as long as no node has gone down.
    down: Vec<bool>,
    /// The number of nodes that are held.
    held: usize,
    /// The job that leaves next, and what was seen of it and the jobs behind it.
    first: JobId,
    seen: VecDeque<Seen>,
    /// Whether jobs have been moved. A job for which others move has its nodes before it starts.
    has_moves: bool,
    /// The first violation and its job, whose number is not known before it leaves.
    violation: Option<(JobId, Violation)>,
}

impl<'a> Watch<'a> {
    /// Returns an observer of a replay on `mesh` that passes everything on to `inner`. Throws `stop` at a
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
            seen: VecDeque::new(),
            has_moves: false,
            violation: None,
        }
    }

    /// Fails with a message about the first violation of a replay that has ended.
    pub fn finish(self) -> Result<(), String> {
        if let Some((_, violation)) = &self.violation {
            return Err(message(violation));
        }
        match self.holders.iter().position(|&holder| holder != NOBODY && holder != UNAVAILABLE) {
            Some(node) if self.held > 0 => {
                // Its number came with the records, which are gone.
                let what =
                    format!("the job of row {} still holds node {node} at the end", self.holders[node]);
                let expected = "no node".to_owned();
                Err(message(&Violation { at: Time::MAX, number: 0, row: 0, what, expected }))
            }
            _ => Ok(()),
        }
    }

    /// Returns what was seen of a job; `None` if it has left.
    fn seen(&mut self, job: JobId) -> Option<&mut Seen> {
        let at = job.checked_sub(self.first)? as usize;
        if at >= self.seen.len() {
            self.seen.resize(at + 1, Seen::default());
        }
        self.seen.get_mut(at)
    }

    /// Notes a violation by a job, unless there has been one. The replay stops when the job's number is
    /// known.
    fn found(&mut self, job: JobId, at: Time, what: String, expected: &str) {
        if self.violation.is_none() {
            let (row, expected) = (u64::from(job) + 1, expected.to_owned());
            self.violation = Some((job, Violation { at, number: 0, row, what, expected }));
        }
    }

    /// Gives a job a node. Notes a violation if the job cannot have it.
    #[cold]
    fn take_one(&mut self, job: JobId, node: NodeId, now: Time) {
        let holder = self.holders.get(node as usize).copied();
        if let Some(what) = self.conflict(job, node, holder) {
            return self.found(job, now, what, "a free node");
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

    /// Checks the record of a job that leaves against what was seen of it.
    fn check_record(&mut self, id: JobId, job: &Job, record: &Record, seen: Seen) {
        let Record { start, end, allocated, .. } = *record;
        let Job { submit, procs, .. } = *job;
        let run = ScheduledJob { submit, start, end, procs, allocated, ..ScheduledJob::default() };
        if let Some([what, expected]) = run.contradiction(Some(seen.nodes as u64)) {
            return self.found(id, start, what, &expected);
        }
        let (Some(from), Some(until)) = (seen.from, seen.until) else {
            return self.found(id, start, "has no nodes at its end".to_owned(), "a start and an end");
        };
        if start < from || (start > from && !self.has_moves) {
            return self.found(id, start, format!("gets its nodes at {from}"), "them at its start");
        }
        if end != until {
            self.found(id, end, format!("gives its nodes back at {until}"), "them at its end");
        }
    }
}

/// Returns the holders of `nodes` if these are consecutive and `holder` holds them all; `None` otherwise.
fn all_held_by<'h>(holders: &'h mut [u32], nodes: &[NodeId], holder: u32) -> Option<&'h mut [u32]> {
    let (first, last) = (*nodes.first()? as usize, *nodes.last()? as usize);
    // Of most lists that are not consecutive these two numbers tell it.
    if last.checked_sub(first)? != nodes.len().checked_sub(1)? {
        return None;
    }
    let holders = holders.get_mut(first..=last)?;
    // Without an early end, many are compared at once.
    let gaps = nodes.windows(2).fold(0, |gaps, pair| gaps | (pair[0].wrapping_add(1) ^ pair[1]));
    let differs = holders.iter().fold(0, |differs, other| differs | (other ^ holder));
    (gaps | differs == 0).then_some(holders)
}

/// Returns the message about a violation.
fn message(violation: &Violation) -> String {
    format!("the audit finds that the replay is wrong: {violation}")
}

impl Observer for Watch<'_> {
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
        if let Some(seen) = self.seen(job) {
            seen.from.get_or_insert(now);
            (seen.until, seen.nodes) = (None, nodes.len());
        } else {
            self.found(job, now, "starts after its end".to_owned(), "one run");
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
                self.found(job, now, what, "its own nodes");
            }
            // The nodes are free, unavailable or outside, or there is none.
            (_, None) => {
                let node = nodes.first().map_or("no node".to_owned(), |node| format!("node {node}"));
                let what = format!("{node} is given back, which no job holds");
                let expected = "nodes of a job".to_owned();
                if self.violation.is_none() {
                    let violation = Violation { at: now, number: 0, row: 0, what, expected };
                    self.stop.fail(message(&violation));
                    self.violation = Some((JobId::MAX, violation));
                }
            }
        }
        self.held = self.held.saturating_sub(nodes.len());
        if let Some(job) = holder.checked_sub(1)
            && let Some(seen) = self.seen(job)
        {
            seen.until = Some(now);
            let had = seen.nodes;
            if had != nodes.len() {
                let what = format!("gives {} of its {had} nodes back", nodes.len());
                self.found(job, now, what, "all of them");
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
        if let Some(seen) = self.seen(job) {
            // Its next run is another one.
            *seen = Seen::default();
        }
        self.inner.killed(job, nodes, ran, now);
    }

    fn released(&mut self, cost_ns: u64) {
        self.inner.released(cost_ns);
    }

    fn left(&mut self, job: &Job, record: &Record) {
        let id = self.first;
        let seen = self.seen.pop_front().unwrap_or_default();
        self.first += 1;
        if record.fate == Fate::Completed {
            self.check_record(id, job, record, seen);
        }
        if let Some((by, violation)) = &mut self.violation
            && *by <= id
        {
            if *by == id {
                violation.number = job.number;
            }
            self.stop.fail(message(violation));
        }
        self.inner.left(job, record);
    }

    fn finished(&mut self, jobs: usize) {
        self.inner.finished(jobs);
    }
}

#[cfg(test)]
mod tests;
