//! The record of what was submitted from a study's directory.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::SubmitError;
use crate::disk::TEMPORARY;
use crate::frame::{FrameError, write_whole};

/// An array of shards that was submitted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Submission {
    /// What `--submit` said.
    pub(super) spec: String,
    /// The array's job.
    pub(super) array: Job,
    /// The job that follows it.
    pub(super) merge: Option<Job>,
    /// Keys of the cells that were missing, by the task that runs them.
    pub(super) tasks: BTreeMap<usize, Vec<String>>,
}

/// A job as sbatch names it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Job {
    /// Its number.
    pub(super) id: String,
    /// Its cluster, where there are several.
    pub(super) cluster: Option<String>,
}

fn file(folder: &Path) -> PathBuf {
    folder.join("slurm").join("submitted.json")
}

/// Reads what was submitted from the study's directory, oldest first; an empty list if nothing was.
pub(super) fn submissions(folder: &Path) -> Result<Vec<Submission>, SubmitError> {
    let path = file(folder);
    let text = match fs::read_to_string(&path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        read => read.map_err(SubmitError::system(format!("{} cannot be read", path.display())))?,
    };
    let damaged = format!("{} is damaged; delete it, its jobs are then not counted", path.display());
    serde_json::from_str(&text).map_err(io::Error::from).map_err(SubmitError::system(damaged))
}

/// Keeps what was submitted.
pub(super) fn keep(folder: &Path, all: &[Submission]) -> Result<(), SubmitError> {
    let text = serde_json::to_string_pretty(all).map_err(FrameError::Json)? + "\n";
    Ok(write_whole(&file(folder), text.as_bytes(), TEMPORARY)?)
}
