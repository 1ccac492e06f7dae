//! The reasons for which there are no predictions.

use std::path::PathBuf;

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
