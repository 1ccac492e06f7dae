//! The directory of a run of `replay`: which process may write there, what it holds, and how new results
//! replace earlier ones.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::JobParts;
use crate::frame::detail::{DETAILS, Detail};
use crate::frame::origin::{PLACE_FILE, Place, RUN_FILE, STUDY_FILE, is_ours, result_files, unmeasured};
use crate::frame::table::SavedTable;
use crate::frame::{FileFormat, FinishedFile, FrameError, FrameFile};
use meshreplay_base::disk::{
    Claim, ClaimError, Earlier, NewFolder, is_stream, read_to_string, remove_file, sync_directory,
};
use meshreplay_study::study::{Coordinate, Study};

/// Why a directory cannot take the results of `replay`.
#[derive(Debug, thiserror::Error)]
pub enum RunFolderError {
    /// The path is a file and not a directory.
    #[error("{} is not a directory; give another one with -o", .0.display())]
    NoDirectory(PathBuf),
    /// The directory cannot be made.
    #[error("{} cannot be made", .path.display())]
    Make {
        /// The path of the directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The directory belongs to a study.
    #[error("{} is of a study, which is not replaced; give another directory with -o", .0.display())]
    OfStudy(PathBuf),
    /// The directory holds results of another run.
    #[error("{} holds other results; --force replaces them, or give another directory", .0.display())]
    OtherResults(PathBuf),
    /// The directory holds replays of the same run that the new results lack.
    #[error(
        "{} holds other replays of this run; --force replaces them, or give another directory",
        .0.display()
    )]
    OtherReplays(PathBuf),
    /// The file for a table exists.
    #[error("{} is there already; --force replaces it, or give another file with -o", .0.display())]
    OtherTable(PathBuf),
    /// A file with the name of a result is not one.
    #[error(
        "{} was not written by meshreplay, or has a column that was added, so it is not replaced; move it \
         away, or give another place with -o",
        .0.display()
    )]
    NoResult(PathBuf),
    /// A directory has the name of a result file.
    #[error("{} is a directory and cannot be replaced; give another one with -o", .0.display())]
    OddDirectory(PathBuf),
    /// An earlier result cannot be removed.
    #[error("{} cannot be removed", .path.display())]
    Remove {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Another command is writing into the directory.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// A file cannot be written.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

/// Where the results of a run go.
#[derive(Clone, Copy, Debug)]
pub struct RunPlace<'a> {
    /// The directory.
    pub path: &'a Path,
    /// The format of the files.
    pub format: FileFormat,
    /// Whether results of another run are replaced.
    pub force: bool,
}

/// The content of a directory before the run starts.
#[derive(Debug, PartialEq, Eq)]
enum Existing {
    /// The directory holds no result file.
    Nothing,
    /// The directory holds results of the same run. The set holds the numbers of its replays.
    SameRun(BTreeSet<u64>),
    /// The directory holds results of another run, or of this run but damaged, because it was killed while it
    /// replaced them.
    Others,
}

/// The directory of a run, ready to take its files.
pub(super) struct RunFolder {
    path: PathBuf,
    format: FileFormat,
    existing: Existing,
    /// Where this process runs.
    place: Place,
    /// The open files of the details, with the replays that have ended.
    pub(super) details: Vec<(&'static Detail, FrameFile)>,
    /// As long as the claim is held, no other process writes into the directory.
    _claim: Claim,
    /// Removes the directory again if this run made it and it stays empty. Fields are dropped in their order,
    /// and this field must be dropped after `details`.
    _new: NewFolder,
}

impl RunFolder {
    /// Makes the directory if needed. Fails if another command is writing into it, or if it holds results of
    /// another run that are not replaced. `run` is the text of run.json.
    pub(super) fn open(place: RunPlace<'_>, study: &Study, run: &str) -> Result<Self, RunFolderError> {
        let RunPlace { path, format, force } = place;
        if path.exists() && !path.is_dir() {
            return Err(RunFolderError::NoDirectory(path.to_owned()));
        }
        let new = NewFolder::create(path)
            .map_err(|source| RunFolderError::Make { path: path.to_owned(), source })?;
        check_study(path)?;
        let claim = Claim::alone(path)?;
        // Checked again, because a study may have begun before this process had its claim.
        check_study(path)?;
        check_results(path)?;
        let is_same =
            read_to_string(&path.join(RUN_FILE)).is_ok_and(|written| unmeasured(&written) == unmeasured(run));
        let existing = match result_files(path).any(|file| file.exists()) {
            false => Existing::Nothing,
            true if is_same => finished_replays(path, study).map_or(Existing::Others, Existing::SameRun),
            true if force => Existing::Others,
            true => return Err(RunFolderError::OtherResults(path.to_owned())),
        };
        check_directories(path)?;
        let details = DETAILS.iter().filter(|detail| detail.is_in(study.has));
        let details = details.map(|detail| Ok((detail, FrameFile::create(path, detail.name, format, run)?)));
        let details = details.collect::<Result<_, FrameError>>()?;
        let place = Place::of_process(path, &study.logs)
            .map_err(|source| FrameError::File { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), format, existing, place, details, _claim: claim, _new: new })
    }

    /// Prepares for the replays in `finished` alone. Fails if the directory holds more replays of the same
    /// run, unless `force`.
    pub(super) fn narrow(&mut self, finished: &BTreeSet<u64>, force: bool) -> Result<(), RunFolderError> {
        if matches!(&self.existing, Existing::SameRun(held) if !finished.is_superset(held)) {
            if !force {
                return Err(RunFolderError::OtherReplays(self.path.clone()));
            }
            self.existing = Existing::Others;
        }
        Ok(())
    }

    /// Prepares the job files of a run. `run` is the text of run.json.
    pub(super) fn job_parts(&self, study: &Study, run: &str) -> JobParts {
        JobParts::new(study, &self.path, self.format, run)
    }

    /// Starts the file of the summary. `run` is the text of run.json.
    pub(super) fn summary(&self, run: &str) -> Result<FrameFile, FrameError> {
        FrameFile::create(&self.path, "summary", self.format, run)
    }

    /// Replaces the files of the directory by the new results, and returns true. If the directory already
    /// holds the same run with all replays of `finished` and more, it keeps those files and returns false.
    ///
    /// All files are complete and on disk under temporary names before the first one is renamed. run.json is
    /// renamed first. If a rename fails, the earlier files are put back. If the process is killed between two
    /// renames, the same command can be repeated, and the ids in the files show which of them do not belong
    /// to run.json.
    pub(super) fn replace(
        self,
        finished: &BTreeSet<u64>,
        summary: FrameFile,
        run: &str,
    ) -> Result<bool, RunFolderError> {
        let Self { path, existing, place, details, _claim, _new, .. } = self;
        // The earlier results are kept only if they contain all replays of this run and at least one more.
        if let Existing::SameRun(held) = &existing
            && held.len() > finished.len()
            && held.is_superset(finished)
        {
            return Ok(false);
        }
        let run = FinishedFile::of_text(&path.join(RUN_FILE), run)?;
        let mut files = vec![run];
        for (_, file) in details {
            files.extend(file.finish()?);
        }
        files.extend(summary.finish()?);
        // Checked again, because replays may take hours and the directory may have changed.
        check_directories(&path)?;
        check_results(&path)?;
        let ours: BTreeSet<PathBuf> = files.iter().map(|file| file.target().to_owned()).collect();
        put_all(files)?;
        place.write(&path)?;
        sync_directory(&path).map_err(|source| FrameError::File { path: path.clone(), source })?;
        // Results in other formats than the new ones would belong to another run.
        if existing == Existing::Others {
            for path in result_files(&path).filter(|file| !ours.contains(file) && !is_stream(file)) {
                match remove_file(&path) {
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

/// Gives files their names. If one fails, the earlier files are put back, where the file system has links.
fn put_all(files: Vec<FinishedFile>) -> Result<(), FrameError> {
    let earlier = Earlier::keep(files.iter().map(FinishedFile::target).collect::<Vec<_>>());
    for (replaced, file) in files.into_iter().enumerate() {
        if let Err(error) = file.put() {
            earlier.restore(replaced);
            return Err(error);
        }
    }
    Ok(())
}

/// Fails if the directory belongs to a study.
fn check_study(folder: &Path) -> Result<(), RunFolderError> {
    let mut of_study = [STUDY_FILE, "cells"].map(|name| folder.join(name)).into_iter();
    of_study.find(|path| path.exists()).map_or(Ok(()), |path| Err(RunFolderError::OfStudy(path)))
}

/// Fails if a file with the name of a result was written by somebody else.
fn check_results(folder: &Path) -> Result<(), RunFolderError> {
    let mut files = result_files(folder).chain([folder.join(PLACE_FILE)]);
    files
        .find(|file| file.is_file() && !is_ours(file))
        .map_or(Ok(()), |file| Err(RunFolderError::NoResult(file)))
}

/// Fails if a directory has the name of a result file.
fn check_directories(folder: &Path) -> Result<(), RunFolderError> {
    match result_files(folder).find(|file| file.is_dir()) {
        Some(odd) => Err(RunFolderError::OddDirectory(odd)),
        None => Ok(()),
    }
}

/// Returns the numbers of the replays in the summary of `folder`. Returns `None` without a summary or jobs,
/// or if the replays differ from `study`.
fn finished_replays(folder: &Path, study: &Study) -> Option<BTreeSet<u64>> {
    let summary = SavedTable::read(folder).ok()?;
    let has_jobs =
        FileFormat::ALL.iter().any(|format| folder.join(format!("jobs.{}", format.extension())).exists());
    let label = |column: &str, row: usize| summary.column(column).map(|column| column.label(row));
    let mut numbers = BTreeSet::new();
    for row in 0..summary.height() {
        let number: u64 = label("replay", row)?.parse().ok()?;
        let spec = &study.cells.get(usize::try_from(number).ok()?)?.spec;
        // The seed of a row is that of its replication and may differ from the seed of the spec.
        let is_its =
            Coordinate::listed().filter(|coordinate| coordinate.name != "seed").all(
                |coordinate| match label(coordinate.column(), row) {
                    Some(found) => found == coordinate.text(spec),
                    None => !coordinate.is_given(spec),
                },
            );
        if !is_its {
            return None;
        }
        numbers.insert(number);
    }
    has_jobs.then_some(numbers)
}
