//! A study that is run in a directory, whole or as a shard.

use std::path::{Path, PathBuf};

use crate::disk::Claim;
use crate::frame::{FrameError, Started, StudyFolder};
use crate::study::{Manifest, Options, Shard, Study, StudyError};

/// A study, its directory, and what one process has to do for it.
#[derive(Debug)]
pub struct Sweep {
    /// The study file.
    pub file: PathBuf,
    /// The study.
    pub study: Study,
    /// What the directory says of the study.
    pub manifest: Manifest,
    /// The directory of the results.
    pub folder: StudyFolder,
    /// The part of the study that this process runs; `None` if it runs all.
    pub shard: Option<Shard>,
    /// Positions of the cells that belong to the shard, ascending.
    pub share: Vec<usize>,
    /// Those of them that are not done, ascending.
    pub missing: Vec<usize>,
    /// What the same command needs to be given again.
    pub started: Started,
}

impl Sweep {
    /// Plans the study of the file, and looks into the directory for what is done.
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
        // It fails for empty paths only, which no file has.
        let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let started = Started {
            study: path.to_string_lossy().into_owned(),
            options: options.sweep_arguments(),
            jobs: options.jobs,
        };
        Ok(Self { file: file.to_owned(), study, manifest, folder, shard, share: own, missing, started })
    }

    /// Returns whether the cell at this position is done.
    pub fn is_done(&self, cell: usize) -> bool {
        self.folder.has(&self.study.cells[cell].key, self.started.jobs)
    }

    /// Estimated costs of all cells.
    pub(super) fn costs(&self) -> Vec<u64> {
        costs(&self.study)
    }

    /// Makes the directory ready for the results of what is missing. Nobody may replace them while the claim is held.
    pub fn prepare(&self) -> Result<Claim, FrameError> {
        let claim = self.folder.prepare(&self.manifest)?;
        if !self.missing.is_empty() {
            self.folder.keep_started(&self.started)?;
        }
        for &cell in &self.missing {
            self.folder.forget_failure(&self.study.cells[cell].key)?;
        }
        Ok(claim)
    }

    /// Writes the summary of what is done, and returns how many cells of the whole study are still missing. Shards that
    /// share a directory must not replace each other's whole summary by a partial one: a shard writes it only if
    /// nothing is missing.
    pub fn summarize(&self) -> Result<usize, FrameError> {
        let missing = self.folder.missing(&self.manifest).len();
        if self.shard.is_none() || missing == 0 {
            self.folder.write_summary(&self.manifest)?;
        }
        Ok(missing)
    }
}

fn costs(study: &Study) -> Vec<u64> {
    study.cells.iter().map(|cell| cell.cost).collect()
}
