//! Running jobs that move: a job that waits for them, from the decision to its start.

use super::held::{Held, Stage};
use super::state::State;
use super::{Compaction, Record, ReplayError};
use crate::allocator::{JobMove, Placement};
use crate::job::{JobId, Time};
use crate::scheduler::Running;

impl State<'_> {
    /// Holds a job whose placement needs a rearrangement; whether it could start at once.
    pub(super) fn hold(&mut self, job: JobId, placement: Placement, cost_ns: u64) -> bool {
        let decided = placement.rearrangement.as_ref().map_or(Time::ZERO, |plan| plan.decided);
        if let Some(plan) = &placement.rearrangement {
            self.observer.compaction(Compaction::Begun, plan);
        }
        let (asked, stage) = (self.now, Stage::Deciding(self.now + decided));
        self.held = Some(Held { job, placement, asked, cost_ns, stage });
        self.go_on()
    }

    /// Drops the plan if one of these jobs, which end now, would have moved.
    pub(super) fn void_if_ended(&mut self, ended: &[JobId]) {
        let Some(held) = self.held.as_ref().filter(|held| matches!(held.stage, Stage::Deciding(_))) else {
            return;
        };
        let first = |job: &JobId| self.placements[*job as usize].nodes.first().copied();
        let moves = |job| held.moves().iter().any(|moved| Some(moved.first) == first(job));
        if ended.iter().any(moves) {
            if let Some(plan) = &held.placement.rearrangement {
                self.observer.compaction(Compaction::Aborted, plan);
            }
            self.observer.allocated(held.job, None, held.cost_ns);
            self.held = None;
        }
    }

    /// Carries out what is due of the held job; whether it has started.
    pub(super) fn go_on(&mut self) -> bool {
        while let Some(mut held) = self.held.take_if(|held| held.due() <= self.now) {
            match held.stage {
                Stage::Deciding(_) => {
                    if !self.rearrange(&held) {
                        return false;
                    }
                    let ready = held.placement.rearrangement.as_ref().map_or(Time::ZERO, |plan| plan.ready);
                    held.stage = Stage::Starting(self.now + ready);
                    self.held = Some(held);
                }
                Stage::Starting(_) => {
                    let slot = self.queue.head().filter(|head| head.job == held.job);
                    let waiting = slot.or_else(|| self.queue.iter().find(|waiting| waiting.job == held.job));
                    let Some(waiting) = waiting else { return false };
                    let passes_others = slot.is_none();
                    self.start(waiting, held.placement);
                    if passes_others {
                        // Making room is part of the allocation, not of the queue.
                        self.records[held.job as usize].head = held.asked;
                    }
                    return true;
                }
            }
        }
        false
    }

    /// Moves the running jobs, and takes the nodes of the held one into use; false if the plan is wrong.
    fn rearrange(&mut self, held: &Held) -> bool {
        let mut postponed = Vec::with_capacity(held.moves().len());
        let mut targets = Vec::with_capacity(held.moves().len());
        for moved in held.moves() {
            let Some(job) = self.job_at(moved.first) else { return self.wrong(held.job) };
            let by = self.stands_still(job, moved);
            let Record { start, suspended, .. } = self.records[job as usize];
            let estimated_end = start + self.jobs[job as usize].estimate + suspended;
            let nodes = &self.placements[job as usize].nodes;
            self.machine.vacate(nodes);
            self.observer.vacated(nodes, self.now);
            if self.running.remove(estimated_end, job) {
                let nodes = moved.nodes.len() as u32;
                self.running.insert(Running { estimated_end: estimated_end + by, job, nodes, start });
            }
            postponed.push((job, by));
            targets.push((job, moved));
        }
        for (job, moved) in targets {
            if let Err(problem) = self.machine.occupy(&moved.nodes) {
                let number = self.jobs[job as usize].number;
                self.error = Some(ReplayError::BadPlacement { number, problem });
                return false;
            }
            self.observer.occupied(job, &moved.nodes, self.now);
            self.placements[job as usize].nodes.clone_from(&moved.nodes);
        }
        for &(job, by) in &postponed {
            let record = &mut self.records[job as usize];
            record.moves += 1;
            record.suspended = record.suspended + by;
        }
        self.execution.postpone(&postponed);
        if let Err(problem) = self.machine.occupy(&held.placement.nodes) {
            let number = self.jobs[held.job as usize].number;
            self.error = Some(ReplayError::BadPlacement { number, problem });
            return false;
        }
        self.allocator.rearranged(&held.placement);
        if let Some(plan) = &held.placement.rearrangement {
            self.observer.compaction(Compaction::CarriedOut, plan);
        }
        self.observer.allocated(held.job, Some(&held.placement), held.cost_ns);
        self.observer.occupied(held.job, &held.placement.nodes, self.now);
        true
    }

    /// How long a job stands still; longer than its move takes if it would end before it has moved.
    fn stands_still(&self, job: JobId, moved: &JobMove) -> Time {
        let end = self.execution.end_of(job).map_or(Time::MAX, |end| end + moved.suspended);
        moved.suspended + (self.now + moved.until - end).max(Time::ZERO)
    }

    fn job_at(&self, first: u32) -> Option<JobId> {
        let holds = |job: &JobId| self.placements[*job as usize].nodes.first() == Some(&first);
        self.running.iter().map(|running| running.job).find(holds)
    }

    fn wrong(&mut self, job: JobId) -> bool {
        self.error = Some(ReplayError::BadMove { number: self.jobs[job as usize].number });
        false
    }
}
