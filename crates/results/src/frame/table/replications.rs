//! Which replication each saved job belongs to, and whether all jobs are present.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{Numbers, SavedTable};
use crate::frame::FrameError;
use crate::frame::folder::StudyFolder;
use crate::frame::origin::{Missing, Origin};
use crate::frame::read::find;
use meshreplay_sim::metrics::{JobRow, JobWhy, WaitCause};

/// A replication of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Replication {
    /// The number of the replay.
    pub replay: u64,
    /// The seed.
    pub seed: u64,
}

/// How many jobs a replication has, and whether they have the order of their arrival.
#[derive(Clone, Copy, Debug)]
pub struct JobOrder {
    /// How many there are.
    pub jobs: u64,
    /// Whether none arrived before the one above it.
    pub is_sorted: bool,
    /// When the last job of the list arrived, in seconds.
    pub last_s: f64,
    /// First and last arrival, in seconds.
    pub ends_s: [f64; 2],
}

impl Default for JobOrder {
    fn default() -> Self {
        let ends_s = [f64::INFINITY, f64::NEG_INFINITY];
        Self { jobs: 0, is_sorted: true, last_s: f64::NEG_INFINITY, ends_s }
    }
}

impl JobOrder {
    /// Adds the next job, which arrived at this time in seconds.
    pub fn add(&mut self, submit_s: f64) {
        self.is_sorted &= self.last_s <= submit_s;
        (self.jobs, self.last_s) = (self.jobs + 1, submit_s);
        let [first_s, last_s] = self.ends_s;
        self.ends_s = [first_s.min(submit_s), last_s.max(submit_s)];
    }
}

/// The number of jobs per replication in a directory.
#[derive(Clone, Debug)]
pub struct JobCounts {
    path: PathBuf,
    /// The replays that have no jobs.
    pub missing: Missing,
    /// The number of jobs of each replication; empty for a study, whose cells have files of their own.
    counts: BTreeMap<Replication, u64>,
}

impl JobCounts {
    /// Counts the jobs in `folder` by replication. Reads them in parts, so that memory does not grow with the
    /// jobs. `None` if it holds no jobs.
    pub fn of(folder: &Path) -> Result<Option<Self>, FrameError> {
        let (mut counts, mut is_known) = (BTreeMap::new(), true);
        // No cell of a study is read.
        let is_file = find(folder, "jobs").is_some();
        SavedTable::visit_details::<FrameError>(folder, "jobs", &["seed"], &|_| is_file, &mut |part| {
            is_known &= part.numbers("replay").is_some() || part.height() == 0;
            for (key, rows) in part.replications() {
                *counts.entry(key).or_insert(0) += rows.len() as u64;
            }
            Ok(())
        })?;
        let held = Self::counted(folder, counts)?;
        // Jobs without a replay may belong to any.
        Ok(held.map(|held| if is_known { held } else { Self { missing: Missing::default(), ..held } }))
    }

    /// As [`Self::of`], from jobs that have been counted already. `None` if `folder` holds no jobs.
    pub fn counted(folder: &Path, counts: BTreeMap<Replication, u64>) -> Result<Option<Self>, FrameError> {
        let origin = Origin::read(folder)?;
        let (path, held) = match (find(folder, "jobs"), &origin) {
            (Some(path), _) => (path, counts.keys().map(|key| key.replay).collect::<Vec<_>>()),
            (None, Some(origin)) => {
                let cells = StudyFolder::new(folder, None);
                (cells.cells(), cells.holding("jobs", origin)?)
            }
            (None, None) => (PathBuf::new(), Vec::new()),
        };
        let missing = origin
            .map(|origin| origin.missing(|i| held.binary_search(&(i as u64)).is_ok()))
            .unwrap_or_default();
        let is_there = path.is_file() || !held.is_empty();
        Ok(is_there.then_some(Self { path, missing, counts }))
    }

    /// Returns a sentence that names the replays without jobs; `None` if all have some.
    pub fn missing_note(&self) -> Option<String> {
        self.missing.note(&self.path)
    }

    /// Fails if the summary counts other jobs.
    pub fn check(&self, summary: &SavedTable, folder: &Path) -> Result<(), FrameError> {
        summary.check_jobs(folder, &|replication| self.counts.get(replication).copied())
    }
}

impl SavedTable {
    /// Returns the replication of a row; `None` if the row lacks it.
    pub fn replication(&self, row: usize) -> Option<Replication> {
        let whole = |name: &str| self.column(name)?.whole(row);
        Some(Replication { replay: whole("replay")?, seed: whole("seed")? })
    }

    /// Returns the range of rows of each replication in a part of the jobs, in order. Empty if the jobs lack
    /// the columns `replay` and `seed`.
    pub fn replications(&self) -> Vec<(Replication, Range<usize>)> {
        let (Some(replay), Some(seed)) = (self.column("replay"), self.column("seed")) else {
            return Vec::new();
        };
        let (mut found, mut start) = (Vec::new(), 0);
        while start < self.height() {
            let first = (replay.key(start), seed.key(start));
            let is_same = |i: &usize| (replay.key(*i), seed.key(*i)) == first;
            let end = (start + 1..self.height()).find(|i| !is_same(i)).unwrap_or(self.height());
            found.extend(self.replication(start).map(|key| (key, start..end)));
            start = end;
        }
        found
    }

    /// Fails if the saved jobs of a replication differ in number from this summary. `found` returns their
    /// number; `None` if it is not known. With outages some jobs of a replay never start and are in no file.
    pub fn check_jobs(
        &self,
        folder: &Path,
        found: &dyn Fn(&Replication) -> Option<u64>,
    ) -> Result<(), FrameError> {
        let has_outages = self.column("goodput").is_some();
        let (Some(jobs), false) = (self.numbers("jobs"), has_outages) else { return Ok(()) };
        for (row, jobs) in jobs.iter().enumerate() {
            let found = self.replication(row).and_then(|key| found(&key));
            let (Some(expected), Some(found)) = (jobs, found) else { continue };
            let expected = expected as u64;
            if found != expected {
                let (path, replay) = (folder.to_owned(), self.label("replay", row));
                return Err(FrameError::OtherJobs { path, replay, found, expected });
            }
        }
        Ok(())
    }
}

/// The columns of saved jobs.
#[derive(Debug)]
pub struct JobColumns<'a> {
    /// The numbers of each of [`Self::NAMES`]; `None` if the jobs lack the column.
    columns: [Option<&'a Numbers>; 7],
    /// The numbers of the causes of waiting; `None` if the jobs lack one.
    causes: Option<[&'a Numbers; 6]>,
}

impl<'a> JobColumns<'a> {
    /// The names of the columns of a [`JobRow`], in the order of its fields.
    pub const NAMES: [&'static str; 7] =
        ["job", "submit_s", "start_s", "end_s", "procs", "allocated", "pairwise_sum"];

    /// Finds the columns in the saved jobs.
    pub fn of(jobs: &'a SavedTable) -> Self {
        let causes: Option<Vec<_>> =
            WaitCause::ALL.iter().map(|cause| jobs.numbers(cause.column())).collect();
        let causes = causes.and_then(|causes| causes.try_into().ok());
        Self { columns: Self::NAMES.map(|name| jobs.numbers(name)), causes }
    }

    /// Returns the job in row `i`. Columns that the jobs lack are 0.
    pub fn row(&self, i: usize) -> JobRow {
        let [number, submit_s, start_s, end_s, procs, allocated, pairwise_sum] =
            self.columns.map(|column| column.and_then(|column| column.get(i)).unwrap_or_default());
        JobRow {
            number: number as i64,
            submit_s,
            start_s,
            end_s,
            procs: procs as u32,
            allocated: allocated as u32,
            pairwise_sum: pairwise_sum as u64,
            why: self.causes.and_then(|causes| {
                let seconds = causes.map(|cause| cause.get(i));
                seconds
                    .iter()
                    .all(Option::is_some)
                    .then(|| JobWhy::from_seconds(seconds.map(Option::unwrap_or_default)))
            }),
        }
    }
}
