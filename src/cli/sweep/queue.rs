//! What Slurm's queue says of the jobs of a study.

use std::collections::BTreeMap;
use std::io;
use std::process::Command;

use super::submit::{Job, Submitted, one_line};

/// The tasks that have not ended.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Whether each of them runs, by job and number in the array.
    tasks: BTreeMap<(String, usize), bool>,
    /// Jobs of which anything has not ended, as squeue lists them first.
    pub(super) jobs: Vec<String>,
    /// Why the queue is not known, if it is not.
    pub(super) problem: Option<String>,
}

impl Queue {
    /// Asks squeue for the jobs of `all` submissions; a job that it does not know has ended. `own` is the job that asks.
    pub(super) fn ask(all: &[Submitted], own: Option<&str>) -> Self {
        let mut queue = Self::default();
        for submitted in all {
            match squeue(submitted) {
                Ok(text) => queue.read(&text, own),
                Err(problem) => {
                    queue.problem = Some(problem);
                    break;
                }
            }
        }
        queue
    }

    fn read(&mut self, text: &str, own: Option<&str>) {
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (Some(job), Some(task), Some(state)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            if own == Some(job) {
                continue;
            }
            if !self.jobs.iter().any(|other| other == job) {
                self.jobs.push(job.to_owned());
            }
            if let Ok(task) = task.parse() {
                let is_running = matches!(state, "RUNNING" | "COMPLETING" | "CONFIGURING");
                self.tasks.insert((job.to_owned(), task), is_running);
            }
        }
    }

    /// Whether a task of this array runs, `None` if it has ended or never was.
    pub(super) fn task(&self, array: &Job, number: usize) -> Option<bool> {
        self.tasks.get(&(array.id.clone(), number)).copied()
    }
}

/// The jobs of a submission that have not ended, one line per task: job, number in the array, state.
fn squeue(submitted: &Submitted) -> Result<String, String> {
    let jobs = [Some(&submitted.array), submitted.merge.as_ref()];
    let ids: Vec<&str> = jobs.iter().flatten().map(|job| job.id.as_str()).collect();
    let mut squeue = Command::new("squeue");
    squeue.args(["--noheader", "--array", "--format=%F %K %T", &format!("--jobs={}", ids.join(","))]);
    squeue.args(submitted.array.cluster.as_deref().map(|cluster| format!("--clusters={cluster}")));
    let output = squeue.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no squeue on the path".to_owned(),
        _ => format!("squeue cannot be started: {error}"),
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = one_line(&output.stderr, "squeue: ");
    if said.contains("Invalid job id") { Ok(String::new()) } else { Err(format!("squeue: {said}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_squeue_become_tasks() {
        let mut queue = Queue::default();
        queue.read("7 1 RUNNING\n8 N/A PENDING\n7 2 PENDING\n9 N/A RUNNING\n\nodd\n", Some("9"));
        let array = Job { id: "7".to_owned(), cluster: None };
        assert_eq!([1, 2, 3].map(|task| queue.task(&array, task)), [Some(true), Some(false), None]);
        assert_eq!(queue.jobs, ["7", "8"]);
    }
}
