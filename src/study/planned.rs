//! A planned study: every cell with its key and cost, before any jobs are loaded.

use std::path::PathBuf;

use super::cell::Plan;
use super::product::Point;
use crate::workload::Synthetic;

/// A planned study.
#[derive(Clone, Debug)]
pub struct Study {
    /// Its name; that of its file if it says none.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// What all its cells share.
    pub plan: Plan,
    /// Its logs.
    pub logs: Vec<StudyLog>,
    /// Its cells: by log, then rules, arrival scale, machine, scheduler, allocator, seed; the last varies fastest.
    pub cells: Vec<StudyCell>,
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

/// A cell of a study, before its jobs are loaded.
#[derive(Clone, Debug)]
pub struct StudyCell {
    /// What is replayed.
    pub point: Point,
    /// Name of its result: SHA-256, in hexadecimal, of all that the result depends on.
    pub key: String,
    /// Number of jobs.
    pub jobs: u64,
    /// Estimated cost, see [`super::weight`].
    pub cost: u64,
}
