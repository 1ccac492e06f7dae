//! Replays: a command's arguments become a study, which runs in threads of the library.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use meshreplay::cli::embedded::{self, ReplayDraft};
use meshreplay::frame::{CALL, FinishedRun, RunResults, StudyFolder};
use meshreplay::guest::Guests;
use meshreplay::spec::GUEST;
use meshreplay::study::{self, Axes, Draft, Manifest, Outcome, Progress, Running, State, Study, SweepError};
use pyo3::prelude::*;

use crate::error::{failure, message};
use crate::own::{Named, guests, label};
use crate::run::Run;
use crate::wait::{Interrupted, wait, wait_for};

/// Replays logs: for each the arguments of `replay` that name and read it, and in `words` the others, which
/// they share. `names` gives the names of the logs in results; an empty one is that of the file. `own` has
/// the allocators, the schedulers and the execution models that are classes or objects, which specs name
/// `guest:NAME`. `tick` is called with the numbers of finished jobs, jobs, ended replays and replays.
///
/// With `out`, results are kept in this directory as those of a study, and only what it lacks is replayed.
/// Otherwise they are in the returned object. An exception that stops the replays has it as attribute `run`.
#[pyfunction]
#[pyo3(signature = (logs, names, words, own, tick=None, out=None))]
pub(crate) fn replay(
    py: Python<'_>,
    logs: Vec<Vec<String>>,
    names: Vec<String>,
    words: Vec<String>,
    own: [Vec<Named>; 3],
    tick: Option<Py<PyAny>>,
    out: Option<PathBuf>,
) -> PyResult<Run> {
    let (mut draft, threads) = merged(&logs, &names, &words, &guests(own))?;
    if out.is_some() {
        CALL.clone_into(&mut draft.name);
    }
    let planned = move || {
        let mut notes = Vec::new();
        let study = embedded::plan(draft, &mut notes);
        (study, notes)
    };
    let (study, notes) = wait_for(py, planned)?;
    run_study(py, study.map_err(message)?, notes, threads, tick, out)
}

/// Replays the study of a file with further allocators, schedulers and execution models, the specs in `more`,
/// of which `own` has those that are classes or objects. `words` are further arguments of `replay`, such as the
/// number of threads. Everything else is as in [`replay`].
#[pyfunction]
pub(crate) fn sweep(
    py: Python<'_>,
    file: PathBuf,
    more: [Vec<String>; 3],
    own: [Vec<Named>; 3],
    words: Vec<String>,
    tick: Option<Py<PyAny>>,
    out: PathBuf,
) -> PyResult<Run> {
    // They are read as those of `replay`, which needs an allocator, and has defaults of its own.
    let flags = ["--allocator", "--scheduler", "--network"].into_iter().zip(&more);
    let given = flags.flat_map(|(flag, texts)| texts.iter().map(move |text| format!("{flag}={text}")));
    let needed = more[0].is_empty().then_some("--allocator=naive");
    let needed = needed.into_iter().chain(["--machine=1"]).map(str::to_owned);
    let words: Vec<String> = given.chain(needed).chain(words).collect();
    let ReplayDraft { draft, threads } = drafted(&["--", "log"].map(str::to_owned), &words, &guests(own))?;
    let Axes { mut allocators, mut schedulers, mut networks, guests, .. } = draft.axes;
    for (axis, texts) in [&mut allocators, &mut schedulers, &mut networks].into_iter().zip(&more) {
        if texts.is_empty() {
            axis.clear();
        }
    }
    let add = move |draft: &mut Draft| {
        draft.axes.guests = guests.clone();
        draft.axes.allocators.extend_from_slice(&allocators);
        draft.axes.schedulers.extend_from_slice(&schedulers);
        draft.axes.networks.extend_from_slice(&networks);
    };
    let planned = move || {
        embedded::study(&file, &add).map_err(|problem| {
            // What was added is on no line of the file.
            let line = format!("{}:1: ", file.display());
            let of_added = problem.strip_prefix(&line).filter(|_| embedded::study(&file, &|_| {}).is_ok());
            of_added.map_or_else(|| problem.clone(), |of_added| format!("{}: {of_added}", keywords(&more)))
        })
    };
    let study = wait_for(py, planned)?.map_err(message)?;
    let notes = study.notes.clone();
    run_study(py, study, notes, threads, tick, Some(out))
}

/// Returns the specs that were added, by their keywords: `allocator='best-of:mm|random'`.
fn keywords(more: &[Vec<String>; 3]) -> String {
    let given = ["allocator", "scheduler", "network"].into_iter().zip(more);
    let given = given.filter(|(_, texts)| !texts.is_empty()).map(|(name, texts)| {
        let texts: Vec<String> = texts.iter().map(|text| format!("'{text}'")).collect();
        let [open, close] = if texts.len() == 1 { ["", ""] } else { ["[", "]"] };
        format!("{name}={open}{}{close}", texts.join(", "))
    });
    given.collect::<Vec<_>>().join(", ")
}

/// Runs a study in threads of the library.
fn run_study(
    py: Python<'_>,
    study: Study,
    notes: Vec<String>,
    threads: Option<NonZeroUsize>,
    tick: Option<Py<PyAny>>,
    out: Option<PathBuf>,
) -> PyResult<Run> {
    let study = Arc::new(study);
    let running = Arc::new(Running::new(study.cells.len()));
    let (work, stop) = ((Arc::clone(&study), Arc::clone(&running)), Arc::clone(&running));
    let show = |py: Python<'_>| match &tick {
        Some(tick) => tick.call1(py, progress(&study, &running)).map(drop),
        None => Ok(()),
    };
    let work = move || match &out {
        None => run(&work.0, &work.1, threads, notes),
        Some(folder) => run_into(folder, &work.0, &work.1, threads, notes),
    };
    let of = |Ended { run, notes, errors }| Run::new(Arc::clone(&study), run, notes, errors);
    match wait(py, work, move || stop.stop(), show) {
        Ok(ended) => ended.map(of),
        Err(Interrupted { raised, left }) => {
            if let Some(Ok(ended)) = left {
                raised.value(py).setattr("run", of(ended))?;
            }
            Err(raised)
        }
    }
}

/// Returns what the arguments of one log and the shared ones describe.
fn drafted(of_log: &[String], words: &[String], guests: &Guests) -> PyResult<ReplayDraft> {
    let words: Vec<String> = words.iter().chain(of_log).cloned().collect();
    let mut whole = embedded::replay_draft(&words, guests.clone()).map_err(message)?;
    call_by_label(&mut whole.draft);
    Ok(whole)
}

/// Labels the algorithms of the caller by the name of their class and its arguments.
fn call_by_label(Draft { axes, .. }: &mut Draft) {
    for given in [&mut axes.schedulers, &mut axes.allocators, &mut axes.networks].into_iter().flatten() {
        if let (GUEST, Some(name)) = (given.spec.name.as_str(), &given.spec.members) {
            label(name).clone_into(&mut given.label);
        }
    }
}

/// Returns the study of all logs, and the number of threads. Fails if the logs are to be read in different
/// formats.
fn merged(
    logs: &[Vec<String>],
    names: &[String],
    words: &[String],
    guests: &Guests,
) -> PyResult<(Draft, Option<NonZeroUsize>)> {
    let mut whole: Option<ReplayDraft> = None;
    for (of_log, name) in logs.iter().zip(names) {
        let mut part = drafted(of_log, words, guests)?;
        for log in part.draft.logs.iter_mut().filter(|_| !name.is_empty()) {
            log.name.clone_from(name);
        }
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => {
                let [one, other] = [&whole.draft.options, &part.draft.options];
                if one.input_format != other.input_format {
                    return Err(message(
                        "the logs are read with different formats, columns, units or time zones; replay them \
                             one by one",
                    ));
                }
                whole.draft.logs.append(&mut part.draft.logs);
            }
        }
    }
    whole.map(|whole| (whole.draft, whole.threads)).ok_or_else(|| message("no log is given"))
}

/// What is left when all replays have ended.
struct Ended {
    run: Option<FinishedRun>,
    notes: Vec<String>,
    errors: BTreeMap<usize, String>,
}

/// Returns a pool of this number of threads, or one for each core.
fn pool(threads: Option<NonZeroUsize>, study: &Study) -> PyResult<rayon::ThreadPool> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = threads.map_or(cores, usize::from).min(study.cells.len().max(1));
    rayon::ThreadPoolBuilder::new().num_threads(most).build().map_err(|error| failure(&error))
}

/// Runs the replays of `study` that `folder` lacks, and keeps their results there.
fn run_into(
    folder: &Path,
    study: &Study,
    running: &Running,
    threads: Option<NonZeroUsize>,
    notes: Vec<String>,
) -> PyResult<Ended> {
    let (folder, manifest) = (StudyFolder::new(folder, None), Manifest::from(study));
    let _claim = folder.prepare(&manifest).map_err(|error| failure(&error))?;
    let (missing, pool) = (folder.missing(&manifest), pool(threads, study)?);
    for number in (0..study.cells.len()).filter(|number| !missing.contains(number)) {
        running.set(number, State::Ended);
    }
    let mut ended = Ended { run: None, notes, errors: BTreeMap::new() };
    let keep = |number: usize, outcomes: Vec<Outcome>| {
        folder.keep(&study.cells[number], &outcomes, &study.options, study.has)?;
        Ok(study.notes_on(number, &outcomes))
    };
    study::sweep(study, &missing, &pool, running, &keep, None, &mut |news| match news {
        Progress::Ended(_, Ok(notes)) => ended.notes.extend(notes),
        Progress::Ended(_, Err(SweepError::Interrupted)) | Progress::Tick => {}
        Progress::Ended(number, Err(error)) => {
            ended.errors.insert(number, chain(&error));
        }
    });
    folder.write_summary(&manifest, study.options.tidy).map_err(|error| failure(&error))?;
    Ok(ended)
}

/// Runs every replay of `study` and keeps the results in memory.
fn run(
    study: &Study,
    running: &Running,
    threads: Option<NonZeroUsize>,
    notes: Vec<String>,
) -> PyResult<Ended> {
    let pool = pool(threads, study)?;
    let mut results = RunResults::in_memory(study).map_err(|error| failure(&error))?;
    let mut ended = Ended { run: None, notes, errors: BTreeMap::new() };
    let mut lost = None;
    let cells: Vec<usize> = (0..study.cells.len()).collect();
    study::sweep(study, &cells, &pool, running, &|_, outcomes| Ok(outcomes), None, &mut |news| {
        let Progress::Ended(number, outcome) = news else { return };
        let outcomes = match outcome {
            Ok(outcomes) => {
                ended.notes.extend(study.notes_on(number, &outcomes));
                Some(outcomes)
            }
            Err(SweepError::Interrupted) => None,
            Err(error) => {
                ended.errors.insert(number, chain(&error));
                None
            }
        };
        if let Err(error) = results.add(number, outcomes) {
            running.stop();
            lost.get_or_insert(error);
        }
    });
    if let Some(error) = lost {
        return Err(failure(&error));
    }
    ended.run = results.finish().map_err(|error| failure(&error))?;
    Ok(ended)
}

/// Returns an error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    Python::attach(|py| failure(error).value(py).to_string())
}

/// Returns the numbers of finished jobs, jobs, ended replays and replays.
fn progress(study: &Study, running: &Running) -> (u64, u64, usize, usize) {
    let (mut done, mut jobs, mut ended) = (0, 0, 0);
    for (number, cell) in study.cells.iter().enumerate() {
        let of = cell.jobs * u64::from(study.options.replications.least());
        jobs += of;
        match running.state(number) {
            State::Waiting => {}
            State::Running => done += running.monitor(number).finished.load(Ordering::Relaxed) as u64,
            State::Ended => (done, ended) = (done + of, ended + 1),
        }
    }
    (done, jobs.max(done), ended, study.cells.len())
}
