//! Predictions: schedulers plan with run times that a predictor gives at arrival. A running job that outlives
//! its prediction gets a longer one.
//!
//! At an instant, corrections come before ends, arrivals and passes. A job that ends exactly when predicted
//! is not corrected. A correction alone starts no pass.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::ReplayError;
use super::observer::Record;
use super::state::ReplayState;
use super::window::{JobState, JobWindow};
use crate::scheduler::Scheduler;
use meshreplay_base::job::{Job, JobId, Time};
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
    /// Running jobs by the time when they outlive their predictions, earliest first. Entries with an
    /// outdated time are skipped (lazy deletion).
    pub(super) queue: BinaryHeap<Reverse<(Time, JobId)>>,
}

impl PredictionState {
    /// Returns the state before the first job has arrived.
    pub(super) fn new(plan: PredictionPlan) -> Self {
        Self { plan, queue: BinaryHeap::new() }
    }

    /// Returns the first job to outlive its prediction, with the time, or `None` if there is none.
    fn first_due(&mut self, window: &JobWindow) -> Option<(Time, JobId)> {
        while let Some(&Reverse((due, job))) = self.queue.peek() {
            if !window.has_left(job) && window[job].due == due {
                return Some((due, job));
            }
            self.queue.pop();
        }
        None
    }
}

impl ReplayState<'_> {
    /// Returns the run time that schedulers expect of a job: its prediction with all corrections, or
    /// its estimate without predictions.
    pub(super) fn expected_run(&self, job: JobId) -> Time {
        match &self.predictions {
            Some(_) => self.window[job].predicted,
            None => self.window.job(job).estimate,
        }
    }

    /// Predicts the run time of an arriving job. Does nothing without predictions.
    pub(super) fn predict(&mut self, job: JobId) {
        if let Some(predictions) = &mut self.predictions {
            let predicted = predictions.plan.predictor.predict(job, self.window.job(job));
            let entry = &mut self.window[job];
            (entry.predicted, entry.record.prediction) = (predicted, predicted);
        }
    }

    /// Passes the run time of a job that has ended to the predictor.
    pub(super) fn report_run(&mut self, job: JobId) {
        if let Some(predictions) = &mut self.predictions {
            let Record { start, end, suspended, .. } = self.window[job].record;
            predictions.plan.predictor.ended(self.window.job(job), end - start - suspended);
        }
    }

    /// Sets the time when a running job outlives its prediction, or the end of time for a job that no
    /// longer runs.
    pub(super) fn set_due(&mut self, job: JobId, due: Time) {
        let Some(predictions) = &mut self.predictions else { return };
        self.window[job].due = due;
        if due < Time::MAX {
            predictions.queue.push(Reverse((due, job)));
        }
    }

    /// Resets a killed job to the prediction of its arrival.
    pub(super) fn renew_prediction(&mut self, job: JobId) {
        let entry = &mut self.window[job];
        entry.predicted = entry.record.prediction;
        entry.record.corrections = 0;
    }

    /// Returns the time of the next correction, or `None` if there is none.
    pub(super) fn next_correction(&mut self) -> Option<Time> {
        self.predictions.as_mut()?.first_due(&self.window).map(|(due, _)| due)
    }

    /// Corrects the predictions that are outlived now, except of the jobs in `done`, which end now. The
    /// replay fails if a prediction cannot be corrected.
    pub(super) fn correct(&mut self, done: &[JobId], scheduler: &mut dyn Scheduler) {
        let mut is_any = false;
        while let Some(predictions) = &mut self.predictions {
            let Some((due, job)) = predictions.first_due(&self.window).filter(|&(due, _)| due <= self.now)
            else {
                break;
            };
            let Job { number, estimate: request, .. } = *self.window.job(job);
            let JobState { record, predicted, due: next, .. } = &mut self.window[job];
            *next = Time::MAX;
            if done.contains(&job) {
                continue;
            }
            let (first, current) = (record.prediction, *predicted);
            let Some(corrected) = predictions.plan.correction.corrected(first, record.corrections, request)
            else {
                self.error.get_or_insert(ReplayError::Outlived { number, prediction: first });
                return;
            };
            // A job that also outlives its requested time is expected to end at any moment.
            if corrected <= current {
                continue;
            }
            record.corrections += 1;
            *predicted = corrected;
            let estimated_end = due + (corrected - current);
            self.running.postpone(due, job, estimated_end);
            self.set_due(job, estimated_end);
            is_any = true;
        }
        if is_any {
            // Planned starts depend on ends that have moved.
            self.reservation = None;
            scheduler.machine_changed();
        }
    }
}
