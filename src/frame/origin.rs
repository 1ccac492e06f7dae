//! Where results come from: the id that every file of a run has, and what a directory of results says of itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use polars::prelude::{Column, DataFrame, NamedFrom, Series};
use serde_json::Value;

use super::read::{first_rows, read_columns};
use super::{FileFormat, FrameError, name};
use crate::study::{Coordinate, Manifest, sha256};

/// Name of the file that holds the resolved run of `meshreplay replay`.
pub const RUN_FILE: &str = "run.json";

/// Name of the file that holds the resolved study.
pub const STUDY_FILE: &str = "study.json";

/// The column of every frame that says which run it is of.
pub(super) const RUN_COLUMN: &str = "run";

/// Hexadecimal digits of an id.
const DIGITS: usize = 16;

/// Returns the path of every file in `folder` that results may lie in, but for the cells of a study.
pub fn result_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let frames = ["jobs", "summary"].into_iter().flat_map(|stem| {
        FileFormat::ALL.into_iter().map(move |format| format!("{stem}.{}", format.extension()))
    });
    frames.chain([RUN_FILE.to_owned()]).map(|file| folder.join(file))
}

/// Returns the id of the run that this text describes: a part of its SHA-256. It begins with a letter, so that it is
/// not read as a number from CSV.
fn id(text: &str) -> String {
    std::iter::once('r').chain(sha256(text).chars().take(DIGITS)).collect()
}

/// Returns the id of a study. It stays the same as cells are added to the study.
pub(super) fn study_id(manifest: &Manifest) -> Result<String, FrameError> {
    let named =
        Manifest { description: None, jobs: false, logs: Vec::new(), cells: Vec::new(), ..manifest.clone() };
    Ok(id(&serde_json::to_string(&named).map_err(FrameError::Json)?))
}

/// Returns the frame with the column that says which run it is of; `run` is the text of its run.json.
pub fn marked(mut frame: DataFrame, run: &str) -> Result<DataFrame, FrameError> {
    mark(&mut frame, &id(run))?;
    Ok(frame)
}

/// Adds the column that says which run the frame is of.
pub(super) fn mark(frame: &mut DataFrame, id: &str) -> Result<(), FrameError> {
    let ids = vec![id; frame.height()];
    frame.with_column(Column::from(Series::new(name(RUN_COLUMN), ids)))?;
    Ok(())
}

/// What results do not hold of what run.json or study.json lists beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// The file that lists it; `None` if there is none.
    pub listed_by: Option<PathBuf>,
    /// What the replays that are missing are called.
    pub replays: Vec<String>,
    /// How many replays there are in all.
    pub of: usize,
}

/// What run.json or study.json says of the results beside it.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The file that says it.
    pub(super) file: PathBuf,
    id: String,
    /// The replays of the run, or the cells of the study, in their order.
    replays: Vec<Value>,
    /// What they differ in.
    varying: Vec<&'static str>,
}

impl Origin {
    /// Reads it of the results in `folder`; `None` if nothing there says where they come from. Fails if its files are
    /// of several runs.
    pub(super) fn of(folder: &Path) -> Result<Option<Self>, FrameError> {
        let (run, study) = (folder.join(RUN_FILE), folder.join(STUDY_FILE));
        let origin = match (read(&run)?, read(&study)?) {
            (Some(_), Some(_)) => return Err(FrameError::BothKinds { run, study }),
            (Some(text), None) => Some(Self::parsed(run, id(&text), &text, "replays")?),
            (None, Some(text)) => {
                let unreadable = |error: serde_json::Error| unreadable(&study, error.into());
                let manifest: Manifest = serde_json::from_str(&text).map_err(unreadable)?;
                Some(Self::parsed(study, study_id(&manifest)?, &text, "cells")?)
            }
            (None, None) => None,
        };
        let mut first = origin.as_ref().map(|origin| (origin.file.clone(), origin.id.clone()));
        for file in result_files(folder).filter(|file| !file.ends_with(RUN_FILE) && file.exists()) {
            let frame = match FileFormat::of_path(&file) {
                Some(FileFormat::Parquet | FileFormat::Arrow) => read_columns(&file, &[RUN_COLUMN])?,
                // The other rows are checked when all of the file is read.
                _ => first_rows(&file)?,
            };
            for found in runs(&frame) {
                match &first {
                    None => first = Some((file.clone(), found)),
                    Some((_, id)) if *id == found => {}
                    Some((other, _)) => return Err(FrameError::Mixed { file, other: other.clone() }),
                }
            }
        }
        Ok(origin)
    }

    fn parsed(file: PathBuf, id: String, text: &str, list: &str) -> Result<Self, FrameError> {
        let value: Value = serde_json::from_str(text).map_err(|error| unreadable(&file, error.into()))?;
        let replays = value.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
        let varies = |key: &&str| replays.iter().any(|other| other.get(key) != replays[0].get(key));
        let mut varying: Vec<&str> =
            Coordinate::listed().map(|coordinate| coordinate.name).filter(varies).collect();
        if varying.is_empty() {
            varying.push("allocator");
        }
        Ok(Self { file, id, replays, varying })
    }

    /// Fails if rows of the frame, which was read from `file`, are of another run or study.
    pub(super) fn check(&self, file: &Path, frame: &DataFrame) -> Result<(), FrameError> {
        let mixed = || FrameError::Mixed { file: file.to_owned(), other: self.file.clone() };
        if runs(frame).iter().any(|run| *run != self.id) {
            return Err(mixed());
        }
        let Some(keys) = frame.column("key").ok().and_then(|column| column.str().ok()) else { return Ok(()) };
        let known: BTreeSet<&str> = self.keys().collect();
        if keys.iter().flatten().any(|key| !known.contains(key)) {
            return Err(mixed());
        }
        Ok(())
    }

    /// Numbers the rows of a study's summary, which has passed the check, by the cells of study.json: since it was
    /// written cells may have come between those that there were, and the jobs of cells are found by their numbers.
    pub(super) fn renumber(&self, frame: &mut DataFrame) -> Result<(), FrameError> {
        let numbers: BTreeMap<&str, u32> = self.keys().zip(0..).collect();
        let Some(keys) = frame.column("key").ok().and_then(|column| column.str().ok()) else { return Ok(()) };
        let found: Option<Vec<u32>> = keys.iter().map(|key| numbers.get(key?).copied()).collect();
        if let Some(found) = found {
            frame.with_column(Column::from(Series::new(name("replay"), found)))?;
        }
        Ok(())
    }

    /// Returns the keys of the cells of a study, in their order; none for a run.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.replays.iter().filter_map(|cell| cell.get("key")?.as_str())
    }

    /// Returns what results lack that have only the replays whose numbers `holds` takes.
    pub(super) fn missing(&self, holds: impl Fn(usize) -> bool) -> Missing {
        let of = self.replays.len();
        let missing = (0..of).filter(|&i| !holds(i));
        let replays = missing.map(|i| format!("{i} ({})", self.label(i))).collect();
        Missing { listed_by: Some(self.file.clone()), replays, of }
    }

    /// Returns what replay `i` is called: the values in which it differs from others of the run, or its allocator if
    /// there are no others.
    pub(super) fn label(&self, i: usize) -> String {
        let value = |key: &&str| match self.replays.get(i).and_then(|replay| replay.get(key)) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        self.varying.iter().map(value).collect::<Vec<_>>().join(" · ")
    }
}

/// Returns the ids that rows of a frame have, each once.
fn runs(frame: &DataFrame) -> BTreeSet<String> {
    let column = frame.column(RUN_COLUMN).ok().and_then(|column| column.str().ok());
    let ids: BTreeSet<&str> = column.iter().flat_map(|column| column.iter().flatten()).collect();
    ids.into_iter().map(ToOwned::to_owned).collect()
}

/// Reads the text of a file; returns `None` if it is not there.
fn read(path: &Path) -> Result<Option<String>, FrameError> {
    match fs::read_to_string(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        read => read.map(Some).map_err(|error| unreadable(path, error)),
    }
}

fn unreadable(path: &Path, source: io::Error) -> FrameError {
    FrameError::Unreadable { path: path.to_owned(), source }
}
