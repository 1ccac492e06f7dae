//! The jobs of all cells of a study, joined into one frame like that of `replay -o`.

use std::path::PathBuf;

use polars::prelude::{Column, DataFrame, NamedFrom, Series};

use super::folder::{StudyFolder, stack};
use super::kept::is_result_of;
use super::read::{read_columns, read_file};
use super::{FrameError, name};

impl StudyFolder {
    /// Reads the jobs of several cells into one frame. `keys` are the cells of the study in their order, and `wanted`
    /// accepts the positions of those to read. The column `replay` holds the position. `columns` names the columns to
    /// read; `None` reads all. Returns `None` if no cell has kept its jobs.
    pub(super) fn read_jobs(
        &self,
        keys: &[&str],
        columns: Option<&[&str]>,
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Option<DataFrame>, FrameError> {
        let kept: Vec<(u32, PathBuf)> = (0..)
            .zip(keys.iter().copied())
            .filter(|(_, key)| self.has(key, true))
            .map(|(number, key)| (number, self.jobs(key)))
            .collect();
        joined(kept, columns, wanted)
    }

    /// Reads the downtimes of several cells into one frame, as [`Self::read_jobs`] does with jobs. Returns `None` if no
    /// cell has kept them.
    pub(super) fn read_downtimes(
        &self,
        keys: &[&str],
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Option<DataFrame>, FrameError> {
        let kept: Vec<(u32, PathBuf)> = (0..)
            .zip(keys.iter().copied())
            .filter(|(_, key)| self.has(key, true) && is_result_of(&self.downtimes(key), key))
            .map(|(number, key)| (number, self.downtimes(key)))
            .collect();
        joined(kept, None, wanted)
    }
}

/// Reads the files of cells, each with the number of its cell, into one frame. `None` if there are no files.
fn joined(
    files: Vec<(u32, PathBuf)>,
    columns: Option<&[&str]>,
    wanted: &dyn Fn(u64) -> bool,
) -> Result<Option<DataFrame>, FrameError> {
    if files.is_empty() {
        return Ok(None);
    }
    let mut all: Option<DataFrame> = None;
    for (number, path) in files.into_iter().filter(|(number, _)| wanted(u64::from(*number))) {
        let mut frame = match columns {
            Some(columns) => read_columns(&path, columns),
            None => read_file(&path),
        }?;
        let numbers = vec![number; frame.height()];
        frame.insert_column(0, Column::from(Series::new(name("replay"), numbers)))?;
        stack(&mut all, frame)?;
    }
    let mut all = all.unwrap_or_default();
    // Joins the chunks of the cells to one, so that columns can be read as slices.
    all.rechunk_mut();
    Ok(Some(all))
}
