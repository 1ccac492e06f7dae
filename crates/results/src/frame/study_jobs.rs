//! The details of all cells of a study, such as their jobs, joined into one frame like that of `replay -o`.

use std::path::PathBuf;

use polars_core::prelude::{Column, DataFrame, Scalar};

use super::coordinates::{has_algorithms, is_label, relabel};
use super::detail::tidy;
use super::folder::{StudyFolder, json, stack};
use super::origin::{Origin, mark, study_id};
use super::read::{read_columns, read_file};
use super::{FileFormat, FinishedFile, FrameError, FrameFile, name};
use meshreplay_base::disk::sync_directory;
use meshreplay_study::study::Manifest;

impl StudyFolder {
    /// Returns the path of the study's tidy jobs.
    pub(super) fn tidy(&self) -> PathBuf {
        self.path().join(format!("{}.{}", tidy::NAME, FileFormat::Parquet.extension()))
    }

    /// Writes the jobs of all finished cells that have kept them, in the order of the study, with the
    /// coordinates of their replays. One cell is in memory at a time.
    pub(super) fn write_tidy(&self, manifest: &Manifest) -> Result<(), FrameError> {
        let mut file = FrameFile::create(self.path(), tidy::NAME, FileFormat::Parquet, &json(manifest)?)?;
        let run = study_id(manifest)?;
        for (number, cell) in (0_u32..).zip(&manifest.cells) {
            if !self.holds_cell(&cell.key, true)? {
                continue;
            }
            let mut rows = read_file(&self.detail(&cell.key, "jobs"))?;
            rows.insert_column(0, numbered(number, rows.height()))?;
            tidy::join(&mut rows, &cell.spec)?;
            mark(&mut rows, &run)?;
            file.append(&mut rows)?;
        }
        file.finish()?.map_or(Ok(()), FinishedFile::put)?;
        let path = self.path().to_owned();
        sync_directory(&path).map_err(|source| FrameError::File { path, source })
    }

    /// Returns the positions of the cells of the study `origin` that have kept the details with this name,
    /// ascending.
    pub(super) fn holding(&self, detail: &str, origin: &Origin) -> Result<Vec<u64>, FrameError> {
        let mut held = Vec::new();
        for (number, key) in (0..).zip(origin.keys()) {
            // A result that cannot be read now is no missing one.
            if self.holds_detail(key, detail)? {
                held.push(number);
            }
        }
        Ok(held)
    }

    /// Reads the details with this name, such as `jobs`, of several cells of the study `origin` into one
    /// frame. `wanted` accepts the positions of those to read. Returns `None` if no cell has kept them.
    pub(super) fn read_details(
        &self,
        detail: &str,
        origin: &Origin,
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Option<DataFrame>, FrameError> {
        let held = self.holding(detail, origin)?;
        if held.is_empty() {
            return Ok(None);
        }
        let wanted: Vec<u64> = held.into_iter().filter(|number| wanted(*number)).collect();
        self.read_cells(detail, origin, None, &wanted).map(Some)
    }

    /// Reads the details with this name of the cells at these positions, ascending, into one frame. The
    /// column `replay` holds the position. `columns` names the columns to read; `None` reads all.
    pub(super) fn read_cells(
        &self,
        detail: &str,
        origin: &Origin,
        columns: Option<&[&str]>,
        cells: &[u64],
    ) -> Result<DataFrame, FrameError> {
        let mut all: Option<DataFrame> = None;
        let chosen = (0_u32..)
            .zip(origin.keys())
            .filter(|(number, _)| cells.binary_search(&u64::from(*number)).is_ok());
        for (number, key) in chosen {
            let path = self.detail(key, detail);
            // Files of cells have no labels, which follow from other columns.
            let alone = columns.filter(|columns| !columns.iter().any(|column| is_label(column)));
            let mut frame = match alone {
                Some(columns) => read_columns(&path, columns),
                None => read_file(&path),
            }?;
            if alone.is_none() && has_algorithms(&frame) {
                relabel(&mut frame, origin.labels(number as usize).as_ref())?;
            }
            frame.insert_column(0, numbered(number, frame.height()))?;
            stack(&mut all, frame)?;
        }
        let mut all = all.unwrap_or_default();
        // Joins the chunks of the cells to one, so that columns can be read as slices.
        all.rechunk_mut();
        Ok(all)
    }
}

/// Returns the column `replay` for all rows of one replay.
fn numbered(number: u32, height: usize) -> Column {
    Column::new_scalar(name("replay"), Scalar::from(i64::from(number)), height)
}
