//! The details of all cells of a study, such as their jobs, joined into one frame like that of `replay -o`.

use polars::prelude::{Column, DataFrame, NamedFrom, Series};

use super::folder::{StudyFolder, stack};
use super::labels::{has_algorithms, is_label, relabel};
use super::origin::Origin;
use super::read::{read_columns, read_file};
use super::{FrameError, name};

impl StudyFolder {
    /// Reads the details with this name, such as `jobs`, of several cells of the study `origin` into one frame. `wanted`
    /// accepts the positions of those to read. The column `replay` holds the position. `columns` names the columns to
    /// read; `None` reads all. Returns `None` if no cell has kept them.
    pub(super) fn read_details(
        &self,
        detail: &str,
        origin: &Origin,
        columns: Option<&[&str]>,
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Option<DataFrame>, FrameError> {
        let kept: Vec<(u32, &str)> =
            (0..).zip(origin.keys()).filter(|(_, key)| self.has_detail(key, detail)).collect();
        if kept.is_empty() {
            return Ok(None);
        }
        let mut all: Option<DataFrame> = None;
        for (number, key) in kept.into_iter().filter(|(number, _)| wanted(u64::from(*number))) {
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
            let numbers = vec![number; frame.height()];
            frame.insert_column(0, Column::from(Series::new(name("replay"), numbers)))?;
            stack(&mut all, frame)?;
        }
        let mut all = all.unwrap_or_default();
        // Joins the chunks of the cells to one, so that columns can be read as slices.
        all.rechunk_mut();
        Ok(Some(all))
    }
}
