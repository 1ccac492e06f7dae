//! Reads, decompresses and hashes the text of a long log on a thread of its own, ahead of the thread that
//! parses it.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "positions in a piece of text; bytes are counted as they are read, of which 2^63 cannot be read"
)]

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use sha2::{Digest, Sha256};

/// The number of bytes of a piece. Two of them stay in the second-level cache of a processor.
const PIECE: usize = 256 << 10;

/// The most pieces that are ready and wait to be parsed.
const READY: usize = 3;

/// The text of a log, and what is counted and hashed of it.
pub(super) struct Text {
    pub(super) inner: Box<dyn Read + Send>,
    /// Bytes of the file read so far, compressed ones for a compressed file.
    pub(super) file_bytes: Arc<AtomicU64>,
    pub(super) hash: Sha256,
}

impl Text {
    /// Reads some text into `buffer` and returns the number of bytes, which is 0 only at the end.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.inner.read(buffer) {
                // A signal came while the call was waiting. Nothing was read, so it is made again.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(count) => {
                    self.hash.update(&buffer[..count]);
                    return Ok(count);
                }
            }
        }
    }

    /// Fills `buffer` as far as possible. Returns the number of bytes, and the error that followed them.
    fn fill(&mut self, buffer: &mut [u8]) -> (usize, io::Result<()>) {
        let mut length = 0;
        while length < buffer.len() {
            match self.read(&mut buffer[length..]) {
                Ok(0) => break,
                Ok(count) => length += count,
                Err(error) => return (length, Err(error)),
            }
        }
        (length, Ok(()))
    }
}

/// A piece of text that was read ahead.
struct Piece {
    bytes: Vec<u8>,
    length: usize,
    /// The error that came after these bytes.
    end: io::Result<()>,
    /// What was hashed, and how many bytes of the file were read, up to the end of the piece.
    hash: Sha256,
    file_bytes: u64,
}

/// The text of a log that another thread reads ahead.
pub(super) struct Ahead {
    pieces: Receiver<Piece>,
    /// Where the memory of pieces goes that were handed out.
    spent: Sender<Vec<u8>>,
    /// The piece that is handed out; `None` before the first one and after the end.
    piece: Option<Piece>,
    /// The number of bytes of it that were.
    at: usize,
}

impl Ahead {
    /// Lets another thread read `text` on. Gives it back if no thread can be had.
    pub(super) fn begin(text: Box<Text>) -> Result<Self, Box<Text>> {
        let (to_thread, given) = sync_channel::<Box<Text>>(1);
        let (to_parser, pieces) = sync_channel(READY);
        let (spent, memory) = channel();
        let run = move || {
            if let Ok(text) = given.recv() {
                read_ahead(*text, &to_parser, &memory);
            }
        };
        match thread::Builder::new().name("read".to_owned()).spawn(run) {
            Err(_) => Err(text),
            // Sending cannot fail, as the thread waits for it.
            Ok(_) => match to_thread.send(text) {
                Err(unsent) => Err(unsent.0),
                Ok(()) => Ok(Self { pieces, spent, piece: None, at: 0 }),
            },
        }
    }

    /// Reads as [`Text::read`] does.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(piece) = &mut self.piece else {
                (self.piece, self.at) = (Some(self.next()?), 0);
                continue;
            };
            let count = buffer.len().min(piece.length - self.at);
            if count > 0 {
                buffer[..count].copy_from_slice(&piece.bytes[self.at..self.at + count]);
                self.at += count;
                return Ok(count);
            }
            std::mem::replace(&mut piece.end, Ok(()))?;
            if piece.length == 0 || buffer.is_empty() {
                return Ok(0);
            }
            let next = self.next()?;
            self.at = 0;
            // Sending fails only if the other thread has ended, which then needs no memory.
            if let Some(spent) = self.piece.replace(next) {
                let _ = self.spent.send(spent.bytes);
            }
        }
    }

    /// Waits for the next piece. An empty one or one with an error is the last, so there is always one unless
    /// the other thread has broken off.
    fn next(&self) -> io::Result<Piece> {
        self.pieces.recv().map_err(|_| io::Error::other("the thread that reads it has ended"))
    }

    /// Returns what was hashed, and the number of bytes of the file that were read, up to the end of the
    /// piece that is being handed out; `None` if there is none.
    pub(super) fn passed(&self) -> Option<(&Sha256, u64)> {
        self.piece.as_ref().map(|piece| (&piece.hash, piece.file_bytes))
    }
}

/// Sends the pieces of `text` up to the end, marked by an empty piece, or to an error. Stops if the receiver
/// is gone.
fn read_ahead(mut text: Text, to: &SyncSender<Piece>, memory: &Receiver<Vec<u8>>) {
    loop {
        let mut bytes = memory.try_recv().unwrap_or_else(|_| vec![0; PIECE]);
        let (length, end) = text.fill(&mut bytes);
        let is_last = length == 0 || end.is_err();
        let (hash, file_bytes) = (text.hash.clone(), text.file_bytes.load(Ordering::Relaxed));
        if to.send(Piece { bytes, length, end, hash, file_bytes }).is_err() || is_last {
            return;
        }
    }
}
