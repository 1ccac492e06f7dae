//! The results of a run of `replay`. They are sorted by the number of the replay and, if wanted, kept in a
//! directory or in memory.

mod folder;

pub use folder::{RunFolderError, RunPlace};

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use polars_core::prelude::{AnyValue, DataFrame};

use self::folder::RunFolder;
use super::detail::{DETAILS, Detail, Replicate};
use super::folder::json;
use super::jobs::SharedFacts;
use super::origin::is_ours;
use super::read::read_rows;
use super::{FileFormat, FrameError, FrameFile, marked, summary};
use meshreplay_logs::LogNames;
use meshreplay_sim::metrics::{FinishedJob, Has};
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

/// Fails if the file at `path` is there, unless `force` is given and it is a table of this program.
pub fn check_table(path: &Path, force: bool) -> Result<(), RunFolderError> {
    if !path.exists() {
        Ok(())
    } else if !force {
        Err(RunFolderError::OtherTable(path.to_owned()))
    } else if is_ours(path) {
        Ok(())
    } else {
        Err(RunFolderError::NoResult(path.to_owned()))
    }
}

/// Writes the summary of a run to the file at `path`, under a temporary name until it is complete.
pub fn write_table(path: &Path, format: FileFormat, run: &mut FinishedRun) -> Result<(), RunFolderError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    // The extension is one of the format's, up to its case.
    let mut file = FrameFile::create(path.parent().unwrap_or(Path::new("")), &stem, format, &run.run)?;
    file.append(&mut run.summary)?;
    file.finish()?.map_or(Ok(()), |file| Ok(file.put()?))
}

// Writes the jobs of streamed replays as they finish, so that they are never all in memory.
//
// A run with one replay writes into the file of the results directly. Several replays may run at the same
// time and may fail, so each writes a temporary file; its rows move into the file of the results in the
// order of the replays. All these files have temporary names and disappear with the process.

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
    fn new(study: &Study, folder: &Path, format: FileFormat, run: &str) -> Self {
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
    fn forget(&self, number: usize) {
        self.open().remove(&number);
    }

    /// Removes the jobs of all replays that have not ended, so that a directory that was made for them can be
    /// removed too.
    fn forget_all(&self) {
        self.open().clear();
    }

    /// Moves the jobs of replay `number`, which has ended, into the file of the results. Returns false if it
    /// has none here.
    fn move_into(
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
