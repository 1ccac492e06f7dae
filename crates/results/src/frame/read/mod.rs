//! Reads the files that hold frames.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use polars_core::prelude::{Column, DataFrame, DataType, Field, PolarsError, PolarsResult, Schema};
use polars_io::prelude::{CsvReadOptions, IpcReader, JsonFormat, JsonReader, ParquetReader, SerReader};

mod log_table;

pub use log_table::{read_tables_of_logs, text_of_table};

use super::file::with_formulas;
use super::{FileFormat, FrameError};
use crate::text::printable;
use meshreplay_base::{disk, memory};
use meshreplay_study::study::JOBS_AT_ONCE;

/// The number of rows of a part of a large frame: two row groups of the jobs in Parquet files of ours.
pub(super) const ROWS: usize = 2 * JOBS_AT_ONCE;

/// Returns the path of the frame called `stem` in `folder`, in the first format of [`FileFormat::ALL`] that
/// exists; `None` if there is no such file.
pub(super) fn find(folder: &Path, stem: &str) -> Option<PathBuf> {
    let files = FileFormat::ALL.map(|format| folder.join(format!("{stem}.{}", format.extension())));
    files.into_iter().find(|path| path.exists())
}

/// Reads a whole file, in the format of its extension. A file with any other extension is read as CSV.
pub(super) fn read_file(path: &Path) -> Result<DataFrame, FrameError> {
    let file = open(path)?;
    check_memory(&file, path, None)?;
    let frame = frame_of(|| match FileFormat::of_path(path) {
        Some(FileFormat::Parquet) => ParquetReader::new(file).finish(),
        Some(FileFormat::Arrow) => IpcReader::new(file).finish(),
        Some(FileFormat::Json) => read_json(file, JsonFormat::Json),
        Some(FileFormat::Jsonl) => read_json(file, JsonFormat::JsonLines),
        Some(FileFormat::Csv) | None => {
            let options = CsvReadOptions::default().with_has_header(true).with_infer_schema_length(None);
            // Seeds may exceed `i64`, the type that polars infers for whole numbers.
            let seeds = Schema::from_iter([Field::new("seed".into(), DataType::UInt64)]);
            let frame = options.with_schema_overwrite(Some(Arc::new(seeds)));
            with_formulas(frame.into_reader_with_file_handle(file).finish()?)
        }
    });
    frame.map_err(|source| FrameError::Damaged { path: path.to_owned(), source })
}

/// The memory that is taken without asking how much there is.
const MUCH_BYTES: u64 = 1 << 28;

/// The bytes of a value in memory: a number, or where a text begins and ends.
const VALUE_BYTES: u64 = 16;

/// Fails if the rows of a file would not fit into memory. `columns` is the most columns that are read of a
/// Parquet file; `None` means all. A few bytes of Parquet can encode millions of equal values, so its rows
/// count and not its length.
fn check_memory(file: &File, path: &Path, columns: Option<usize>) -> Result<(), FrameError> {
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let needed_bytes = match FileFormat::of_path(path) {
        Some(FileFormat::Parquet) => {
            let found = unpanicking(|| {
                let mut reader = ParquetReader::new(file.try_clone()?);
                let all = reader.schema()?.len();
                let values = columns.map_or(all, |columns| columns.min(all)) as u64;
                Ok(values.saturating_mul(reader.num_rows()? as u64).saturating_mul(VALUE_BYTES))
            });
            // A damaged file is reported when it is read.
            found.unwrap_or(0).saturating_add(length)
        }
        Some(FileFormat::Json) => length.saturating_mul(4),
        Some(FileFormat::Jsonl | FileFormat::Csv | FileFormat::Arrow) | None => length.saturating_mul(2),
    };
    match memory::lacking(needed_bytes) {
        Some(free_bytes) if needed_bytes > MUCH_BYTES => {
            Err(FrameError::TooLarge { path: path.to_owned(), needed_bytes, free_bytes })
        }
        _ => Ok(()),
    }
}

fn open(path: &Path) -> Result<File, FrameError> {
    disk::open(path).map_err(|source| FrameError::Unreadable { path: path.to_owned(), source })
}

fn read_json(file: File, format: JsonFormat) -> PolarsResult<DataFrame> {
    let reader = JsonReader::new(file).with_json_format(format);
    reader.infer_schema_len(NonZeroUsize::new(usize::MAX)).finish()
}

/// Reads the columns named in `columns`. Columns that the file does not have are left out. Parquet and Arrow
/// files decode no other column.
pub(super) fn read_columns(path: &Path, columns: &[&str]) -> Result<DataFrame, FrameError> {
    let file = open(path)?;
    check_memory(&file, path, Some(columns.len()))?;
    // Asking a reader for a column that does not exist would be an error.
    let known = |has: &dyn Fn(&str) -> bool| -> Vec<String> {
        columns.iter().filter(|name| has(name)).map(|name| (*name).to_owned()).collect()
    };
    let frame = match FileFormat::of_path(path) {
        Some(FileFormat::Parquet) => frame_of(|| {
            let schema = ParquetReader::new(file.try_clone()?).schema()?;
            ParquetReader::new(file).with_columns(Some(known(&|name| schema.contains(name)))).finish()
        }),
        Some(FileFormat::Arrow) => frame_of(|| {
            let schema = IpcReader::new(file.try_clone()?).schema()?;
            IpcReader::new(file).with_columns(Some(known(&|name| schema.contains(name)))).finish()
        }),
        _ => {
            let frame = read_file(path)?;
            return Ok(frame.select(known(&|name| frame.column(name).is_ok()))?);
        }
    };
    frame.map_err(|source| FrameError::Damaged { path: path.to_owned(), source })
}

/// Reads these rows of an open Parquet file. `path` is for errors.
pub(super) fn read_rows(file: &File, rows: Range<usize>, path: &Path) -> Result<DataFrame, FrameError> {
    let opened = file.try_clone();
    let file = opened.map_err(|source| FrameError::Unreadable { path: path.to_owned(), source })?;
    let frame = frame_of(|| ParquetReader::new(file).with_slice(Some((rows.start, rows.len()))).finish());
    frame.map_err(|source| FrameError::Damaged { path: path.to_owned(), source })
}

/// Reads a range of rows of the columns named in `columns`. Columns and rows that the file lacks are left
/// out. Also returns whether the file ends there. Only Parquet files are read in parts; of other formats all
/// rows are returned.
pub(super) fn read_slice(
    path: &Path,
    columns: &[&str],
    wanted: Range<usize>,
) -> Result<(DataFrame, bool), FrameError> {
    if FileFormat::of_path(path) != Some(FileFormat::Parquet) {
        return Ok((read_columns(path, columns)?, true));
    }
    let file = open(path)?;
    let mut is_end = false;
    let frame = frame_of(|| {
        // The reader keeps the metadata, which are long for files of many replays.
        let mut reader = ParquetReader::new(file);
        let (schema, rows) = (reader.schema()?, reader.num_rows()?);
        let known = columns.iter().filter(|name| schema.contains(name)).map(|name| (*name).to_owned());
        let reader = reader.with_columns(Some(known.collect()));
        is_end = wanted.end >= rows;
        reader.with_slice(Some((wanted.start, wanted.len()))).finish()
    });
    let frame = frame.map_err(|source| FrameError::Damaged { path: path.to_owned(), source })?;
    Ok((frame, is_end))
}

/// Reads the first row of a file with all its columns. The frame has no rows if the file has none.
pub(super) fn first_rows(path: &Path) -> Result<DataFrame, FrameError> {
    let file = open(path)?;
    let object = |file: File| -> PolarsResult<DataFrame> {
        let mut file = BufReader::new(file);
        if FileFormat::of_path(path) == Some(FileFormat::Json) {
            // The objects of a JSON array are parsed one by one, from the bracket on.
            file.skip_until(b'[')?;
        }
        let mut objects = serde_json::Deserializer::from_reader(file).into_iter::<serde_json::Value>();
        let Some(Ok(first)) = objects.next() else { return Ok(DataFrame::empty()) };
        JsonReader::new(Cursor::new(first.to_string())).with_json_format(JsonFormat::JsonLines).finish()
    };
    let first = match FileFormat::of_path(path) {
        Some(FileFormat::Parquet) => {
            unpanicking(|| ParquetReader::new(file).with_slice(Some((0, 1))).finish())
        }
        Some(FileFormat::Arrow) => unpanicking(|| IpcReader::new(file).with_n_rows(Some(1)).finish()),
        Some(FileFormat::Json | FileFormat::Jsonl) => unpanicking(|| object(file)),
        _ => unpanicking(|| {
            let options = CsvReadOptions::default().with_has_header(true).with_n_rows(Some(1));
            // Without type inference all columns are text, as the id of the run is.
            options.with_infer_schema_length(Some(0)).into_reader_with_file_handle(file).finish()
        }),
    };
    first.map_err(|source| FrameError::Damaged { path: path.to_owned(), source })
}

thread_local! {
    /// Whether this thread is decoding a file.
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread is decoding a file of results. Some damaged files make polars panic. Such a
/// panic becomes an ordinary error, so a panic hook need not print it.
pub fn is_reading() -> bool {
    READING.get() || thread::current().name().is_some_and(|name| name.starts_with("polars-"))
}

/// Returns the result of `read`, or an error if `read` panics.
fn unpanicking<T>(read: impl FnOnce() -> PolarsResult<T>) -> PolarsResult<T> {
    READING.set(true);
    // Nothing that `read` has used is used again after a panic, so a broken state cannot be seen.
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    READING.set(false);
    read.unwrap_or_else(|_| {
        Err(PolarsError::ComputeError("its structure is broken, or one of its types cannot be read".into()))
    })
}

/// Decodes a frame as [`unpanicking`] does. Fails if its columns have different lengths, or parts whose
/// lengths are not theirs: polars takes the lengths of damaged files as they are.
fn frame_of(read: impl FnOnce() -> PolarsResult<DataFrame>) -> PolarsResult<DataFrame> {
    let frame = unpanicking(read)?;
    let height = frame.height();
    let is_whole = |column: &Column| {
        let series = column.as_materialized_series();
        series.len() == height && series.chunks().iter().map(|chunk| chunk.len()).sum::<usize>() == height
    };
    match frame.columns().iter().find(|column| !is_whole(column)) {
        Some(column) => {
            let problem = format!("column '{}' has other rows than the file", printable(column.name()));
            Err(PolarsError::ComputeError(problem.into()))
        }
        None => signed(frame),
    }
}

/// Returns a frame with signed counts. Version 1.0 wrote unsigned ones, as seeds still are.
fn signed(mut frame: DataFrame) -> PolarsResult<DataFrame> {
    for at in 0..frame.width() {
        let column = &frame.columns()[at];
        if column.dtype().is_unsigned_integer() && column.name() != "seed" {
            let column = column.cast(&DataType::Int64)?;
            frame.replace_column(at, column)?;
        }
    }
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use polars_core::prelude::{NamedFrom, Series};
    use polars_io::prelude::ParquetWriter;

    /// Version 1.0 wrote unsigned counts.
    #[test]
    fn counts_are_signed_in_whatever_type_they_were_written() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("jobs.parquet");
        let columns: Vec<Column> = vec![
            Series::new("replay".into(), [0_u32, 1]).into(),
            Series::new("seed".into(), [u64::MAX, 1]).into(),
            Series::new("pairwise_sum".into(), [3_u64, 5]).into(),
            Series::new("wait_s".into(), [1.5, 2.5]).into(),
        ];
        let mut frame = DataFrame::new_infer_height(columns)?;
        ParquetWriter::new(File::create(&path)?).finish(&mut frame)?;
        let (parts, _) = read_slice(&path, &["replay", "seed", "pairwise_sum", "wait_s"], 0..2)?;
        for frame in [read_file(&path)?, parts] {
            let types: Vec<DataType> = frame.columns().iter().map(|column| column.dtype().clone()).collect();
            assert_eq!(types, [DataType::Int64, DataType::UInt64, DataType::Int64, DataType::Float64]);
        }
        Ok(())
    }
}
