//! Reads the files of frames.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor};
use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use polars::prelude::{
    CsvReadOptions, DataFrame, DataType, Field, IpcReader, JsonFormat, JsonReader, ParquetReader,
    PolarsError, PolarsResult, Schema, SerReader,
};

use super::{FileFormat, FrameError};

/// Returns the file of the frame called `stem` in `folder`, of the first format that is there; `None` if there is none.
pub(super) fn find(folder: &Path, stem: &str) -> Option<PathBuf> {
    let files = FileFormat::ALL.map(|format| folder.join(format!("{stem}.{}", format.extension())));
    files.into_iter().find(|path| path.exists())
}

/// Reads a file of the format that its extension names, or else as CSV.
pub(super) fn read_file(path: &Path) -> Result<DataFrame, FrameError> {
    let file = open(path)?;
    let frame = unpanicking(|| match FileFormat::of_path(path) {
        Some(FileFormat::Parquet) => ParquetReader::new(file).finish(),
        Some(FileFormat::Arrow) => IpcReader::new(file).finish(),
        Some(FileFormat::Json) => read_json(file, JsonFormat::Json),
        Some(FileFormat::Jsonl) => read_json(file, JsonFormat::JsonLines),
        Some(FileFormat::Csv) | None => {
            let options = CsvReadOptions::default().with_has_header(true).with_infer_schema_length(None);
            // A seed may be too large for the type that whole numbers are given.
            let seeds = Schema::from_iter([Field::new("seed".into(), DataType::UInt64)]);
            options.with_schema_overwrite(Some(Arc::new(seeds))).into_reader_with_file_handle(file).finish()
        }
    });
    frame.map_err(|source| FrameError::Damaged { path: path.to_owned(), source })
}

fn open(path: &Path) -> Result<File, FrameError> {
    File::open(path).map_err(|source| FrameError::Unreadable { path: path.to_owned(), source })
}

fn read_json(file: File, format: JsonFormat) -> PolarsResult<DataFrame> {
    let reader = JsonReader::new(file).with_json_format(format);
    reader.infer_schema_len(NonZeroUsize::new(usize::MAX)).finish()
}

/// Reads those of the columns that there are; of Parquet and Arrow no others are decoded.
pub(super) fn read_columns(path: &Path, columns: &[&str]) -> Result<DataFrame, FrameError> {
    let file = open(path)?;
    let known = |has: &dyn Fn(&str) -> bool| -> Vec<String> {
        columns.iter().filter(|name| has(name)).map(|name| (*name).to_owned()).collect()
    };
    let frame = match FileFormat::of_path(path) {
        Some(FileFormat::Parquet) => unpanicking(|| {
            let schema = ParquetReader::new(file.try_clone()?).schema()?;
            ParquetReader::new(file).with_columns(Some(known(&|name| schema.contains(name)))).finish()
        }),
        Some(FileFormat::Arrow) => unpanicking(|| {
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

/// Reads the first row of a file of text; the frame has no rows if the file has none.
pub(super) fn first_rows(path: &Path) -> Result<DataFrame, FrameError> {
    let file = open(path)?;
    let object = |file: File| -> PolarsResult<DataFrame> {
        let mut file = BufReader::new(file);
        if FileFormat::of_path(path) == Some(FileFormat::Json) {
            file.skip_until(b'[')?;
        }
        let mut objects = serde_json::Deserializer::from_reader(file).into_iter::<serde_json::Value>();
        let Some(Ok(first)) = objects.next() else { return Ok(DataFrame::empty()) };
        JsonReader::new(Cursor::new(first.to_string())).with_json_format(JsonFormat::JsonLines).finish()
    };
    let first = match FileFormat::of_path(path) {
        Some(FileFormat::Json | FileFormat::Jsonl) => unpanicking(|| object(file)),
        _ => unpanicking(|| {
            let options = CsvReadOptions::default().with_has_header(true).with_n_rows(Some(1));
            options.with_infer_schema_length(Some(0)).into_reader_with_file_handle(file).finish()
        }),
    };
    first.map_err(|source| FrameError::Damaged { path: path.to_owned(), source })
}

thread_local! {
    /// Whether this thread reads a file.
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread decodes a file of results. Some damaged files make polars panic, which becomes an error
/// like any other: whoever installs a panic hook need not print anything then.
pub fn is_reading() -> bool {
    READING.get() || thread::current().name().is_some_and(|name| name.starts_with("polars-"))
}

/// Returns what `read` returns, and an error if it panics.
fn unpanicking<T>(read: impl FnOnce() -> PolarsResult<T>) -> PolarsResult<T> {
    READING.set(true);
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    READING.set(false);
    read.unwrap_or_else(|_| Err(PolarsError::ComputeError("its structure is broken".into())))
}
