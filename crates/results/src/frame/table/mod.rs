//! Saved summaries and jobs, read back: tables whose columns are numbers or texts.

mod replications;

pub use replications::{JobColumns, JobCounts, JobOrder, Replication};

use std::path::{Path, PathBuf};

use polars_core::prelude::{
    BooleanChunked, ChunkFilter, Column as FrameColumn, DataFrame, DataType, Float64Chunked, StringChunked,
};

use super::FrameError;
use super::coordinates::{is_unlabelled, relabel};
use crate::frame::FileFormat;
use crate::frame::folder::StudyFolder;
use crate::frame::origin::{Missing, Origin, RUN_COLUMN, mark};
use crate::frame::read::{ROWS, find, read_file, read_slice};

/// A summary, or the jobs or other details of a run. All columns have the same height.
#[derive(Clone, Debug)]
pub struct SavedTable {
    /// The file or directory that the columns were read from; empty for a frame in memory.
    pub path: PathBuf,
    /// The columns in the order of the frame.
    pub columns: Vec<Column>,
    /// The replays that run.json or study.json lists and the columns do not hold.
    pub missing: Missing,
}

impl SavedTable {
    /// Reads the summary in `folder`, which `replay -o` or `sweep -o` made, in any format. Fails if the
    /// folder holds no summary, or files of different runs.
    pub fn read(folder: &Path) -> Result<Self, FrameError> {
        let path =
            find(folder, SUMMARY).ok_or_else(|| FrameError::NoSummary { folder: folder.to_owned() })?;
        let origin = Origin::read(folder)?;
        let frame = read_labelled(&path, SUMMARY, origin.as_ref())?;
        Self::from_file(path, &frame, origin.as_ref())
    }

    /// Reads the details with this name in `folder`, such as the jobs. Of a study it reads only the cells
    /// with a number that `wanted` accepts, of a run all of them. Returns `None` if the directory holds no
    /// such details.
    pub fn read_details(
        folder: &Path,
        detail: &str,
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Self>, FrameError> {
        let origin = Origin::read(folder)?;
        if let Some(path) = find(folder, detail) {
            let frame = read_labelled(&path, detail, origin.as_ref())?;
            return Ok(Some(Self::from_file(path, &frame, origin.as_ref())?.without(RUN_COLUMN)));
        }
        let Some(origin) = origin else { return Ok(None) };
        let cells = StudyFolder::new(folder, None);
        let Some(frame) = cells.read_details(detail, &origin, wanted)? else { return Ok(None) };
        let held = cells.holding(detail, &origin)?;
        let missing = origin.missing(|i| held.binary_search(&(i as u64)).is_ok());
        Ok(Some(Self { missing, ..Self::from_file(cells.cells(), &frame, None)? }))
    }

    /// Reads the details with this name in `folder`, such as the jobs, and passes them to `visit` in parts of
    /// whole rows, in the order of the files. Reads the columns named in `columns` that exist, and the column
    /// `replay`. Cells of a study and parts of a Parquet file are read only if they have a
    /// replay that `wanted` accepts. Returns false if the
    /// directory holds no such details.
    pub fn visit_details<E: From<FrameError>>(
        folder: &Path,
        detail: &str,
        columns: &[&str],
        wanted: &dyn Fn(u64) -> bool,
        visit: &mut dyn FnMut(&Self) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut read: Vec<&str> = Vec::new();
        for name in columns.iter().chain(&["replay"]) {
            if !read.contains(name) {
                read.push(name);
            }
        }
        let origin = Origin::read(folder)?;
        if let Some(path) = find(folder, detail) {
            read.push(RUN_COLUMN);
            let mut from = 0;
            let is_sliced = FileFormat::of_path(&path) == Some(FileFormat::Parquet);
            loop {
                // Parts without a wanted replay are skipped, but for the first one, which has the columns.
                if is_sliced && from > 0 {
                    let (part, is_last) = read_slice(&path, &["replay"], from..from + ROWS)?;
                    if numbers(&part, "replay").is_some_and(|replays| !replays.into_iter().any(wanted)) {
                        from += part.height();
                        if is_last {
                            return Ok(true);
                        }
                        continue;
                    }
                }
                let (frame, is_last) = read_slice(&path, &read, from..from + ROWS)?;
                from += frame.height();
                // An empty file is one empty part, so that its columns are known.
                if frame.height() > 0 || from == 0 {
                    in_parts(&frame, &mut |part| {
                        origin.as_ref().map_or(Ok(()), |origin| origin.check(&path, part))?;
                        visit(&Self::from_file(path.clone(), part, None)?.without(RUN_COLUMN))
                    })?;
                }
                if is_last {
                    return Ok(true);
                }
            }
        }
        let Some(origin) = origin else { return Ok(false) };
        let cells = StudyFolder::new(folder, None);
        let held = cells.holding(detail, &origin)?;
        for &number in held.iter().filter(|number| wanted(**number)) {
            let frame = cells.read_cells(detail, &origin, Some(&read), &[number])?;
            in_parts(&frame, &mut |part| visit(&Self::from_file(cells.cells(), part, None)?))?;
        }
        Ok(!held.is_empty())
    }

    /// Returns the columns of a frame in memory. Its path is empty, and it has no missing replays.
    pub fn of_frame(frame: &DataFrame) -> Result<Self, FrameError> {
        Self::from_file(PathBuf::new(), frame, None)
    }

    /// Returns the columns of a frame. The replays that `origin` lists and the frame does not hold are
    /// missing.
    fn from_file(path: PathBuf, frame: &DataFrame, origin: Option<&Origin>) -> Result<Self, FrameError> {
        let missing = origin.map(|origin| {
            let held = numbers(frame, "replay");
            origin.missing(|i| held.as_ref().is_none_or(|held| held.binary_search(&(i as u64)).is_ok()))
        });
        let columns = frame.columns().iter().map(Column::from_frame).collect::<Result<_, _>>()?;
        Ok(Self { path, columns, missing: missing.unwrap_or_default() })
    }

    /// Returns the table without the column of this name.
    fn without(mut self, name: &str) -> Self {
        self.columns.retain(|column| column.name != name);
        self
    }

    /// Returns the table with the rows that `is_kept` accepts.
    pub fn filtered(&self, is_kept: &dyn Fn(usize) -> bool) -> Result<Self, FrameError> {
        let mask: BooleanChunked = (0..self.height()).map(|row| Some(is_kept(row))).collect();
        let columns = self.columns.iter().map(|column| column.filtered(&mask)).collect::<Result<_, _>>()?;
        Ok(Self { path: self.path.clone(), columns, missing: self.missing.clone() })
    }

    /// Returns a sentence that names the missing replays; `None` if no replay of run.json or study.json is
    /// missing.
    pub fn missing_note(&self) -> Option<String> {
        self.missing.note(&self.path)
    }

    /// Returns the number of rows; 0 if there are no columns.
    pub fn height(&self) -> usize {
        self.columns.first().map_or(0, Column::height)
    }

    /// Returns the column of this name; `None` if there is none.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns the numbers of the column of this name, as [`Column::numbers`] does; `None` as well if there
    /// is no such column.
    pub fn numbers(&self, name: &str) -> Option<&Numbers> {
        self.column(name)?.numbers()
    }

    /// Returns the number in a row of the column of this name; `None` if there is none.
    pub fn number(&self, name: &str, row: usize) -> Option<f64> {
        self.numbers(name)?.get(row)
    }

    /// Returns the value in a row of the column of this name as a label; empty if there is no such column.
    pub fn label(&self, name: &str, row: usize) -> String {
        self.column(name).map(|column| column.label(row)).unwrap_or_default()
    }

    /// Returns whether a row has a number above 0 in the column of this name.
    pub fn has_positive(&self, name: &str) -> bool {
        self.numbers(name).is_some_and(|numbers| numbers.iter().flatten().any(|number| number > 0.0))
    }

    /// Returns whether a row has a number in the column of this name.
    pub fn has_number(&self, name: &str) -> bool {
        self.numbers(name).is_some_and(|numbers| numbers.iter().flatten().next().is_some())
    }

    /// Returns whether rows differ in the column of this name.
    pub fn varies(&self, name: &str) -> bool {
        self.column(name).is_some_and(|column| column.varies(0..self.height()))
    }
}

/// The name of the frame of summaries.
const SUMMARY: &str = "summary";

/// Reads the frame called `name` from its file. Adds missing labels, and renumbers the replays of a summary.
/// Fails if its rows are of another run.
fn read_labelled(path: &Path, name: &str, origin: Option<&Origin>) -> Result<DataFrame, FrameError> {
    let mut frame = read_file(path)?;
    if is_unlabelled(&frame) {
        relabel(&mut frame, None)?;
    }
    if let Some(origin) = origin {
        origin.check(path, &frame)?;
        if name == SUMMARY {
            origin.renumber(&mut frame)?;
        }
    }
    Ok(frame)
}

/// Reads the frame called `name` in `folder`, which `replay -o` or `sweep -o` made, in any format. Details of
/// a study are concatenated over its cells, with the id of the study. `None` if the folder does not hold the
/// frame. Fails if it holds files of different runs.
pub fn read_frame(folder: &Path, name: &str) -> Result<Option<DataFrame>, FrameError> {
    let origin = Origin::read(folder)?;
    match (find(folder, name), origin) {
        (Some(path), origin) => read_labelled(&path, name, origin.as_ref()).map(Some),
        (None, Some(origin)) => {
            let mut found = StudyFolder::new(folder, None).read_details(name, &origin, &|_| true)?;
            found.iter_mut().try_for_each(|frame| mark(frame, &origin.id))?;
            Ok(found)
        }
        (None, None) => Ok(None),
    }
}

/// Hands a frame to `visit` in parts of at most [`ROWS`] rows.
fn in_parts<E>(frame: &DataFrame, visit: &mut dyn FnMut(&DataFrame) -> Result<(), E>) -> Result<(), E> {
    if frame.height() <= ROWS {
        return visit(frame);
    }
    (0..frame.height()).step_by(ROWS).try_for_each(|from| visit(&frame.slice(from as i64, ROWS)))
}

/// Returns the different whole numbers in a column, ascending; `None` if the column does not exist or holds
/// no numbers.
fn numbers(frame: &DataFrame, name: &str) -> Option<Vec<u64>> {
    let column = frame.column(name).ok()?.cast(&DataType::UInt64).ok()?;
    let mut numbers: Vec<u64> = Vec::new();
    // Rows of one replay stand together.
    for number in column.u64().ok()?.iter().flatten() {
        if numbers.last() != Some(&number) {
            numbers.push(number);
        }
    }
    numbers.sort_unstable();
    Some(numbers)
}

/// A column of a [`SavedTable`](SavedTable).
#[derive(Clone, Debug)]
pub struct Column {
    /// The name of the column.
    pub name: String,
    values: Values,
}

#[derive(Clone, Debug)]
enum Values {
    /// Names and specs. A missing value is an empty text.
    Text(StringChunked),
    Number {
        numbers: Numbers,
        /// Whether the type of the column is an integer.
        is_whole: bool,
        /// The values as text, if the column holds whole numbers and some have more digits than an `f64`
        /// keeps, as seeds may.
        exact: Option<StringChunked>,
    },
}

/// The numbers of a column, one per row; some may be missing. Clones share their memory.
#[derive(Clone, Debug, Default)]
pub struct Numbers(Float64Chunked);

impl Numbers {
    /// Returns the number of row `i`; `None` if it is missing.
    pub fn get(&self, i: usize) -> Option<f64> {
        // Most columns lack no number, and a slice needs no further checks.
        self.0.cont_slice().map_or_else(|_| self.0.get(i), |numbers| numbers.get(i).copied())
    }

    /// Returns the number of each row.
    pub fn iter(&self) -> impl Iterator<Item = Option<f64>> + Clone + '_ {
        (0..self.0.len()).map(|i| self.get(i))
    }
}

/// A value of a column. Two keys of one column are equal exactly if the values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key<'a> {
    /// The bits of a number.
    Number(u64),
    /// A text, or a whole number that an `f64` would round.
    Text(&'a str),
    /// A missing number.
    Missing,
}

impl Column {
    fn from_frame(column: &FrameColumn) -> Result<Self, FrameError> {
        let name = column.name().to_string();
        let dtype = column.dtype();
        // An empty column of numbers in CSV is read as text. A column of text always has a value.
        let is_empty = column.null_count() == column.len() && !column.is_empty();
        let values = if *dtype == DataType::String && !is_empty {
            Values::Text(column.str()?.rechunk().into_owned())
        } else {
            let numbers = Numbers(column.cast(&DataType::Float64)?.f64()?.rechunk().into_owned());
            let is_whole = dtype.is_integer();
            let exact = if is_whole && numbers.have_rounded() {
                Some(column.cast(&DataType::String)?.str()?.rechunk().into_owned())
            } else {
                None
            };
            Values::Number { numbers, is_whole, exact }
        };
        Ok(Self { name, values })
    }

    /// Returns the column with the rows whose entry in `mask` is true.
    fn filtered(&self, mask: &BooleanChunked) -> Result<Self, FrameError> {
        let values = match &self.values {
            Values::Text(texts) => Values::Text(texts.filter(mask)?.rechunk().into_owned()),
            Values::Number { numbers, is_whole, exact } => Values::Number {
                numbers: Numbers(numbers.0.filter(mask)?.rechunk().into_owned()),
                is_whole: *is_whole,
                exact: exact.as_ref().map(|texts| texts.filter(mask)).transpose()?,
            },
        };
        Ok(Self { name: self.name.clone(), values })
    }

    /// Returns the number of rows.
    fn height(&self) -> usize {
        match &self.values {
            Values::Text(texts) => texts.len(),
            Values::Number { numbers, .. } => numbers.0.len(),
        }
    }

    /// Returns the numbers of the column. Returns `None` for a column of texts.
    pub fn numbers(&self) -> Option<&Numbers> {
        match &self.values {
            Values::Number { numbers, .. } => Some(numbers),
            Values::Text(_) => None,
        }
    }

    /// Returns whether the type of the column is an integer.
    pub fn is_whole(&self) -> bool {
        matches!(self.values, Values::Number { is_whole: true, .. })
    }

    /// Returns the text of row `i`; `None` in a column of numbers.
    pub fn text(&self, i: usize) -> Option<&str> {
        match &self.values {
            Values::Text(texts) => Some(texts.get(i).unwrap_or_default()),
            Values::Number { .. } => None,
        }
    }

    /// Returns the value of row `i` as a label: a text unchanged, a number with as few digits as possible,
    /// `none` for a missing number.
    pub fn label(&self, i: usize) -> String {
        match self.key(i) {
            Key::Text(text) => text.to_owned(),
            Key::Number(bits) => f64::from_bits(bits).to_string(),
            Key::Missing => "none".to_owned(),
        }
    }

    /// Returns the value of row `i` for comparisons within this column.
    pub fn key(&self, i: usize) -> Key<'_> {
        match &self.values {
            Values::Text(texts) => Key::Text(texts.get(i).unwrap_or_default()),
            Values::Number { exact: Some(texts), .. } => texts.get(i).map_or(Key::Missing, Key::Text),
            Values::Number { numbers, .. } => {
                numbers.get(i).map_or(Key::Missing, |number| Key::Number(number.to_bits()))
            }
        }
    }

    /// Returns the whole number in row `i` with all of its digits; `None` if the row has none.
    pub fn whole(&self, i: usize) -> Option<u64> {
        match self.key(i) {
            Key::Text(text) => text.parse().ok(),
            Key::Number(bits) => Some(f64::from_bits(bits) as u64),
            Key::Missing => None,
        }
    }

    /// Returns whether some of these rows have different values.
    pub fn varies(&self, mut rows: impl Iterator<Item = usize>) -> bool {
        rows.next().is_some_and(|first| rows.any(|row| self.key(row) != self.key(first)))
    }
}

impl Numbers {
    /// Returns whether some number is such that an `f64` may have rounded it, if it was an integer.
    fn have_rounded(&self) -> bool {
        const MOST: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
        // Every integer from the limit on may be rounded: the limit plus 1 becomes the limit itself.
        self.0.iter().flatten().any(|number| number.abs() >= MOST)
    }
}
