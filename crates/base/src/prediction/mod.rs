//! Predictions of run times, which schedulers use in place of requested times.
//!
//! A *predictor* predicts the run time of a job when it arrives. A *correction* follows when a running job
//! outlives its prediction. To add a predictor, write a file with an `ENTRY`, its `mod` line here and its row
//! in [`PREDICTORS`].

mod exact;
mod from_file;
mod spelling;
mod user_last_two;

pub use self::spelling::Prediction;

use std::path::PathBuf;

use super::job::{Job, JobId, Time};

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
type Builder = fn(&Setup<'_>) -> Result<Box<dyn Predictor>, PredictionError>;

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
pub const PREDICTORS: &[PredictorEntry] = &[user_last_two::ENTRY, exact::ENTRY, from_file::ENTRY];

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

/// The rule that corrects a prediction when a running job outlives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// Steps of growing length: the first prediction plus 1 minute, then plus 5, 15 or 30 minutes, 1, 2, 5,
    /// 10, 20, 50 or 100 hours, each replacing the step before. The requested time is the upper bound and
    /// follows the last step. D. Tsafrir, Y. Etsion, D. Feitelson, "Backfilling using system-generated
    /// predictions rather than user runtime estimates", IEEE TPDS 18(6), 2007.
    Tsafrir,
    /// The requested time at once.
    Request,
    /// No correction: the replay fails.
    Error,
}

/// The names of all corrections.
pub const CORRECTIONS: &[(&str, Correction)] =
    &[("tsafrir", Correction::Tsafrir), ("request", Correction::Request), ("error", Correction::Error)];

/// Seconds that [`Correction::Tsafrir`] adds to the first prediction.
const STEPS_S: [i64; 11] = [60, 300, 900, 1_800, 3_600, 7_200, 18_000, 36_000, 72_000, 180_000, 360_000];

impl Correction {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        CORRECTIONS.iter().find(|(_, other)| *other == self).map_or("", |(name, _)| *name)
    }

    /// Returns the prediction after correction number `number`, from 0; `None` if the rule has no correction.
    /// `first` is the prediction made on arrival, `request` the requested time.
    pub fn corrected(self, first: Time, number: u32, request: Time) -> Option<Time> {
        match self {
            Self::Tsafrir => {
                let step_s = STEPS_S.get(number as usize);
                Some(step_s.map_or(request, |&step_s| request.min(first + Time::from_seconds(step_s))))
            }
            Self::Request => Some(request),
            Self::Error => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_replace_each_other_up_to_the_requested_time() {
        let at = Time::from_seconds;
        let steps = |first, request: i64, count| -> Vec<i64> {
            let corrected = |number| Correction::Tsafrir.corrected(at(first), number, at(request));
            (0..count).filter_map(corrected).map(|time| time.as_micros() / 1_000_000).collect()
        };
        assert_eq!(steps(100, 10_000, 7), [160, 400, 1000, 1900, 3700, 7300, 10_000]);
        assert_eq!(steps(0, 1_000_000, 13)[9..], [180_000, 360_000, 1_000_000, 1_000_000]);
        assert_eq!(Correction::Request.corrected(at(5), 0, at(50)), Some(at(50)));
        assert_eq!(Correction::Error.corrected(at(5), 0, at(50)), None);
    }
}
