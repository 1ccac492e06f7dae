//! Predictions of run times, which schedulers use in place of requested times.
//!
//! A *predictor* predicts the run time of a job when it arrives. A *correction* follows when a running job
//! outlives its prediction. To add a predictor, write a file with an `ENTRY`, its `mod` line here and its row
//! in [`PREDICTORS`].

mod correction;
mod exact;
mod from_file;
mod predictor;
mod spelling;
mod user_last_two;

pub use self::correction::{CORRECTIONS, Correction};
pub use self::predictor::{PREDICTORS, PredictionError, Predictor, PredictorEntry, Setup};
pub use self::spelling::Prediction;
