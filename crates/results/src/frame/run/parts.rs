//! Writes the jobs of streamed replays as they finish, so that they are never all in memory.
//!
//! A run with one replay writes into the file of the results directly. Several replays may run at the same
//! time and may fail, so each writes a temporary file; its rows move into the file of the results in the
//! order of the replays. All these files have temporary names and disappear with the process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::frame::detail::Detail;
use crate::frame::jobs::SharedFacts;
use crate::frame::read::read_rows;
use crate::frame::{FileFormat, FrameError, FrameFile, marked};
use meshreplay_logs::LogNames;
use meshreplay_sim::metrics::{FinishedJob, Has};
use meshreplay_study::study::Study;

/// The jobs of one replay that have finished.
struct Part {
    file: FrameFile,
    /// The number of jobs in each batch.
    heights: Vec<usize>,
}

/// The job files of the replays that run.
pub struct JobParts {
    folder: PathBuf,
    format: FileFormat,
    /// The text of run.json.
    run: String,
    has: Has,
    /// Whether the run has a single replay.
    is_single: bool,
    /// The files by the numbers of the replays.
    open: Mutex<BTreeMap<usize, Part>>,
}

impl JobParts {
    /// Prepares the job files of a run. `run` is the text of run.json.
    pub(super) fn new(study: &Study, folder: &Path, format: FileFormat, run: &str) -> Self {
        let is_single = study.cells.len() == 1;
        Self {
            folder: folder.to_owned(),
            format: if is_single { format } else { FileFormat::Parquet },
            run: run.to_owned(),
            has: study.has,
            is_single,
            open: Mutex::default(),
        }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<usize, Part>> {
        // A part is taken out while it is written, so a panic leaves none half written in the map.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends jobs that have left replay `number`, of the replication with this seed.
    pub fn take(
        &self,
        number: usize,
        seed: u64,
        names: &LogNames,
        jobs: &[FinishedJob],
    ) -> Result<(), FrameError> {
        // Replays with predictions keep their jobs in memory.
        let shared = SharedFacts { replay: number as u32, seed, names, is_predicted: false, period: None };
        let mut rows = marked(shared.frame(jobs, self.has)?, &self.run)?;
        let begun = self.open().remove(&number);
        let mut part = match begun {
            Some(part) => part,
            None => Part {
                file: FrameFile::create(&self.folder, "jobs", self.format, &self.run)?,
                heights: Vec::new(),
            },
        };
        part.file.append(&mut rows)?;
        part.heights.push(jobs.len());
        self.open().insert(number, part);
        Ok(())
    }

    /// Removes the jobs of a replay that has failed.
    pub(super) fn forget(&self, number: usize) {
        self.open().remove(&number);
    }

    /// Removes the jobs of all replays that have not ended, so that a directory that was made for them can be
    /// removed too.
    pub(super) fn forget_all(&self) {
        self.open().clear();
    }

    /// Moves the jobs of replay `number`, which has ended, into the file of the results. Returns false if it
    /// has none here.
    pub(super) fn move_into(
        &self,
        number: usize,
        details: &mut [(&'static Detail, FrameFile)],
    ) -> Result<bool, FrameError> {
        let Some(Part { file: part, heights }) = self.open().remove(&number) else { return Ok(false) };
        let Some((_, file)) = details.iter_mut().find(|(detail, _)| detail.name == "jobs") else {
            return Ok(true);
        };
        if self.is_single {
            *file = part;
            return Ok(true);
        }
        let Some(part) = part.finish()? else { return Ok(true) };
        let mut start = 0;
        for height in heights {
            let mut rows = read_rows(part.file(), start..start + height, part.target())?;
            rows.rechunk_mut();
            file.append(&mut rows)?;
            start += height;
        }
        Ok(true)
    }
}
