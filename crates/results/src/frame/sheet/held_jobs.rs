//! The jobs that lie beside a summary: whose they are, and whether they are all there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use super::Sheet;
use crate::frame::FrameError;
use crate::frame::origin::Origin;
use crate::frame::read::{ROWS, find, read_slice};

/// The number of a replay and its seed, as labels.
pub type Replication = (String, String);

/// What the jobs in a directory say about the replays that they are of.
#[derive(Clone, Debug)]
pub struct HeldJobs {
    /// A sheet without columns that says which replays have no jobs.
    pub sheet: Sheet,
    /// The number of jobs of each replay and seed; empty for a study, whose cells have files of their own.
    counts: BTreeMap<Replication, u64>,
}

impl HeldJobs {
    /// Reads whose the jobs in `folder` are, in parts, so that memory does not grow with the jobs. `None` if it holds no jobs.
    pub fn of(folder: &Path) -> Result<Option<Self>, FrameError> {
        let mut counts = BTreeMap::new();
        let of_study = || {
            let sheet = Sheet::read_jobs(folder, &[], &|_| false)?;
            Ok(sheet.map(|sheet| Self { sheet, counts: BTreeMap::new() }))
        };
        let Some(path) = find(folder, "jobs") else { return of_study() };
        let mut from = 0;
        loop {
            let (part, is_last) = read_slice(&path, &["replay", "seed"], (from, ROWS))?;
            from += ROWS;
            let part = Sheet::of_frame(&part)?;
            // Without the column, no replay counts as missing.
            if part.numbers("replay").is_none() && part.height() > 0 {
                return of_study();
            }
            for (key, rows) in part.replications() {
                *counts.entry(key).or_insert(0) += rows.len() as u64;
            }
            if is_last {
                break;
            }
        }
        let held: BTreeSet<&str> = counts.keys().map(|(replay, _)| replay.as_str()).collect();
        let missing =
            Origin::of(folder)?.map(|origin| origin.missing(|i| held.contains(i.to_string().as_str())));
        let missing = missing.unwrap_or_default();
        Ok(Some(Self { sheet: Sheet { path, columns: Vec::new(), missing }, counts }))
    }

    /// Fails if there are other jobs than the summary beside them counts.
    pub fn check(&self, summary: &Sheet, folder: &Path) -> Result<(), FrameError> {
        summary.check_jobs(folder, &|replay, seed| {
            self.counts.get(&(replay.to_owned(), seed.to_owned())).copied()
        })
    }
}

impl Sheet {
    /// Returns the rows of each replay and seed in a part of the jobs, which stand together, in the order of the rows; nothing
    /// if the jobs do not say whose they are.
    pub fn replications(&self) -> Vec<(Replication, Range<usize>)> {
        let (Some(replay), Some(seed)) = (self.column("replay"), self.column("seed")) else {
            return Vec::new();
        };
        let (mut found, mut start) = (Vec::new(), 0);
        while start < self.height() {
            let is_same = |i: &usize| replay.is_same(start, *i) && seed.is_same(start, *i);
            let end = (start..self.height()).take_while(is_same).last().unwrap_or(start) + 1;
            found.push(((replay.label(start), seed.label(start)), start..end));
            start = end;
        }
        found
    }

    /// Fails if the jobs beside this summary are others than it counts: `found` returns how many there are of a replay and seed,
    /// `None` if that is not known. With outages some jobs of a replay never start and are in no file.
    pub fn check_jobs(
        &self,
        folder: &Path,
        found: &dyn Fn(&str, &str) -> Option<u64>,
    ) -> Result<(), FrameError> {
        let has_outages = self.column("goodput").is_some();
        let (Some(jobs), Some(replays), Some(seeds), false) =
            (self.numbers("jobs"), self.column("replay"), self.column("seed"), has_outages)
        else {
            return Ok(());
        };
        for (row, jobs) in jobs.iter().enumerate() {
            let replay = replays.label(row);
            let (Some(expected), Some(found)) = (jobs, found(&replay, &seeds.label(row))) else { continue };
            let expected = *expected as u64;
            if found != expected {
                return Err(FrameError::OtherJobs { path: folder.to_owned(), replay, found, expected });
            }
        }
        Ok(())
    }
}
