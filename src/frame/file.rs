//! Files of frames: CSV, JSON, Parquet; written beside their place and renamed into it when whole.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use polars::io::parquet::write::BatchedWriter;
use polars::prelude::{
    CsvWriter, DataFrame, JsonFormat, JsonWriter, KeyValueMetadata, ParquetWriter, PolarsError, SerWriter,
};
use tempfile::NamedTempFile;

use super::FrameError;
use super::whole::make_readable;

/// How a frame is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Comma-separated values with a header line.
    Csv,
    /// One array of objects.
    Json,
    /// Apache Parquet, compressed with its writer's default; carries the resolved run as metadata.
    Parquet,
}

impl FileFormat {
    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Parquet => "parquet",
        }
    }
}

/// Key of the resolved run in the metadata of Parquet files.
const METADATA_KEY: &str = "meshreplay";

/// A file that grows frame by frame, all of one schema, and appears only when it is whole.
pub struct FrameFile {
    target: PathBuf,
    format: FileFormat,
    provenance: String,
    temporary: NamedTempFile,
    parquet: Option<BatchedWriter<BufWriter<std::fs::File>>>,
    empty: bool,
}

impl FrameFile {
    /// Starts the file `stem` with the format's extension in `folder`. `provenance` is the resolved run, as JSON.
    pub fn create(
        folder: &Path,
        stem: &str,
        format: FileFormat,
        provenance: &str,
    ) -> Result<Self, FrameError> {
        let target = folder.join(format!("{stem}.{}", format.extension()));
        let temporary = tempfile::Builder::new()
            .prefix(".meshreplay-")
            .tempfile_in(folder)
            .map_err(|source| FrameError::File { path: target.clone(), source })?;
        let provenance = provenance.to_owned();
        Ok(Self { target, format, provenance, temporary, parquet: None, empty: true })
    }

    /// Appends a frame.
    pub fn append(&mut self, frame: &mut DataFrame) -> Result<(), FrameError> {
        let first = std::mem::replace(&mut self.empty, false);
        let failed = |source: io::Error| FrameError::File { path: self.target.clone(), source };
        let refused = |problem: PolarsError| FrameError::Write { path: self.target.clone(), problem };
        match self.format {
            FileFormat::Csv => {
                let mut writer = CsvWriter::new(self.temporary.as_file_mut()).include_header(first);
                writer.finish(frame).map_err(refused)?;
            }
            FileFormat::Json => {
                let mut text = Vec::new();
                write_json(frame, &mut text)?;
                let rows = text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]")).unwrap_or(&text);
                let file = self.temporary.as_file_mut();
                file.write_all(if first { b"[" } else { b",\n" }).map_err(failed)?;
                file.write_all(rows).map_err(failed)?;
            }
            FileFormat::Parquet => {
                if self.parquet.is_none() {
                    let file = self.temporary.as_file().try_clone().map_err(failed)?;
                    let writer = parquet_writer(BufWriter::new(file), &self.provenance);
                    self.parquet = Some(writer.batched(frame.schema()).map_err(refused)?);
                }
                if let Some(writer) = &mut self.parquet {
                    writer.write_batch(frame).map_err(refused)?;
                }
            }
        }
        Ok(())
    }

    /// Ends the file and puts it in its place, replacing what was there. Without any frame no file appears.
    pub fn commit(mut self) -> Result<(), FrameError> {
        if self.empty {
            return Ok(());
        }
        let failed = |source: io::Error| FrameError::File { path: self.target.clone(), source };
        let refused = |problem: PolarsError| FrameError::Write { path: self.target.clone(), problem };
        if self.format == FileFormat::Json {
            self.temporary.as_file_mut().write_all(b"]\n").map_err(failed)?;
        }
        if let Some(writer) = self.parquet.take() {
            writer.finish().map_err(refused)?;
        }
        self.temporary.as_file().sync_all().map_err(failed)?;
        make_readable(self.temporary.as_file()).map_err(failed)?;
        self.temporary.persist(&self.target).map_err(|error| failed(error.error))?;
        Ok(())
    }
}

/// Writes one frame to `out`, as a file of this format would hold it.
pub fn write_to(
    out: &mut (impl Write + Send),
    frame: &mut DataFrame,
    format: FileFormat,
    provenance: &str,
) -> Result<(), FrameError> {
    match format {
        FileFormat::Csv => CsvWriter::new(out).finish(frame)?,
        FileFormat::Json => write_json(frame, out)?,
        FileFormat::Parquet => {
            parquet_writer(out, provenance).finish(frame)?;
        }
    }
    Ok(())
}

fn write_json(frame: &mut DataFrame, out: impl Write) -> Result<(), FrameError> {
    Ok(JsonWriter::new(out).with_json_format(JsonFormat::Json).finish(frame)?)
}

fn parquet_writer<W: Write>(out: W, provenance: &str) -> ParquetWriter<W> {
    let metadata = vec![(METADATA_KEY.to_owned(), provenance.to_owned())];
    ParquetWriter::new(out).with_key_value_metadata(Some(KeyValueMetadata::from_static(metadata)))
}
