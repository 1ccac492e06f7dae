//! Writes logs as streams, and copies them record by record. A file appears whole or not at all.

use std::io::{self, BufWriter, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::error::TraceError;
use super::formats::{Format, SHAPES, Writing, is_gzip_name};
use super::header::Header;
use super::reader::{LogEntry, Reader};
use super::record::Record;
use super::summary::LogSummary;
use meshreplay_base::disk::{NewFile, Sorter, TEMPORARY, is_stream, remove_leftovers_beside, sync_directory};

/// A log that is being written. Until [`finish`](Self::finish) succeeds there is only a temporary file in the
/// directory of the output. Dropping the writer removes it.
pub struct Writer {
    path: PathBuf,
    writing: Writing,
    overwrite: bool,
    out: Encoder,
    /// Whether a comment above the first record has an entry `Shapes`, so that records are written with
    /// sides.
    has_sides: bool,
    has_records: bool,
    line: Vec<u8>,
    /// The number of records whose sides were not written.
    lost_sides: u64,
    /// External sort by submit time; `None` to keep the order of calls.
    sorter: Option<Sorter>,
}

/// The way of the text to the output.
enum Encoder {
    /// To a temporary file, plain or compressed, which is renamed to the path of the output at the end.
    File(BackgroundWriter),
    /// To a stream that the caller gave, plain.
    Stream(BufWriter<Box<dyn Write>>),
}

impl Writer {
    /// Begins the log at `path`. The log is compressed if the name ends in `.gz`. The result is an error if
    /// the file exists and `overwrite` is false, or if the format can only be read.
    pub fn create(path: &Path, format: &Format, overwrite: bool) -> Result<Self, TraceError> {
        let writing = writing_of(format)?;
        let unwritable = |source| TraceError::Unwritable { path: path.to_owned(), source };
        if !overwrite && path.is_file() {
            return Err(TraceError::Exists(path.to_owned()));
        }
        // A device or a FIFO holds nothing that could be lost.
        let overwrite = overwrite || is_stream(path);
        remove_leftovers_beside(path);
        let file = NewFile::create(path, TEMPORARY).map_err(unwritable)?;
        let out = Encoder::File(BackgroundWriter::new(file, is_gzip_name(path)).map_err(unwritable)?);
        Ok(Self::new(path.to_owned(), writing, out, overwrite))
    }

    /// Begins an uncompressed log on `stream`, which messages call `name`. The result is an error if the
    /// format can only be read.
    pub fn to(stream: impl Write + 'static, name: &str, format: &Format) -> Result<Self, TraceError> {
        let out = Encoder::Stream(BufWriter::with_capacity(64 << 10, Box::new(stream)));
        Ok(Self::new(PathBuf::from(name), writing_of(format)?, out, true))
    }

    /// Returns a writer to `out`. `overwrite` allows replacing a file.
    fn new(path: PathBuf, writing: Writing, out: Encoder, overwrite: bool) -> Self {
        let (has_sides, has_records, line) = (false, false, Vec::new());
        Self { path, writing, overwrite, out, has_sides, has_records, line, lost_sides: 0, sorter: None }
    }

    /// Sorts the records by submit time, stably, when the log is finished. Records beyond 64 MB go to a
    /// temporary file.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.sorter = Some(Sorter::default());
        self
    }

    /// Writes a comment, which should begin with `;`. Dropped if the format has no comments. Also dropped if
    /// records are sorted and it is a late entry `Shapes`: sorting would move it above the records, where it
    /// takes effect.
    pub fn comment(&mut self, text: &[u8]) -> Result<(), TraceError> {
        if !self.writing.has_comments {
            return Ok(());
        }
        let mut header = Header::default();
        header.push(text);
        let says_sides = header.get(SHAPES).is_some();
        if says_sides && self.has_records && self.sorter.is_some() {
            // It would come before the records now, and would be believed.
            return Ok(());
        }
        self.has_sides |= !self.has_records && says_sides;
        self.line.clear();
        self.line.extend_from_slice(text);
        self.line.push(b'\n');
        self.write_line()
    }

    /// Writes every line of a header as a comment.
    pub fn header(&mut self, header: &Header) -> Result<(), TraceError> {
        header.lines().try_for_each(|line| self.comment(line))
    }

    /// Returns the number of records whose sides were lost, for want of sides in the format or of `Shapes` in
    /// the header.
    pub fn lost_sides(&self) -> u64 {
        self.lost_sides
    }

    /// Writes a record with the fields that the format has. Other fields are lost.
    pub fn record(&mut self, record: &Record) -> Result<(), TraceError> {
        let is_lost = record.sides.is_some() && !self.has_sides;
        self.lost_sides = self.lost_sides.saturating_add(u64::from(is_lost));
        if self.sorter.is_some() && !self.has_records {
            self.comment(b"; Note: sorted by submit time by meshreplay")?;
        }
        self.line.clear();
        self.has_records = true;
        (self.writing.append)(record, self.has_sides, &mut self.line);
        match &mut self.sorter {
            Some(sorter) => sorter.add((record.submit_s, 0), &self.line).map_err(unsorted),
            None => self.write_line(),
        }
    }

    /// Writes the bytes of `self.line`.
    fn write_line(&mut self) -> Result<(), TraceError> {
        let written = self.out.write_all(&self.line);
        written.map_err(|source| TraceError::Unwritable { path: self.path.clone(), source })
    }

    /// Writes the records that wait to be sorted.
    fn write_sorted(&mut self) -> Result<(), TraceError> {
        let Some(sorter) = self.sorter.take() else { return Ok(()) };
        let mut lines = sorter.sorted().map_err(unsorted)?;
        while let Some((_, line)) = lines.next().map_err(unsorted)? {
            let written = self.out.write_all(line);
            written.map_err(|source| TraceError::Unwritable { path: self.path.clone(), source })?;
        }
        Ok(())
    }

    /// Ends the log. A file gets its final name only now.
    pub fn finish(mut self) -> Result<(), TraceError> {
        self.write_sorted()?;
        let Self { path, overwrite, out, .. } = self;
        let placed = match out {
            Encoder::Stream(mut stream) => stream.flush(),
            Encoder::File(text) => text.finish().and_then(|file| {
                file.sync()?;
                if overwrite { file.put() } else { file.put_new() }?;
                if is_stream(&path) {
                    return Ok(());
                }
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                sync_directory(folder.unwrap_or(Path::new(".")))
            }),
        };
        placed.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => TraceError::Exists(path),
            _ => TraceError::Unwritable { path, source },
        })
    }
}

impl Encoder {
    /// Adds text. An error may be that of text which was added before.
    fn write_all(&mut self, text: &[u8]) -> io::Result<()> {
        match self {
            Self::File(out) => out.write_all(text),
            Self::Stream(out) => out.write_all(text),
        }
    }
}

/// Returns the error that records cannot be sorted.
fn unsorted(source: io::Error) -> TraceError {
    TraceError::Temporary { what: "records cannot be sorted", source }
}

/// Returns how logs of `format` are written. Fails for read-only formats.
fn writing_of(format: &Format) -> Result<Writing, TraceError> {
    format.writing.ok_or(TraceError::ReadOnly { format: format.name })
}

/// Copies a log: comments unchanged, records as returned by `choose`, which drops a record with `None`. Blank
/// lines, lines without a job and skipped lines are not copied. The `note` becomes a comment above the first
/// record, or the last line of a log without records. Returns the facts about the log read.
///
/// The writer is left unfinished, so an error leaves no output.
pub fn copy(
    mut reader: Reader,
    writer: &mut Writer,
    note: Option<&str>,
    mut choose: impl FnMut(&Record) -> Option<Record>,
) -> Result<LogSummary, TraceError> {
    let mut note = note;
    while let Some(entry) = reader.next_entry()? {
        match entry {
            LogEntry::Record { record, .. } => {
                if let Some(note) = note.take() {
                    writer.comment(note.as_bytes())?;
                }
                if let Some(chosen) = choose(record) {
                    writer.record(&chosen)?;
                }
            }
            LogEntry::Comment(text) => writer.comment(text)?,
            LogEntry::Blank | LogEntry::NoJob | LogEntry::Skipped(_) => {}
        }
    }
    if let Some(note) = note {
        writer.comment(note.as_bytes())?;
    }
    reader.finish()
}

/// The level of compression, from 1 to 9. The usual 6 makes files 4 % smaller and takes twice as long, longer
/// than making the text.
const LEVEL: u32 = 4;

/// The number of bytes that are handed over at a time.
const BYTES: usize = 256 << 10;
/// The number of buffers that wait for the other thread at most.
const BUFFERS: usize = 4;

/// Producer end of a file that another thread writes. Memory holds [`BUFFERS`] + 2 buffers of [`BYTES`].
struct BackgroundWriter {
    buffer: Vec<u8>,
    /// The way to the other thread; `None` when no more text will come.
    full: Option<SyncSender<Vec<u8>>>,
    /// The other thread, which returns the file; `None` after it was asked.
    thread: Option<JoinHandle<io::Result<NewFile>>>,
}

impl BackgroundWriter {
    /// Begins to write `file`, compressed if `is_gzip`. Fails if there can be no further thread.
    fn new(file: NewFile, is_gzip: bool) -> io::Result<Self> {
        let (full, texts) = sync_channel::<Vec<u8>>(BUFFERS);
        let write = move || {
            let mut out = BufWriter::with_capacity(64 << 10, file);
            if is_gzip {
                let mut encoder = GzEncoder::new(out, Compression::new(LEVEL));
                texts.into_iter().try_for_each(|text| encoder.write_all(&text))?;
                out = encoder.finish()?;
            } else {
                texts.into_iter().try_for_each(|text| out.write_all(&text))?;
            }
            out.into_inner().map_err(io::IntoInnerError::into_error)
        };
        let thread = thread::Builder::new().spawn(write)?;
        Ok(Self { buffer: Vec::with_capacity(BYTES), full: Some(full), thread: Some(thread) })
    }

    /// Adds text. An error may be that of text which was added before.
    fn write_all(&mut self, text: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(text);
        if self.buffer.len() < BYTES { Ok(()) } else { self.hand_over() }
    }

    /// Hands the text over that has gathered.
    fn hand_over(&mut self) -> io::Result<()> {
        let text = mem::replace(&mut self.buffer, Vec::with_capacity(BYTES));
        if self.full.as_ref().is_some_and(|full| full.send(text).is_ok()) {
            return Ok(());
        }
        // The other thread has ended early, with an error.
        self.join().and(Err(io::Error::other("no more text is taken")))
    }

    /// Ends the text, and returns the file when all is written.
    fn finish(mut self) -> io::Result<NewFile> {
        self.hand_over()?;
        self.join()
    }

    /// Waits for the other thread and returns what it returns.
    fn join(&mut self) -> io::Result<NewFile> {
        self.full = None;
        let ended = self.thread.take().map(JoinHandle::join);
        ended.and_then(Result::ok).unwrap_or_else(|| Err(io::Error::other("the writing thread has ended")))
    }
}

impl Drop for BackgroundWriter {
    /// Waits until the temporary file of a log that is not finished is removed.
    fn drop(&mut self) {
        drop(self.join());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{ReadOptions, SWF, read};

    type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

    fn write(path: &Path, format: &Format, overwrite: bool) -> std::result::Result<(), TraceError> {
        let mut writer = Writer::create(path, format, overwrite)?;
        let mut header = Header::default();
        header.push(b"; MaxProcs: 4");
        writer.header(&header)?;
        writer.record(&Record { job: 7, submit_s: 5, average_cpu_s: 0.5, ..Record::UNKNOWN })?;
        writer.finish()
    }

    #[test]
    fn names_choose_format_and_compression() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let plain = directory.path().join("a.swf");
        write(&plain, SWF, false)?;
        let line = "7 5 -1 -1 -1 0.5 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1";
        assert_eq!(fs::read_to_string(&plain)?, format!("; MaxProcs: 4\n{line}\n"));
        let gzip = directory.path().join("a.premas.gz");
        write(&gzip, Format::find("premas")?, false)?;
        let native = Writer::create(&directory.path().join("b.swf"), Format::find("nas-ipsc")?, false);
        assert!(native.is_err_and(|error| error.to_string().contains("'nas-ipsc' can only be read")));
        assert_eq!(fs::read(&gzip)?[..2], [0x1f, 0x8b]);
        let mut submits = Vec::new();
        let summary = read(&gzip, ReadOptions::default(), |record| submits.push(record.submit_s))?;
        assert_eq!((submits, summary.header.lines().count()), (vec![5], 0));
        Ok(())
    }

    #[test]
    fn files_are_replaced_only_on_demand_and_never_half_written() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("a.swf");
        fs::write(&path, "precious")?;
        let refused = write(&path, SWF, false).err();
        assert!(matches!(refused, Some(TraceError::Exists(_))), "{refused:?}");
        let mut dropped = Writer::create(&path, SWF, true)?;
        dropped.record(&Record::UNKNOWN)?;
        drop(dropped);
        assert_eq!(fs::read_to_string(&path)?, "precious");
        assert_eq!(fs::read_dir(directory.path())?.count(), 1);
        write(&path, SWF, true)?;
        assert!(fs::read_to_string(&path)?.starts_with("; MaxProcs"));

        let late = directory.path().join("late.swf");
        let writer = Writer::create(&late, SWF, false)?;
        fs::write(&late, "first")?;
        assert!(matches!(writer.finish(), Err(TraceError::Exists(_))));
        assert_eq!(fs::read_to_string(&late)?, "first");
        Ok(())
    }

    #[test]
    fn places_that_cannot_be_written_are_named() -> Result<()> {
        let directory = tempfile::tempdir()?;
        for path in [directory.path().to_owned(), directory.path().join("none/a.swf")] {
            let message = write(&path, SWF, true).expect_err("unwritable").to_string();
            assert_eq!(message, format!("{} cannot be written", path.display()));
        }
        Ok(())
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error_and_stays_a_device() {
        use std::os::unix::fs::FileTypeExt;
        let full = Path::new("/dev/full");
        assert!(matches!(write(full, SWF, false), Err(TraceError::Unwritable { .. })));
        assert!(fs::metadata(full).is_ok_and(|there| there.file_type().is_char_device()));
    }
}
