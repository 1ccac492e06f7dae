//! State of the predictions of a replay: the predictor, and the times at which predictions are outlived. The
//! window holds the current prediction of each job.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::window::Window;
use meshreplay_base::job::{JobId, Time};
use meshreplay_base::prediction::{Correction, Predictor};

/// A predictor with the correction of its predictions.
pub struct PredictionPlan {
    /// The predictor.
    pub predictor: Box<dyn Predictor>,
    /// Corrects predictions that turn out too short.
    pub correction: Correction,
}

/// The predictions of a replay.
pub(super) struct PredictionState {
    pub(super) plan: PredictionPlan,
    /// Running jobs by the time at which they outlive their predictions, earliest first. Entries with an
    /// outdated time are skipped (lazy deletion).
    pub(super) queue: BinaryHeap<Reverse<(Time, JobId)>>,
}

impl PredictionState {
    /// Returns the state before the first job has arrived.
    pub(super) fn new(plan: PredictionPlan) -> Self {
        Self { plan, queue: BinaryHeap::new() }
    }

    /// Returns the first job to outlive its prediction, with the time, or `None` if there is none.
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
