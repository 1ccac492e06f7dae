//! Saved summaries and jobs, read back into plain vectors of texts and numbers.

mod held_jobs;

pub use held_jobs::{HeldJobs, Replication};

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use polars_core::prelude::{Column, DataFrame, DataType};

use crate::frame::FrameError;
use crate::frame::folder::StudyFolder;
use crate::frame::labels::{is_unlabelled, relabel};
use crate::frame::origin::{Missing, Origin, RUN_COLUMN};
use crate::frame::read::{ROWS, find, read_columns, read_file, read_slice};

/// A summary or the jobs of a run as plain columns, which all have the same height.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The file or directory that the columns were read from; empty for a frame in memory.
    pub path: PathBuf,
    /// The columns in the order of the frame.
    pub columns: Vec<SheetColumn>,
    /// The replays that run.json or study.json lists and the columns do not hold.
    pub missing: Missing,
}

/// A column of a [`Sheet`].
#[derive(Clone, Debug)]
pub struct SheetColumn {
    /// The name of the column.
    pub name: String,
    /// The values of the column, one for each row.
    pub values: SheetValues,
    /// The values as text, if the column holds whole numbers and some have more digits than an `f64` keeps, as seeds
    /// may; `None` otherwise.
    exact: Option<Vec<String>>,
}

/// The values of a column.
#[derive(Clone, Debug)]
pub enum SheetValues {
    /// Names and specs. A missing value is an empty text.
    Text(Vec<String>),
    /// Numbers.
    Number {
        /// The numbers; `None` where the value is missing.
        numbers: Vec<Option<f64>>,
        /// Whether the type of the column is an integer.
        whole: bool,
    },
}

impl SheetColumn {
    /// Returns the numbers of the column, one for each row, each `None` where the value is missing. Returns `None` for a
    /// column of texts.
    pub fn numbers(&self) -> Option<&[Option<f64>]> {
        match &self.values {
            SheetValues::Number { numbers, .. } => Some(numbers),
            SheetValues::Text(_) => None,
        }
    }

    /// Returns the texts of the column, one for each row; `None` for a column of numbers.
    pub fn texts(&self) -> Option<&[String]> {
        match &self.values {
            SheetValues::Text(texts) => Some(texts),
            SheetValues::Number { .. } => None,
        }
    }

    /// Returns the value of row `i` as a label: a text as it is, a number as short as possible, and `none` for a
    /// missing number.
    pub fn label(&self, i: usize) -> String {
        match (&self.exact, &self.values) {
            (Some(labels), _) | (None, SheetValues::Text(labels)) => labels[i].clone(),
            (None, SheetValues::Number { numbers, .. }) => {
                numbers[i].map_or_else(|| "none".to_owned(), |number| number.to_string())
            }
        }
    }

    /// Returns whether rows `i` and `j` have exactly the same value. Two missing values are the same.
    pub fn is_same(&self, i: usize, j: usize) -> bool {
        match (&self.exact, &self.values) {
            (Some(labels), _) | (None, SheetValues::Text(labels)) => labels[i] == labels[j],
            (None, SheetValues::Number { numbers, .. }) => {
                numbers[i].unwrap_or(f64::NAN).total_cmp(&numbers[j].unwrap_or(f64::NAN)).is_eq()
            }
        }
    }
}

impl Sheet {
    /// Reads the summary in `folder`, which `replay -o` or `sweep -o` made, in any format. Fails if the folder holds no
    /// summary, or files of different runs.
    pub fn read(folder: &Path) -> Result<Self, FrameError> {
        let Some(path) = find(folder, "summary") else {
            return Err(FrameError::NoSummary { folder: folder.to_owned() });
        };
        let origin = Origin::of(folder)?;
        let mut frame = read_file(&path)?;
        if is_unlabelled(&frame) {
            relabel(&mut frame, None)?;
        }
        if let Some(origin) = &origin {
            origin.check(&path, &frame)?;
            origin.renumber(&mut frame)?;
        }
        Self::of(path, &frame, origin.as_ref(), &|_| true)
    }

    /// Reads the jobs in `folder`: the columns named in `columns`, as far as they exist, and the column `replay`. Of a
    /// study it reads only the cells with a number that `wanted` accepts. Of a run it reads all jobs. Returns `None` if
    /// the directory holds no jobs.
    pub fn read_jobs(
        folder: &Path,
        columns: &[&str],
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Self>, FrameError> {
        Self::read_details(folder, "jobs", Some(columns), wanted)
    }

    /// Reads the details with this name in `folder`, as [`Self::read_jobs`] reads the jobs. `None` for `columns` reads
    /// all.
    pub fn read_details(
        folder: &Path,
        detail: &str,
        columns: Option<&[&str]>,
        wanted: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Self>, FrameError> {
        let origin = Origin::of(folder)?;
        let Some(path) = find(folder, detail) else {
            let Some(origin) = origin else { return Ok(None) };
            let cells = StudyFolder::new(folder, None);
            let keys: Vec<&str> = origin.keys().collect();
            let Some(frame) = cells.read_details(detail, &origin, columns, wanted)? else { return Ok(None) };
            let held: Vec<bool> =
                keys.iter().map(|key| cells.holds_detail(key, detail)).collect::<Result<_, _>>()?;
            let missing = origin.missing(|i| held.get(i).is_some_and(|&held| held));
            return Ok(Some(Self { missing, ..Self::of(cells.cells(), &frame, None, &|_| true)? }));
        };
        let frame = match columns {
            None => {
                let mut frame = read_file(&path)?;
                if is_unlabelled(&frame) {
                    relabel(&mut frame, None)?;
                }
                frame
            }
            Some(columns) => {
                let mut read = columns.to_vec();
                // These columns are needed to find missing replays and to check the run.
                read.extend(["replay", RUN_COLUMN].iter().filter(|name| !columns.contains(name)));
                read_columns(&path, &read)?
            }
        };
        Ok(Some(Self::of(path, &frame, origin.as_ref(), &|name| name != RUN_COLUMN)?))
    }

    /// Reads the details with this name in `folder`, such as the jobs, and hands them to `visit` in parts of whole rows, in
    /// the order of the files: the columns named in `columns`, as far as they exist, and the column `replay`. Of a study
    /// it reads only the cells with a number that `wanted` accepts. Returns false if the directory holds no such details.
    pub fn visit_details<E: From<FrameError>>(
        folder: &Path,
        detail: &str,
        columns: &[&str],
        wanted: &dyn Fn(u64) -> bool,
        visit: &mut dyn FnMut(&Self) -> Result<(), E>,
    ) -> Result<bool, E> {
        let origin = Origin::of(folder)?;
        if let Some(path) = find(folder, detail) {
            let mut read: Vec<&str> = Vec::new();
            for name in columns.iter().chain(&["replay", RUN_COLUMN]) {
                if !read.contains(name) {
                    read.push(name);
                }
            }
            let mut from = 0;
            loop {
                let (frame, is_last) = read_slice(&path, &read, (from, ROWS))?;
                from += frame.height();
                // An empty file is one empty part, so that its columns are known.
                if frame.height() > 0 || from == 0 {
                    in_parts(&frame, &mut |part| {
                        visit(&Self::of(path.clone(), part, origin.as_ref(), &|name| name != RUN_COLUMN)?)
                    })?;
                }
                if is_last {
                    return Ok(true);
                }
            }
        }
        let Some(origin) = origin else { return Ok(false) };
        let cells = StudyFolder::new(folder, None);
        let mut numbers: Vec<u64> = Vec::new();
        for (number, key) in (0..).zip(origin.keys()) {
            if cells.holds_detail(key, detail)? {
                numbers.push(number);
            }
        }
        for &number in numbers.iter().filter(|number| wanted(**number)) {
            let one = cells.read_details(detail, &origin, Some(columns), &|other| other == number)?;
            let frame = one.unwrap_or_default();
            in_parts(&frame, &mut |part| visit(&Self::of(cells.cells(), part, None, &|_| true)?))?;
        }
        Ok(!numbers.is_empty())
    }

    /// Returns the columns of a frame in memory. Its path is empty, and it has no missing replays.
    pub fn of_frame(frame: &DataFrame) -> Result<Self, FrameError> {
        Self::of(PathBuf::new(), frame, None, &|_| true)
    }

    /// Returns the columns of a frame with a name that `keeps` accepts. With an `origin` it fails if the rows belong to
    /// another run.
    fn of(
        path: PathBuf,
        frame: &DataFrame,
        origin: Option<&Origin>,
        keeps: &dyn Fn(&str) -> bool,
    ) -> Result<Self, FrameError> {
        let mut missing = Missing::default();
        if let Some(origin) = origin {
            origin.check(&path, frame)?;
            let replays = numbers(frame, "replay");
            missing = origin.missing(|i| replays.as_ref().is_none_or(|found| found.contains(&(i as u64))));
        }
        let kept = frame.columns().iter().filter(|column| keeps(column.name()));
        let columns = kept.map(plain).collect::<Result<_, _>>()?;
        Ok(Self { path, columns, missing })
    }

    /// Returns a sentence that names the missing replays; `None` if no replay of run.json or study.json is missing.
    pub fn missing_note(&self) -> Option<String> {
        const NAMED: usize = 5;
        let Missing { listed_by: Some(listed_by), replays, of } = &self.missing else { return None };
        let rest = match replays.len() {
            0 => return None,
            count if count > NAMED => format!("; … and {} more", count - NAMED),
            _ => String::new(),
        };
        let named: Vec<&str> = replays.iter().take(NAMED).map(String::as_str).collect();
        let (path, listed_by, held) = (self.path.display(), listed_by.display(), of - replays.len());
        let named = named.join("; ");
        Some(format!(
            "{path} holds {held} of the {of} replays that {listed_by} lists; missing: {named}{rest}"
        ))
    }

    /// Returns the number of rows; 0 if there are no columns.
    pub fn height(&self) -> usize {
        self.columns.first().map_or(0, |column| match &column.values {
            SheetValues::Text(values) => values.len(),
            SheetValues::Number { numbers, .. } => numbers.len(),
        })
    }

    /// Returns the column of this name; `None` if there is none.
    pub fn column(&self, name: &str) -> Option<&SheetColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns the numbers of the column of this name, as [`SheetColumn::numbers`] does; `None` as well if there is no
    /// such column.
    pub fn numbers(&self, name: &str) -> Option<&[Option<f64>]> {
        self.column(name)?.numbers()
    }
}

/// Reads the frame called `name` in `folder`, which `replay -o` or `sweep -o` made, in any format. Details of a study
/// are those of its cells, one after the other. `None` if the folder does not hold the frame. Fails if it holds files of
/// different runs.
pub fn read_frame(folder: &Path, name: &str) -> Result<Option<DataFrame>, FrameError> {
    let origin = Origin::of(folder)?;
    let Some(path) = find(folder, name) else {
        let Some(origin) = origin else { return Ok(None) };
        return StudyFolder::new(folder, None).read_details(name, &origin, None, &|_| true);
    };
    let mut frame = read_file(&path)?;
    if is_unlabelled(&frame) {
        relabel(&mut frame, None)?;
    }
    if let Some(origin) = origin {
        origin.check(&path, &frame)?;
        if name == "summary" {
            origin.renumber(&mut frame)?;
        }
    }
    Ok(Some(frame))
}

/// Hands a frame to `visit` in parts of at most [`ROWS`] rows.
fn in_parts<E>(frame: &DataFrame, visit: &mut dyn FnMut(&DataFrame) -> Result<(), E>) -> Result<(), E> {
    if frame.height() <= ROWS {
        return visit(frame);
    }
    (0..frame.height()).step_by(ROWS).try_for_each(|from| visit(&frame.slice(from as i64, ROWS)))
}

/// Returns the set of whole numbers in a column; `None` if the column does not exist or holds no numbers.
fn numbers(frame: &DataFrame, name: &str) -> Option<BTreeSet<u64>> {
    let column = frame.column(name).ok()?.cast(&DataType::UInt64).ok()?;
    Some(column.u64().ok()?.iter().flatten().collect())
}

/// Returns a polars column as text or numbers.
fn plain(column: &Column) -> Result<SheetColumn, FrameError> {
    let name = column.name().to_string();
    let dtype = column.dtype();
    // An empty column of numbers in CSV is read as text. A column of text always has a value.
    let is_empty = column.null_count() == column.len() && !column.is_empty();
    let values = if *dtype == DataType::String && !is_empty {
        let values = column.str()?.iter().map(|value| value.unwrap_or_default().to_owned());
        SheetValues::Text(values.collect())
    } else {
        let numbers = column.cast(&DataType::Float64)?;
        SheetValues::Number { numbers: numbers.f64()?.iter().collect(), whole: dtype.is_integer() }
    };
    Ok(SheetColumn { name, values, exact: exact(column)? })
}

/// Returns the numbers of a column as text if it holds integers and an `f64` would round some of them; `None`
/// otherwise.
fn exact(column: &Column) -> Result<Option<Vec<String>>, FrameError> {
    const MOST: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
    if !column.dtype().is_integer() {
        return Ok(None);
    }
    let numbers = column.cast(&DataType::Float64)?;
    // Every integer from the limit on may be rounded: the limit plus 1 becomes the limit itself.
    if !numbers.f64()?.iter().flatten().any(|number| number.abs() >= MOST) {
        return Ok(None);
    }
    let texts = column.cast(&DataType::String)?;
    Ok(Some(texts.str()?.iter().map(|text| text.unwrap_or("none").to_owned()).collect()))
}
