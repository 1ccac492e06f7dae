//! The directory that takes the files of a run of `replay`: who may write there, what it holds, and how that is
//! replaced.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::origin::{RUN_FILE, STUDY_FILE, result_files};
use super::sheet::Sheet;
use super::{FileFormat, FinishedFile, FrameError, FrameFile};
use crate::disk::{Claim, ClaimError, NewFolder, is_stream, sync_directory};
use crate::study::{Coordinate, Study};

/// Why a directory cannot take the results of `replay`.
#[derive(Debug, thiserror::Error)]
pub enum RunFolderError {
    /// It is something else.
    #[error("{} is not a directory; give another one with -o", .0.display())]
    NoDirectory(PathBuf),
    /// It cannot be made.
    #[error("{} cannot be made", .path.display())]
    Make {
        /// Where it should be.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// It is the directory of a study.
    #[error("{} is of a study, which is not replaced; give another directory with -o", .0.display())]
    OfStudy(PathBuf),
    /// It holds results of another run.
    #[error("{} holds other results; --force replaces them, or give another directory", .0.display())]
    OtherResults(PathBuf),
    /// In it a directory has the name of a result.
    #[error("{} is a directory and cannot be replaced; give another one with -o", .0.display())]
    OddDirectory(PathBuf),
    /// An earlier result cannot be removed.
    #[error("{} cannot be removed", .path.display())]
    Remove {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// Another command writes there.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// A file cannot be written.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

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
pub(super) struct RunFolder {
    path: PathBuf,
    format: FileFormat,
    found: Found,
    /// The jobs of the replays that have ended so far.
    pub(super) jobs: FrameFile,
    /// No other process writes there.
    _claim: Claim,
    /// Removes the directory again if it was made and nothing comes into it. It must be dropped after `jobs`.
    _new: NewFolder,
}

impl RunFolder {
    /// Makes the directory, and refuses one that another command writes into or that holds results of another run,
    /// unless `force`. `run` is the text of run.json.
    pub(super) fn open(
        path: &Path,
        study: &Study,
        (run, format): (&str, FileFormat),
        force: bool,
    ) -> Result<Self, RunFolderError> {
        if path.exists() && !path.is_dir() {
            return Err(RunFolderError::NoDirectory(path.to_owned()));
        }
        let new = NewFolder::create(path)
            .map_err(|source| RunFolderError::Make { path: path.to_owned(), source })?;
        let mut of_study = [STUDY_FILE, "cells"].map(|name| path.join(name)).into_iter();
        if let Some(of_study) = of_study.find(|path| path.exists()) {
            return Err(RunFolderError::OfStudy(of_study));
        }
        let claim = Claim::alone(path)?;
        let is_same = fs::read_to_string(path.join(RUN_FILE)).is_ok_and(|existing| existing == run);
        let found = match result_files(path).any(|file| file.exists()) {
            false => Found::Nothing,
            true if is_same => held(path, study).map_or(Found::Others, Found::SameRun),
            true if force => Found::Others,
            true => return Err(RunFolderError::OtherResults(path.to_owned())),
        };
        check_directories(path)?;
        let jobs = FrameFile::create(path, "jobs", format, run)?;
        Ok(Self { path: path.to_owned(), format, found, jobs, _claim: claim, _new: new })
    }

    /// Starts the file of the summary.
    pub(super) fn summary(&self, run: &str) -> Result<FrameFile, FrameError> {
        FrameFile::create(&self.path, "summary", self.format, run)
    }

    /// Puts the files of the run into the directory, unless it holds results of the same run already, of these replays
    /// (`finished`) and more; returns whether it did.
    ///
    /// All files are whole and on disk under temporary names before the first of them takes its place. run.json comes
    /// first: if the process is killed between two of them, the same command may be given again, and whoever compares
    /// the files with run.json sees which of them do not belong to it.
    pub(super) fn replace(
        self,
        finished: &BTreeSet<u64>,
        summary: FrameFile,
        run: &str,
    ) -> Result<bool, RunFolderError> {
        let Self { path, found, jobs, _claim, _new, .. } = self;
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
        sync_directory(&path).map_err(|source| FrameError::File { path: path.clone(), source })?;
        if found == Found::Others {
            for path in result_files(&path).filter(|file| !ours.contains(file) && !is_stream(file)) {
                match fs::remove_file(&path) {
                    Err(source) if source.kind() != io::ErrorKind::NotFound => {
                        return Err(RunFolderError::Remove { path, source });
                    }
                    _ => {}
                }
            }
        }
        Ok(true)
    }
}

/// Refuses a directory in which the name of a result is a directory's.
fn check_directories(folder: &Path) -> Result<(), RunFolderError> {
    match result_files(folder).find(|file| file.is_dir()) {
        Some(odd) => Err(RunFolderError::OddDirectory(odd)),
        None => Ok(()),
    }
}

/// Returns the numbers of the replays that the directory's summary holds; `None` if it has none, or one of other
/// replays.
fn held(folder: &Path, study: &Study) -> Option<BTreeSet<u64>> {
    let sheet = Sheet::read(folder).ok()?;
    let has_jobs =
        FileFormat::ALL.iter().any(|format| folder.join(format!("jobs.{}", format.extension())).exists());
    let label = |column: &str, row: usize| sheet.column(column).map(|column| column.label(row));
    let mut numbers = BTreeSet::new();
    for row in 0..sheet.height() {
        let number: u64 = label("replay", row)?.parse().ok()?;
        let spec = &study.cells.get(usize::try_from(number).ok()?)?.spec;
        // A row has the seed of its replication.
        let is_its = Coordinate::listed()
            .filter(|coordinate| coordinate.name != "seed")
            .all(|coordinate| label(coordinate.name, row).as_ref() == Some(&coordinate.text(spec)));
        if !is_its {
            return None;
        }
        numbers.insert(number);
    }
    has_jobs.then_some(numbers)
}
