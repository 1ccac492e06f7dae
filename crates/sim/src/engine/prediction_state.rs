//! What a replay keeps for its predictions: the predictor, and the times at which predictions are outlived.
//! The current prediction of a job stands in the window.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::window::Window;
use meshreplay_base::job::{JobId, Time};
use meshreplay_base::prediction::{Correction, Predictor};

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
    /// The running jobs with the times at which they outlive their predictions, the earliest first. An entry
    /// whose time is no longer that of its job is stale and is skipped (lazy deletion).
    pub(super) queue: BinaryHeap<Reverse<(Time, JobId)>>,
}

impl PredictionState {
    /// Returns the state before the first job has arrived.
    pub(super) fn new(plan: PredictionPlan) -> Self {
        Self { plan, queue: BinaryHeap::new() }
    }

    /// Returns the first job that will outlive its prediction and the time at which it will; `None` if there
    /// is none.
    pub(super) fn first_due(&mut self, window: &Window) -> Option<(Time, JobId)> {
        while let Some(&Reverse((due, job))) = self.queue.peek() {
            if !window.has_left(job) && window[job].due == due {
                return Some((due, job));
            }
            self.queue.pop();
        }
        None
    }
}
