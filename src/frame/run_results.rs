//! The results of a run of `replay`: outcomes in the order of the replays, kept in a directory if there is one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use polars::prelude::DataFrame;

use super::folder::json;
use super::run_folder::{RunFolder, RunFolderError};
use super::{FileFormat, jobs, marked, summary};
use crate::study::{Outcome, ReplaySpec, RunManifest, Study};

/// Outcomes as they come, of replays that end in any order.
pub struct RunResults<'a> {
    study: &'a Study,
    /// The text of run.json.
    run: String,
    folder: Option<RunFolder>,
    /// Replications that came before their turn; `None` for a replay that failed.
    early: BTreeMap<usize, Option<Vec<Outcome>>>,
    next: usize,
    /// What the summary needs of each replay so far: its replications without their jobs.
    replays: Vec<(u32, Vec<Outcome>)>,
}

/// All results of a run.
#[derive(Debug)]
pub struct FinishedRun {
    /// The text of run.json.
    pub run: String,
    /// The numbers of the replays that have outcomes, in their order, with their replications without their jobs.
    pub replays: Vec<(u32, Vec<Outcome>)>,
    /// The `summary` frame.
    pub summary: DataFrame,
    /// Whether the directory keeps what it held of the same run, because that is more; false without a directory.
    pub keeps_earlier: bool,
}

impl<'a> RunResults<'a> {
    /// Prepares the directory before anything is replayed, so that a wrong one fails at once. `folder` says where it
    /// is, what the format of its files is, and whether results of another run are replaced.
    pub fn open(study: &'a Study, folder: Option<(&Path, FileFormat, bool)>) -> Result<Self, RunFolderError> {
        let run = json(&RunManifest::from(study))? + "\n";
        let folder = match folder {
            None => None,
            Some((path, format, force)) => Some(RunFolder::open(path, study, (&run, format), force)?),
        };
        Ok(Self { study, run, folder, early: BTreeMap::new(), next: 0, replays: Vec::new() })
    }

    /// Takes the replications of replay `number`, or `None` if it failed, and writes what is next in order.
    pub fn add(&mut self, number: usize, outcomes: Option<Vec<Outcome>>) -> Result<(), RunFolderError> {
        self.early.insert(number, outcomes);
        while let Some(outcomes) = self.early.remove(&self.next) {
            self.write(self.next, outcomes)?;
            self.next += 1;
        }
        Ok(())
    }

    fn write(&mut self, number: usize, outcomes: Option<Vec<Outcome>>) -> Result<(), RunFolderError> {
        let Some(mut outcomes) = outcomes else { return Ok(()) };
        let replay = number as u32;
        for outcome in &mut outcomes {
            if let Some(folder) = &mut self.folder {
                let jobs = jobs(replay, outcome, &self.study.options)?;
                folder.jobs.append(&mut marked(jobs, &self.run)?)?;
            }
            outcome.strip();
        }
        self.replays.push((replay, outcomes));
        Ok(())
    }

    /// Writes what is left, the summary and run.json. Returns `None` if no replay has outcomes; nothing is written
    /// then.
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
