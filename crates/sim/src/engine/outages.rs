//! Outages: nodes go down and come up while jobs run and wait.
//!
//! Changes of nodes follow the departures of their instant and come before its arrivals. The machine keeps
//! the nodes that are down, and never has them free. An allocator is told of a node that leaves the machine
//! as of a placement of this node alone, which it did not propose, and of a node that returns as of the
//! release of this placement.
//!
//! A job that returns to the queue has the place there that its submission gives it. Schedulers count with
//! the nodes that are up. When something changes, reservations are void and are made anew.

use super::observer::Fate;
use super::outage_state::OutageState;
use super::state::ReplayState;
use crate::scheduler::{Cause, Pass, Scheduler, Waiting};
use meshreplay_alloc::allocator::Placement;
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_machine::machine::NodeId;
use meshreplay_machine::machine::outages::{NodeChange, Treatment};

impl ReplayState<'_> {
    /// Returns the time of the next change of a node; `None` if there are no outages or no job is left that
    /// they could affect. `arrive` says whether more jobs will arrive.
    ///
    /// Drawn failures never end. So that a replay does, an idle machine whose waiting jobs do not fit waits
    /// for a number of changes only.
    pub(super) fn next_change(&self, arrive: bool) -> Option<Time> {
        let outages = self.outages.as_ref()?;
        let is_busy = arrive || !self.running.is_empty();
        let is_over = outages.changes.is_endless() && outages.idle_changes >= outages.most_idle_changes;
        if is_busy || !(self.queue.is_empty() || is_over) { outages.changes.next_time() } else { None }
    }

    /// Applies the changes of nodes that are due, after the jobs in `done` have ended, and asks for a pass
    /// unless the caller will. Empties `done` if there are changes.
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
                self.take_away(node);
            }
            (true, Some(job), Treatment::Drain) => {
                outages.draining += 1;
                self.machine.take_down(node);
                self.count_nodes(job);
            }
            (true, None, _) => self.take_away(node),
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

    /// Takes a node away that is not in use.
    fn take_away(&mut self, node: NodeId) {
        self.machine.take_down(node);
        self.allocator.taken(&Placement::of(vec![node]), &self.machine);
        if let Some(outages) = &mut self.outages {
            outages.available -= 1;
            self.observer.available(outages.available, self.now);
        }
    }

    /// Counts the nodes that a running job leaves to others when it ends: schedulers plan with this number.
    fn count_nodes(&mut self, job: JobId) {
        let left =
            self.window[job].placement.nodes.iter().filter(|&&node| !self.machine.is_down(node)).count();
        self.running.set_nodes(self.estimated_end(job), job, left as u32);
    }

    /// Takes those of `nodes` away that have gone down while the job that has just ended had them.
    pub(super) fn take_drained(&mut self, nodes: &[NodeId]) {
        let Some(outages) = &mut self.outages else { return };
        outages.hold(nodes, None);
        if outages.draining == 0 {
            return;
        }
        let drained: Vec<NodeId> = nodes.iter().copied().filter(|&node| self.machine.is_down(node)).collect();
        outages.draining -= drained.len() as u32;
        for node in drained {
            self.take_away(node);
        }
    }

    /// Kills a running job. It returns to the queue, or is given up if it has done so `limit` times.
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
        self.queue.insert(Waiting { slot: 0, job, submit, procs, nodes, estimate });
        if self.queue.head().is_some_and(|head| head.job == job) {
            self.window[job].record.head = self.now;
        }
    }

    /// Drops what was planned with the nodes that were up before.
    fn void_plans(&mut self, scheduler: &mut dyn Scheduler) {
        self.reservation = None;
        scheduler.machine_changed();
    }

    /// Removes waiting jobs that will never start from the queue, and asks for a pass. It is called when
    /// nothing more happens by itself. Returns false, and does nothing, if there are no outages or if no job
    /// waits.
    ///
    /// These are the jobs that need more nodes than are up. If there are none, it is the head.
    pub(super) fn drop_stranded(&mut self, scheduler: &mut dyn Scheduler) -> bool {
        let can_drop = self.error.is_none() && self.running.is_empty() && self.next_job.is_none();
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
