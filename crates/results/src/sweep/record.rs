//! The record of the submissions from a study's directory, in the file submitted.json.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::SubmitError;
use crate::frame::{FrameError, read_if_there, write_whole};
use meshreplay_base::disk::TEMPORARY;

/// One submission: an array of shards and the job that follows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Submission {
    /// The value of `--submit`.
    pub(super) spec: String,
    /// The job of the array.
    pub(super) array: Job,
    /// The job that merges results after the array. `None` if it could not be submitted.
    pub(super) merge: Option<Job>,
    /// The content keys of the cells that were missing, by the number of the task that runs them.
    pub(super) tasks: BTreeMap<usize, Vec<String>>,
}

/// A job as sbatch names it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Job {
    /// The number of the job.
    pub(super) id: String,
    /// The cluster of the job. `None` if sbatch did not name one.
    pub(super) cluster: Option<String>,
}

fn file(folder: &Path) -> PathBuf {
    folder.join("slurm").join("submitted.json")
}

/// Reads the submissions of a study, oldest first. The list is empty if there was none.
pub(super) fn submissions(folder: &Path) -> Result<Vec<Submission>, SubmitError> {
    let path = file(folder);
    let Some(text) = read_if_there(&path)? else { return Ok(Vec::new()) };
    let damaged = format!("{} is damaged; delete it, its jobs are then not counted", path.display());
    serde_json::from_str(&text).map_err(io::Error::from).map_err(SubmitError::system(damaged))
}

/// Writes all submissions of a study to its record.
pub(super) fn keep(folder: &Path, all: &[Submission]) -> Result<(), SubmitError> {
    let text = serde_json::to_string_pretty(all).map_err(FrameError::Json)? + "\n";
    Ok(write_whole(&file(folder), text.as_bytes(), TEMPORARY)?)
}
