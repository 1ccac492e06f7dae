//! The trait, the registry and the errors of predictors.

use std::path::PathBuf;

use super::correction::Correction;
use crate::job::{Job, JobId, Time};

/// A predictor of run times.
pub trait Predictor: Send {
    /// Predicts the run time of `job`, which arrives now and has number `id` in the replayed list. Called
    /// once per job.
    fn predict(&mut self, id: JobId, job: &Job) -> Time;

    /// Called when `job` has ended after running for `ran`.
    fn ended(&mut self, _job: &Job, _ran: Time) {}
}

/// The inputs of a predictor's builder.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// Path of the predictor's file; empty if it reads none.
    pub file: &'a str,
    /// Jobs of the replay.
    pub jobs: &'a [Job],
}

/// A function that builds a predictor.
pub(super) type Builder = fn(&Setup<'_>) -> Result<Box<dyn Predictor>, PredictionError>;

/// A row of the registry of predictors.
#[derive(Clone, Copy, Debug)]
pub struct PredictorEntry {
    /// Name, in kebab-case.
    pub name: &'static str,
    /// Spelling in `--estimate`.
    pub spelling: &'static str,
    /// One line on the predicted value.
    pub summary: &'static str,
    /// Source: authors, title or section, venue and year.
    pub source: &'static str,
    /// Default correction of predictions that are too short.
    pub correction: Correction,
    /// Whether it reads a file.
    pub reads_file: bool,
    /// Whether the predictor distinguishes users. It predicts requested times for a log without users.
    pub needs_users: bool,
    /// Builds the predictor.
    pub build: Builder,
}

/// The rows of all predictors.
pub const PREDICTORS: &[PredictorEntry] =
    &[super::user_last_two::ENTRY, super::exact::ENTRY, super::from_file::ENTRY];

/// The reason why a file does not give the predictions of a log's jobs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PredictionError {
    /// The file cannot be read.
    #[error(
        "cannot read the predictions in {}: {problem}; give a file of lines job,prediction, such as \
             17,3600", .path.display()
    )]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system, in words.
        problem: String,
    },
    /// A line is malformed.
    #[error("{}:{line}: {problem}", .path.display())]
    Line {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The field, the value that was found, and what was expected.
        problem: String,
    },
    /// The file lacks the prediction of a job.
    #[error(
        "{} has no prediction of job {number}{others}; expected a line job,prediction for each job that is \
         replayed, such as {number},3600", .path.display()
    )]
    Missing {
        /// The path of the file.
        path: PathBuf,
        /// The log's number of the first job without a prediction.
        number: i64,
        /// The number of other jobs without a prediction, in words; empty if there are none.
        others: String,
    },
}
