//! Text that another thread compresses and writes, so that making it and writing it go on at the same time.

use std::io::{self, BufWriter, Write};
use std::mem;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use flate2::Compression;
use flate2::write::GzEncoder;

use meshreplay_base::disk::NewFile;

/// The level of compression, from 1 to 9. The usual 6 makes files 4 % smaller and takes twice as long, longer
/// than making the text.
const LEVEL: u32 = 4;

/// The number of bytes that are handed over at a time.
const BYTES: usize = 256 << 10;
/// The number of buffers that wait for the other thread at most.
const BUFFERS: usize = 4;

/// Producer end of a file that another thread writes. Memory holds [`BUFFERS`] + 2 buffers of [`BYTES`].
pub(super) struct BackgroundWriter {
    buffer: Vec<u8>,
    /// The way to the other thread; `None` when no more text will come.
    full: Option<SyncSender<Vec<u8>>>,
    /// The other thread, which returns the file; `None` after it was asked.
    thread: Option<JoinHandle<io::Result<NewFile>>>,
}

impl BackgroundWriter {
    /// Begins to write `file`, compressed if `is_gzip`. Fails if there can be no further thread.
    pub(super) fn new(file: NewFile, is_gzip: bool) -> io::Result<Self> {
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
    pub(super) fn write_all(&mut self, text: &[u8]) -> io::Result<()> {
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
    pub(super) fn finish(mut self) -> io::Result<NewFile> {
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
