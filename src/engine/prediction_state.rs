//! What a replay keeps for its predictions: the predictor, the current predictions and the times at which they are outlived.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::job::{JobId, Time};
use crate::prediction::{Correction, Predictor};

/// The predictor of a replay, and the correction of its predictions.
pub struct PredictionPlan {
    /// The predictor.
    pub predictor: Box<dyn Predictor>,
    /// The correction of predictions that are too short.
    pub correction: Correction,
}

/// The predictions of a replay.
pub(super) struct PredictionState {
    pub(super) plan: PredictionPlan,
    /// The current prediction of each job, indexed by job; 0 before its arrival.
    pub(super) current: Vec<Time>,
    /// The time at which each job outlives its current prediction, indexed by job; the end of time if it does not run or
    /// has outlived all.
    pub(super) due: Vec<Time>,
    /// The jobs with such a time, the earliest first. An entry whose time is no longer that of its job is stale and is
    /// skipped (lazy deletion).
    pub(super) queue: BinaryHeap<Reverse<(Time, JobId)>>,
}

impl PredictionState {
    /// Returns the state before the first of `jobs` jobs has arrived.
    pub(super) fn new(plan: PredictionPlan, jobs: usize) -> Self {
        Self { plan, current: vec![Time::ZERO; jobs], due: vec![Time::MAX; jobs], queue: BinaryHeap::new() }
    }

    /// Returns the first job that will outlive its prediction and the time at which it will; `None` if there is none.
    pub(super) fn first_due(&mut self) -> Option<(Time, JobId)> {
        while let Some(&Reverse((due, job))) = self.queue.peek() {
            if self.due[job as usize] == due {
                return Some((due, job));
            }
            self.queue.pop();
        }
        None
    }
}
