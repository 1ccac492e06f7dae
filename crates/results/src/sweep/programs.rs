//! Calls the programs sbatch and squeue of Slurm, and reads their output.

use std::collections::BTreeMap;
use std::process::Command;
use std::{io, iter};

use super::submit::{Job, Submission};

/// Calls a program, on `cluster` if one is named. Returns whether it succeeded, and its standard output or
/// its error messages in one line. Fails if the program cannot be started.
fn call(program: &str, cluster: Option<&str>, arguments: &[String]) -> Result<(bool, String), String> {
    let on = cluster.map(|cluster| format!("--clusters={cluster}"));
    let output =
        Command::new(program).args(on).args(arguments).output().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!("there is no {program} on the path"),
            _ => format!("{program} cannot be started: {error}"),
        })?;
    let [printed, said] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    let is_done = output.status.success();
    Ok((is_done, if is_done { printed.into_owned() } else { one_line(&said, program) }))
}

/// Joins the messages of a program to one line, without the prefix (such as `sbatch: error:`) of each of its
/// lines.
fn one_line(said: &str, program: &str) -> String {
    let prefix = format!("{program}: ");
    let plain = |line| str::trim(line).trim_start_matches(&prefix).trim_start_matches("error: ");
    let lines: Vec<&str> = said.lines().map(plain).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() { "no reason given".to_owned() } else { lines.join("; ") }
}

/// Submits a job with sbatch, on `cluster` if one is named, and returns its number. The error has the reason
/// and a remedy.
pub(super) fn sbatch(arguments: &[String], cluster: Option<&str>) -> Result<Job, String> {
    let advice = "submit where Slurm is installed, or see what would be with --dry-run";
    match call("sbatch", cluster, arguments).map_err(|problem| format!("{problem}; {advice}"))? {
        (true, printed) => job(&printed).ok_or_else(|| {
            let found = one_line(&printed, "");
            format!(
                "sbatch printed '{found}', expected the number of a job; see `squeue --me` for what it made"
            )
        }),
        (false, said) => {
            Err(format!("sbatch refuses: {said}; correct --submit, or ask `sinfo` what there is"))
        }
    }
}

/// Reads the job from the last line of the output of `sbatch --parsable`: `ID` or `ID;CLUSTER`. Lines that a
/// site prints before it are ignored. `None` if there is no job.
fn job(printed: &str) -> Option<Job> {
    let line = printed.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    let (id, cluster) = line.split_once(';').map_or((line, None), |(id, name)| (id, Some(name.to_owned())));
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Job { id: id.to_owned(), cluster })
}

/// The tasks and jobs of a study that have not ended, as squeue lists them.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Whether a task of the cell runs (true) or waits (false), by the content key of each cell whose task
    /// has not ended.
    pub(super) cells: BTreeMap<String, bool>,
    /// The numbers of the jobs with tasks that have not ended, in the order of squeue.
    pub(super) jobs: Vec<String>,
    /// The reason why the queue is not known. `None` if it is known.
    pub(super) problem: Option<String>,
}

impl Queue {
    /// Asks squeue for the jobs of all submissions. A job that squeue does not know has ended. `own` is the
    /// number of the job that runs this program, which is left out.
    pub(super) fn ask(all: &[Submission], own: Option<&str>) -> Self {
        let mut queue = Self::default();
        queue.problem = all.iter().find_map(|submission| queue.add(submission, own).err());
        queue
    }

    /// Asks squeue for the jobs of one submission. The error has the reason for a failure.
    fn add(&mut self, submission: &Submission, own: Option<&str>) -> Result<(), String> {
        let jobs = iter::once(&submission.array).chain(&submission.merge);
        let ids: Vec<&str> = jobs.map(|job| job.id.as_str()).collect();
        let jobs = format!("--jobs={}", ids.join(","));
        let arguments = ["--noheader", "--array", "--format=%F %K %T", &jobs].map(str::to_owned);
        match call("squeue", submission.array.cluster.as_deref(), &arguments)? {
            (true, printed) => self.read(&printed, submission, own),
            (false, said) if said.contains("Invalid job id") => {}
            (false, said) => return Err(format!("squeue: {said}")),
        }
        Ok(())
    }

    /// Adds the tasks of a submission from squeue's output. Each line has a job, a number in the array and a
    /// state.
    fn read(&mut self, printed: &str, submission: &Submission, own: Option<&str>) {
        for line in printed.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [job, task, state, ..] = words[..] else { continue };
            if own == Some(job) {
                continue;
            }
            if !self.jobs.iter().any(|other| other == job) {
                self.jobs.push(job.to_owned());
            }
            // The job after the array has no number in an array, so that no task is found for it.
            let is_running = matches!(state, "RUNNING" | "COMPLETING" | "CONFIGURING");
            for key in task.parse().ok().and_then(|task| submission.tasks.get(&task)).into_iter().flatten() {
                // A cell that was submitted twice runs if any of its tasks runs.
                *self.cells.entry(key.clone()).or_default() |= is_running;
            }
        }
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
    fn lines_of_squeue_become_cells() {
        let submission = |id: &str| Submission {
            spec: "slurm".to_owned(),
            array: Job { id: id.to_owned(), cluster: None },
            merge: None,
            tasks: [(1, vec!["a".to_owned(), "b".to_owned()]), (2, vec!["c".to_owned()])].into(),
        };
        let mut queue = Queue::default();
        queue.read(
            "7 1 RUNNING\n8 N/A PENDING\n7 2 PENDING\n9 N/A RUNNING\n\nodd\n",
            &submission("7"),
            Some("9"),
        );
        queue.read("10 1 PENDING\n", &submission("10"), None);
        let cells: Vec<(&str, bool)> = queue.cells.iter().map(|(key, runs)| (key.as_str(), *runs)).collect();
        assert_eq!(cells, [("a", true), ("b", true), ("c", false)]);
        assert_eq!(queue.jobs, ["7", "8", "10"]);
    }
}
