//! The results of a run of `replay`. They are sorted by the number of the replay and, if wanted, kept in a
//! directory or in memory.

mod folder;
mod parts;
mod table;

pub use folder::{RunFolderError, RunPlace};
pub use parts::JobParts;
pub use table::{check_table, write_table};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use polars_core::prelude::{AnyValue, DataFrame};

use self::folder::RunFolder;
use super::detail::{DETAILS, Detail, Replicate};
use super::folder::json;
use super::{FrameError, FrameFile, marked, summary};
use meshreplay_study::study::{Outcome, ReplaySpec, RunManifest, Study};

/// Collects the outcomes of replays that end in any order.
pub struct RunResults<'a> {
    study: &'a Study,
    /// The text of run.json.
    run: String,
    folder: Option<RunFolder>,
    /// Writes the jobs of streamed replays; `None` if no jobs are written.
    parts: Option<Arc<JobParts>>,
    /// The details of the replays that have ended, if they are kept in memory.
    kept: Vec<KeptDetail>,
    /// Replications of replays that ended before a replay with a lower number; `None` for a replay that
    /// failed.
    early: BTreeMap<usize, Option<Vec<Outcome>>>,
    /// The number of the replay that is written next.
    next: usize,
    /// The replays that have ended, as the summary needs them: the number, and the replications without their
    /// jobs.
    replays: Vec<(u32, Vec<Outcome>)>,
}

/// A frame of details that is kept in memory, such as the jobs.
#[derive(Clone, Debug)]
pub struct KeptDetail {
    detail: &'static Detail,
    /// The rows of each replication, in the order of the replays.
    frames: Vec<DataFrame>,
}

/// All results of a run that has ended.
#[derive(Debug)]
pub struct FinishedRun {
    /// The text of run.json.
    pub run: String,
    /// The replays that have outcomes, in ascending order: the number, and the replications without their
    /// jobs.
    pub replays: Vec<(u32, Vec<Outcome>)>,
    /// The `summary` frame.
    pub summary: DataFrame,
    /// The frames of details; empty unless they are kept in memory.
    pub details: Vec<KeptDetail>,
    /// Whether the directory keeps its earlier results of the same run, because they hold more replays; false
    /// if there is no directory.
    pub keeps_earlier: bool,
}

impl<'a> RunResults<'a> {
    /// Prepares the directory before the first replay starts, so that an unsuitable directory fails at once.
    /// Without one nothing is written.
    pub fn open(study: &'a Study, place: Option<RunPlace<'_>>) -> Result<Self, RunFolderError> {
        let run = json(&RunManifest::from(study))? + "\n";
        let folder = place.map(|place| RunFolder::open(place, study, &run)).transpose()?;
        let of_folder = |folder: &RunFolder| Arc::new(folder.job_parts(study, &run));
        let parts = folder.as_ref().filter(|_| study.options.jobs).map(of_folder);
        let (kept, early, replays) = (Vec::new(), BTreeMap::new(), Vec::new());
        Ok(Self { study, run, folder, parts, kept, early, next: 0, replays })
    }

    /// Returns the writer of streamed jobs; `None` if no jobs are written.
    pub fn parts(&self) -> Option<Arc<JobParts>> {
        self.parts.clone()
    }

    /// Prepares to keep all results in memory. [`FinishedRun::save`] can write them later.
    pub fn in_memory(study: &'a Study) -> Result<Self, RunFolderError> {
        let wanted = DETAILS.iter().filter(|detail| detail.is_kept(study.has, study.options.jobs));
        let kept = wanted.map(|detail| KeptDetail { detail, frames: Vec::new() }).collect();
        Ok(Self { kept, ..Self::open(study, None)? })
    }

    /// Takes the replications of replay `number`, or `None` if the replay failed. Writes the jobs of every
    /// replay that is next in order.
    pub fn add(&mut self, number: usize, outcomes: Option<Vec<Outcome>>) -> Result<(), RunFolderError> {
        self.early.insert(number, outcomes);
        while let Some(outcomes) = self.early.remove(&self.next) {
            self.write(self.next, outcomes)?;
            self.next += 1;
        }
        Ok(())
    }

    /// Appends the jobs and other details of a replay to the files, and keeps the outcomes without them. Does
    /// nothing for `None`.
    fn write(&mut self, number: usize, outcomes: Option<Vec<Outcome>>) -> Result<(), RunFolderError> {
        let Some(mut outcomes) = outcomes else {
            self.parts.iter().for_each(|parts| parts.forget(number));
            return Ok(());
        };
        let (replay, spec) = (number as u32, &self.study.cells[number].spec);
        let has_rows = match (&mut self.folder, &self.parts) {
            (Some(folder), Some(parts)) => parts.move_into(number, &mut folder.details)?,
            _ => false,
        };
        for outcome in &mut outcomes {
            let replicate = Replicate { replay, spec, outcome, has: self.study.has };
            let details = self.folder.iter_mut().flat_map(|folder| &mut folder.details);
            for (detail, file) in details {
                if has_rows && detail.is_of_jobs {
                    continue;
                }
                detail.in_parts(replicate, &mut |rows| file.append(&mut marked(rows, &self.run)?))?;
            }
            for KeptDetail { detail, frames } in &mut self.kept {
                detail.in_parts(replicate, &mut |rows| {
                    frames.push(marked(rows, &self.run)?);
                    Ok(())
                })?;
            }
            // Details are the largest part of an outcome. Dropping them keeps memory small.
            outcome.strip();
        }
        self.replays.push((replay, outcomes));
        Ok(())
    }

    /// Writes the remaining jobs, the summary and run.json, and returns all results. Returns `None`, and
    /// writes nothing, if every replay failed.
    pub fn finish(mut self) -> Result<Option<FinishedRun>, RunFolderError> {
        for (number, outcomes) in std::mem::take(&mut self.early) {
            self.write(number, outcomes)?;
        }
        if let Some(parts) = &self.parts {
            parts.forget_all();
        }
        let Self { study, run, folder, kept, replays, .. } = self;
        let rows: Vec<(u32, &ReplaySpec, &Outcome)> = replays
            .iter()
            .map(|(number, outcomes)| (*number, &study.cells[*number as usize].spec, outcomes))
            .flat_map(|(number, spec, outcomes)| outcomes.iter().map(move |outcome| (number, spec, outcome)))
            .collect();
        if rows.is_empty() {
            return Ok(None);
        }
        let summary = marked(summary(&rows, &study.options, study.has)?, &run)?;
        let mut finished = FinishedRun { run, replays, summary, details: kept, keeps_earlier: false };
        if let Some(folder) = folder {
            finished.keeps_earlier = !finished.put(folder)?;
        }
        Ok(Some(finished))
    }
}

impl KeptDetail {
    /// Returns the name of the frame.
    pub fn name(&self) -> &'static str {
        self.detail.name
    }

    /// Returns the whole frame, which shares its memory with the replications; `None` without replications.
    pub fn frame(&self) -> Result<Option<DataFrame>, FrameError> {
        let Some((first, others)) = self.frames.split_first() else { return Ok(None) };
        let mut whole = first.clone();
        for other in others {
            whole.vstack_mut(other)?;
        }
        Ok(Some(whole))
    }

    /// Appends the rows to a file, one replication after the other.
    fn append_to(&self, file: &mut FrameFile) -> Result<(), FrameError> {
        self.frames.iter().try_for_each(|frame| file.append(&mut frame.clone()))
    }
}

/// Returns the rows of the replays in `numbers`, or all rows of a frame that is not of replays.
pub fn of_replays(frame: &DataFrame, numbers: &BTreeSet<u64>) -> Result<DataFrame, FrameError> {
    let Ok(column) = frame.column("replay") else { return Ok(frame.clone()) };
    let is_of = |value: AnyValue<'_>| value.extract::<u64>().is_some_and(|number| numbers.contains(&number));
    let mask = column.as_materialized_series().iter().map(is_of).collect();
    Ok(frame.filter(&mask)?)
}

impl FinishedRun {
    /// Returns the results of the replays in `numbers`; `None` if none of them has results. Frames of whole
    /// replays share memory.
    pub fn part(&self, numbers: &BTreeSet<u64>) -> Result<Option<Self>, FrameError> {
        let mut part = Self {
            run: self.run.clone(),
            replays: self.replays.clone(),
            summary: of_replays(&self.summary, numbers)?,
            details: self.details.clone(),
            keeps_earlier: false,
        };
        part.replays.retain(|(number, _)| numbers.contains(&u64::from(*number)));
        for KeptDetail { frames, .. } in &mut part.details {
            *frames = frames.iter().map(|frame| of_replays(frame, numbers)).collect::<Result<_, _>>()?;
            if frames.iter().any(|frame| frame.height() > 0) {
                frames.retain(|frame| frame.height() > 0);
            } else {
                frames.truncate(1);
            }
        }
        Ok(Some(part).filter(|part| !part.replays.is_empty()))
    }

    /// Writes results that are in memory into a directory: the files that [`RunResults::open`] with this
    /// directory would have made. Fails if the directory holds replays of the same run that are not among
    /// these, unless they are to be replaced.
    pub fn save(&self, study: &Study, place: RunPlace<'_>) -> Result<(), RunFolderError> {
        let mut folder = RunFolder::open(place, study, &self.run)?;
        folder.narrow(&self.finished(), place.force)?;
        for (detail, file) in &mut folder.details {
            let kept = self.details.iter().find(|kept| kept.name() == detail.name);
            kept.map_or(Ok(()), |kept| kept.append_to(file))?;
        }
        self.put(folder).map(drop)
    }

    /// Returns the numbers of the replays.
    fn finished(&self) -> BTreeSet<u64> {
        self.replays.iter().map(|(number, _)| u64::from(*number)).collect()
    }

    /// Writes the summary and run.json, and puts all files of the directory in place. Returns false if it
    /// keeps what it held before.
    fn put(&self, folder: RunFolder) -> Result<bool, RunFolderError> {
        let mut file = folder.summary(&self.run)?;
        file.append(&mut self.summary.clone())?;
        folder.replace(&self.finished(), file, &self.run)
    }
}
