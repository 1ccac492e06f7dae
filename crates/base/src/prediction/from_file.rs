//! Reads predictions from a file of comma-separated values, with a line `job,prediction` for every job.
//! Predictions of other programs come in this way, such as learned ones: E. Gaussier, D. Glesser, V. Reis, D.
//! Trystram, "Improving backfilling by using machine learning to predict running times", SC 2015.
//!
//! `job` is the log's number of the job, `prediction` is in seconds. If the first line has names, the columns
//! `job` and `prediction` (or `prediction_s`) are read in any position; otherwise the first two columns.
//! Blank lines and lines that begin with `#` are skipped. The file may be compressed with gzip. Predictions
//! are used unchanged, even if they exceed the requested times.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "numbers of lines and fields are positions in a text in memory plus 1, and casts of numbers \
         with fractions clamp"
)]

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::{Correction, PredictionError, Predictor, PredictorEntry, Setup};
use crate::job::{Job, JobId, Time};
use crate::memory;

/// The row of the registry.
pub(super) const ENTRY: PredictorEntry = PredictorEntry {
    name: "from-file",
    spelling: "from-file:FILE",
    summary: "the predictions in a file of lines job,prediction (seconds), taken as they are",
    source: "any other program, such as the learned ones of Gaussier, Glesser, Reis, Trystram, SC 2015",
    correction: Correction::Request,
    reads_file: true,
    needs_users: false,
    build: |setup| Ok(Box::new(FromFile { predictions: predictions(setup)? })),
};

/// The predictor, with the predictions of all jobs of the replay.
struct FromFile {
    predictions: Vec<Time>,
}

impl Predictor for FromFile {
    fn predict(&mut self, id: JobId, _job: &Job) -> Time {
        self.predictions[id as usize]
    }
}

/// Returns the predictions in the order of the jobs. Fails if the file cannot be read, or lacks a job.
fn predictions(setup: &Setup<'_>) -> Result<Vec<Time>, PredictionError> {
    let path = Path::new(setup.file);
    let unreadable =
        |error: io::Error| PredictionError::Unreadable { path: path.to_owned(), problem: error.to_string() };
    let text = text(path).map_err(unreadable)?;
    let given = parse(&text).map_err(|(line, problem)| PredictionError::Line {
        path: path.to_owned(),
        line,
        problem,
    })?;
    let mut missing = setup.jobs.iter().filter(|job| !given.contains_key(&job.number));
    if let Some(first) = missing.next() {
        let others = match missing.count() {
            0 => String::new(),
            1 => " and of 1 other".to_owned(),
            count => format!(" and of {count} others"),
        };
        return Err(PredictionError::Missing { path: path.to_owned(), number: first.number, others });
    }
    Ok(setup.jobs.iter().filter_map(|job| given.get(&job.number)).map(|&(_, time)| time).collect())
}

/// Returns the text of the file, uncompressed.
fn text(path: &Path) -> io::Result<String> {
    /// The first two bytes of every gzip file.
    const GZIP: [u8; 2] = [0x1f, 0x8b];
    let mut bytes = memory::read_file(path)?;
    if bytes.starts_with(&GZIP) {
        bytes = memory::read_all(MultiGzDecoder::new(bytes.as_slice()))?;
    }
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8"))
}

/// Predictions by job, each with its line number.
type PredictionMap = BTreeMap<i64, (usize, Time)>;

/// Parses the text of a file. The error has the line number and the problem.
fn parse(text: &str) -> Result<PredictionMap, (usize, String)> {
    let mut given = PredictionMap::new();
    // The columns of the job and of the prediction; `None` before the first line.
    let mut columns: Option<[usize; 2]> = None;
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let number = i + 1;
        let fields: Vec<&str> = line.split(',').map(|field| field.trim().trim_matches('"')).collect();
        let [job, prediction] = match columns {
            Some(columns) => columns,
            None if fields.contains(&"job") => {
                columns = Some(named(&fields).map_err(|problem| (number, problem))?);
                continue;
            }
            None => *columns.insert([0, 1]),
        };
        let wrong = |problem| (number, problem);
        let (job, time) = entry(&fields, job, prediction).map_err(wrong)?;
        if let Some((earlier, _)) = given.insert(job, (number, time)) {
            return Err(wrong(format!(
                "job {job} has a prediction on line {earlier} already; take one of the lines out"
            )));
        }
    }
    Ok(given)
}

/// Finds the columns of the job and of the prediction by the names on the first line.
fn named(fields: &[&str]) -> Result<[usize; 2], String> {
    let find = |names: &[&str]| fields.iter().position(|field| names.contains(field));
    match (find(&["job"]), find(&["prediction", "prediction_s"])) {
        (Some(job), Some(prediction)) => Ok([job, prediction]),
        _ => Err(format!(
            "the first line names the columns {}, expected job and prediction among them",
            fields.join(", ")
        )),
    }
}

/// Upper bound of predictions in seconds, later than any event.
const LONGEST_S: f64 = 9e12;

/// Parses the job and its prediction on a line. The error is the problem in words.
fn entry(fields: &[&str], job: usize, prediction: usize) -> Result<(i64, Time), String> {
    let field = |column: usize| {
        fields
            .get(column)
            .ok_or_else(|| format!("found {} fields, expected job,prediction such as 17,3600", fields.len()))
    };
    let (job_text, text) = (field(job)?, field(prediction)?);
    let number = job_text.parse().map_err(|_| {
        format!("field {}, the job: found '{job_text}', expected the log's number of a job", job + 1)
    })?;
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..LONGEST_S).contains(&seconds) => {
            Ok((number, Time::from_micros((seconds * 1e6).round() as i64)))
        }
        _ => Err(format!(
            "field {}, the prediction of job {number}: found '{text}', expected seconds from 0, such as 3600",
            prediction + 1
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<(i64, f64)>, String> {
        let listed =
            |given: PredictionMap| given.iter().map(|(job, (_, time))| (*job, time.as_seconds())).collect();
        parse(text).map(listed).map_err(|(line, problem)| format!("{line}: {problem}"))
    }

    #[test]
    fn files_have_two_columns_or_names() {
        assert_eq!(parsed("1,10\n\n# a comment\n3, 2.5\n"), Ok(vec![(1, 10.0), (3, 2.5)]));
        assert_eq!(parsed("job,start,prediction\n2,7,40\n"), Ok(vec![(2, 40.0)]));
        assert_eq!(parsed("\u{feff}\"prediction_s\",\"job\"\n40,2\n"), Ok(vec![(2, 40.0)]));
        assert_eq!(parsed(""), Ok(Vec::new()));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, problem) in [
            ("1,10\n2", "2: found 1 fields, expected job,prediction such as 17,3600"),
            ("x,10", "1: field 1, the job: found 'x', expected the log's number of a job"),
            (
                "1,-5",
                "1: field 2, the prediction of job 1: found '-5', expected seconds from 0, such as 3600",
            ),
            (
                "1,nan",
                "1: field 2, the prediction of job 1: found 'nan', expected seconds from 0, such as 3600",
            ),
            ("1,5\n1,6", "2: job 1 has a prediction on line 1 already; take one of the lines out"),
            (
                "job,guess\n1,6",
                "1: the first line names the columns job, guess, expected job and prediction among them",
            ),
        ] {
            assert_eq!(parsed(text).err().as_deref(), Some(problem), "{text}");
        }
    }
}
