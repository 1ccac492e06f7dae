//! The trait of predictors, and the type of the rows of their registry.

use super::correction::Correction;
use super::error::PredictionError;
use crate::job::{Job, JobId, Time};

/// A predictor of run times.
pub trait Predictor: Send {
    /// Returns the predicted run time of `job`, which arrives now and has number `id` in the list of the
    /// replay. It is asked once for each job.
    fn predict(&mut self, id: JobId, job: &Job) -> Time;

    /// Tells the predictor that `job` has ended, after it has run for a time of `ran`.
    fn ended(&mut self, _job: &Job, _ran: Time) {}
}

/// The material from which a predictor is built.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The path of the file that the predictor reads; empty if it reads none.
    pub file: &'a str,
    /// The jobs of the replay.
    pub jobs: &'a [Job],
}

/// A function that builds a predictor.
pub(super) type Builder = fn(&Setup<'_>) -> Result<Box<dyn Predictor>, PredictionError>;

/// A row of the registry of predictors.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, in kebab-case.
    pub name: &'static str,
    /// How `--estimate` names it.
    pub spelling: &'static str,
    /// What it predicts, in one line.
    pub summary: &'static str,
    /// Its source: authors, title or section, venue and year.
    pub source: &'static str,
    /// The correction of predictions that are too short, unless another one is given.
    pub correction: Correction,
    /// Whether it reads a file.
    pub reads_file: bool,
    /// Whether it tells users apart. In a log without users it then predicts the requested times.
    pub needs_users: bool,
    /// Builds the predictor.
    pub build: Builder,
}
