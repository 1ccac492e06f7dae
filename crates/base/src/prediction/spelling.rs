//! The spelling of predictions: `predicted:user-last-two`, `from-file:FILE`, each with `,correct=RULE`.
#![expect(clippy::arithmetic_side_effects, reason = "the byte before a position that is above 0")]

use std::fmt;
use std::str::FromStr;

use super::{CORRECTIONS, Correction, PREDICTORS, PredictionError, Predictor, PredictorEntry, Setup};
use crate::job::Job;

/// A predictor with its file, and the correction of its predictions.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// The row of the predictor.
    pub predictor: &'static PredictorEntry,
    /// The path of the file that the predictor reads; empty if it reads none.
    pub file: String,
    /// The correction of predictions that are too short.
    pub correction: Correction,
}

/// Prefix of the spellings of predictors without a file.
const PREDICTED: &str = "predicted:";

impl Prediction {
    /// Returns whether a text looks like a prediction.
    pub fn is_spelt(text: &str) -> bool {
        text.starts_with(PREDICTED) || file_of(text).is_some()
    }

    /// Builds the predictor for `jobs`. Fails if its file cannot be read or lacks a job.
    pub fn build(&self, jobs: &[Job]) -> Result<Box<dyn Predictor>, PredictionError> {
        (self.predictor.build)(&Setup { file: &self.file, jobs })
    }

    /// Returns the path of the file that the predictor reads; `None` if it reads none.
    pub fn path(&self) -> Option<&str> {
        Some(self.file.as_str()).filter(|_| self.predictor.reads_file)
    }
}

/// Splits a text that begins with the name of a predictor with a file into its row and the rest.
fn file_of(text: &str) -> Option<(&'static PredictorEntry, &str)> {
    let mut rows = PREDICTORS.iter().filter(|row| row.reads_file);
    rows.find_map(|row| Some((row, text.strip_prefix(row.name)?.strip_prefix(':')?)))
}

impl PartialEq for Prediction {
    fn eq(&self, other: &Self) -> bool {
        let name = self.predictor.name == other.predictor.name;
        name && (&self.file, self.correction) == (&other.file, other.correction)
    }
}

/// Writes the canonical spelling, such as `predicted:user-last-two+correct=tsafrir`. A comma would end a
/// parameter of the rules, so `+` precedes the correction.
impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { predictor: PredictorEntry { name, reads_file, .. }, file, correction } = self;
        let correction = correction.name();
        if *reads_file {
            write!(f, "{name}:{file}+correct={correction}")
        } else {
            write!(f, "{PREDICTED}{name}+correct={correction}")
        }
    }
}

impl FromStr for Prediction {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (rest, correct) = match text.rfind("correct=").filter(|&at| at > 0) {
            Some(at) if text[..at].ends_with([',', '+']) => {
                (&text[..at - 1], Some(&text[at + "correct=".len()..]))
            }
            _ => (text, None),
        };
        let named = |name: &str| PREDICTORS.iter().find(|row| !row.reads_file && row.name == name);
        let (predictor, file) = match (rest.strip_prefix(PREDICTED), file_of(rest)) {
            (None, Some((row, file))) if !file.is_empty() && !file.contains([',', '|']) => (row, file),
            (None, Some(_)) => {
                return Err("expected from-file:FILE with a path that has neither commas nor bars".to_owned());
            }
            (Some(name), _) => (named(name).ok_or_else(unknown)?, ""),
            (None, None) => return Err(unknown()),
        };
        let correction = match correct {
            None => predictor.correction,
            Some(name) => {
                let row = CORRECTIONS.iter().find(|(other, _)| *other == name);
                let known: Vec<&str> = CORRECTIONS.iter().map(|(other, _)| *other).collect();
                row.ok_or_else(|| format!("expected correct= with one of: {}", known.join(", ")))?.1
            }
        };
        Ok(Self { predictor, file: file.to_owned(), correction })
    }
}

/// The accepted spellings, for the message on an unknown predictor.
fn unknown() -> String {
    let names: Vec<&str> = PREDICTORS.iter().map(|row| row.spelling).collect();
    format!(
        "expected one of: {}; each may end with ,correct=tsafrir, ,correct=request or ,correct=error",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_one_spelling() -> Result<(), String> {
        for row in PREDICTORS {
            let text = row.spelling.replace("FILE", "a+b c.csv");
            for (correct, _) in CORRECTIONS {
                for joint in [',', '+'] {
                    let prediction: Prediction = format!("{text}{joint}correct={correct}").parse()?;
                    assert_eq!(prediction.to_string(), format!("{text}+correct={correct}"));
                }
            }
            let default: Prediction = text.parse()?;
            assert_eq!((default.predictor.name, default.correction), (row.name, row.correction));
            assert!(Prediction::is_spelt(&text));
        }
        Ok(())
    }

    #[test]
    fn mistakes_say_what_would_do() {
        for (text, problem) in [
            (
                "predicted:guess",
                "expected one of: predicted:user-last-two, predicted:exact, from-file:FILE; each may end \
                 with ,correct=tsafrir, ,correct=request or ,correct=error",
            ),
            ("predicted:exact,correct=never", "expected correct= with one of: tsafrir, request, error"),
            ("from-file:", "expected from-file:FILE with a path that has neither commas nor bars"),
            ("from-file:a,b", "expected from-file:FILE with a path that has neither commas nor bars"),
        ] {
            assert_eq!(text.parse::<Prediction>().err().as_deref(), Some(problem), "{text}");
        }
    }
}
