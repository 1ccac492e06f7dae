//! A scheduler that is a class in Python. It sees the waiting jobs in a copy of the queue, which follows the
//! queue by its changes: a call costs nothing for jobs that the class does not look at.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use meshreplay::guest::{Dispatched, Dispatcher, Setup};
use meshreplay::job::JobId;
use meshreplay::scheduler::{Running, Scheduler, View, WaitQueue, Waiting};
use meshreplay::stop::Stop;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::{explained, made};

/// The scheduler of one replay.
struct Own {
    /// An object of `meshreplay._own.SchedulerGuest`.
    guest: Py<PyAny>,
    label: String,
    stop: Stop,
    queue: Arc<Mutex<VecDeque<Waiting>>>,
    /// The jobs of the last answer. No other job has left the queue since.
    named: Vec<JobId>,
}

/// Makes the scheduler of one replay. Fails with a whole message.
pub(super) fn scheduler(given: &Py<PyAny>, setup: &Setup<'_>) -> Result<Box<dyn Scheduler>, String> {
    let guest = made("SchedulerGuest", given, setup)?;
    let (label, stop) = (setup.label.to_owned(), setup.stop.clone());
    let own = Own { guest, label, stop, queue: Arc::default(), named: Vec::new() };
    Ok(Box::new(Dispatched::new(own, setup.label, setup.stop)))
}

/// Jobs of a machine, from which `meshreplay._own.Jobs` reads.
#[pyclass(frozen, module = "meshreplay._core")]
pub(crate) struct JobRows(Rows);

/// The jobs of a [`JobRows`].
enum Rows {
    /// The waiting jobs.
    Waiting(Arc<Mutex<VecDeque<Waiting>>>),
    /// The running jobs.
    Running(Vec<Running>),
}

/// A number of a job, which may be a time in seconds.
#[derive(IntoPyObject)]
enum Value {
    Whole(u32),
    Seconds(f64),
}

#[pymethods]
impl JobRows {
    /// The number of jobs.
    fn __len__(&self) -> usize {
        match &self.0 {
            Rows::Waiting(queue) => locked(queue).len(),
            Rows::Running(jobs) => jobs.len(),
        }
    }

    /// The fields of at most `count` jobs from a position on, a list for each job.
    fn rows(&self, from: usize, count: usize) -> Vec<Vec<Value>> {
        match &self.0 {
            Rows::Waiting(queue) => locked(queue).iter().skip(from).take(count).map(of_waiting).collect(),
            Rows::Running(jobs) => jobs.iter().skip(from).take(count).map(of_running).collect(),
        }
    }

    /// Field number `field` of every job, as 8 bytes each in the byte order of this machine.
    fn column<'py>(&self, py: Python<'py>, field: usize) -> Bound<'py, PyBytes> {
        let rows = self.rows(0, usize::MAX);
        let bytes = |row: &Vec<Value>| match row.get(field) {
            Some(Value::Seconds(value)) => value.to_ne_bytes(),
            Some(Value::Whole(value)) => i64::from(*value).to_ne_bytes(),
            None => [0; 8],
        };
        PyBytes::new(py, &rows.iter().flat_map(bytes).collect::<Vec<u8>>())
    }
}

fn of_waiting(job: &Waiting) -> Vec<Value> {
    let [submit, estimate] = [job.submit, job.estimate].map(|time| Value::Seconds(time.as_seconds()));
    vec![Value::Whole(job.job), Value::Whole(job.procs), Value::Whole(job.nodes.least), submit, estimate]
}

fn of_running(job: &Running) -> Vec<Value> {
    let [start, end] = [job.start, job.estimated_end].map(|time| Value::Seconds(time.as_seconds()));
    vec![Value::Whole(job.job), Value::Whole(job.nodes), start, end]
}

/// Returns the copy of the queue. A thread that panicked has left it whole, as every change is one call.
fn locked(queue: &Mutex<VecDeque<Waiting>>) -> MutexGuard<'_, VecDeque<Waiting>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets `copy` follow `queue`. `named` are the jobs that may have left it. O(A + N·log Q) for A arrivals and
/// N such jobs near the head; O(Q) after jobs have come back into the middle of the queue.
fn follow(copy: &mut VecDeque<Waiting>, queue: &WaitQueue, named: &[JobId]) {
    for job in named {
        if let Some(place) = copy.iter().position(|waiting| waiting.job == *job)
            && queue.find(copy[place].submit, *job).is_none()
        {
            copy.remove(place);
        }
    }
    let last = copy.back().map(|job| (job.submit, job.job));
    let arrived = queue.iter().rev().take_while(|job| last.is_none_or(|last| (job.submit, job.job) > last));
    let mut arrived: Vec<Waiting> = arrived.collect();
    arrived.reverse();
    copy.extend(arrived);
    if copy.len() != queue.len() {
        *copy = queue.iter().collect();
    }
}

impl Dispatcher for Own {
    fn dispatch(&mut self, view: &dyn View, refused: &[JobId]) -> Vec<JobId> {
        follow(&mut locked(&self.queue), view.queue(), &self.named);
        let waiting = JobRows(Rows::Waiting(Arc::clone(&self.queue)));
        let running = JobRows(Rows::Running(view.running().iter().copied().collect()));
        let words = (view.now().as_seconds(), view.free(), waiting, running, refused.to_vec());
        let answer = Python::attach(|py| {
            let answer = self.guest.call_method1(py, "dispatch", words);
            answer.and_then(|answer| answer.extract(py)).map_err(|error| explained(py, &error))
        });
        self.named = answer.unwrap_or_else(|problem| {
            self.stop.fail(format!("scheduler '{}': {problem}", self.label));
            Vec::new()
        });
        self.named.clone()
    }
}
