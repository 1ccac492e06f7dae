//! The details of all cells of a study, such as their jobs, joined into one frame like that of `replay -o`.

use polars::prelude::{Column, DataFrame, NamedFrom, Series};

use super::folder::{StudyFolder, stack};
use super::read::{read_columns, read_file};
use super::{FrameError, name};

impl StudyFolder {
    /// Reads the details with this name, such as `jobs`, of several cells into one frame. `keys` are the cells of the study in their order, and `wanted`
    /// accepts the positions of those to read. The column `replay` holds the position. `columns` names the columns to
    /// read; `None` reads all. Returns `None` if no cell has kept them.
    pub(super) fn read_details(
        &self,
        detail: &str,
        keys: &[&str],
        columns: Option<&[&str]>,
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Option<DataFrame>, FrameError> {
        let kept: Vec<(u32, &str)> =
            (0..).zip(keys.iter().copied()).filter(|(_, key)| self.has_detail(key, detail)).collect();
        if kept.is_empty() {
            return Ok(None);
        }
        let mut all: Option<DataFrame> = None;
        for (number, key) in kept.into_iter().filter(|(number, _)| wanted(u64::from(*number))) {
            let path = self.detail(key, detail);
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
}
