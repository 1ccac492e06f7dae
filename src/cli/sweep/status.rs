//! `meshreplay sweep --status`: how far a study is, from what its directory holds and Slurm's queue says.
//!
//! A cell is *done* if its result is there and *failed* if it could not be replayed when it was last tried. Of the others
//! those are *running* or *queued* whose task of the array is; each task replays a few of its cells at a time. A sweep that
//! runs without Slurm leaves no trace that would tell it from one that was killed: its cells are *to do* until they are done.

use std::collections::BTreeMap;
use std::path::Path;

use super::queue::Queue;
use super::submit::{Submitted, submitted};
use crate::cli::quoted::command;
use crate::cli::{Failure, print};
use crate::frame::{Started, StudyFolder};
use crate::study::{Manifest, Options};

/// Failed cells that are named before the rest is only counted.
const NAMED: usize = 20;

/// How far a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Done,
    Running,
    Queued,
    Failed,
    ToDo,
}

/// Every state and its word, as they are listed.
const STATES: [(State, &str); 5] = [
    (State::Done, "done"),
    (State::Running, "running"),
    (State::Queued, "queued"),
    (State::Failed, "failed"),
    (State::ToDo, "to do"),
];

/// Prints how far the study in the directory is; anything but the end of it is a failure.
pub(super) fn run(path: &Path) -> Result<(), Failure> {
    let folder = StudyFolder::new(path, None);
    let manifest = folder.manifest()?;
    let started = folder.started();
    let all = submitted(path)?;
    let own = std::env::var("SLURM_JOB_ID").ok();
    let queue = Queue::ask(&all, own.as_deref());
    let running = tasks(&all, &queue);
    let with_jobs = started.as_ref().map_or(manifest.jobs, |started| started.jobs);
    let mut failures = Vec::new();
    let mut state = |key: &str| {
        if folder.has(key, with_jobs) {
            return State::Done;
        }
        if let Some(failure) = folder.failure(key) {
            failures.push(failure);
            return State::Failed;
        }
        match running.get(key) {
            Some(true) => State::Running,
            Some(false) => State::Queued,
            None => State::ToDo,
        }
    };
    let states: Vec<State> = manifest.cells.iter().map(|cell| state(&cell.key)).collect();
    let counted = STATES.map(|(state, word)| {
        let count = states.iter().filter(|&&other| other == state).count();
        format!("{count} {word}")
    });
    let count = manifest.cells.len();
    let mut lines = vec![format!("study {}: {count} cells: {}", manifest.name, counted.join(", "))];
    lines.extend(failures.iter().take(NAMED).cloned());
    if failures.len() > NAMED {
        lines.push(format!("error: … and {} more", failures.len() - NAMED));
    }
    if let Some(problem) = &queue.problem {
        lines.push(format!("note: {problem}; cells of tasks that run or wait count as to do"));
    }
    let is_done = states.iter().all(|&state| state == State::Done);
    let is_finished = is_done && folder.is_summarized(&manifest);
    if is_finished {
        lines.push(format!("{} holds them all", path.join("summary.parquet").display()));
    } else if !queue.jobs.is_empty() {
        let (jobs, logs) = (queue.jobs.join(", "), path.join("slurm"));
        lines.push(format!("to do: wait for jobs {jobs}; their logs are in {}", logs.display()));
    } else if is_done {
        let path = path.to_string_lossy();
        lines.push(format!("to finish: {}", command(["meshreplay", "merge", &path, "-o", &path])));
    } else {
        lines.extend(next(path, &manifest, started.as_ref(), all.last()));
    }
    print(&(lines.join("\n") + "\n"))?;
    if is_finished { Ok(()) } else { Err(Failure::Reported) }
}

/// Whether its task runs, for every cell of a task that has not ended.
fn tasks<'a>(all: &'a [Submitted], queue: &Queue) -> BTreeMap<&'a str, bool> {
    let mut cells = BTreeMap::new();
    for Submitted { array, tasks, .. } in all {
        for (&number, keys) in tasks {
            let Some(is_running) = queue.task(array, number) else { continue };
            for key in keys {
                *cells.entry(key.as_str()).or_insert(false) |= is_running;
            }
        }
    }
    cells
}

/// The commands that run what is missing.
fn next(
    path: &Path,
    manifest: &Manifest,
    started: Option<&Started>,
    last: Option<&Submitted>,
) -> Vec<String> {
    // Directories of earlier versions, and those that parts were merged into, do not say how they were started.
    let usual = || {
        let given = Options { jobs: manifest.jobs, ..manifest.options.clone() };
        let (study, options) = ("STUDY.toml".to_owned(), given.sweep_arguments());
        Started { study, options, jobs: manifest.jobs }
    };
    let started = started.cloned().unwrap_or_else(usual);
    let path = path.to_string_lossy();
    let words = ["meshreplay", "sweep", &started.study, "-o", &path];
    let sweep = command(words.into_iter().chain(started.options.iter().map(String::as_str)));
    let again = |last: &Submitted| format!("to resubmit: {sweep} {}", command(["--submit", &last.spec]));
    last.map(again).into_iter().chain([format!("to finish: {sweep}")]).collect()
}
