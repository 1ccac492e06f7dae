//! Frames of results as Python objects.

use std::io::Cursor;

use meshreplay::frame::{DataFrame, FrameSchema};
use polars_arrow::datatypes::Metadata;
use polars_core::prelude::AnyValue;
use polars_io::prelude::{CsvReadOptions, CsvWriter, IpcReader, IpcWriter, SerReader, SerWriter};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList};

use crate::arrow::capsule;
use crate::error::failure;

/// A frame in the memory of the library. `meshreplay.Frame` wraps it.
#[pyclass(frozen, module = "meshreplay._core")]
pub(crate) struct Frame {
    frame: DataFrame,
    /// The description of the columns; `None` for a frame that is no result.
    schema: Option<FrameSchema>,
}

impl Frame {
    /// Wraps the frame of results that is called `name`, or any frame.
    pub(crate) fn new(name: &str, frame: DataFrame) -> Self {
        Self { frame, schema: FrameSchema::all().into_iter().find(|schema| schema.name == name) }
    }

    /// Returns the metadata of a column in Arrow: its unit and what it means.
    fn notes(&self, column: &str) -> Metadata {
        let info = self.schema.as_ref().and_then(|schema| schema.column(column));
        let said = info.map(|info| [("unit", info.unit), ("meaning", info.meaning)]);
        let said = said.into_iter().flatten().filter(|(_, text)| !text.is_empty());
        said.map(|(key, text)| (key.into(), text.into())).collect()
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
        capsule(py, &self.frame, |column| self.notes(column))
    }

    /// The number of rows and of columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.frame.shape()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.frame.get_column_names().iter().map(ToString::to_string).collect()
    }

    /// The unit and the meaning of each column that has a description.
    #[getter]
    fn meanings(&self) -> Vec<(String, String, String)> {
        let columns = self.frame.get_column_names();
        let info = |name: &str| self.schema.as_ref()?.column(name);
        let rows = columns.iter().filter_map(|name| Some((name.to_string(), info(name)?)));
        rows.map(|(name, info)| (name, info.unit.to_owned(), info.meaning.to_owned())).collect()
    }

    /// Returns the values of rows `from` to `to` of a column.
    fn values<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        from: usize,
        to: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let column = self.frame.column(name).map_err(|_| PyKeyError::new_err(name.to_owned()))?;
        let column = column.as_materialized_series().slice(from as i64, to.saturating_sub(from));
        let values = PyList::empty(py);
        for value in column.iter() {
            match value {
                AnyValue::Null => values.append(py.None())?,
                AnyValue::UInt64(number) => values.append(number)?,
                AnyValue::Int64(number) => values.append(number)?,
                AnyValue::Float64(number) => values.append(number)?,
                AnyValue::String(text) => values.append(text)?,
                AnyValue::Boolean(is) => values.append(is)?,
                other if other.is_integer() => values.append(other.extract::<i64>())?,
                other => values.append(other.to_string())?,
            }
        }
        Ok(values)
    }

    /// Returns the rows for which `numbers` has the value of the column `replay`.
    fn of_replays(&self, numbers: Vec<u64>) -> PyResult<Self> {
        let Ok(column) = self.frame.column("replay") else {
            return Ok(Self { frame: self.frame.clone(), schema: self.schema.clone() });
        };
        let is_one =
            |value: AnyValue<'_>| value.extract::<u64>().is_some_and(|number| numbers.contains(&number));
        let mask = column.as_materialized_series().iter().map(is_one).collect();
        let frame = self.frame.filter(&mask).map_err(|error| failure(&error))?;
        Ok(Self { frame, schema: self.schema.clone() })
    }

    /// Returns `count` rows from `start` on.
    fn rows(&self, start: usize, count: usize) -> Self {
        Self { frame: self.frame.slice(start as i64, count), schema: self.schema.clone() }
    }

    /// Returns the name of the frame and its rows as an Arrow file, for [`frame_of_ipc`].
    fn ipc<'py>(&self, py: Python<'py>) -> PyResult<(String, Bound<'py, PyBytes>)> {
        let mut frame = self.frame.clone();
        let written = py.detach(move || {
            let mut bytes = Vec::new();
            IpcWriter::new(&mut bytes).finish(&mut frame).map(|()| bytes)
        });
        let bytes = written.map_err(|error| failure(&error))?;
        let name = self.schema.as_ref().map_or("", |schema| schema.name);
        Ok((name.to_owned(), PyBytes::new(py, &bytes)))
    }

    /// Returns the rows as CSV with a header.
    fn csv(&self, py: Python<'_>) -> PyResult<String> {
        let mut frame = self.frame.clone();
        py.detach(move || {
            let mut bytes = Vec::new();
            CsvWriter::new(&mut bytes).finish(&mut frame).map_err(|error| failure(&error))?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        })
    }
}

/// Reads the frame that is called `name` from an Arrow file.
#[pyfunction]
pub(crate) fn frame_of_ipc(name: &str, content: Vec<u8>) -> PyResult<Frame> {
    let frame = IpcReader::new(Cursor::new(content)).finish().map_err(|error| failure(&error))?;
    Ok(Frame::new(name, frame))
}

/// Reads a frame from CSV with a heading.
#[pyfunction]
pub(crate) fn frame_of_csv(text: String) -> PyResult<Frame> {
    let options = CsvReadOptions::default().with_has_header(true).with_infer_schema_length(None);
    let frame = options.into_reader_with_file_handle(Cursor::new(text.into_bytes())).finish();
    Ok(Frame::new("", frame.map_err(|error| failure(&error))?))
}
