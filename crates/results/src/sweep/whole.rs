//! A sweep: a study that is run in a directory, as a whole or as one shard.

use std::path::{Path, PathBuf};

use crate::frame::{FrameError, Started, StudyFolder};
use meshreplay_base::disk::Claim;
use meshreplay_study::study::{Manifest, Options, Shard, Study, StudyError};

/// A study, the directory of its results, and the cells that this process has to run.
#[derive(Debug)]
pub struct Sweep {
    /// The path of the study file.
    pub file: PathBuf,
    /// The planned study.
    pub study: Study,
    /// The content of study.json for the study.
    pub manifest: Manifest,
    /// The directory of the results.
    pub folder: StudyFolder,
    /// The shard that this process runs. `None` if it runs the whole study.
    pub shard: Option<Shard>,
    /// The positions (from 0) of the cells that belong to this process, ascending.
    pub share: Vec<usize>,
    /// The positions of the cells of this process that are not done, ascending.
    pub missing: Vec<usize>,
    /// The study file and the options, to repeat the command.
    pub started: Started,
}

impl Sweep {
    /// Plans the study of `file` and finds the cells that are already done in the directory `output`. Fails
    /// if the study cannot be planned.
    pub fn plan(
        file: &Path,
        output: &Path,
        options: &Options,
        shard: Option<Shard>,
    ) -> Result<Self, StudyError> {
        let study = Study::read(file, options.clone())?;
        let manifest = Manifest::from(&study);
        let folder = StudyFolder::new(output, shard);
        let costs = costs(&study);
        let own = shard.map_or_else(|| (0..costs.len()).collect(), |shard| shard.share(&costs));
        let is_missing = |cell: &usize| !folder.has(&study.cells[*cell].key, options.jobs);
        let missing = own.iter().copied().filter(is_missing).collect();
        // `absolute` fails only for empty paths, and the file has been read already.
        let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let started = Started {
            study: path.to_string_lossy().into_owned(),
            options: options.sweep_arguments(),
            jobs: options.jobs,
        };
        Ok(Self { file: file.to_owned(), study, manifest, folder, shard, share: own, missing, started })
    }

    /// Returns whether the cell at this position has a result in the directory.
    pub fn is_done(&self, cell: usize) -> bool {
        self.folder.has(&self.study.cells[cell].key, self.started.jobs)
    }

    /// Returns the estimated cost of every cell, by position.
    pub(super) fn costs(&self) -> Vec<u64> {
        costs(&self.study)
    }

    /// Prepares the directory for the results of the missing cells, and forgets earlier failures of these
    /// cells. While the returned claim is held, no other process may replace the files of the directory.
    pub fn prepare(&self) -> Result<Claim, FrameError> {
        let claim = self.folder.prepare(&self.manifest)?;
        self.folder.keep_place(&self.file, &self.study.logs)?;
        if !self.missing.is_empty() {
            self.folder.keep_started(&self.started)?;
        }
        for &cell in &self.missing {
            self.folder.forget_failure(&self.study.cells[cell].key)?;
        }
        Ok(claim)
    }

    /// Writes the summary of the cells that are done, and returns the number of cells of the whole study that
    /// are still missing. Shards that share a directory must not replace a complete summary by a partial one,
    /// so a shard writes the summary only if no cell is missing.
    pub fn summarize(&self) -> Result<usize, FrameError> {
        let missing = self.folder.count_missing(&self.manifest)?;
        if self.shard.is_none() || missing == 0 {
            self.folder.write_summary(&self.manifest, self.study.options.tidy)?;
        }
        Ok(missing)
    }
}

/// Returns the estimated cost of every cell, by position.
fn costs(study: &Study) -> Vec<u64> {
    study.cells.iter().map(|cell| cell.cost).collect()
}
