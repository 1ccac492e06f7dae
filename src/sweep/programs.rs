//! Calls the programs sbatch and squeue of Slurm, and reads their output.

use std::collections::BTreeMap;
use std::io;
use std::process::Command;

use super::record::{Job, Submission};

/// The reason why a call of a program failed, in words.
enum CallError {
    /// The program cannot be started.
    NotStarted(String),
    /// The program failed with this message, on one line.
    Failed(String),
}

/// Calls a program and returns its standard output. `advice` is added to the error message if the program is not
/// installed.
fn call(program: &str, arguments: &[String], advice: &str) -> Result<String, CallError> {
    let output = Command::new(program).args(arguments).output().map_err(|error| {
        CallError::NotStarted(match error.kind() {
            io::ErrorKind::NotFound => format!("there is no {program} on the path{advice}"),
            _ => format!("{program} cannot be started: {error}"),
        })
    })?;
    let [printed, said] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    if output.status.success() {
        Ok(printed.into_owned())
    } else {
        Err(CallError::Failed(one_line(&said, program)))
    }
}

/// Joins the messages of a program to one line, without the prefix (such as `sbatch: error:`) of each of its lines.
fn one_line(said: &str, program: &str) -> String {
    let plain = |line: &str| {
        let line = line.strip_prefix(program).and_then(|line| line.strip_prefix(": ")).unwrap_or(line);
        line.strip_prefix("error: ").unwrap_or(line).to_owned()
    };
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<String> = lines.map(plain).collect();
    if lines.is_empty() { "no reason given".to_owned() } else { lines.join("; ") }
}

/// Submits a job with sbatch, on `cluster` if one is named, and returns its number. The error says why the job was not
/// submitted and what to do.
pub(super) fn sbatch(mut arguments: Vec<String>, cluster: Option<&str>) -> Result<Job, String> {
    arguments.splice(0..0, on(cluster));
    let advice = "; submit where Slurm is installed, or see what would be with --dry-run";
    let printed = call("sbatch", &arguments, advice).map_err(|error| match error {
        CallError::NotStarted(problem) => problem,
        CallError::Failed(said) => {
            format!("sbatch refuses: {said}; correct --submit, or ask `sinfo` what there is")
        }
    })?;
    job(&printed).ok_or_else(|| {
        let found = one_line(&printed, "");
        format!("sbatch printed '{found}', expected the number of a job; see `squeue --me` for what it made")
    })
}

/// Returns the argument that names the cluster, or `None` if no cluster is named.
fn on(cluster: Option<&str>) -> Option<String> {
    cluster.map(|cluster| format!("--clusters={cluster}"))
}

/// Reads the job from the last line of the output of `sbatch --parsable`: `ID` or `ID;CLUSTER`. Lines that a site
/// prints before it are ignored. `None` if there is no job.
fn job(printed: &str) -> Option<Job> {
    let line = printed.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    let (id, cluster) = line.split_once(';').map_or((line, None), |(id, name)| (id, Some(name.to_owned())));
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Job { id: id.to_owned(), cluster })
}

/// The tasks and jobs of a study that have not ended, as squeue lists them.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Whether each task runs (and does not wait), by the number of its job and its number in the array.
    tasks: BTreeMap<(String, usize), bool>,
    /// The numbers of the jobs with tasks that have not ended, in the order of squeue.
    pub(super) jobs: Vec<String>,
    /// The reason why the queue is not known. `None` if it is known.
    pub(super) problem: Option<String>,
}

impl Queue {
    /// Asks squeue for the jobs of all submissions. A job that squeue does not know has ended. `own` is the number of
    /// the job that runs this program, which is left out.
    pub(super) fn ask(all: &[Submission], own: Option<&str>) -> Self {
        let mut queue = Self::default();
        for submission in all {
            let jobs = [Some(&submission.array), submission.merge.as_ref()];
            let ids: Vec<&str> = jobs.iter().flatten().map(|job| job.id.as_str()).collect();
            let mut arguments = ["--noheader", "--array", "--format=%F %K %T"].map(str::to_owned).to_vec();
            arguments.push(format!("--jobs={}", ids.join(",")));
            arguments.extend(on(submission.array.cluster.as_deref()));
            match call("squeue", &arguments, "") {
                Ok(text) => queue.read(&text, own),
                Err(CallError::Failed(said)) if said.contains("Invalid job id") => {}
                Err(CallError::Failed(said)) => queue.problem = Some(format!("squeue: {said}")),
                Err(CallError::NotStarted(problem)) => queue.problem = Some(problem),
            }
            if queue.problem.is_some() {
                break;
            }
        }
        queue
    }

    /// Adds the tasks of squeue's output. Each line has a job, a number in the array and a state.
    fn read(&mut self, text: &str, own: Option<&str>) {
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().take(3).collect();
            let [job, task, state] = words[..] else { continue };
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

    /// Returns whether a task of this array runs (true) or waits (false). `None` if it has ended or never existed.
    pub(super) fn task(&self, array: &Job, number: usize) -> Option<bool> {
        self.tasks.get(&(array.id.clone(), number)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_numbers_on_the_last_line() {
        let read = |printed: &str| job(printed).map(|job| (job.id, job.cluster));
        assert_eq!(read("12\n"), Some(("12".to_owned(), None)));
        assert_eq!(read("welcome\n\n12;big\n"), Some(("12".to_owned(), Some("big".to_owned()))));
        for printed in ["", "Submitted batch job 12", "\n", ";big"] {
            assert_eq!(read(printed), None, "{printed}");
        }
    }

    #[test]
    fn what_programs_say_fits_one_line() {
        let said = "sbatch: error: no such partition\n\nsbatch: error: Batch job submission failed\n";
        assert_eq!(one_line(said, "sbatch"), "no such partition; Batch job submission failed");
        assert_eq!(one_line("", "sbatch"), "no reason given");
    }

    #[test]
    fn lines_of_squeue_become_tasks() {
        let mut queue = Queue::default();
        queue.read("7 1 RUNNING\n8 N/A PENDING\n7 2 PENDING\n9 N/A RUNNING\n\nodd\n", Some("9"));
        let array = Job { id: "7".to_owned(), cluster: None };
        assert_eq!([1, 2, 3].map(|task| queue.task(&array, task)), [Some(true), Some(false), None]);
        assert_eq!(queue.jobs, ["7", "8"]);
    }
}
