//! The results of a run of `replay`. They are sorted by the number of the replay and, if wanted, kept in a directory.

mod folder;

pub use folder::RunFolderError;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use polars::prelude::DataFrame;

use self::folder::RunFolder;
use super::folder::json;
use super::{FileFormat, marked, summary};
use crate::study::{Outcome, ReplaySpec, RunManifest, Study};

/// Collects the outcomes of replays that end in any order.
pub struct RunResults<'a> {
    study: &'a Study,
    /// The text of run.json.
    run: String,
    folder: Option<RunFolder>,
    /// Replications of replays that ended before a replay with a lower number; `None` for a replay that failed.
    early: BTreeMap<usize, Option<Vec<Outcome>>>,
    /// The number of the replay that is written next.
    next: usize,
    /// The replays so far, as the summary needs them: the number, and the replications without their jobs.
    replays: Vec<(u32, Vec<Outcome>)>,
}

/// All results of a run that has ended.
#[derive(Debug)]
pub struct FinishedRun {
    /// The text of run.json.
    pub run: String,
    /// The replays that have outcomes, in ascending order: the number, and the replications without their jobs.
    pub replays: Vec<(u32, Vec<Outcome>)>,
    /// The `summary` frame.
    pub summary: DataFrame,
    /// Whether the directory keeps its earlier results of the same run, because they hold more replays; false if there
    /// is no directory.
    pub keeps_earlier: bool,
}

impl<'a> RunResults<'a> {
    /// Prepares the directory before the first replay starts, so that an unsuitable directory fails at once. `folder`
    /// is the path, the format of the files, and whether results of another run are replaced. With `None` nothing is
    /// written.
    pub fn open(study: &'a Study, folder: Option<(&Path, FileFormat, bool)>) -> Result<Self, RunFolderError> {
        let run = json(&RunManifest::from(study))? + "\n";
        let folder = match folder {
            None => None,
            Some((path, format, force)) => Some(RunFolder::open(path, study, (&run, format), force)?),
        };
        Ok(Self { study, run, folder, early: BTreeMap::new(), next: 0, replays: Vec::new() })
    }

    /// Takes the replications of replay `number`, or `None` if the replay failed. Writes the jobs of every replay that
    /// is next in order.
    pub fn add(&mut self, number: usize, outcomes: Option<Vec<Outcome>>) -> Result<(), RunFolderError> {
        self.early.insert(number, outcomes);
        while let Some(outcomes) = self.early.remove(&self.next) {
            self.write(self.next, outcomes)?;
            self.next += 1;
        }
        Ok(())
    }

    /// Appends the jobs and other details of a replay to the files, and keeps the outcomes without them. Does nothing for `None`.
    fn write(&mut self, number: usize, outcomes: Option<Vec<Outcome>>) -> Result<(), RunFolderError> {
        let Some(mut outcomes) = outcomes else { return Ok(()) };
        let replay = number as u32;
        for outcome in &mut outcomes {
            let details = self.folder.iter_mut().flat_map(|folder| &mut folder.details);
            for (detail, file) in details {
                let rows = (detail.of)(replay, &self.study.cells[number].spec, outcome, &self.study.options)?;
                file.append(&mut marked(rows, &self.run)?)?;
            }
            // Details are the largest part of an outcome. Dropping them keeps memory small.
            outcome.strip();
        }
        self.replays.push((replay, outcomes));
        Ok(())
    }

    /// Writes the remaining jobs, the summary and run.json, and returns all results. Returns `None`, and writes
    /// nothing, if every replay failed.
    pub fn finish(mut self) -> Result<Option<FinishedRun>, RunFolderError> {
        for (number, outcomes) in std::mem::take(&mut self.early) {
            self.write(number, outcomes)?;
        }
        let Self { study, run, folder, replays, .. } = self;
        let rows: Vec<(u32, &ReplaySpec, &Outcome)> = replays
            .iter()
            .map(|(number, outcomes)| (*number, &study.cells[*number as usize].spec, outcomes))
            .flat_map(|(number, spec, outcomes)| outcomes.iter().map(move |outcome| (number, spec, outcome)))
            .collect();
        if rows.is_empty() {
            return Ok(None);
        }
        let mut summary = marked(summary(&rows, &study.options)?, &run)?;
        let mut keeps_earlier = false;
        if let Some(folder) = folder {
            let mut file = folder.summary(&run)?;
            file.append(&mut summary)?;
            let finished: BTreeSet<u64> = replays.iter().map(|(number, _)| u64::from(*number)).collect();
            keeps_earlier = !folder.replace(&finished, file, &run)?;
        }
        Ok(Some(FinishedRun { run, replays, summary, keeps_earlier }))
    }
}
