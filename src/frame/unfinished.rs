//! What the directory of a study says of itself while cells are missing: how it was started, and which cells failed.
//!
//! Both are gone when the study is finished, so that its directory is the same however it came about.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::FrameError;
use super::folder::{StudyFolder, json};
use super::read::read_file;
use crate::study::Manifest;

/// How a study was started: what a command needs that goes on with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The study file, by its absolute path.
    pub study: String,
    /// Options that results depend on, such as `--no-timing`.
    pub options: Vec<String>,
    /// Whether the jobs of every cell are kept too.
    pub jobs: bool,
}

impl StudyFolder {
    fn started_file(&self) -> PathBuf {
        self.path().join("unfinished.json")
    }

    fn failure_file(&self, key: &str) -> PathBuf {
        self.cells().join(format!("{key}.failed.txt"))
    }

    /// Keeps how the study was started, until it is finished.
    pub fn keep_started(&self, started: &Started) -> Result<(), FrameError> {
        let text = json(started)? + "\n";
        let path = self.started_file();
        if fs::read_to_string(&path).is_ok_and(|existing| existing == text) {
            return Ok(());
        }
        self.write(&path, text.as_bytes())
    }

    /// Returns how the study was started; `None` if it is finished or does not say so.
    pub fn started(&self) -> Option<Started> {
        serde_json::from_str(&fs::read_to_string(self.started_file()).ok()?).ok()
    }

    /// Keeps why a cell failed. Nothing is kept if it is finished all the same, as by another process.
    pub fn keep_failure(&self, key: &str, text: &str) -> Result<(), FrameError> {
        if self.has(key, false) {
            return Ok(());
        }
        self.write(&self.failure_file(key), format!("{text}\n").as_bytes())
    }

    /// Returns why a cell failed when it was last tried; `None` if it did not.
    pub fn failure(&self, key: &str) -> Option<String> {
        fs::read_to_string(self.failure_file(key)).ok().map(|text| text.trim_end().to_owned())
    }

    /// Removes what says why a cell failed: it is tried again, or is finished.
    pub fn forget_failure(&self, key: &str) -> Result<(), FrameError> {
        remove(self.failure_file(key))
    }

    /// Removes what says how the study was started and what failed, if all of it is finished.
    pub(super) fn forget_start(&self, manifest: &Manifest) -> Result<(), FrameError> {
        let jobs = self.started().is_some_and(|started| started.jobs);
        for cell in &manifest.cells {
            if !self.has(&cell.key, jobs) {
                return Ok(());
            }
            self.forget_failure(&cell.key)?;
        }
        remove(self.started_file())
    }

    /// Returns whether the summary holds every cell of the study.
    pub fn is_summarized(&self, manifest: &Manifest) -> bool {
        let Ok(frame) = read_file(&self.path().join("summary.parquet")) else { return false };
        let Ok(column) = frame.column("key") else { return false };
        let Ok(keys) = column.str() else { return false };
        let mut found: Vec<&str> = keys.iter().flatten().collect();
        found.dedup();
        found.iter().copied().eq(manifest.cells.iter().map(|cell| cell.key.as_str()))
            && self.path().join("summary.csv").exists()
    }
}

fn remove(path: PathBuf) -> Result<(), FrameError> {
    match fs::remove_file(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(FrameError::File { path, source }),
        _ => Ok(()),
    }
}
