//! A scheduler that is a class in Python.

use meshreplay::guest::{Dispatched, Dispatcher, Setup};
use meshreplay::job::JobId;
use meshreplay::scheduler::{Scheduler, View};
use meshreplay::stop::Stop;
use pyo3::prelude::*;

use super::{explained, made};

/// The scheduler of one replay.
struct Own {
    /// An object of `meshreplay._own.SchedulerGuest`.
    guest: Py<PyAny>,
    label: String,
    stop: Stop,
}

/// Makes the scheduler of one replay. Fails with a whole message.
pub(super) fn scheduler(given: &Py<PyAny>, setup: &Setup<'_>) -> Result<Box<dyn Scheduler>, String> {
    let guest = made("SchedulerGuest", given, setup, false)?;
    let own = Own { guest, label: setup.label.to_owned(), stop: setup.stop.clone() };
    Ok(Box::new(Dispatched::new(own, setup.label, setup.stop)))
}

impl Dispatcher for Own {
    fn dispatch(&mut self, view: &dyn View, refused: &[JobId]) -> Vec<JobId> {
        let queue = view.queue().iter().map(|job| {
            (job.job, job.procs, job.nodes.least, job.submit.as_seconds(), job.estimate.as_seconds())
        });
        let running = view
            .running()
            .iter()
            .map(|job| (job.job, job.nodes, job.start.as_seconds(), job.estimated_end.as_seconds()));
        let words = (
            view.now().as_seconds(),
            view.free(),
            queue.collect::<Vec<_>>(),
            running.collect::<Vec<_>>(),
            refused.to_vec(),
        );
        let answer = Python::attach(|py| {
            let answer = self.guest.call_method1(py, "dispatch", words);
            answer.and_then(|answer| answer.extract(py)).map_err(|error| explained(py, &error))
        });
        answer.unwrap_or_else(|problem| {
            self.stop.fail(format!("scheduler '{}': {problem}", self.label));
            Vec::new()
        })
    }
}
