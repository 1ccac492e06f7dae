//! Sweeps: running a study in a directory. A sweep finds the cells that are missing, submits them to Slurm,
//! and reports the status.
//!
//! ```text
//! DIR/slurm/shards.sh           the script of each task of the array
//! DIR/slurm/merge.sh            the script of the job after the array
//! DIR/slurm/shard-JOB_TASK.log  the output of each task
//! DIR/slurm/merge-JOB.log       the output of the job after the array
//! DIR/slurm/submitted.json      the record of submissions
//! ```
//!
//! A task of Slurm runs `meshreplay sweep` with the options that [`Started`] holds.
//! They come from the table of options, [`OPTIONS`](meshreplay_study::study::OPTIONS). This module names no
//! option itself.

mod programs;
mod status;
mod submit;

pub use status::{Status, others, status};
pub use submit::{Caller, Slurm, preview, submit};

use std::io;
use std::path::{Path, PathBuf};

use super::frame::{Started, StudyFolder};
use super::text::{Align, LongTable, LongText, Screen, grouped};
use crate::frame::FrameError;
use meshreplay_base::disk::Claim;
use meshreplay_base::words::counted;
use meshreplay_sim::execution::RECORDED;
use meshreplay_study::study::{Coordinate, Manifest, Options, Shard, Study, StudyError};

/// The errors of submitting a study and of reading its status.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// A file of the study's directory cannot be read or written.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A call of the operating system failed.
    #[error("{what}")]
    System {
        /// What failed, in words, such as "a.sh cannot be read".
        what: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A path is not UTF-8, so that a script cannot name it.
    #[error("{} is not UTF-8, which scripts need; rename it", .0.display())]
    NotText(PathBuf),
    /// sbatch refused the array, for this reason.
    #[error("nothing is submitted: {0}")]
    Refused(String),
    /// sbatch accepted the array, but not the job that follows it.
    #[error(
        "job {array} runs the shards, but none is submitted that merges: {problem}; after it, run {merge}"
    )]
    NoMerge {
        /// The number of the array's job.
        array: String,
        /// The reason.
        problem: String,
        /// The command that the user can run in place of the job.
        merge: String,
    },
}

impl SubmitError {
    /// Returns a function that adds a description of what failed to an error of the operating system.
    pub(super) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        |source| Self::System { what, source }
    }
}

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
    fn costs(&self) -> Vec<u64> {
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

/// The number of characters of a content key that are shown.
const KEY_SHOWN: usize = 12;

/// The columns that are left out where there is no room, the least useful first.
const LEAST_USEFUL: [&str; 8] = ["key", "rules", "network", "jobs", "log", "scheduler", "machine", "seed"];

impl Sweep {
    /// Returns a table of all cells of the study with their keys, states and costs. Below the table stands
    /// how many of this process's cells are done and to do. Columns that have no room on the screen are left
    /// out and named.
    pub fn listing(&self, screen: Screen) -> String {
        let Self { study, share, .. } = self;
        // The allocator differs in most rows, so its column is the last one.
        let is_given = |row: &Coordinate| study.cells.iter().any(|cell| row.is_given(&cell.spec));
        let named: Vec<&Coordinate> =
            Coordinate::listed().filter(|row| row.name != "allocator" && is_given(row)).collect();
        let left = ["replay", "key", "state"].into_iter().chain(named.iter().map(|row| row.title()));
        let mut columns = left.chain(["allocator"]).map(|title| (title, Align::Left)).collect::<Vec<_>>();
        columns.extend([("jobs", Align::Right), ("cost", Align::Right)]);
        let total: u64 = study.cells.iter().map(|cell| cell.cost).sum();
        let percent = |cost: u64| grouped(100.0 * cost as f64 / total as f64, 1) + "%";
        let done: Vec<bool> = (0..study.cells.len()).map(|i| self.is_done(i)).collect();
        let row = |i: usize| {
            let (planned, mine) = (&study.cells[i], share.binary_search(&i).is_ok());
            let state = match (done[i], mine) {
                (true, _) => "done",
                (false, true) => "to do",
                (false, false) => "another shard's",
            };
            let mut row = vec![i.to_string(), planned.key[..KEY_SHOWN].to_owned(), state.to_owned()];
            row.extend(named.iter().map(|coordinate| coordinate.shown(&planned.spec)));
            row.extend([
                planned.spec.labels.allocator.clone(),
                grouped(planned.jobs as f64, 0),
                percent(planned.cost),
            ]);
            row
        };
        // A column with the same value in every row is dropped, and its value is shown once above the table.
        let titles: Vec<&str> = named.iter().map(|row| row.title()).chain(["jobs"]).collect();
        let table =
            LongTable { columns: &columns, height: study.cells.len(), row: &row, if_different: &titles };
        let LongText { shared, text } = table.text(screen, &LEAST_USEFUL);
        let finished = share.iter().filter(|&&i| done[i]).count();
        let left = share.len() - finished;
        let cost: u64 = share.iter().map(|&i| study.cells[i].cost).sum();
        let is_news = |(_, text): &&(String, String)| text != RECORDED;
        let shared: Vec<String> =
            shared.iter().filter(is_news).map(|(title, cell)| format!("{title} {cell}")).collect();
        let gap = if shared.is_empty() { "" } else { "\n" };
        let above = screen.items(&shared) + gap;
        let count = counted(share.len(), "cell");
        let of = if share.len() == study.cells.len() {
            String::new()
        } else {
            format!(" of {}, {} of the cost", study.cells.len(), percent(cost))
        };
        format!("{above}{text}\n {count}{of}: {finished} done, {left} to do\n")
    }
}
