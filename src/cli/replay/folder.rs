//! The directory that takes the files of a replay: who may write there, what it holds, and how that is replaced.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::disk::{Claim, NewFolder, is_stream, sync_directory};
use crate::frame::{FileFormat, FinishedFile, FrameFile, RUN_FILE, STUDY_FILE, Sheet, result_files};
use crate::study::{Coordinate, Replay};

/// What a directory holds before the run.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// Nothing that the run would replace.
    Nothing,
    /// Results of the same run, of the replays with these numbers.
    SameRun(BTreeSet<u64>),
    /// Results of another run, or what is left of one that the same run was about to replace when it was killed.
    Others,
}

/// The directory that takes the files.
pub(super) struct Folder {
    path: PathBuf,
    found: Found,
    pub(super) jobs: FrameFile,
    /// Nobody else writes there.
    _claim: Claim,
    /// Removes the directory again if it was made and nothing comes into it. It must be dropped after `jobs`.
    _new: NewFolder,
}

impl Folder {
    /// Makes the directory, and refuses one that another command writes into or that holds results of another run,
    /// unless `force`. `run` is the resolved run.
    pub(super) fn open(
        path: &Path,
        cells: &[Replay],
        (run, format): (&str, FileFormat),
        force: bool,
    ) -> Result<Self> {
        if path.exists() && !path.is_dir() {
            bail!("{} is not a directory; give another one with -o", path.display());
        }
        let new = NewFolder::create(path).with_context(|| format!("{} cannot be made", path.display()))?;
        if let Some(study) =
            [STUDY_FILE, "cells"].map(|name| path.join(name)).iter().find(|path| path.exists())
        {
            bail!("{} is of a study, which is not replaced; give another directory with -o", study.display());
        }
        let claim = Claim::alone(path)?;
        let is_same = fs::read_to_string(path.join(RUN_FILE)).is_ok_and(|existing| existing == run);
        let found = match result_files(path).any(|file| file.exists()) {
            false => Found::Nothing,
            true if is_same => held(path, cells).map_or(Found::Others, Found::SameRun),
            true if force => Found::Others,
            true => {
                bail!(
                    "{} holds other results; --force replaces them, or give another directory",
                    path.display()
                )
            }
        };
        check_directories(path)?;
        let jobs = FrameFile::create(path, "jobs", format, run)?;
        Ok(Self { path: path.to_owned(), found, jobs, _claim: claim, _new: new })
    }

    /// Puts the files of the run into the directory, unless it holds results of the same run already, of these replays
    /// (`finished`) and more; false then.
    ///
    /// All files are whole and on disk under temporary names before the first of them takes its place. The resolved run
    /// comes first: if the process is killed between two of them, the same command may be given again, and whoever
    /// compares the files with the run sees which of them are not its.
    pub(super) fn replace(self, finished: &BTreeSet<u64>, summary: FrameFile, run: &str) -> Result<bool> {
        let Self { path, found, jobs, _claim, _new } = self;
        if let Found::SameRun(held) = &found
            && held.len() > finished.len()
            && held.is_superset(finished)
        {
            return Ok(false);
        }
        let run = FinishedFile::of_text(&path.join(RUN_FILE), run)?;
        let files: Vec<FinishedFile> =
            [Some(run), jobs.finish()?, summary.finish()?].into_iter().flatten().collect();
        check_directories(&path)?;
        let ours: BTreeSet<PathBuf> = files.iter().map(|file| file.target().to_owned()).collect();
        for file in files {
            file.put()?;
        }
        sync_directory(&path).with_context(|| format!("{} cannot be written", path.display()))?;
        if found == Found::Others {
            for file in result_files(&path).filter(|file| !ours.contains(file) && !is_stream(file)) {
                match fs::remove_file(&file) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(error).with_context(|| format!("{} cannot be removed", file.display()));
                    }
                    _ => {}
                }
            }
        }
        Ok(true)
    }
}

/// Refuses a directory in which the name of a result is a directory's.
fn check_directories(folder: &Path) -> Result<()> {
    match result_files(folder).find(|file| file.is_dir()) {
        Some(odd) => {
            bail!("{} is a directory and cannot be replaced; give another one with -o", odd.display())
        }
        None => Ok(()),
    }
}

/// The numbers of the replays that the directory's summary holds; `None` if it has none, or one of other replays.
fn held(folder: &Path, cells: &[Replay]) -> Option<BTreeSet<u64>> {
    let sheet = Sheet::read(folder).ok()?;
    let has_jobs =
        FileFormat::ALL.iter().any(|format| folder.join(format!("jobs.{}", format.extension())).exists());
    let label = |column: &str, row: usize| sheet.column(column).map(|column| column.label(row));
    let mut numbers = BTreeSet::new();
    for row in 0..sheet.height() {
        let number: u64 = label("replay", row)?.parse().ok()?;
        let cell = cells.get(usize::try_from(number).ok()?)?;
        // Seeds are those of replications, rules those of all replays of a run.
        let is_its = Coordinate::listed()
            .filter(|coordinate| !["seed", "rules"].contains(&coordinate.name))
            .all(|coordinate| label(coordinate.name, row).as_ref() == Some(&coordinate.text(&cell.spec)));
        if !is_its {
            return None;
        }
        numbers.insert(number);
    }
    has_jobs.then_some(numbers)
}
