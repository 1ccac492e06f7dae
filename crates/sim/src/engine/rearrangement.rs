//! Rearrangement: running jobs move to free nodes for a waiting job. This module covers the time from the
//! decision to the start of the waiting job.

use super::ReplayError;
use super::observer::{Compaction, Placed, Record};
use super::reservation::{Reservation, RunningPlaces};
use super::state::ReplayState;
use crate::scheduler::{Running, View};
use meshreplay_alloc::allocator::{JobMove, Placement, Rearrangement, Refusal};
use meshreplay_base::job::{JobId, Time};
use meshreplay_machine::machine::row;

/// A waiting job that starts once running jobs have moved out of its way. Until then no other job starts.
pub(super) struct NextJob {
    /// The waiting job.
    pub(super) job: JobId,
    /// The nodes of the job, and the moves that free them.
    pub(super) placement: Placement,
    /// The time of the allocator's proposal.
    pub(super) asked: Time,
    /// Nanoseconds of the allocator's call, or 0 if calls are not timed.
    pub(super) cost_ns: u64,
    /// The current stage.
    pub(super) stage: Stage,
}

/// The stages of a rearrangement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The allocator decides which jobs move, until this time.
    Deciding(Time),
    /// The running jobs move until this time. Then the waiting job starts.
    Moving(Time),
}

impl NextJob {
    /// Returns the end of the current stage.
    pub(super) fn due(&self) -> Time {
        match self.stage {
            Stage::Deciding(at) | Stage::Moving(at) => at,
        }
    }

    /// Returns the plan of the moves, or `None` if the placement has none.
    pub(super) fn plan(&self) -> Option<&Rearrangement> {
        self.placement.rearrangement.as_deref()
    }

    /// Returns the moves of the plan. Empty without a plan.
    pub(super) fn moves(&self) -> &[JobMove] {
        self.plan().map_or(&[], |plan| &plan.moves)
    }
}

impl ReplayState<'_> {
    /// Begins a rearrangement for a waiting job. Returns true if the job has started already, because neither
    /// the decision nor the moves take time.
    pub(super) fn make_room(&mut self, job: JobId, placement: Placement, cost_ns: u64) -> bool {
        let is_refused = |plan: &Rearrangement| {
            // The job starts once others have moved.
            let expected = plan.decided + plan.ready + self.expected_run(job);
            expected > self.longest() || self.is_refused(job, plan)
        };
        if placement.rearrangement.as_deref().is_some_and(is_refused) {
            self.observer.allocated(job, None, cost_ns);
            return false;
        }
        let decided = placement.rearrangement.as_ref().map_or(Time::ZERO, |plan| plan.decided);
        if let Some(plan) = &placement.rearrangement {
            self.observer.compaction(Compaction::Begun, plan);
        }
        let (asked, stage) = (self.now, Stage::Deciding(self.now + decided));
        self.rearranging = Some(NextJob { job, placement, asked, cost_ns, stage });
        self.finish_stages()
    }

    /// Returns true if a plan for a waiting job is refused, see [`Refusal`]. Jobs end when they are estimated
    /// to.
    fn is_refused(&self, job: JobId, plan: &Rearrangement) -> bool {
        let decided = self.now + plan.decided;
        let ends_first = || {
            plan.moves.iter().any(|moved| {
                self.job_at(moved.first).is_some_and(|job| self.estimated_end(job) < decided + moved.until)
            })
        };
        let is_sooner_without = || {
            let mesh = self.machine.mesh();
            let running = RunningPlaces { running: &self.running, window: &self.window, now: self.now };
            let sizes = [row(self.window.job(job).procs, mesh)];
            Reservation::of_submeshes(&self.machine, running, &sizes)
                .is_some_and(|(free_at, _)| free_at <= decided + plan.ready)
        };
        match plan.refusal {
            Refusal::Never => false,
            Refusal::Sooner => is_sooner_without(),
            Refusal::Ending => ends_first(),
            Refusal::Both => ends_first() || is_sooner_without(),
        }
    }

    /// Drops the plan if one of the jobs in `ended` was to be moved and the decision is not ready yet. The
    /// waiting job goes on waiting.
    pub(super) fn drop_plan_if_ended(&mut self, ended: &[JobId]) {
        let deciding = |next: &&NextJob| matches!(next.stage, Stage::Deciding(_));
        let Some(next) = self.rearranging.as_ref().filter(deciding) else { return };
        // A move identifies its job by the first node of the job.
        let first = |job: &JobId| self.window[*job].placement.nodes.first().copied();
        let moves = |job| next.moves().iter().any(|moved| Some(moved.first) == first(job));
        if ended.iter().any(moves) {
            if let Some(plan) = next.plan() {
                self.observer.compaction(Compaction::Aborted, plan);
            }
            self.observer.allocated(next.job, None, next.cost_ns);
            self.rearranging = None;
        }
    }

    /// Completes the stages that end now: first the running jobs move, then the waiting job starts. Returns
    /// whether it has started.
    pub(super) fn finish_stages(&mut self) -> bool {
        while let Some(mut next) = self.rearranging.take_if(|next| next.due() <= self.now) {
            match next.stage {
                Stage::Deciding(_) => {
                    if let Err(error) = self.rearrange(&next) {
                        self.error = Some(error);
                        return false;
                    }
                    let ready = next.plan().map_or(Time::ZERO, |plan| plan.ready);
                    next.stage = Stage::Moving(self.now + ready);
                    self.rearranging = Some(next);
                }
                Stage::Moving(_) => {
                    let head = self.queue.head().filter(|head| head.job == next.job);
                    let waiting = head.or_else(|| self.queue.iter().find(|waiting| waiting.job == next.job));
                    let Some(waiting) = waiting else { return false };
                    self.start(waiting, next.placement);
                    if head.is_none() {
                        // The job overtakes the head of the queue. The time of the rearrangement counts as
                        // its allocation, not as waiting at the head.
                        self.window[next.job].record.head = next.asked;
                    }
                    return true;
                }
            }
        }
        false
    }

    /// Moves the running jobs and occupies the nodes of the next job. Fails if the plan moves a job that does
    /// not run, or if a new node is not free.
    fn rearrange(&mut self, next: &NextJob) -> Result<(), ReplayError> {
        let mut suspensions = Vec::with_capacity(next.moves().len());
        // Two passes: all jobs vacate their nodes before any job occupies new ones, because a new node of one
        // job can be an old node of another.
        for moved in next.moves() {
            let job = self.job_at(moved.first).ok_or_else(|| self.bad_move(next.job))?;
            let by = self.suspension(job, moved);
            let Record { start, .. } = self.window[job].record;
            let estimated_end = self.estimated_end(job);
            let nodes = &self.window[job].placement.nodes;
            self.machine.vacate(nodes);
            self.observer.vacated(nodes, self.now);
            // The suspension delays the end of the job and its estimate.
            if self.running.remove(estimated_end, job) {
                let nodes = moved.nodes.len() as u32;
                self.running.insert(Running { estimated_end: estimated_end + by, job, nodes, start });
                self.set_due(job, estimated_end + by);
            }
            suspensions.push((job, by));
        }
        for (moved, &(job, by)) in next.moves().iter().zip(&suspensions) {
            self.occupy(job, &moved.nodes)?;
            self.observer.occupied(job, &moved.nodes, self.now);
            self.window[job].placement.nodes.clone_from(&moved.nodes);
            let record = &mut self.window[job].record;
            record.moves += 1;
            record.delayed_moves += u32::from(moved.is_delayed);
            record.suspended = record.suspended + by;
        }
        self.execution.postpone(&suspensions);
        self.occupy(next.job, &next.placement.nodes)?;
        self.allocator.accepted(&next.placement, &self.machine);
        if let Some(plan) = next.plan() {
            self.observer.compaction(Compaction::CarriedOut, plan);
        }
        if let Some(held) = &self.window[next.job].held {
            let placed = Placed { placement: &next.placement, held };
            self.observer.allocated(next.job, Some(placed), next.cost_ns);
        }
        self.observer.occupied(next.job, &next.placement.nodes, self.now);
        Ok(())
    }

    /// Returns the suspension of a job: the duration of its move, or longer if the job would otherwise end
    /// during the move.
    fn suspension(&self, job: JobId, moved: &JobMove) -> Time {
        let end = self.execution.end_of(job).map_or(Time::MAX, |end| end + moved.suspended);
        moved.suspended + (self.now + moved.until - end).max(Time::ZERO)
    }

    /// Returns the running job whose first node is `first`, or `None` if there is none.
    fn job_at(&self, first: u32) -> Option<JobId> {
        let holds = |job: &JobId| self.window[*job].placement.nodes.first() == Some(&first);
        self.running.iter().map(|running| running.job).find(holds)
    }

    /// Returns the error that the placement for `job` moves a job that does not run.
    fn bad_move(&self, job: JobId) -> ReplayError {
        ReplayError::BadMove { number: self.window.job(job).number }
    }
}
