//! The status of a study, from the files of its directory and from Slurm's queue.
//!
//! A cell is *done* if its result exists, and *failed* if its last replay failed. Another cell is *running*
//! if its task of an array runs, and *queued* if that task waits. A running task replays only a few of its
//! cells at a time. Any other cell is *to do*. These include the cells of a sweep that runs without Slurm,
//! because such a sweep cannot be told from one that was killed.

use std::path::Path;

use super::SubmitError;
use super::programs::Queue;
use super::submit::{Submission, submissions};
use crate::frame::{Place, Started, StudyFolder};
use crate::text::command_line;
use meshreplay_base::words::counted;
use meshreplay_study::study::{Manifest, Options};

/// The largest number of failed cells that are named. Further ones are only counted.
const NAMED: usize = 20;

/// The state of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Done,
    Running,
    Queued,
    Failed,
    ToDo,
}

/// The states of cells and their words, in the order of the status line.
const STATES: [(State, &str); 5] = [
    (State::Done, "done"),
    (State::Running, "running"),
    (State::Queued, "queued"),
    (State::Failed, "failed"),
    (State::ToDo, "to do"),
];

/// The status of a study.
#[derive(Clone, Debug)]
pub struct Status {
    /// The number of cells in each state, and the next step, as lines of text.
    pub text: String,
    /// Whether every cell is done and the summary holds all of them.
    pub is_finished: bool,
}

/// Returns the status of the study in the directory `path`. `own` is the number of the Slurm job that runs
/// this program, and this job does not count as running. It is `None` outside Slurm. Fails if a file of the
/// directory cannot be read.
pub fn status(path: &Path, own: Option<&str>) -> Result<Status, SubmitError> {
    let folder = StudyFolder::new(path, None);
    let manifest = folder.manifest()?;
    let started = folder.started();
    let all = submissions(path)?;
    let queue = Queue::ask(&all, own);
    let with_jobs = started.as_ref().map_or(manifest.jobs, |started| started.jobs);
    let (mut states, mut failures) = (Vec::new(), Vec::new());
    for cell in &manifest.cells {
        let is_done = folder.has(&cell.key, with_jobs);
        let failure = if is_done { None } else { folder.failure(&cell.key) };
        states.push(match (is_done, &failure, queue.cells.get(&cell.key)) {
            (true, ..) => State::Done,
            (_, Some(_), _) => State::Failed,
            (.., Some(true)) => State::Running,
            (.., Some(false)) => State::Queued,
            (.., None) => State::ToDo,
        });
        failures.extend(failure);
    }
    let counted_as = |state: State| states.iter().filter(|other| **other == state).count();
    let by_state = STATES.map(|(state, word)| format!("{} {word}", counted_as(state)));
    let count = counted(manifest.cells.len(), "cell");
    let mut lines = vec![format!("study {}: {count}: {}", manifest.name, by_state.join(", "))];
    lines.extend(failures.iter().take(NAMED).cloned());
    if failures.len() > NAMED {
        lines.push(format!("error: … and {} more", failures.len() - NAMED));
    }
    if let Some(problem) = &queue.problem {
        lines.push(format!("note: {problem}; cells of tasks that run or wait count as to do"));
    }
    lines.extend(others(&folder, &manifest).map(|others| format!("note: {others}")));
    let is_done = states.iter().all(|state| *state == State::Done);
    let is_finished = is_done && folder.is_summarized(&manifest);
    if is_finished {
        lines.push(format!("{} holds them all", path.join("summary.parquet").display()));
    } else if !queue.jobs.is_empty() {
        let (jobs, logs) = (queue.jobs.join(", "), path.join("slurm"));
        lines.push(format!("to do: wait for jobs {jobs}; their logs are in {}", logs.display()));
    } else if is_done {
        let path = as_word(path);
        lines.push(format!("to finish: {}", command_line(["meshreplay", "merge", &path, "-o", &path])));
    } else {
        lines.extend(next(path, &manifest, started, all.last()));
    }
    Ok(Status { text: lines.join("\n") + "\n", is_finished })
}

/// Returns a sentence on the results in the directory that are not of this study; `None` if there are none.
pub fn others(folder: &StudyFolder, manifest: &Manifest) -> Option<String> {
    let count = folder.count_others(manifest);
    let (results, cells) = (counted(count, "result"), folder.path().join("cells"));
    let found =
        format!("{} also holds {results} of other options or logs, not in the summary", cells.display());
    (count > 0).then_some(found)
}

/// Returns a path as a word of a command, which takes it for no option.
fn as_word(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.starts_with('-') { format!("./{text}") } else { text.into_owned() }
}

/// Placeholder for the file of a study in commands where its path is not known.
const UNKNOWN: &str = "STUDY.toml";

/// Returns the commands that run the missing cells, as lines of text.
fn next(
    path: &Path,
    manifest: &Manifest,
    started: Option<Started>,
    last: Option<&Submission>,
) -> Vec<String> {
    let is_known = started.is_some();
    let started = started.unwrap_or_else(|| {
        // Finished studies, and directories that shards were merged into, have the study's file at most.
        let file = Place::read(path).and_then(|place| place.study_file(path));
        let study = file.map_or_else(|| UNKNOWN.to_owned(), |file| file.to_string_lossy().into_owned());
        let given = Options { jobs: manifest.jobs, ..manifest.options.clone() };
        Started { study, options: given.sweep_arguments(), jobs: given.jobs }
    });
    let path = as_word(path);
    let words = ["meshreplay", "sweep", &started.study, "-o", &path];
    let sweep = command_line(words.into_iter().chain(started.options.iter().map(String::as_str)));
    let again = |last: &Submission| format!("to resubmit: {sweep} --submit {}", command_line([&last.spec]));
    let unknown = (started.study == UNKNOWN).then(|| format!("{UNKNOWN} stands for the file of the study"));
    let keys =
        (!started.options.is_empty()).then(|| "leave out options that are keys of that file".to_owned());
    let note = unknown.into_iter().chain(keys).collect::<Vec<_>>().join("; ");
    let commands = last.map(again).into_iter().chain([format!("to finish: {sweep}")]);
    commands.chain((!is_known && !note.is_empty()).then_some(note)).collect()
}
