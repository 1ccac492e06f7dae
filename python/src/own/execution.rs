//! An execution model that is a class in Python.

use meshreplay::execution::{Execution, Started};
use meshreplay::guest::{OwnRunTimes, RunTime, Setup};
use meshreplay::job::{JobId, Time};
use meshreplay::stop::Stop;
use pyo3::prelude::*;

use super::{bytes, explained, made};

/// The longest run time in seconds, about 300,000 years.
const LONGEST_S: f64 = 9e12;

/// The execution model of one replay.
struct Own {
    /// An object of `meshreplay._own.ExecutionGuest`.
    guest: Py<PyAny>,
    label: String,
    stop: Stop,
}

/// Makes the execution model of one replay. Fails with a whole message.
pub(super) fn network(given: &Py<PyAny>, setup: &Setup<'_>) -> Result<Box<dyn Execution>, String> {
    let guest = made("ExecutionGuest", given, setup)?;
    let own = Own { guest, label: setup.label.to_owned(), stop: setup.stop.clone() };
    Ok(Box::new(OwnRunTimes::new(own)))
}

impl Own {
    fn fail(&self, problem: &str) {
        self.stop.fail(format!("execution model '{}': {problem}", self.label));
    }
}

impl RunTime for Own {
    fn run_time(&mut self, started: &Started<'_>) -> Option<Time> {
        let Started { id, job, nodes, now } = *started;
        let answer = Python::attach(|py| {
            let words = (
                id,
                job.procs,
                now.as_seconds(),
                job.run.as_seconds(),
                job.estimate.as_seconds(),
                bytes(py, nodes),
            );
            let answer = self.guest.call_method1(py, "run_time", words);
            answer.and_then(|answer| answer.extract::<f64>(py)).map_err(|error| explained(py, &error))
        });
        match answer {
            Ok(run_s) if (0.0..=LONGEST_S).contains(&run_s) => {
                // Times are whole microseconds.
                Some(Time::from_micros((run_s * 1e6).round() as i64))
            }
            Ok(run_s) => {
                self.fail(&format!("job {} is to run {run_s} s, expected at least 0", job.number));
                None
            }
            Err(problem) => {
                self.fail(&problem);
                None
            }
        }
    }

    fn ended(&mut self, job: JobId) {
        let told = Python::attach(|py| {
            self.guest.call_method1(py, "ended", (job,)).map_err(|error| explained(py, &error))
        });
        if let Err(problem) = told {
            self.fail(&problem);
        }
    }
}
