//! Predicts the run time itself, known on arrival (a clairvoyant scheduler).

use super::{Correction, Predictor, PredictorEntry};
use crate::job::{Job, JobId, Time};

/// The row of the registry.
pub(super) const ENTRY: PredictorEntry = PredictorEntry {
    name: "exact",
    spelling: "predicted:exact",
    summary: "the run time, as if it were known",
    source: "a bound for all predictors",
    correction: Correction::Request,
    reads_file: false,
    needs_users: false,
    build: |_| Ok(Box::new(Exact)),
};

/// The predictor.
struct Exact;

impl Predictor for Exact {
    fn predict(&mut self, _id: JobId, job: &Job) -> Time {
        job.run
    }
}
