//! Measures the figures of a paper on the logs that are found in a directory.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::dataset::{Dataset, Located, Locating};
use super::evidence::{Evidence, LogFacts};
use super::finding::{Finding, Mark};
use super::load::{Embedded, Figure, MODEL, Paper};
use super::stream::{STREAM, stream_logs, write_stream};
use meshreplay_logs::{ReadOptions, TraceError};
use meshreplay_results::frame::{FrameError, SavedTable, StudyFolder};
use meshreplay_study::study::{Manifest, Options, Study, StudyError, load};
use meshreplay_workload::Rules;

/// Runs the replays of a study for a figure, and receives notes for the user.
pub trait Replays {
    /// Replays these cells of a study and keeps their results in `folder`, one cell at a time if `timed`.
    /// Returns false if it was interrupted.
    fn run(&mut self, study: &Study, folder: &StudyFolder, cells: &[usize], timed: bool) -> bool;

    /// Shows a note to the user.
    fn note(&mut self, text: &str);
}

/// A regenerated figure: what was published, compared with what was measured.
#[derive(Debug)]
pub struct Comparison {
    /// The paper.
    pub paper: &'static Paper,
    /// The figure of the paper.
    pub figure: &'static Figure,
    /// The findings; empty if no log of the figure was found.
    pub findings: Vec<Finding>,
    /// The published numbers in the plot.
    pub marks: Vec<Mark>,
    /// Notes, in words, about logs that are another version than the paper used.
    pub versions: Vec<String>,
    /// The datasets that were not found.
    pub missing: Vec<&'static str>,
}

/// The reason why a figure could not be regenerated.
#[derive(Debug, thiserror::Error)]
pub enum RegenerateError {
    /// A figure names an unknown dataset.
    #[error("no dataset is called '{0}'")]
    NoDataset(String),
    /// The directory of logs cannot be searched.
    #[error(transparent)]
    Locating(#[from] Locating),
    /// A log cannot be read, or a stream cannot be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A study cannot be planned.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// Results cannot be read or written.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A directory cannot be created.
    #[error("{} cannot be made", .path.display())]
    NoFolder {
        /// The path of the directory.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The user interrupted the replays.
    #[error("interrupted; {0}")]
    Interrupted(String),
}

/// The directories and the runner of replays with which figures are measured.
pub struct Regeneration<'a> {
    /// The directory of the logs.
    pub traces: &'a Path,
    /// The directory of the results.
    pub folder: &'a Path,
    /// Whether the results stay there after the command has ended.
    pub is_kept: bool,
    /// The runner of replays.
    pub replays: &'a mut dyn Replays,
    /// The missing datasets that a note has named already.
    pub missing: BTreeSet<&'static str>,
}

impl Regeneration<'_> {
    /// Runs the missing replays of a figure and returns its comparison.
    pub fn regenerate(
        &mut self,
        paper: &'static Paper,
        figure: &'static Figure,
    ) -> Result<Comparison, RegenerateError> {
        let (mut missing, mut evidence) = (Vec::new(), Evidence::default());
        let studies = figure.studies();
        for name in figure.surveyed {
            if let Some(located) = self.locate(name, &mut missing)? {
                let log = load(&located.path, ReadOptions::default(), Rules::default())?;
                evidence.add_log(name, located, Some(LogFacts::from(&log)));
            }
        }
        for study in &studies {
            if study.dataset == STREAM {
                self.make_streams(paper)?;
            } else if study.dataset == MODEL {
                // The logs of a workload model are drawn at random, so no file is needed.
            } else if let Some(located) = self.locate(&study.dataset, &mut missing)? {
                evidence.add_log(&study.dataset, located, None);
            } else {
                continue;
            }
            if !figure.timed
                && let Some(sheet) = self.measure(paper, study, None, &evidence)?
            {
                evidence.add_sheet(&study.dataset, &sheet, 0);
            }
        }
        if figure.timed {
            self.measure_in_rounds(paper, figure, &studies, &mut evidence)?;
        }
        let versions = evidence.logs().filter(|_| paper.versions).filter_map(|(dataset, located)| {
            let used = located.used_instead_of?;
            let version = Some(located.version.as_str()).filter(|version| !version.is_empty());
            let is_of_simulator = Dataset::find(dataset).is_some_and(|dataset| dataset.is_of_simulator);
            let whose = if is_of_simulator { "that of the authors' simulator" } else { "the paper's" };
            Some(format!("{dataset}: version {}; {whose} is {used}", version.unwrap_or("unknown")))
        });
        let versions = versions.collect();
        let (findings, marks) = figure.judge(&evidence);
        if findings.is_empty() {
            self.replays.note(&format!("note: {} {} is left out for want of logs", paper.name, figure.name));
        }
        Ok(Comparison { paper, figure, findings, marks, versions, missing })
    }

    /// Measures the studies of a timed figure: runs all of them once in each round.
    fn measure_in_rounds(
        &mut self,
        paper: &Paper,
        figure: &Figure,
        studies: &[Embedded],
        evidence: &mut Evidence,
    ) -> Result<(), RegenerateError> {
        for round in 0..figure.rounds {
            for study in studies {
                let located = evidence.logs().find(|(dataset, _)| *dataset == study.dataset);
                let path = located.map(|(_, located)| located.path.clone());
                if path.is_none() && study.dataset != MODEL {
                    continue;
                }
                if let Some(path) = path {
                    let began = Instant::now();
                    load(&path, ReadOptions::default(), Rules::default())?;
                    evidence.add_reading(&study.dataset, began.elapsed().as_secs_f64());
                }
                if let Some(sheet) = self.measure(paper, study, Some(round), evidence)? {
                    evidence.add_sheet(&study.dataset, &sheet, round);
                }
            }
        }
        Ok(())
    }

    /// Returns the file of a dataset. If there is none, adds the dataset to `missing` and returns `None`. The
    /// user gets a note the first time.
    fn locate(
        &mut self,
        name: &str,
        missing: &mut Vec<&'static str>,
    ) -> Result<Option<Located>, RegenerateError> {
        let dataset = Dataset::find(name).ok_or_else(|| RegenerateError::NoDataset(name.to_owned()))?;
        let located = if self.traces.exists() { dataset.locate(self.traces)? } else { None };
        if located.is_none() && !missing.contains(&dataset.name) {
            missing.push(dataset.name);
        }
        if located.is_none() && self.missing.insert(dataset.name) {
            let (folder, command) = (self.traces.display(), dataset.fetch_command(self.traces));
            self.replays.note(&format!("missing: no {name}-* in {folder}; to fetch it:\n  {command}"));
        }
        Ok(located)
    }

    fn results(&self, paper: &Paper) -> PathBuf {
        self.folder.join(paper.name)
    }

    /// Writes the logs of the job stream into the directory of the results.
    fn make_streams(&self, paper: &Paper) -> Result<(), RegenerateError> {
        let folder = self.results(paper);
        std::fs::create_dir_all(&folder)
            .map_err(|source| RegenerateError::NoFolder { path: folder.clone(), source })?;
        for (log, seed) in stream_logs() {
            write_stream(&folder.join(log), seed)?;
        }
        Ok(())
    }

    /// Replays the cells of a study that have no result yet, in this round if run times are wanted. Returns
    /// the summary; `None` if no cell finished.
    fn measure(
        &mut self,
        paper: &Paper,
        embedded: &Embedded,
        round: Option<usize>,
        evidence: &Evidence,
    ) -> Result<Option<SavedTable>, RegenerateError> {
        let timed = round.is_some();
        let results = self.results(paper);
        let find = |log: &str| {
            let mut logs = evidence.logs();
            let located = logs.find(|(dataset, _)| *dataset == log).map(|(_, located)| located.path.clone());
            located.unwrap_or_else(|| results.join(log))
        };
        let name = format!("{}/{}.toml", paper.name, embedded.name);
        let options = Options { timed, ..Options::default() };
        let study = Study::plan(Path::new(&name), embedded.text, options, &find)?;
        let folder = match round {
            Some(round) => format!("{}-round-{}", embedded.name, round + 1),
            None => embedded.name.clone(),
        };
        let (manifest, folder) = (Manifest::from(&study), StudyFolder::new(&results.join(folder), None));
        let _claim = folder.prepare(&manifest)?;
        let cells = folder.missing(&manifest);
        if !self.replays.run(&study, &folder, &cells, timed) {
            let folder = self.folder.display();
            return Err(RegenerateError::Interrupted(if self.is_kept {
                format!("what is finished is in {folder}, and the same command goes on")
            } else {
                "nothing is kept without -o".to_owned()
            }));
        }
        folder.write_summary(&manifest, false)?;
        let any = folder.missing(&manifest).len() < manifest.cells.len();
        Ok(if any { Some(SavedTable::read(folder.path())?) } else { None })
    }
}
