//! Predictors: their trait, their registry, and why there are no predictions.

use std::path::PathBuf;

use super::correction::Correction;
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

/// The rows of all predictors.
pub const PREDICTORS: &[Entry] = &[super::user_last_two::ENTRY, super::exact::ENTRY, super::from_file::ENTRY];

/// The reason why a file gives no predictions of the jobs of a log.
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
    /// A line is not as it must be.
    #[error("{}:{line}: {problem}", .path.display())]
    Line {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it: the field, what was found, what was expected.
        problem: String,
    },
    /// The file has no prediction of a job.
    #[error(
        "{} has no prediction of job {number}{others}; expected a line job,prediction for each job that is \
         replayed, such as {number},3600", .path.display()
    )]
    Missing {
        /// The path of the file.
        path: PathBuf,
        /// The log's number of the first job without a prediction.
        number: i64,
        /// How many other jobs have none, in words; empty if there are none.
        others: String,
    },
}
