//! Frames of other libraries as logs: every cell becomes the text that the format `table` of logs reads.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use polars_arrow::array::{
    Array, BooleanArray, DictionaryArray, DictionaryKey, PrimitiveArray, Utf8Array, Utf8ViewArray,
};
use polars_arrow::datatypes::{ArrowDataType, IntegerType, TimeUnit};
use polars_arrow::temporal_conversions::timestamp_s_to_datetime;
use polars_arrow::types::NativeType;
use pyo3::prelude::*;

use crate::arrow::batches;
use crate::error::{failure, message};

/// Writes a frame of any library with an Arrow stream as a table with a heading, and returns the number of
/// its rows. Missing values become empty cells, dates and times of a zone seconds since 1970, those without a
/// zone their date.
#[pyfunction]
pub(crate) fn write_table(frame: &Bound<'_, PyAny>, path: PathBuf) -> PyResult<usize> {
    let file = File::create(&path)
        .map_err(|error| message(format!("{} cannot be written: {error}", path.display())))?;
    let mut out = BufWriter::new(file);
    let (mut rows, mut has_heading) = (0, false);
    batches(frame, |fields, columns| {
        if !has_heading {
            let names: Vec<String> = fields.iter().map(|field| quoted(&field.name)).collect();
            writeln!(out, "{}", names.join(",")).map_err(|error| failure(&error))?;
            has_heading = true;
        }
        let height = columns.first().map_or(0, |column| column.len());
        for row in 0..height {
            for (i, (column, field)) in columns.iter().zip(fields).enumerate() {
                let cell = cell(column.as_ref(), row).ok_or_else(|| {
                    message(format!(
                        "column '{}' has the type {:?}, which is no number, text, date or duration; leave it \
                         out or convert it",
                        field.name, field.dtype
                    ))
                })?;
                let comma = if i > 0 { "," } else { "" };
                write!(out, "{comma}{}", quoted(&cell)).map_err(|error| failure(&error))?;
            }
            writeln!(out).map_err(|error| failure(&error))?;
        }
        rows += height;
        Ok(())
    })?;
    out.flush().map_err(|error| failure(&error))?;
    if rows == 0 {
        return Err(message("the frame has no rows; expected one for each job"));
    }
    Ok(rows)
}

/// Returns a cell as a table with commas has it: in quotes if it holds a comma, a quote or blanks at its
/// ends. The end of a line becomes a blank, as a job has one line.
fn quoted(cell: &str) -> String {
    let cell = cell.replace(['\n', '\r', '\0'], " ");
    if cell.contains([',', '"']) || cell.trim() != cell {
        return format!("\"{}\"", cell.replace('"', "\"\""));
    }
    cell
}

/// Returns the text of the value of `column` in `row`, empty for a missing one. `None` if the type is none
/// that a table can have.
fn cell(column: &dyn Array, row: usize) -> Option<String> {
    if column.is_null(row) {
        return Some(String::new());
    }
    Some(match column.dtype() {
        ArrowDataType::Null => String::new(),
        ArrowDataType::Boolean => column.as_any().downcast_ref::<BooleanArray>()?.value(row).to_string(),
        ArrowDataType::Int8 => number::<i8>(column, row)?.to_string(),
        ArrowDataType::Int16 => number::<i16>(column, row)?.to_string(),
        ArrowDataType::Int32 => number::<i32>(column, row)?.to_string(),
        ArrowDataType::Int64 => number::<i64>(column, row)?.to_string(),
        ArrowDataType::UInt8 => number::<u8>(column, row)?.to_string(),
        ArrowDataType::UInt16 => number::<u16>(column, row)?.to_string(),
        ArrowDataType::UInt32 => number::<u32>(column, row)?.to_string(),
        ArrowDataType::UInt64 => number::<u64>(column, row)?.to_string(),
        ArrowDataType::Float32 => real(f64::from(number::<f32>(column, row)?)),
        ArrowDataType::Float64 => real(number::<f64>(column, row)?),
        ArrowDataType::Utf8View => column.as_any().downcast_ref::<Utf8ViewArray>()?.value(row).to_owned(),
        ArrowDataType::LargeUtf8 => column.as_any().downcast_ref::<Utf8Array<i64>>()?.value(row).to_owned(),
        ArrowDataType::Utf8 => column.as_any().downcast_ref::<Utf8Array<i32>>()?.value(row).to_owned(),
        ArrowDataType::Date32 => date(i64::from(number::<i32>(column, row)?) * 86_400),
        ArrowDataType::Date64 => date(number::<i64>(column, row)?.div_euclid(1000)),
        ArrowDataType::Timestamp(unit, None) => {
            date(number::<i64>(column, row)?.div_euclid(per_second(*unit)))
        }
        ArrowDataType::Timestamp(unit, Some(_)) => {
            number::<i64>(column, row)?.div_euclid(per_second(*unit)).to_string()
        }
        ArrowDataType::Duration(unit) => real(number::<i64>(column, row)? as f64 / per_second(*unit) as f64),
        ArrowDataType::Dictionary(keys, ..) => match keys {
            IntegerType::Int8 => entry::<i8>(column, row)?,
            IntegerType::Int16 => entry::<i16>(column, row)?,
            IntegerType::Int32 => entry::<i32>(column, row)?,
            IntegerType::Int64 => entry::<i64>(column, row)?,
            IntegerType::UInt8 => entry::<u8>(column, row)?,
            IntegerType::UInt16 => entry::<u16>(column, row)?,
            IntegerType::UInt32 => entry::<u32>(column, row)?,
            IntegerType::UInt64 => entry::<u64>(column, row)?,
            IntegerType::Int128 | IntegerType::UInt128 => return None,
        },
        _ => return None,
    })
}

/// Returns a number of a column whose values are stored as `T`.
fn number<T: NativeType>(column: &dyn Array, row: usize) -> Option<T> {
    Some(column.as_any().downcast_ref::<PrimitiveArray<T>>()?.value(row))
}

/// Returns the text of the entry of a dictionary that a row names.
fn entry<K: DictionaryKey>(column: &dyn Array, row: usize) -> Option<String> {
    let column = column.as_any().downcast_ref::<DictionaryArray<K>>()?;
    cell(column.values().as_ref(), column.key_value(row))
}

/// Returns a number as text; empty for what is no number.
fn real(value: f64) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
}

/// Returns the date and time at these seconds since 1970, without a zone.
pub(crate) fn date(seconds: i64) -> String {
    timestamp_s_to_datetime(seconds).to_string()
}

/// Returns how many of this unit a second has.
fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}
