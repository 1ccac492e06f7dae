//! The directory of a study, with these files:
//!
//! ```text
//! DIR/study.json               the resolved study: every cell with its key, in order
//! DIR/cells/KEY.parquet        a finished cell, one row per replication: the `summary` frame without
//!                              `replay` and labels
//! DIR/cells/KEY.jobs.parquet   its jobs, if they are kept: the `jobs` frame without `replay`
//! DIR/cells/KEY.FRAME.parquet  other details, such as the `downtimes` frame, if they are kept: without
//!                              `replay`
//! DIR/cells/KEY.failed.txt     why a cell failed when it was last tried; gone when it is finished
//! DIR/summary.parquet, .csv    the finished cells in the study's order: `replay` first, `key` last
//! DIR/tidy.parquet             on request, the jobs of all cells with the coordinates of their replay
//! DIR/unfinished.json          how the study was started; gone when all of it is finished
//! DIR/place.json               the working directory and the files of the logs, for commands that make the
//!                              results again
//! ```
//!
//! A file gets its name only when it is complete and on disk. A killed process leaves files with names that
//! begin with `.meshreplay-`. The next run of the same part of the study removes them.
//! The file of a cell counts if it is complete and belongs to the cell in its name.

use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use polars_core::prelude::{Column, DataFrame, NamedFrom, Series};
use serde::{Deserialize, Serialize};

use super::coordinates::{relabel, without_labels};
use super::detail::{DETAILS, Detail, InCells, Replicate};
use super::file::write_to;
use super::origin::{Place, STUDY_FILE, mark, result_files, study_id};
use super::read::read_file;
use super::table::SavedTable;
use super::whole::{read_if_there, write_filled, write_whole};
use super::{FileFormat, FrameError, FrameSchema, name, summary};
use meshreplay_base::disk::{
    Claim, TEMPORARY, create_dir_all, open, read, read_to_string, remove_file, remove_own_leftovers,
};
use meshreplay_sim::metrics::Has;
use meshreplay_study::study::{
    Manifest, ManifestCell, Options, Outcome, PlannedReplay, ReplaySpec, Shard, StudyLog,
};

/// The number of digits in the key of a cell: the key is a SHA-256 in hexadecimal.
const KEY: usize = 64;

/// The names of two frames that a cell has.
const JOBS: &str = "jobs";
const SUMMARY: &str = "summary";
/// The formats of a study's summary.
const SUMMARIES: [FileFormat; 2] = [FileFormat::Parquet, FileFormat::Csv];

/// The directory of a study, as one process uses it.
#[derive(Clone, Debug)]
pub struct StudyFolder {
    path: PathBuf,
    /// The beginning of the names of this process's unfinished files. Every part of a study has its own.
    prefix: String,
}

/// The metadata in the file of a cell: the version, the options and the cell that its numbers depend on.
#[derive(Serialize)]
struct Provenance<'a> {
    version: &'static str,
    #[serde(flatten)]
    options: &'a Options,
    #[serde(flatten)]
    cell: &'a ManifestCell,
}

impl StudyFolder {
    /// Returns the directory at `path` for the process that runs this shard of the study, or all of the study
    /// if `shard` is `None`. Nothing is written.
    pub fn new(path: &Path, shard: Option<Shard>) -> Self {
        let part = shard.map_or_else(String::new, |shard| shard.to_string().replace('/', "of") + "-");
        Self { path: path.to_owned(), prefix: format!("{TEMPORARY}{part}") }
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the directory of the files of cells.
    pub(super) fn cells(&self) -> PathBuf {
        self.path.join("cells")
    }

    /// Returns the path of the summary rows of a cell.
    fn row(&self, key: &str) -> PathBuf {
        self.cells().join(format!("{key}.parquet"))
    }

    /// Returns the path of a cell's details with this name, such as `jobs`. It exists only if they are kept.
    pub(super) fn detail(&self, key: &str, name: &str) -> PathBuf {
        self.cells().join(format!("{key}.{name}.parquet"))
    }

    /// Returns the paths of all files that a cell may have, each with the name of its frame. The last one is
    /// of the summary.
    fn files(&self, key: &str) -> impl Iterator<Item = (PathBuf, &'static str)> {
        let details = DETAILS.iter().filter(|detail| detail.in_cells != InCells::Never);
        let details = details.map(|detail| (self.detail(key, detail.name), detail.name));
        details.chain([(self.row(key), SUMMARY)])
    }

    /// Returns whether `study.json` holds this very study. Fails unless the directory may take the study: it
    /// does not exist, is empty, or holds only this study. A study with the same name counts as this study
    /// even if it was changed, because some of its cells may still be valid.
    pub fn check(&self, manifest: &Manifest) -> Result<bool, FrameError> {
        // Every shard but the first finds this very study, which need not be read: with a million cells it
        // takes gigabytes.
        let is_there = holds_json(&self.path.join(STUDY_FILE), manifest).unwrap_or(false);
        let existing = if is_there {
            Some(manifest.name.clone())
        } else {
            self.read_manifest()?.map(|other| other.name)
        };
        if let Some(found) = existing.clone().filter(|found| *found != manifest.name) {
            let (folder, expected) = (self.path.clone(), manifest.name.clone());
            return Err(FrameError::OtherStudy { folder, found, expected });
        }
        // In the directory of this study, its own summaries and tidy jobs may be replaced. All other results
        // are foreign.
        let is_ours = |file: &&PathBuf| {
            let is_summary = SUMMARIES.iter().any(|format| **file == self.summary(*format));
            existing.is_some() && (is_summary || **file == self.tidy())
        };
        match result_files(&self.path).find(|file| file.exists() && !is_ours(&file)) {
            Some(file) => Err(FrameError::OtherResults { file, name: manifest.name.clone() }),
            None => Ok(is_there),
        }
    }

    /// Makes the directory, writes `study.json`, and removes the unfinished files that an earlier run of the
    /// same part left. Several processes may do so at the same time if they run parts of the same study.
    /// Fails as [`Self::check`] does, and if a process of another study is using the directory. As long as
    /// the returned claim is held, no other process may replace the files.
    pub fn prepare(&self, manifest: &Manifest) -> Result<Claim, FrameError> {
        self.check(manifest)?;
        let make = |folder: &Path| create_dir_all(folder).map_err(|source| failed(folder, source));
        make(&self.path)?;
        let write = || {
            make(&self.cells())?;
            write_filled(&self.path.join(STUDY_FILE), &self.prefix, &|file| write_json(file, manifest))
        };
        let claim = Claim::shared_after(&self.path, || self.check(manifest), write)?;
        make(&self.cells())?;
        for folder in [self.path.clone(), self.cells()] {
            remove_own_leftovers(&folder, &self.prefix).map_err(|source| failed(&folder, source))?;
        }
        Ok(claim)
    }

    /// Writes the place of this process, which replays these logs of the study in `file`.
    pub fn keep_place(&self, file: &Path, logs: &[StudyLog]) -> Result<(), FrameError> {
        let place = Place::of_process(&self.path, logs).map_err(|source| failed(&self.path, source))?;
        let place = place.of_study(file).map_err(|source| failed(file, source))?;
        if Place::read(&self.path).as_ref() == Some(&place) { Ok(()) } else { place.write(&self.path) }
    }

    /// Copies the place of the results of `part`, adjusted to this directory.
    pub(super) fn take_place(&self, part: &Self) -> Result<(), FrameError> {
        let place = Place::read(&part.path).and_then(|place| place.moved(&part.path, &self.path).ok());
        place.map_or(Ok(()), |place| place.write(&self.path))
    }

    fn summary(&self, format: FileFormat) -> PathBuf {
        self.path.join(format!("summary.{}", format.extension()))
    }

    /// Returns whether the cell with this key is finished and, if `with_jobs`, has its jobs. An empty or
    /// damaged file does not count, and neither does the result of another cell.
    pub fn has(&self, key: &str, with_jobs: bool) -> bool {
        is_result_of(&self.row(key), key) && (!with_jobs || is_result_of(&self.detail(key, JOBS), key))
    }

    /// Returns a sentence on the cells of a summary whose files were deleted; `None` if there are none, or if
    /// the directory has no files of cells at all.
    pub fn deleted_note(&self, summary: &SavedTable) -> Option<String> {
        let keys = summary.column("key").filter(|_| self.cells().is_dir())?;
        let keys: BTreeSet<String> = (0..summary.height()).map(|row| keys.label(row)).collect();
        let deleted = keys.iter().filter(|key| !self.row(key).exists()).count();
        let (path, folder, of) = (summary.path.display(), self.path.display(), keys.len());
        let verb = if deleted == 1 { "was" } else { "were" };
        (deleted > 0).then(|| {
            format!(
                "{path} is older than the cells: {deleted} of {of} {verb} deleted since; `meshreplay sweep \
                 --status {folder}` prints the command that replays what is missing"
            )
        })
    }

    /// Writes the files of a finished cell: its rows, and its jobs and other details if the options keep
    /// them.
    pub fn keep(
        &self,
        planned: &PlannedReplay,
        outcomes: &[Outcome],
        options: &Options,
        has: Has,
    ) -> Result<(), FrameError> {
        let PlannedReplay { spec, key, .. } = planned;
        // The file of a cell has no labels, because another study may give the same cell others.
        let unlabelled = ReplaySpec { labels: Arc::default(), ..spec.clone() };
        let cell = &ManifestCell { key: key.clone(), pools_partitions: false, doubt: None, spec: unlabelled };
        let origin = json(&Provenance { version: env!("CARGO_PKG_VERSION"), options, cell })?;
        // The jobs come last: a process that sees them may rely on the other details.
        let kept = |detail: &&Detail| detail.in_cells != InCells::Never && detail.is_kept(has, options.jobs);
        for detail in DETAILS.iter().rev().filter(kept) {
            let mut all: Option<DataFrame> = None;
            for outcome in outcomes {
                let rows = detail.whole(Replicate { replay: 0, spec, outcome, has })?.drop("replay")?;
                stack(&mut all, without_labels(&rows))?;
            }
            let path = self.detail(key, detail.name);
            self.write_frame(&path, all.unwrap_or_default(), FileFormat::Parquet, &origin)?;
        }
        // The rows are written last: a process that sees the rows of a cell may rely on its jobs.
        let rows: Vec<_> = outcomes.iter().map(|outcome| (0, spec, outcome)).collect();
        let frame = without_labels(&summary(&rows, options, has)?.drop("replay")?);
        self.write_frame(&self.row(key), frame, FileFormat::Parquet, &origin)?;
        self.forget_failure(key)
    }

    /// Returns the study in `study.json`; `None` if the file or the directory does not exist.
    pub fn read_manifest(&self) -> Result<Option<Manifest>, FrameError> {
        let path = self.path.join(STUDY_FILE);
        let Some(text) = read_if_there(&path)? else { return Ok(None) };
        let source = match serde_json::from_str(&text) {
            Ok(manifest) => match odd_key(&manifest) {
                Some(odd) => io::Error::other(odd),
                None => return Ok(Some(manifest)),
            },
            Err(error) => error.into(),
        };
        Err(FrameError::Unreadable { path, source })
    }

    /// Returns the study in `study.json`. Fails if there is no such file.
    pub fn manifest(&self) -> Result<Manifest, FrameError> {
        self.read_manifest()?.ok_or_else(|| FrameError::NoStudy { folder: self.path.clone() })
    }

    /// Returns how many cells of the study are not finished. Fails if the file of one is there and cannot be
    /// read now.
    pub fn count_missing(&self, manifest: &Manifest) -> Result<usize, FrameError> {
        Ok(self.finished(manifest)?.into_iter().filter(|is_finished| !is_finished).count())
    }

    /// Returns the positions of the unfinished cells in the study.
    pub fn missing(&self, manifest: &Manifest) -> Vec<usize> {
        // If the directory cannot be listed, its files are tried one by one.
        let there = self.rows_there().ok();
        let may_be_there = |key: &str| there.as_ref().is_none_or(|there| there.contains(key));
        let is_missing = |cell: &ManifestCell| !may_be_there(&cell.key) || !self.has(&cell.key, false);
        let cells = manifest.cells.iter().enumerate();
        cells.filter(|(_, cell)| is_missing(cell)).map(|(i, _)| i).collect()
    }

    /// Returns the number of cells in the directory that do not belong to the study: results of other
    /// options, or of an earlier form of the study file. 0 if the directory cannot be listed.
    pub fn count_others(&self, manifest: &Manifest) -> usize {
        let mut there = self.rows_there().unwrap_or_default();
        manifest.cells.iter().for_each(|cell| _ = there.remove(&cell.key));
        there.len()
    }

    /// Returns the keys of the cells with a file of summary rows, complete or not. One listing of the
    /// directory is faster than a query per cell of a large study.
    fn rows_there(&self) -> io::Result<HashSet<String>> {
        let entries = match fs::read_dir(self.cells()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashSet::new()),
            entries => entries?,
        };
        let mut keys = HashSet::new();
        for entry in entries {
            let name = entry?.file_name();
            let stem = name.to_str().and_then(|name| name.strip_suffix(".parquet"));
            // Details have another part of the name before the extension.
            keys.extend(stem.filter(|stem| !stem.contains('.')).map(str::to_owned));
        }
        Ok(keys)
    }

    /// Reads the rows of a finished cell, one row per replication.
    pub(super) fn read_row(&self, key: &str) -> Result<DataFrame, FrameError> {
        read_file(&self.row(key))
    }

    /// Writes the summary of the finished cells, in the order of the study, and their tidy jobs if `tidy` or
    /// if the directory has them already. Writes nothing if no cell is finished.
    ///
    /// Another process may finish more cells at the same time and write a more complete summary, which this
    /// one must not replace. Therefore the summary is written again until no further cell has been finished
    /// meanwhile.
    pub fn write_summary(&self, manifest: &Manifest, tidy: bool) -> Result<(), FrameError> {
        loop {
            let finished = self.finished(manifest)?;
            self.write_rows(manifest, &finished)?;
            if tidy || self.tidy().exists() {
                self.write_tidy(manifest)?;
            }
            if self.finished(manifest)? == finished {
                return self.forget_start(manifest);
            }
        }
    }

    /// Returns for each cell whether it is finished. Fails if the file of a cell is there and cannot be read
    /// now: a summary without it would look complete.
    fn finished(&self, manifest: &Manifest) -> Result<Vec<bool>, FrameError> {
        let unread = |source| FrameError::Unreadable { path: self.cells(), source };
        let there = self.rows_there().map_err(unread)?;
        let holds = |key: &str| Ok(there.contains(key) && self.holds_cell(key, false)?);
        manifest.cells.iter().map(|cell| holds(&cell.key)).collect()
    }

    /// As [`Self::has`], but fails if a file exists and cannot be read now.
    pub(super) fn holds_cell(&self, key: &str, with_jobs: bool) -> Result<bool, FrameError> {
        Ok(names_at(self.row(key), key)? && (!with_jobs || names_at(self.detail(key, JOBS), key)?))
    }

    /// Returns whether the cell with this key is finished and has its details with this name, such as `jobs`.
    /// Fails if a file is there and cannot be read now: what is left out would look like all.
    pub(super) fn holds_detail(&self, key: &str, name: &str) -> Result<bool, FrameError> {
        Ok(self.holds_cell(key, false)? && names_at(self.detail(key, name), key)?)
    }

    /// Writes the summary of the cells marked in `finished`.
    fn write_rows(&self, manifest: &Manifest, finished: &[bool]) -> Result<(), FrameError> {
        let mut rows: Option<DataFrame> = None;
        let (mut numbers, mut keys) = (Vec::new(), Vec::new());
        for (number, cell) in manifest.cells.iter().enumerate() {
            if !finished[number] {
                continue;
            }
            let mut replications = self.read_row(&cell.key)?;
            relabel(&mut replications, Some(&cell.spec.labels))?;
            numbers.extend(std::iter::repeat_n(number as i64, replications.height()));
            keys.extend(std::iter::repeat_n(cell.key.as_str(), replications.height()));
            stack(&mut rows, replications)?;
        }
        let Some(mut frame) = rows else { return Ok(()) };
        frame.insert_column(0, Column::from(Series::new(name("replay"), numbers)))?;
        mark(&mut frame, &study_id(manifest)?)?;
        frame.with_column(Column::from(Series::new(name("key"), keys)))?;
        frame.rechunk_mut();
        for format in SUMMARIES {
            self.write_frame(&self.summary(format), frame.clone(), format, &json(manifest)?)?;
        }
        Ok(())
    }

    /// Checks the files of a cell in a directory that another user may have written. Returns one sentence for
    /// each file that cannot be copied; none if all are in order.
    pub(super) fn odd_files(&self, key: &str) -> Result<Vec<String>, FrameError> {
        let mut odd = Vec::new();
        for (path, name) in self.files(key) {
            // This does not follow symbolic links, because another user may have written the directory.
            if fs::symlink_metadata(&path).is_ok() {
                odd.extend(read_checked(&path, key, name)?.err());
            }
        }
        Ok(odd)
    }

    /// Copies the files of a finished cell, with its jobs if they were kept, from another directory. A file
    /// that cannot be copied is left out, and so is a file that this directory has already.
    pub(super) fn take(&self, key: &str, from: &Self) -> Result<(), FrameError> {
        for ((source, name), (target, _)) in from.files(key).zip(self.files(key)) {
            if is_result_of(&target, key) || fs::symlink_metadata(&source).is_err() {
                continue;
            }
            if let Ok(bytes) = read_checked(&source, key, name)? {
                self.write(&target, &bytes)?;
            }
        }
        Ok(())
    }

    /// Writes a frame as a file in the given format, with `provenance` as metadata.
    fn write_frame(
        &self,
        path: &Path,
        mut frame: DataFrame,
        format: FileFormat,
        provenance: &str,
    ) -> Result<(), FrameError> {
        let mut bytes = Vec::new();
        write_to(&mut bytes, &mut frame, format, provenance)?;
        self.write(path, &bytes)
    }

    /// Writes a file so that it is either complete or does not exist, even if the power fails.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), FrameError> {
        write_whole(path, bytes, &self.prefix)
    }
}

/// The number of bytes of JSON that are in memory while a value is written or compared. A study of a million
/// cells has some hundred megabytes.
const JSON_PIECE: usize = 1 << 20;

/// Writes `value` as indented JSON and a line feed, a piece at a time.
fn write_json(to: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(JSON_PIECE, to);
    serde_json::to_writer_pretty(&mut to, value)?;
    to.write_all(b"\n")?;
    to.flush()
}

/// Returns whether the file at `path` holds exactly what [`write_json`] writes. Neither is ever in memory as
/// a whole.
fn holds_json(path: &Path, value: &impl Serialize) -> io::Result<bool> {
    let mut compared = Compared { file: open(path)?, read: Vec::new() };
    write_json(&mut compared, value)?;
    Ok(compared.file.read(&mut [0])? == 0)
}

/// Compares what is written to it with a file, and fails where they differ.
struct Compared {
    file: File,
    read: Vec<u8>,
}

impl Write for Compared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.read.resize(bytes.len(), 0);
        self.file.read_exact(&mut self.read)?;
        if self.read == bytes {
            Ok(bytes.len())
        } else {
            Err(io::Error::other("the file has another content"))
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns whether the file at `path` is the result of the cell `key`. Fails if it is there and cannot be
/// read now.
fn names_at(path: PathBuf, key: &str) -> Result<bool, FrameError> {
    has_key(&path, key).map_err(|source| FrameError::Unreadable { path, source })
}

/// Returns a description of the first key that is no key of a cell; `None` if all keys are valid. Keys become
/// names of files, so a foreign key could name a file elsewhere.
fn odd_key(manifest: &Manifest) -> Option<String> {
    let is_hexadecimal =
        |key: &str| key.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let (number, cell) = manifest
        .cells
        .iter()
        .enumerate()
        .find(|(_, cell)| cell.key.len() != KEY || !is_hexadecimal(&cell.key))?;
    let key: String = cell.key.chars().take(KEY).flat_map(char::escape_default).collect();
    Some(format!("cell {number}: found the key '{key}', expected {KEY} hexadecimal digits"))
}

/// Appends the rows of `more` to `rows`, which become `more` if there were none.
pub(super) fn stack(rows: &mut Option<DataFrame>, more: DataFrame) -> Result<(), FrameError> {
    match rows {
        None => *rows = Some(more),
        Some(rows) => {
            rows.vstack_mut(&more)?;
        }
    }
    Ok(())
}

/// Returns the error for a file that could not be written or removed.
fn failed(path: &Path, source: io::Error) -> FrameError {
    FrameError::File { path: path.to_owned(), source }
}

/// Returns `value` as indented JSON.
pub(super) fn json(value: &impl Serialize) -> Result<String, FrameError> {
    serde_json::to_string_pretty(value).map_err(FrameError::Json)
}

/// The last four bytes of a Parquet file. The four bytes before them hold the length of the footer.
const MAGIC: &[u8] = b"PAR1";
const END: u64 = 8;

/// Returns whether the file is a complete Parquet file with metadata that name the cell `key`. It returns
/// false for an empty file, for a part of a file, for the result of another cell, and for a file that cannot
/// be read.
fn is_result_of(path: &Path, key: &str) -> bool {
    has_key(path, key).unwrap_or(false)
}

/// Returns whether the file is a complete Parquet file with metadata that name the cell `key`. Fails if the
/// file exists and cannot be read now, for instance on an unreachable disk: to treat it as missing would lose
/// a result.
fn has_key(path: &Path, key: &str) -> io::Result<bool> {
    // The metadata are JSON with one space after each colon, so the key can be found by its bytes.
    let named = format!("\"key\": \"{key}\"");
    match footer(path) {
        Ok(footer) => Ok(footer.windows(named.len()).any(|window| window == named.as_bytes())),
        Err(error) => match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::NotFound => Ok(false),
            _ => Err(error),
        },
    }
}

/// Reads the footer of a Parquet file. The footer holds the metadata as plain text, so that they are found
/// without decoding the file.
fn footer(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a named pipe (FIFO) would wait for a writer.
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut file = open(path)?;
    let size = file.seek(SeekFrom::End(0))?;
    let mut end = [0; END as usize];
    file.seek(SeekFrom::Start(size.checked_sub(END).ok_or(io::ErrorKind::UnexpectedEof)?))?;
    file.read_exact(&mut end)?;
    let (length, magic) = end.split_at(4);
    // The length is stored in little-endian order: the last byte is the highest.
    let length = length.iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
    if magic != MAGIC || length + END > size {
        return Err(io::ErrorKind::InvalidData.into());
    }
    file.seek(SeekFrom::Start(size - END - length))?;
    let mut footer = vec![0; usize::try_from(length).unwrap_or_default()];
    file.read_exact(&mut footer)?;
    Ok(footer)
}

/// Reads the file of a cell in a directory that another user may have written. Returns its bytes if it is a
/// regular file, belongs to the cell `key`, and has only columns of the frame `name`. Otherwise returns a
/// sentence on the problem. The outer error means that the file cannot be read.
fn read_checked(path: &Path, key: &str, name: &str) -> Result<Result<Vec<u8>, String>, FrameError> {
    let unreadable = |source| FrameError::Unreadable { path: path.to_owned(), source };
    if !fs::symlink_metadata(path).map_err(unreadable)?.is_file() {
        return Ok(Err(format!("{} is no regular file", path.display())));
    }
    if !has_key(path, key).map_err(unreadable)? {
        return Ok(Err(format!("{} is damaged or the result of another cell", path.display())));
    }
    let frame = read_file(path)?;
    let schema = FrameSchema::all().into_iter().find(|schema| schema.name == name);
    let knows = |column: &str| schema.as_ref().is_some_and(|schema| schema.column(column).is_some());
    if let Some(odd) = frame.get_column_names().into_iter().find(|column| !knows(column.as_str())) {
        return Ok(Err(format!(
            "{} has the column '{odd}', which the {name} of a cell do not have",
            path.display()
        )));
    }
    read(path).map(Ok).map_err(unreadable)
}

// Files in the directory of a study that exist only while cells are missing: how the study was started, and
// why cells failed.
//
// They are removed when the study is finished. So the final directory does not depend on interruptions.

/// How a study was started. A command needs this to continue the study.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The absolute path of the study file.
    pub study: String,
    /// The options that results depend on, such as `--no-timing`, as words of a command line.
    pub options: Vec<String>,
    /// Whether the jobs of every cell are kept.
    pub jobs: bool,
}

impl StudyFolder {
    /// Returns the path of the file on the start of the study.
    fn started_file(&self) -> PathBuf {
        self.path().join("unfinished.json")
    }

    /// Returns the path of the failure message of a cell.
    fn failure_file(&self, key: &str) -> PathBuf {
        self.cells().join(format!("{key}.failed.txt"))
    }

    /// Writes how the study was started. The file is removed when the study is finished.
    pub fn keep_started(&self, started: &Started) -> Result<(), FrameError> {
        let text = json(started)? + "\n";
        let path = self.started_file();
        if read_to_string(&path).is_ok_and(|existing| existing == text) {
            return Ok(());
        }
        self.write(&path, text.as_bytes())
    }

    /// Returns how the study was started; `None` if the study is finished or the file cannot be read.
    pub fn started(&self) -> Option<Started> {
        serde_json::from_str(&read_to_string(&self.started_file()).ok()?).ok()
    }

    /// Writes why a cell failed. Writes nothing if the cell is finished, because another process may have
    /// finished it.
    pub fn keep_failure(&self, key: &str, text: &str) -> Result<(), FrameError> {
        if self.has(key, false) {
            return Ok(());
        }
        self.write(&self.failure_file(key), format!("{text}\n").as_bytes())
    }

    /// Returns why a cell failed in its last attempt; `None` if it did not fail.
    pub fn failure(&self, key: &str) -> Option<String> {
        read_to_string(&self.failure_file(key)).ok().map(|text| text.trim_end().to_owned())
    }

    /// Removes the failure message of a cell that is finished or starts again.
    pub fn forget_failure(&self, key: &str) -> Result<(), FrameError> {
        remove(self.failure_file(key))
    }

    /// Removes the file on the start of the study and the failure messages if the whole study is finished. If
    /// a cell is unfinished, its file, the files of later cells and the file on the start stay. Fails if a
    /// file cannot be read now.
    fn forget_start(&self, manifest: &Manifest) -> Result<(), FrameError> {
        let started = read_if_there(&self.started_file())?;
        let started = started.and_then(|text| serde_json::from_str::<Started>(&text).ok());
        let jobs = started.is_some_and(|started| started.jobs);
        for cell in &manifest.cells {
            if !self.holds_cell(&cell.key, jobs)? {
                return Ok(());
            }
            self.forget_failure(&cell.key)?;
        }
        remove(self.started_file())
    }

    /// Returns whether the summary of the study holds every cell; false if it cannot be read.
    pub fn is_summarized(&self, manifest: &Manifest) -> bool {
        let Ok(frame) = read_file(&self.path().join("summary.parquet")) else { return false };
        let Ok(column) = frame.column("key") else { return false };
        let Ok(keys) = column.str() else { return false };
        let mut found: Vec<&str> = keys.iter().flatten().collect();
        // A cell has one row per replication, and these rows are adjacent.
        found.dedup();
        found.iter().copied().eq(manifest.cells.iter().map(|cell| cell.key.as_str()))
            && self.path().join("summary.csv").exists()
    }
}

/// Removes a file. It is no error if the file does not exist.
fn remove(path: PathBuf) -> Result<(), FrameError> {
    match remove_file(&path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(FrameError::File { path, source }),
        _ => Ok(()),
    }
}
