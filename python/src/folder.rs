//! Directories of results.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;

use meshreplay::cli::embedded;
use meshreplay::disk::{Claim, TEMPORARY};
use meshreplay::figure::{Span, check_overwrite};
use meshreplay::frame::{self, FileFormat, FrameFile, FrameSchema, Place, RUN_FILE, STUDY_FILE};
use meshreplay::report::{Report, ReportOptions, saved_table, saved_verdict};
use pyo3::prelude::*;

use crate::error::{failure, message};
use crate::frame::{Frame, joined};
use crate::wait::wait_for;

/// Fails if a directory of results has the name of a table.
#[pyfunction]
pub(crate) fn check_directory(path: PathBuf) -> PyResult<()> {
    embedded::unsuited_directory(&path).map_or(Ok(()), |problem| Err(message(problem)))
}

/// Reads a frame of a directory of results; `None` if the directory does not hold it.
#[pyfunction]
pub(crate) fn read_frame(py: Python<'_>, folder: PathBuf, name: String) -> PyResult<Option<Frame>> {
    let title = name.clone();
    let found = wait_for(py, move || frame::read_frame(&folder, &name))?.map_err(|error| failure(&error))?;
    Ok(found.map(|found| Frame::new(&title, found)))
}

/// Returns the closing lines of the results in `folder`: of the replays in `numbers`, or of all.
#[pyfunction]
pub(crate) fn verdict_of(
    py: Python<'_>,
    folder: PathBuf,
    numbers: Option<BTreeSet<u64>>,
) -> PyResult<Vec<String>> {
    wait_for(py, move || saved_verdict(&folder, numbers.as_ref()))?.map_err(|error| failure(&error))
}

/// Returns the table of the results in `folder`, of the replays in `numbers` or of all: its titles, the cells
/// of each row, and its text.
#[pyfunction]
pub(crate) fn table_of(
    py: Python<'_>,
    folder: PathBuf,
    numbers: Option<BTreeSet<u64>>,
    columns: Vec<String>,
) -> PyResult<(Vec<String>, Vec<Vec<String>>, String)> {
    let read = wait_for(py, move || saved_table(&folder, numbers.as_ref(), &columns))?;
    let table = read.map_err(|error| failure(&error))?.map_err(|error| failure(&error))?;
    let rows = table.rows().map(<[String]>::to_vec).collect();
    Ok((table.titles().map(str::to_owned).collect(), rows, table.text()))
}

/// Returns the format of this name.
pub(crate) fn format_called(name: &str) -> PyResult<FileFormat> {
    FileFormat::ALL.into_iter().find(|format| format.extension() == name).ok_or_else(|| {
        let known: Vec<&str> = FileFormat::ALL.iter().map(|format| format.extension()).collect();
        message(format!("no format '{name}' (one of: {})", known.join(", ")))
    })
}

/// Results to copy: their directory, the numbers of the replays or `None` for all, and what is added to them.
type Source = (PathBuf, Option<BTreeSet<u64>>, i64);

/// Copies results into the directory `out`. The copy of one source has its run.json, and that of several is a
/// run of its own, which is called `run`.
#[pyfunction]
pub(crate) fn copy_results(
    py: Python<'_>,
    sources: Vec<Source>,
    run: Option<String>,
    out: PathBuf,
    format: &str,
    force: bool,
) -> PyResult<()> {
    let format = format_called(format)?;
    wait_for(py, move || copy(&sources, run.as_deref(), &out, format, force))?
}

fn copy(sources: &[Source], run: Option<&str>, out: &Path, format: FileFormat, force: bool) -> PyResult<()> {
    if let Some((gone, ..)) = sources.iter().find(|(folder, ..)| !folder.is_dir()) {
        return Err(message(format!("the results are gone: there is no directory {}", gone.display())));
    }
    fs::create_dir_all(out)?;
    let _claim = Claim::alone(out).map_err(|error| failure(&error))?;
    let earlier: Vec<PathBuf> = frame::result_files(out).filter(|file| file.exists()).collect();
    if !(earlier.is_empty() || force) || out.join(STUDY_FILE).exists() {
        let remedy = "give another directory, or force=True to replace the results of a replay";
        return Err(message(format!("{} holds results already; {remedy}", out.display())));
    }
    // Joined results are of no single run.
    let names = [RUN_FILE, STUDY_FILE].map(|name| match sources {
        [(folder, ..)] if run.is_none() => {
            Some((folder.join(name), out.join(name))).filter(|(from, _)| from.exists())
        }
        _ => None,
    });
    let origin = names.iter().flatten().next().map(|(from, _)| fs::read_to_string(from)).transpose()?;
    let mut files = Vec::new();
    for schema in FrameSchema::all() {
        let mut frames = Vec::new();
        for (folder, numbers, offset) in sources {
            let whole = frame::read_frame(folder, schema.name).map_err(|error| failure(&error))?;
            let part = whole.map(|whole| match numbers {
                Some(numbers) => frame::of_replays(&whole, numbers),
                None => Ok(whole),
            });
            frames.extend(part.transpose().map_err(|error| failure(&error))?.map(|part| (part, *offset)));
        }
        if frames.is_empty() {
            continue;
        }
        let mut rows = joined(&frames, run).map_err(|error| failure(&error))?;
        let mut write = || {
            let mut file =
                FrameFile::create(out, schema.name, format, origin.as_deref().unwrap_or_default())?;
            file.append(&mut rows)?;
            file.finish()
        };
        files.extend(write().map_err(|error| failure(&error))?);
    }
    earlier.iter().try_for_each(fs::remove_file)?;
    for (from, to) in names.iter().flatten() {
        fs::copy(from, to)?;
    }
    if let ([(folder, ..)], None) = (sources, run)
        && let Some(place) = Place::read(folder).and_then(|place| place.moved(folder, out).ok())
    {
        place.write(out).map_err(|error| failure(&error))?;
    }
    files.into_iter().try_for_each(|file| file.put().map_err(|error| failure(&error)))
}

/// Writes the report on the results in `folder`, which it does not name if that is temporary, and returns
/// notes on missing data.
#[pyfunction]
#[pyo3(signature = (folder, is_temporary, path, title, window_s, show, force))]
#[expect(clippy::too_many_arguments, reason = "most are keywords of the Python function")]
pub(crate) fn report(
    py: Python<'_>,
    folder: PathBuf,
    is_temporary: bool,
    path: PathBuf,
    title: Option<String>,
    window_s: Option<(f64, f64)>,
    show: Vec<String>,
    force: bool,
) -> PyResult<Vec<String>> {
    let window_s = window_s.map(|(low, high)| Span::new(low, high));
    let options = ReportOptions { title, window_s, show };
    if let Some(problem) = embedded::unsuited_page(&path) {
        return Err(message(problem));
    }
    wait_for(py, move || {
        check_overwrite(&path, force).map_err(|error| failure(&error))?;
        let _claim = Claim::beside(&path).map_err(|error| failure(&error))?;
        let (report, notes) = Report::from_folder(&folder, &options, &AtomicUsize::default())
            .map_err(|error| failure(&error))?;
        let plain = |text: String| match folder.to_str().filter(|_| is_temporary) {
            Some(folder) => text.replace(&format!("{folder}/"), ""),
            None => text,
        };
        frame::write_whole(&path, plain(report.html()).as_bytes(), TEMPORARY)
            .map_err(|error| failure(&error))?;
        Ok(notes.into_iter().map(plain).collect())
    })?
}
