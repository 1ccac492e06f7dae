//! Frames of results as Python objects.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::sync::Arc;

use meshreplay::figure::draw::{PlotColumn, PlotValues};
use meshreplay::frame::{self, DataFrame, FrameSchema};
use polars_arrow::datatypes::Metadata;
use polars_core::prelude::{
    AnyValue, Column, DataType, Field, NamedFrom, PlSmallStr, PolarsResult, Schema, Series,
};
use polars_io::prelude::{CsvReadOptions, IpcReader, IpcWriter, SerReader, SerWriter};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};

use crate::arrow::capsule;
use crate::error::failure;
use crate::forms::Forms;
use crate::wait::in_own_process;

/// The name, the unit and the meaning of a column that has a description.
type Note = (String, String, String);

/// A frame in the memory of the library. `meshreplay.Frame` wraps it.
#[pyclass(frozen, module = "meshreplay._core")]
pub(crate) struct Frame {
    rows: DataFrame,
    notes: Arc<[Note]>,
    /// The forms in which other libraries get the columns.
    forms: Forms,
}

impl Frame {
    /// Wraps the frame of results that is called `name`, or any frame.
    pub(crate) fn new(name: &str, rows: DataFrame) -> Self {
        let schema = FrameSchema::all().into_iter().find(|schema| schema.name == name);
        let note = |name: &PlSmallStr| {
            let info = schema.as_ref()?.column(name)?;
            Some((name.to_string(), info.unit.to_owned(), info.meaning.to_owned()))
        };
        let notes = rows.get_column_names().into_iter().filter_map(note).collect();
        Self { rows, notes, forms: Forms::default() }
    }

    /// Adds the unit and the meaning of a column.
    pub(crate) fn with_note(mut self, name: &str, unit: &str, meaning: String) -> Self {
        let note = (name.to_owned(), unit.to_owned(), meaning);
        self.notes = self.notes.iter().cloned().chain([note]).collect();
        self
    }

    /// Returns the frame of the numbers of a plot.
    pub(crate) fn of_plot(columns: Vec<PlotColumn>) -> PolarsResult<Self> {
        let note =
            |column: &PlotColumn| (column.name.to_owned(), column.unit.clone(), column.meaning.clone());
        let notes = columns.iter().map(note).collect();
        let series = columns.into_iter().map(|column| match column.values {
            PlotValues::Texts(texts) => Column::new(column.name.into(), texts),
            PlotValues::Numbers(numbers) => Column::new(column.name.into(), numbers),
        });
        let rows = DataFrame::new_infer_height(series.collect())?;
        Ok(Self { rows, notes, forms: Forms::default() })
    }

    /// Returns the metadata of a column in Arrow: its unit and what it means.
    fn metadata(&self, column: &str) -> Metadata {
        let info = self.notes.iter().find(|(name, ..)| name == column);
        let said = info.map(|(_, unit, meaning)| [("unit", unit), ("meaning", meaning)]);
        let said = said.into_iter().flatten().filter(|(_, text)| !text.is_empty());
        said.map(|(key, text)| (key.into(), text.as_str().into())).collect()
    }
}

#[pymethods]
impl Frame {
    /// Returns a capsule with an Arrow stream of the rows. A requested schema is ignored, as the interface
    /// allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule(py, &self.rows, |column| self.metadata(column), &self.forms)
    }

    /// The number of rows and of columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.rows.shape()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.rows.get_column_names().iter().map(ToString::to_string).collect()
    }

    /// The unit and the meaning of each column that has a description.
    #[getter]
    fn meanings(&self) -> Vec<Note> {
        self.notes.to_vec()
    }

    /// Returns the values of rows `from` to `to` of a column.
    fn values<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        from: usize,
        to: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let column = self.rows.column(name).map_err(|_| PyKeyError::new_err(name.to_owned()))?;
        let column = column.as_materialized_series().slice(from as i64, to.saturating_sub(from));
        let values = PyList::empty(py);
        for value in column.iter() {
            match value {
                AnyValue::Null => values.append(py.None())?,
                AnyValue::Int64(number) => values.append(number)?,
                AnyValue::Float64(number) => values.append(number)?,
                AnyValue::String(text) => values.append(text)?,
                AnyValue::Boolean(is) => values.append(is)?,
                AnyValue::UInt64(number) => values.append(number)?,
                other if other.is_integer() => values.append(other.extract::<i64>())?,
                other => values.append(other.to_string())?,
            }
        }
        Ok(values)
    }

    /// Returns the rows for which `numbers` has the value of the column `replay`.
    fn of_replays(&self, numbers: BTreeSet<u64>) -> PyResult<Self> {
        in_own_process()?;
        let rows = frame::of_replays(&self.rows, &numbers).map_err(|error| failure(&error))?;
        Ok(Self { rows, notes: Arc::clone(&self.notes), forms: self.forms.clone() })
    }

    /// Returns the frame with dates in place of seconds, if `starts_us` has the beginnings of logs by the
    /// numbers of replays, and with lists of nodes if `has_lists`.
    fn in_forms(&self, starts_us: Option<BTreeMap<i64, i64>>, has_lists: bool) -> Self {
        let (rows, notes) = (self.rows.clone(), Arc::clone(&self.notes));
        Self { rows, notes, forms: Forms { starts_us, has_lists } }
    }

    /// Returns [`Self::meanings`] and the rows as an Arrow file, for [`frame_of_ipc`].
    fn ipc<'py>(&self, py: Python<'py>) -> PyResult<(Vec<Note>, Bound<'py, PyBytes>)> {
        in_own_process()?;
        let mut frame = self.rows.clone();
        let written = py.detach(move || {
            let mut bytes = Vec::new();
            IpcWriter::new(&mut bytes).finish(&mut frame).map(|()| bytes)
        });
        let bytes = written.map_err(|error| failure(&error))?;
        Ok((self.meanings(), PyBytes::new(py, &bytes)))
    }
}

/// Reads a frame from an Arrow file. `meanings` has the units and the meanings of its columns.
#[pyfunction]
pub(crate) fn frame_of_ipc(meanings: Vec<Note>, content: Vec<u8>) -> PyResult<Frame> {
    in_own_process()?;
    let rows = IpcReader::new(Cursor::new(content)).finish().map_err(|error| failure(&error))?;
    Ok(Frame { rows, notes: meanings.into(), forms: Forms::default() })
}

/// Reads a frame from CSV with a heading. A column `seed` has the type that it has in results.
#[pyfunction]
pub(crate) fn frame_of_csv(text: String) -> PyResult<Frame> {
    in_own_process()?;
    let has_seeds = text.lines().next().is_some_and(|head| head.split(',').any(|name| name == "seed"));
    let seed = || Arc::new(Schema::from_iter([Field::new("seed".into(), DataType::UInt64)]));
    let options = CsvReadOptions::default().with_has_header(true).with_infer_schema_length(None);
    let options = options.with_schema_overwrite(has_seeds.then(seed));
    let frame = options.into_reader_with_file_handle(Cursor::new(text.into_bytes())).finish();
    Ok(Frame::new("", frame.map_err(|error| failure(&error))?))
}

/// Returns the rows of frames of one kind, each with a number that is added to its numbers of replays. A
/// column that a frame lacks is null in its rows. The rows are of the run `run`, if it is given.
pub(crate) fn joined(frames: &[(DataFrame, i64)], run: Option<&str>) -> PolarsResult<DataFrame> {
    let mut columns: Vec<(PlSmallStr, DataType)> = Vec::new();
    for column in frames.iter().flat_map(|(frame, _)| frame.columns()) {
        if columns.iter().all(|(name, _)| name != column.name()) {
            columns.push((column.name().clone(), column.dtype().clone()));
        }
    }
    let mut whole: Option<DataFrame> = None;
    for (frame, offset) in frames {
        let filled = |(name, kind): &(PlSmallStr, DataType)| match frame.column(name) {
            Ok(_) if name == "run" && run.is_some() => {
                Ok(Series::new(name.clone(), vec![run.unwrap_or_default(); frame.height()]).into())
            }
            Ok(column) if name == "replay" => (&column.cast(&DataType::Int64)? + *offset).cast(kind),
            Ok(column) => column.cast(kind),
            Err(_) => Ok(Column::full_null(name.clone(), frame.height(), kind)),
        };
        let mut part = DataFrame::new_infer_height(columns.iter().map(filled).collect::<PolarsResult<_>>()?)?;
        // The new columns have one chunk.
        part.align_chunks();
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => {
                whole.vstack_mut(&part)?;
            }
        }
    }
    Ok(whole.unwrap_or_default())
}
