//! The C interface of Arrow: frames go to any library that knows it, and come from any, without being copied.
#![expect(
    unsafe_code,
    reason = "the C interface of Arrow is made of raw pointers; each use says why it is sound"
)]

use meshreplay::frame::DataFrame;
use polars_arrow::array::{Array, StructArray};
use polars_arrow::datatypes::{ArrowDataType, Field, Metadata};
use polars_arrow::ffi::{ArrowArrayStream, ArrowArrayStreamReader, export_iterator};
use polars_core::prelude::{CompatLevel, PolarsError, SchemaExt};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::{failure, message};
use crate::forms::Forms;

/// The name of a capsule with a stream of record batches, by the `PyCapsule` interface of Arrow.
const STREAM: &std::ffi::CStr = c"arrow_array_stream";

/// Returns a capsule with the rows of `frame` as a stream of record batches. The columns share memory with
/// the frame. `notes` gives the metadata of a column, such as its unit.
pub(crate) fn capsule<'py>(
    py: Python<'py>,
    frame: &DataFrame,
    notes: impl Fn(&str) -> Metadata,
    forms: &Forms,
) -> PyResult<Bound<'py, PyCapsule>> {
    let mut frame = frame.clone();
    frame.align_chunks();
    let schema = frame.schema().to_arrow(CompatLevel::newest());
    let fields = schema.iter_values().map(|field| {
        let notes = notes(&field.name);
        if notes.is_empty() { field.clone() } else { field.clone().with_metadata(notes) }
    });
    let mut fields: Vec<Field> = fields.collect();
    let names: Vec<String> = fields.iter().map(|field| field.name.to_string()).collect();
    for field in &mut fields {
        forms.change(field);
    }
    let dtype = ArrowDataType::Struct(fields);
    let batches: Vec<Result<Box<dyn Array>, PolarsError>> = frame
        .iter_chunks(CompatLevel::newest(), false)
        .map(|batch| {
            let (rows, mut columns) = (batch.height(), batch.into_arrays());
            forms.apply(&names, &mut columns);
            Ok(StructArray::try_new(dtype.clone(), rows, columns, None)?.boxed())
        })
        .collect();
    let stream = export_iterator(Box::new(batches.into_iter()), Field::new("".into(), dtype, false));
    // The consumer of a capsule moves the stream out of it. What nobody has taken is released when the
    // capsule is dropped.
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// Calls `take` with the names of the columns and the columns of each record batch of a frame of any library.
/// Fails if `frame` has no Arrow stream, or if `take` fails.
pub(crate) fn batches(
    frame: &Bound<'_, PyAny>,
    mut take: impl FnMut(&[Field], &[Box<dyn Array>]) -> PyResult<()>,
) -> PyResult<()> {
    let capsule = frame.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(STREAM))?;
    // SAFETY: By the PyCapsule interface of Arrow, a capsule of this name points to an `ArrowArrayStream`
    // that follows the C stream interface, and its consumer moves the structure out and leaves one whose
    // release callback is null. `replace` does both: nobody else has a reference to it while this thread
    // holds the interpreter's lock.
    let stream =
        unsafe { std::ptr::replace(pointer.cast::<ArrowArrayStream>().as_ptr(), ArrowArrayStream::empty()) };
    // SAFETY: The stream follows the C stream interface, as said above; the reader owns it and releases it
    // once.
    let reader = unsafe { ArrowArrayStreamReader::try_new(Box::new(stream)) };
    let mut reader = reader.map_err(|error| failure(&error))?;
    let ArrowDataType::Struct(fields) = reader.field().dtype().clone() else {
        return Err(message("the Arrow stream has no columns; expected a frame"));
    };
    // SAFETY: As above, the arrays of the stream follow the C data interface.
    while let Some(batch) = unsafe { reader.next() } {
        let batch = batch.map_err(|error| failure(&error))?;
        let Some(batch) = batch.as_any().downcast_ref::<StructArray>() else {
            return Err(message("the Arrow stream holds a batch without columns; expected a frame"));
        };
        take(&fields, batch.values())?;
    }
    Ok(())
}
