//! A planned study: every replay with its key and cost, before any jobs are loaded.

use std::path::PathBuf;

use super::options::Options;
use super::replay_spec::ReplaySpec;
use crate::workload::Synthetic;

/// A planned study.
#[derive(Clone, Debug)]
pub struct Study {
    /// Its name; that of its file if it says none.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// What all its cells share.
    pub options: Options,
    /// Its logs.
    pub logs: Vec<StudyLog>,
    /// Its cells: by log, then rules, arrival scale, machine, scheduler, allocator, seed; the last varies fastest.
    pub cells: Vec<PlannedReplay>,
    /// What whoever starts it should know, such as allocators that `all` leaves out.
    pub notes: Vec<String>,
}

/// A log of a study.
#[derive(Clone, Debug)]
pub struct StudyLog {
    /// Its name in results.
    pub name: String,
    /// As the study file names it.
    pub file: String,
    /// Where it is.
    pub path: PathBuf,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Number of its records.
    pub records: u64,
    /// The workload model, if it is no file.
    pub model: Option<Synthetic>,
}

/// A replay of a study, before its jobs are loaded.
#[derive(Clone, Debug)]
pub struct PlannedReplay {
    /// What is replayed.
    pub spec: ReplaySpec,
    /// Position of its log in the study.
    pub log: usize,
    /// Name of its result, see [`super::content_key`].
    pub key: String,
    /// Number of jobs.
    pub jobs: u64,
    /// Estimated cost, see [`super::weight`].
    pub cost: u64,
}

impl Study {
    /// The words of the command that repeats replay `i` on its own, with all that differs from its defaults.
    pub fn command(&self, i: usize) -> Vec<String> {
        let PlannedReplay { spec, log, .. } = &self.cells[i];
        let log = match &self.logs[*log].model {
            Some(model) => model.spec().to_string(),
            None => self.logs[*log].path.display().to_string(),
        };
        let mut words = vec!["meshreplay".to_owned(), "replay".to_owned(), log];
        words.extend(spec.arguments());
        words.extend(self.options.replay_arguments());
        words
    }
}
