//! Schedules in our own Parquet files, read one part at a time.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::vec;

use polars_core::prelude::DataFrame;

use super::table::{ScheduleTable, ours};
use super::{SavedJobs, ScheduleError, Selected, Selection, of_table};
use crate::frame::FileFormat;
use crate::frame::origin::{Origin, RUN_COLUMN};
use crate::frame::read::{ROWS, read_slice};
use crate::frame::table::Replication;
use meshreplay_study::audit::ScheduledJob;

/// The columns of our own `jobs` frame that make up a schedule. Some frames lack some of them.
const COLUMNS: [&str; 14] = [
    "replay",
    "seed",
    RUN_COLUMN,
    "job",
    "submit_s",
    "start_s",
    "end_s",
    "estimate_s",
    "prediction_s",
    "procs",
    "allocated",
    "nodes",
    "moves",
    "restarts",
];

/// The jobs of one schedule of a Parquet file.
#[derive(Debug)]
pub struct InParts {
    path: PathBuf,
    origin: Option<Origin>,
    of: Replication,
    /// The number of its jobs.
    pub(super) count: u64,
    /// Whether the nodes of jobs are known.
    pub(super) has_nodes: bool,
    /// The number of rows that are in memory at a time.
    rows: usize,
}

impl InParts {
    /// Returns whether the file at `path` is one of ours that can be read in parts.
    pub(super) fn can_read(path: &Path) -> Result<bool, ScheduleError> {
        if FileFormat::of_path(path) != Some(FileFormat::Parquet) {
            return Ok(false);
        }
        let (first, _) = slice(path, &["starting_time", "submit_s"], 0..1)?;
        Ok(first.column("starting_time").is_err())
    }

    /// Opens the selected schedule of the file at `path`. Fails as well if a column is missing.
    pub(super) fn open(
        path: PathBuf,
        origin: Option<Origin>,
        selection: Selection,
    ) -> Result<Selected, ScheduleError> {
        let (mut known, mut first_row) = (BTreeMap::new(), 0);
        loop {
            let (frame, is_last) =
                slice(&path, &["replay", "seed", "submit_s"], first_row..first_row + ROWS)?;
            let table = ScheduleTable { path: &path, frame: &frame, first_row, origin: origin.as_ref() };
            table.column("submit_s")?;
            table.count_known(&mut known)?;
            first_row += frame.height();
            if is_last {
                break;
            }
        }
        let (frame, _) = slice(&path, &COLUMNS, 0..1)?;
        if let Some(origin) = &origin {
            origin.check(&path, &frame)?;
        }
        let table = ScheduleTable { path: &path, frame: &frame, first_row: 0, origin: origin.as_ref() };
        let of = table.select(&known, selection)?;
        ours(&table, &[])?;
        // Only replays with outages have the column of restarts.
        let (has_nodes, has_outages) = (table.has("nodes"), table.has("restarts"));
        let count = known.get(&of).copied().unwrap_or_default();
        let jobs = Self { path: path.clone(), origin, of, count, has_nodes, rows: ROWS };
        Ok(Selected { path, of: Some(of), has_outages, jobs: SavedJobs::InParts(jobs) })
    }

    /// Returns the jobs one by one, in the order of the file. No more come after an error.
    pub(super) fn walk(&self) -> impl Iterator<Item = Result<ScheduledJob, ScheduleError>> + '_ {
        PartIterator { schedule: self, next_row: Some(0), part: Vec::new().into_iter() }
    }

    /// Reads the part that begins with a row. Returns its jobs, and the row with which the next part begins;
    /// `None` if there is none.
    fn part(&self, first_row: usize) -> Result<(Vec<ScheduledJob>, Option<usize>), ScheduleError> {
        let (frame, is_last) = slice(&self.path, &COLUMNS, first_row..first_row + self.rows)?;
        if let Some(origin) = &self.origin {
            origin.check(&self.path, &frame)?;
        }
        let table =
            ScheduleTable { path: &self.path, frame: &frame, first_row, origin: self.origin.as_ref() };
        let jobs = ours(&table, &table.rows_of(self.of)?)?;
        // A file that has changed may end earlier.
        let is_last = is_last || frame.height() == 0;
        Ok((jobs, (!is_last).then_some(first_row + frame.height())))
    }
}

/// The jobs of a file while they are read.
struct PartIterator<'a> {
    schedule: &'a InParts,
    /// The row with which the next part begins; `None` if there is none.
    next_row: Option<usize>,
    part: vec::IntoIter<ScheduledJob>,
}

impl Iterator for PartIterator<'_> {
    type Item = Result<ScheduledJob, ScheduleError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(job) = self.part.next() {
                return Some(Ok(job));
            }
            match self.schedule.part(self.next_row.take()?) {
                Ok((jobs, next_row)) => (self.part, self.next_row) = (jobs.into_iter(), next_row),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Reads rows of the file at `path`. Returns whether the file has none after them.
fn slice(path: &Path, columns: &[&str], rows: Range<usize>) -> Result<(DataFrame, bool), ScheduleError> {
    read_slice(path, columns, rows).map_err(of_table)
}

#[cfg(test)]
mod tests {
    use polars_core::prelude::{Column, NamedFrom, Series};

    use super::super::read_schedule;
    use super::*;
    use crate::frame::file::FrameFile;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    /// Writes the jobs of two schedules in turn, with nodes. The start of job `wrong` is no time.
    fn write(folder: &Path, format: FileFormat, wrong: Option<i64>) -> Tested {
        let numbers = || 0..60_i64;
        let number = |name: &str, value: &dyn Fn(i64) -> f64| {
            Column::from(Series::new(name.into(), numbers().map(value).collect::<Vec<_>>()))
        };
        let nodes: Vec<String> = numbers().map(|i| format!("{i} {}-{}", i + 2, i + 3)).collect();
        let start = |i: i64| if wrong == Some(i) { f64::NAN } else { i as f64 * 3.5 };
        let mut frame = crate::frame::frame(vec![
            number("replay", &|i| (i % 2) as f64),
            number("seed", &|_| 7.0),
            number("job", &|i| (i + 100) as f64),
            number("submit_s", &|i| i as f64),
            number("start_s", &start),
            number("end_s", &|i| i as f64 * 9.25),
            number("estimate_s", &|i| (i * 10) as f64),
            number("procs", &|_| 3.0),
            number("allocated", &|_| 3.0),
            Column::from(Series::new("nodes".into(), nodes)),
        ])?;
        let mut file = FrameFile::create(folder, "jobs", format, "")?;
        file.append(&mut frame)?;
        file.finish()?.ok_or("rows")?.put()?;
        Ok(())
    }

    fn opened(path: &Path, replay: u32, rows: usize) -> Result<InParts, ScheduleError> {
        let selection = Selection { replay: Some(replay), seed: None };
        match InParts::open(path.to_owned(), None, selection)?.jobs {
            SavedJobs::InParts(parts) => Ok(InParts { rows, ..parts }),
            SavedJobs::Whole(_) => Err(ScheduleError::LoadJobsError(path.to_owned())),
        }
    }

    /// Reading in parts of any length gives the same jobs as reading the whole file.
    #[test]
    fn parts_give_what_the_whole_gives() -> Tested {
        let directory = tempfile::tempdir()?;
        let (parquet, lines) = (directory.path().join("jobs.parquet"), directory.path().join("jobs.jsonl"));
        write(directory.path(), FileFormat::Parquet, None)?;
        write(directory.path(), FileFormat::Jsonl, None)?;
        for replay in [0, 1] {
            let selection = Selection { replay: Some(replay), seed: None };
            let whole = read_schedule(&lines, selection)?.jobs;
            assert!(matches!(whole, SavedJobs::Whole(_)));
            let expected: Vec<ScheduledJob> = whole.walk().collect::<Result<_, _>>()?;
            assert_eq!((expected.len(), expected[1].row), (30, u64::from(replay) + 3));
            for rows in [1, 7, 59, 60, 61] {
                let parts = opened(&parquet, replay, rows)?;
                assert_eq!((parts.count, parts.has_nodes), (whole.count(), true));
                // They can be read again.
                for _ in 0..2 {
                    assert_eq!(parts.walk().collect::<Result<Vec<_>, _>>()?, expected, "{rows}");
                }
            }
        }
        Ok(())
    }

    /// The error for a wrong value in a late part has the row of the file, and ends the iteration.
    #[test]
    fn a_late_error_names_its_row() -> Tested {
        let directory = tempfile::tempdir()?;
        write(directory.path(), FileFormat::Parquet, Some(52))?;
        let parts = opened(&directory.path().join("jobs.parquet"), 0, 8)?;
        let mut walked: Vec<_> = parts.walk().collect();
        let last = walked.pop().ok_or("an error")?.expect_err("no time").to_string();
        assert!(
            last.ends_with(
                "jobs.parquet, row 53, column 'start_s': found 'NaN', expected a number of seconds"
            ),
            "{last}"
        );
        assert_eq!(walked.len(), 24);
        assert!(walked.iter().all(Result::is_ok));
        Ok(())
    }
}
