//! Files in the directory of a study that exist only while cells are missing: how the study was started, and
//! why cells failed.
//!
//! They are removed when the study is finished. So the final directory does not depend on interruptions.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::FrameError;
use super::folder::{StudyFolder, json};
use super::read::read_file;
use super::whole::read_if_there;
use meshreplay_base::disk::{read_to_string, remove_file};
use meshreplay_study::study::Manifest;

/// How a study was started. A command needs this to continue the study.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The absolute path of the study file.
    pub study: String,
    /// The options that results depend on, such as `--no-timing`, as words of a command line.
    pub options: Vec<String>,
    /// Whether the jobs of every cell are kept.
    pub jobs: bool,
}

impl StudyFolder {
    /// Returns the path of the file on the start of the study.
    fn started_file(&self) -> PathBuf {
        self.path().join("unfinished.json")
    }

    /// Returns the path of the failure message of a cell.
    fn failure_file(&self, key: &str) -> PathBuf {
        self.cells().join(format!("{key}.failed.txt"))
    }

    /// Writes how the study was started. The file is removed when the study is finished.
    pub fn keep_started(&self, started: &Started) -> Result<(), FrameError> {
        let text = json(started)? + "\n";
        let path = self.started_file();
        if read_to_string(&path).is_ok_and(|existing| existing == text) {
            return Ok(());
        }
        self.write(&path, text.as_bytes())
    }

    /// Returns how the study was started; `None` if the study is finished or the file cannot be read.
    pub fn started(&self) -> Option<Started> {
        serde_json::from_str(&read_to_string(&self.started_file()).ok()?).ok()
    }

    /// Writes why a cell failed. Writes nothing if the cell is finished, because another process may have
    /// finished it.
    pub fn keep_failure(&self, key: &str, text: &str) -> Result<(), FrameError> {
        if self.has(key, false) {
            return Ok(());
        }
        self.write(&self.failure_file(key), format!("{text}\n").as_bytes())
    }

    /// Returns why a cell failed in its last attempt; `None` if it did not fail.
    pub fn failure(&self, key: &str) -> Option<String> {
        read_to_string(&self.failure_file(key)).ok().map(|text| text.trim_end().to_owned())
    }

    /// Removes the failure message of a cell that is finished or starts again.
    pub fn forget_failure(&self, key: &str) -> Result<(), FrameError> {
        remove(self.failure_file(key))
    }

    /// Removes the file on the start of the study and the failure messages if the whole study is finished. If
    /// a cell is unfinished, its file, the files of later cells and the file on the start stay. Fails if a
    /// file cannot be read now.
    pub(super) fn forget_start(&self, manifest: &Manifest) -> Result<(), FrameError> {
        let started = read_if_there(&self.started_file())?;
        let started = started.and_then(|text| serde_json::from_str::<Started>(&text).ok());
        let jobs = started.is_some_and(|started| started.jobs);
        for cell in &manifest.cells {
            if !self.holds_cell(&cell.key, jobs)? {
                return Ok(());
            }
            self.forget_failure(&cell.key)?;
        }
        remove(self.started_file())
    }

    /// Returns whether the summary of the study holds every cell; false if it cannot be read.
    pub fn is_summarized(&self, manifest: &Manifest) -> bool {
        let Ok(frame) = read_file(&self.path().join("summary.parquet")) else { return false };
        let Ok(column) = frame.column("key") else { return false };
        let Ok(keys) = column.str() else { return false };
        let mut found: Vec<&str> = keys.iter().flatten().collect();
        // A cell has one row per replication, and these rows are adjacent.
        found.dedup();
        found.iter().copied().eq(manifest.cells.iter().map(|cell| cell.key.as_str()))
            && self.path().join("summary.csv").exists()
    }
}

/// Removes a file. It is no error if the file does not exist.
fn remove(path: PathBuf) -> Result<(), FrameError> {
    match remove_file(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(FrameError::File { path, source }),
        _ => Ok(()),
    }
}
