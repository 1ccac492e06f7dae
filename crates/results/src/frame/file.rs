//! Files of frames in five formats: CSV, JSON, JSON lines, Parquet and Arrow. Each file is written under a
//! temporary name and gets its final name when it is complete.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{FrameError, FrameSchema};
use crate::text::{from_cell, printable, to_cell};
use meshreplay_base::disk::{NewFile, TEMPORARY};
use meshreplay_study::study::JobBytes;
use polars_core::prelude::{
    ChunkApply, Column, CompatLevel, DataFrame, DataType, IntoColumn, PlSmallStr, PolarsError, PolarsResult,
};
use polars_io::ipc;
use polars_io::parquet::write::BatchedWriter;
use polars_io::prelude::{
    CsvWriter, IpcWriter, JsonFormat, JsonWriter, KeyValueMetadata, ParquetCompression, ParquetWriter,
    SerWriter,
};
use polars_utils::compression::ZstdLevel;

/// The Zstandard level of Parquet files. Level 3, the default, costs replays of a million jobs about 5 % more
/// processor time, and files of four real logs are between 3 % larger and 2 % smaller.
const ZSTD_LEVEL: i32 = 1;

/// A format of the files that hold frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Comma-separated values with a header line.
    Csv,
    /// One array of objects.
    Json,
    /// One object on each line.
    Jsonl,
    /// Apache Parquet, compressed by Zstandard. The resolved run is part of its metadata.
    Parquet,
    /// The file format of Apache Arrow (also called Feather 2), uncompressed. The resolved run is part of the
    /// metadata in the footer.
    Arrow,
}

impl FileFormat {
    /// Every format, in the order of preference when a directory is searched.
    pub const ALL: [Self; 5] = [Self::Parquet, Self::Arrow, Self::Csv, Self::Json, Self::Jsonl];

    /// Returns the format that belongs to the extension of `path`; `None` if the extension is missing or
    /// belongs to no format.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        Self::ALL.into_iter().find(|format| extension.eq_ignore_ascii_case(format.extension()))
    }

    /// Estimates the bytes per job of files in this format. Measured with 122,057 jobs of the log LANL-CM5 on
    /// 32x32. The nodes of a job take from a few bytes to thousands, depending on their number and spread.
    pub fn job_bytes(self) -> JobBytes {
        let of = |job, nodes, tidy| JobBytes { job, nodes, tidy };
        match self {
            Self::Parquet => of(26, 20, 26),
            Self::Csv => of(175, 120, 430),
            Self::Arrow => of(240, 130, 570),
            Self::Json | Self::Jsonl => of(490, 140, 900),
        }
    }

    /// Returns the extension of files in this format, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }
}

/// Key of the resolved run in the metadata of Parquet and Arrow files.
const METADATA_KEY: &str = "meshreplay";
/// Key of the units of columns in the metadata of Parquet and Arrow files: a JSON object, such as
/// `{"wait_s":"s"}`.
const UNITS_KEY: &str = "meshreplay.units";

/// The sink of all formats. It is one boxed type because the writers of Polars would be compiled again for
/// each further one.
type Out<'a> = Box<dyn Write + Send + 'a>;

/// The writer of a format with a header and a footer around batches of rows.
enum Batches {
    Parquet(Box<BatchedWriter<Out<'static>>>),
    Arrow(Box<ipc::BatchedWriter<Out<'static>>>),
}

impl Batches {
    /// Writes the rows of `frame` as one batch.
    fn write(&mut self, frame: &mut DataFrame) -> PolarsResult<()> {
        match self {
            Self::Parquet(writer) => writer.write_batch(frame),
            Self::Arrow(writer) => {
                frame.align_chunks();
                writer.write_batch(frame)
            }
        }
    }

    /// Writes the footer.
    fn finish(self) -> PolarsResult<()> {
        match self {
            Self::Parquet(writer) => writer.finish().map(drop),
            Self::Arrow(mut writer) => writer.finish(),
        }
    }
}

/// A file that is written frame by frame. All frames have the same columns. The file gets its name only when
/// it is complete.
pub struct FrameFile {
    target: PathBuf,
    format: FileFormat,
    provenance: String,
    file: NewFile,
    batches: Option<Batches>,
    empty: bool,
}

impl FrameFile {
    /// Starts the file in `folder` with the name `stem` and the extension of the format. `provenance` is the
    /// resolved run as JSON, which Parquet and Arrow files keep as metadata.
    pub fn create(
        folder: &Path,
        stem: &str,
        format: FileFormat,
        provenance: &str,
    ) -> Result<Self, FrameError> {
        let target = folder.join(format!("{stem}.{}", format.extension()));
        let file = NewFile::create(&target, TEMPORARY)
            .map_err(|source| FrameError::File { path: target.clone(), source })?;
        let provenance = provenance.to_owned();
        Ok(Self { target, format, provenance, file, batches: None, empty: true })
    }

    /// Appends the rows of `frame`, which must have the columns of the earlier frames.
    pub fn append(&mut self, frame: &mut DataFrame) -> Result<(), FrameError> {
        let first = std::mem::replace(&mut self.empty, false);
        let failed = |source: io::Error| FrameError::File { path: self.target.clone(), source };
        let refused = |problem: PolarsError| FrameError::Write { path: self.target.clone(), problem };
        match self.format {
            FileFormat::Csv => {
                let out: Out = Box::new(&mut self.file);
                let mut writer = CsvWriter::new(out).include_header(first);
                writer.finish(&mut without_formulas(frame)?).map_err(refused)?;
            }
            FileFormat::Json => {
                let mut text = Vec::new();
                write_json(frame, Box::new(&mut text), JsonFormat::Json)?;
                // Each frame becomes an array of its own. Without their brackets, the arrays are joined to
                // one.
                let rows = text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]")).unwrap_or(&text);
                self.file.write_all(if first { b"[" } else { b",\n" }).map_err(failed)?;
                self.file.write_all(rows).map_err(failed)?;
            }
            FileFormat::Jsonl => {
                let mut text = Vec::new();
                write_json(frame, Box::new(&mut text), JsonFormat::JsonLines)?;
                self.file.write_all(&text).map_err(failed)?;
            }
            FileFormat::Parquet | FileFormat::Arrow => {
                if self.batches.is_none() {
                    let file: Out = Box::new(BufWriter::new(self.file.handle().map_err(failed)?));
                    let batches = if self.format == FileFormat::Parquet {
                        let writer = parquet_writer(file, frame, &self.provenance)
                            .and_then(|writer| writer.batched(frame.schema()));
                        Batches::Parquet(Box::new(writer.map_err(refused)?))
                    } else {
                        let writer = arrow_writer(file, frame, &self.provenance);
                        Batches::Arrow(Box::new(writer.map_err(refused)?))
                    };
                    self.batches = Some(batches);
                }
                if let Some(batches) = &mut self.batches {
                    batches.write(frame).map_err(refused)?;
                }
            }
        }
        Ok(())
    }

    /// Completes the file and waits until it is on disk, still under its temporary name. Returns `None`, and
    /// leaves no file, if no frame was appended.
    pub fn finish(mut self) -> Result<Option<FinishedFile>, FrameError> {
        if self.empty {
            return Ok(None);
        }
        let failed = |source: io::Error| FrameError::File { path: self.target.clone(), source };
        let refused = |problem: PolarsError| FrameError::Write { path: self.target.clone(), problem };
        if self.format == FileFormat::Json {
            self.file.write_all(b"]\n").map_err(failed)?;
        }
        if let Some(batches) = self.batches.take() {
            batches.finish().map_err(refused)?;
        }
        self.file.sync().map_err(failed)?;
        Ok(Some(FinishedFile { target: self.target, file: self.file }))
    }
}

/// A file that is complete and on disk, but still has its temporary name.
pub struct FinishedFile {
    target: PathBuf,
    file: NewFile,
}

impl FinishedFile {
    /// Writes `text` to a file that will be named `target`, and waits until it is on disk.
    pub fn of_text(target: &Path, text: &str) -> Result<Self, FrameError> {
        let failed = |source: io::Error| FrameError::File { path: target.to_owned(), source };
        let mut file = NewFile::create(target, TEMPORARY).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.sync().map_err(failed)?;
        Ok(Self { target: target.to_owned(), file })
    }

    /// Returns the file under its temporary name.
    pub(super) fn file(&self) -> &File {
        self.file.file()
    }

    /// Returns the path that the file gets when it is put in place.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Renames the file to its target, and so replaces a file that is already there.
    pub fn put(self) -> Result<(), FrameError> {
        let Self { target, file } = self;
        file.put().map_err(|source| FrameError::File { path: target, source })
    }
}

/// Writes one frame to `out` in the given format. `provenance` is the resolved run as JSON, which only
/// Parquet and Arrow keep.
pub fn write_to(
    out: &mut (dyn Write + Send),
    frame: &mut DataFrame,
    format: FileFormat,
    provenance: &str,
) -> Result<(), FrameError> {
    let out: Out = Box::new(out);
    match format {
        FileFormat::Csv => CsvWriter::new(out).finish(&mut without_formulas(frame)?)?,
        FileFormat::Json => write_json(frame, out, JsonFormat::Json)?,
        FileFormat::Jsonl => write_json(frame, out, JsonFormat::JsonLines)?,
        FileFormat::Parquet => {
            parquet_writer(out, frame, provenance)?.finish(frame)?;
        }
        FileFormat::Arrow => {
            frame.align_chunks();
            let mut writer = arrow_writer(out, frame, provenance)?;
            writer.write_batch(frame)?;
            writer.finish()?;
        }
    }
    Ok(())
}

/// Returns the frame for a CSV file: control characters are escaped, and texts that a spreadsheet could take
/// for formulas get an apostrophe, which reading removes.
fn without_formulas(frame: &DataFrame) -> PolarsResult<DataFrame> {
    with_texts(frame.clone(), |text| match printable(text) {
        Cow::Borrowed(text) => to_cell(text),
        Cow::Owned(text) => Cow::Owned(to_cell(&text).into_owned()),
    })
}

/// Undoes [`without_formulas`] on a frame read from a CSV file.
pub(super) fn with_formulas(frame: DataFrame) -> PolarsResult<DataFrame> {
    with_texts(frame, |cell| match from_cell(cell) {
        text if text.len() < cell.len() => Cow::Owned(text.to_owned()),
        text => Cow::Borrowed(text),
    })
}

/// Returns the frame with `changed` texts. Columns without any are not copied.
fn with_texts(mut frame: DataFrame, changed: fn(&str) -> Cow<'_, str>) -> PolarsResult<DataFrame> {
    for name in texts(&frame) {
        let column = frame.column(&name)?.str()?;
        if column.iter().flatten().any(|text| matches!(changed(text), Cow::Owned(_))) {
            let column = column.apply_values(changed).into_column();
            frame.replace(&name, column)?;
        }
    }
    Ok(frame)
}

/// Returns the names of the columns of texts.
fn texts(frame: &DataFrame) -> Vec<PlSmallStr> {
    let is_text = |column: &&Column| column.dtype() == &DataType::String;
    frame.columns().iter().filter(is_text).map(|column| column.name().clone()).collect()
}

/// Writes `frame` as an array of objects, or as one object per line.
fn write_json(frame: &mut DataFrame, out: Out, format: JsonFormat) -> Result<(), FrameError> {
    Ok(JsonWriter::new(out).with_json_format(format).finish(frame)?)
}

/// Returns the metadata of a file: the resolved run, and the units of those columns of `frame` that have one.
/// Polars writes no metadata of single columns.
fn metadata(frame: &DataFrame, provenance: &str) -> Vec<(String, String)> {
    let described = FrameSchema::all();
    let unit = |name: &str| described.iter().find_map(|schema| schema.column(name)).map(|column| column.unit);
    let columns = frame.columns().iter().map(|column| column.name().to_string());
    let units: Map<String, Value> = columns
        .filter_map(|name| Some((unit(&name).filter(|unit| !unit.is_empty())?, name)))
        .map(|(unit, name)| (name, Value::from(unit)))
        .collect();
    vec![
        (METADATA_KEY.to_owned(), provenance.to_owned()),
        (UNITS_KEY.to_owned(), Value::Object(units).to_string()),
    ]
}

/// Returns a writer of Parquet for frames with the columns of `frame`, with the resolved run and the units as
/// metadata.
fn parquet_writer<'a>(
    out: Out<'a>,
    frame: &DataFrame,
    provenance: &str,
) -> PolarsResult<ParquetWriter<Out<'a>>> {
    let metadata = metadata(frame, provenance);
    let compression = ParquetCompression::Zstd(Some(ZstdLevel::try_new(ZSTD_LEVEL)?));
    Ok(ParquetWriter::new(out)
        .with_compression(compression)
        .with_key_value_metadata(Some(KeyValueMetadata::from_static(metadata))))
}

/// Returns a writer of frames with the columns of `frame`. Its texts are plain strings and not string views,
/// because every reader of Arrow supports those.
fn arrow_writer<'a>(
    out: Out<'a>,
    frame: &DataFrame,
    provenance: &str,
) -> PolarsResult<ipc::BatchedWriter<Out<'a>>> {
    // The writer asks for one entry per column, with dictionaries and nested columns. Our columns have
    // neither.
    let plain = std::iter::repeat_with(Default::default).take(frame.width()).collect();
    let writer = IpcWriter::new(out).with_compat_level(CompatLevel::oldest());
    let mut writer = writer.batched(frame.schema(), plain)?;
    writer.set_custom_metadata(metadata(frame, provenance));
    Ok(writer)
}
