//! Outages: nodes go down and come up while jobs run and wait.
//!
//! Changes of nodes come after the departures and before the arrivals of their instant. The machine keeps
//! track of the nodes that are down and never has them free. For the allocator, a node that leaves the
//! machine is a one-node placement that it did not propose, and a returning node is the release of this
//! placement.
//!
//! A killed job returns to the queue at the place of its submission. Schedulers count the nodes that are up.
//! Every change voids the reservations.

use super::observer::Fate;
use super::state::ReplayState;
use crate::scheduler::{Cause, Pass, Scheduler, Waiting};
use meshreplay_alloc::allocator::Placement;
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_machine::machine::outages::{NodeChange, Outages, Treatment};
use meshreplay_machine::machine::{Mesh, NodeId};

/// The outages of a replay.
pub struct OutagePlan {
    /// The changes of nodes.
    pub changes: Outages,
    /// The treatment of jobs on a node that goes down.
    pub treatment: Treatment,
}

/// The fewest changes that an idle machine waits through if failures are drawn.
const IDLE_CHANGES: u32 = 100_000;

/// The outages of a replay with the engine's bookkeeping.
pub(super) struct OutageState {
    pub(super) changes: Outages,
    pub(super) treatment: Treatment,
    /// The running job on each node.
    pub(super) holders: Vec<Option<JobId>>,
    /// Nodes that are down and still in use.
    pub(super) draining: u32,
    /// Nodes that are up or still in use.
    pub(super) available: u32,
    /// Changes since the last arrival, start or end of a job.
    pub(super) idle_changes: u32,
    /// Changes after which an idle machine gives up waiting.
    pub(super) most_idle_changes: u32,
}

impl OutageState {
    /// Returns the state at the start of a replay, when all nodes are up.
    pub(super) fn new(plan: OutagePlan, mesh: &Mesh) -> Self {
        let nodes = mesh.nodes();
        Self {
            changes: plan.changes,
            treatment: plan.treatment,
            holders: vec![None; nodes as usize],
            draining: 0,
            available: mesh.available(),
            idle_changes: 0,
            // On a large machine: enough changes to take every node down and up twice.
            most_idle_changes: IDLE_CHANGES.max(nodes.saturating_mul(4)),
        }
    }

    /// Records that `job` holds `nodes`, or that no job does.
    pub(super) fn hold(&mut self, nodes: &[NodeId], job: Option<JobId>) {
        self.idle_changes = 0;
        for &node in nodes {
            self.holders[node as usize] = job;
        }
    }
}

impl ReplayState<'_> {
    /// Returns the time of the next change of a node, or `None` if there are no outages or no job is left to
    /// be affected. `arrive` is true if more jobs will arrive.
    ///
    /// Drawn failures never end, but the replay must. So an idle machine whose waiting jobs do not fit waits
    /// for a limited number of changes.
    pub(super) fn next_change(&self, arrive: bool) -> Option<Time> {
        let outages = self.outages.as_ref()?;
        let is_busy = arrive || !self.running.is_empty();
        let is_over = outages.changes.is_endless() && outages.idle_changes >= outages.most_idle_changes;
        if is_busy || !(self.queue.is_empty() || is_over) { outages.changes.next_time() } else { None }
    }

    /// Applies the changes of nodes that are due, after the jobs in `done` have ended, and runs a pass unless
    /// the caller does. Empties `done` if there are changes.
    pub(super) fn change_nodes(&mut self, done: &mut Vec<JobId>, scheduler: &mut dyn Scheduler) {
        let is_due = |outages: &OutageState| outages.changes.next_time().is_some_and(|time| time <= self.now);
        if !self.outages.as_ref().is_some_and(is_due) {
            return;
        }
        done.drain(..).for_each(|job| self.depart(job));
        while let Some(change) = self.outages.as_mut().and_then(|outages| outages.changes.take_due(self.now))
        {
            self.change_node(change);
        }
        self.void_plans(scheduler);
        if scheduler.pass() != Pass::Batch {
            self.cause = Cause::Departures;
            self.run_scheduler(scheduler);
        }
    }

    /// Returns the end of the next planned outage, at which waiting jobs may start; `None` without one or
    /// without such jobs.
    pub(super) fn next_reopening(&self) -> Option<Time> {
        let next = self.planned.get(self.planned.partition_point(|[_, end]| *end <= self.now))?;
        Some(next[1]).filter(|&end| end < Time::MAX && !self.queue.is_empty())
    }

    /// Runs a pass at the end of a planned outage, after the jobs in `done` have ended, unless the caller
    /// does. Empties `done` then.
    pub(super) fn reopen(&mut self, done: &mut Vec<JobId>, scheduler: &mut dyn Scheduler) {
        let is_end = self.planned.binary_search_by_key(&self.now, |[_, end]| *end).is_ok();
        if is_end && !self.queue.is_empty() && scheduler.pass() != Pass::Batch {
            done.drain(..).for_each(|job| self.depart(job));
            self.cause = Cause::Departures;
            self.run_scheduler(scheduler);
        }
    }

    /// Takes one node down or brings it up.
    fn change_node(&mut self, change: NodeChange) {
        let now = self.now;
        let Some(outages) = &mut self.outages else { return };
        let (node, treatment) = (change.node, outages.treatment);
        outages.idle_changes += 1;
        self.observer.changed(change.node, change.is_down, now);
        match (change.is_down, outages.holders[node as usize], treatment) {
            (true, Some(job), Treatment::Requeue { limit }) => {
                self.kill(job, limit);
                self.remove_node(node);
            }
            (true, Some(job), Treatment::Drain) => {
                outages.draining += 1;
                self.machine.take_down(node);
                self.count_nodes(job);
            }
            (true, None, _) => self.remove_node(node),
            (false, Some(job), _) => {
                outages.draining -= 1;
                self.machine.bring_up(node, true);
                self.count_nodes(job);
            }
            (false, None, _) => {
                outages.available += 1;
                self.observer.available(outages.available, now);
                self.machine.bring_up(node, false);
                self.allocator.released(&Placement::of(vec![node]), &self.machine);
            }
        }
    }

    /// Takes down a node that is not in use.
    fn remove_node(&mut self, node: NodeId) {
        self.machine.take_down(node);
        self.allocator.taken(&Placement::of(vec![node]), &self.machine);
        if let Some(outages) = &mut self.outages {
            outages.available -= 1;
            self.observer.available(outages.available, self.now);
        }
    }

    /// Updates the number of nodes that schedulers expect back from a running job: its nodes that are up.
    fn count_nodes(&mut self, job: JobId) {
        let left =
            self.window[job].placement.nodes.iter().filter(|&&node| !self.machine.is_down(node)).count();
        self.running.set_nodes(self.estimated_end(job), job, left as u32);
        self.observer.returning(job, left as u32);
    }

    /// Takes down the nodes of a job that has just ended if they failed while in use.
    pub(super) fn take_drained(&mut self, nodes: &[NodeId]) {
        let Some(outages) = &mut self.outages else { return };
        outages.hold(nodes, None);
        if outages.draining == 0 {
            return;
        }
        let drained: Vec<NodeId> = nodes.iter().copied().filter(|&node| self.machine.is_down(node)).collect();
        outages.draining -= drained.len() as u32;
        for node in drained {
            self.remove_node(node);
        }
    }

    /// Kills a running job. It returns to the queue, or is given up after `limit` returns.
    fn kill(&mut self, job: JobId, limit: u32) {
        self.execution.cancel(job);
        let record = &self.window[job].record;
        let (ran, nodes, returns) = (self.now - record.start, record.allocated, record.restarts < limit);
        self.end(job);
        self.observer.killed(job, nodes, ran, self.now);
        let record = &mut self.window[job].record;
        record.lost = record.lost + ran;
        if !returns {
            record.fate = Fate::GivenUp;
            return;
        }
        record.restarts += 1;
        self.window[job].is_final = false;
        self.renew_prediction(job);
        let Job { submit, procs, .. } = *self.window.job(job);
        let (nodes, estimate) = (self.nodes_for(job), self.expected_run(job));
        let waiting = Waiting { slot: 0, job, submit, procs, nodes, estimate };
        self.observer.queued(&waiting, self.window.job(job));
        self.queue.insert(waiting);
        if self.queue.head().is_some_and(|head| head.job == job) {
            self.window[job].record.head = self.now;
        }
    }

    /// Drops the plans that were made with other nodes up.
    fn void_plans(&mut self, scheduler: &mut dyn Scheduler) {
        self.reservation = None;
        scheduler.machine_changed();
    }

    /// Removes the waiting jobs that need more nodes than are up, or else the head, and runs a pass. Called
    /// when no further event would come. Returns false, and does nothing, without outages or waiting jobs.
    pub(super) fn drop_stranded(&mut self, scheduler: &mut dyn Scheduler) -> bool {
        let can_drop = self.error.is_none() && self.running.is_empty() && self.rearranging.is_none();
        let Some(head) = self.queue.head().filter(|_| can_drop && self.outages.is_some()) else {
            return false;
        };
        let up = self.machine.free_count();
        let mut stranded: Vec<Waiting> = self.queue.iter().filter(|job| job.nodes.least > up).collect();
        if stranded.is_empty() {
            stranded.push(head);
        }
        for waiting in stranded {
            let entry = &mut self.window[waiting.job];
            (entry.record.fate, entry.is_final) = (Fate::NeverStarted, true);
            self.queue.remove(waiting.slot);
            self.observer.ended(waiting.job);
        }
        if let Some(next) = self.queue.head().filter(|next| next.job != head.job) {
            self.window[next.job].record.head = self.now;
        }
        self.void_plans(scheduler);
        self.cause = Cause::Departures;
        self.run_scheduler(scheduler);
        true
    }
}
