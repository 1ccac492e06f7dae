//! Opens the text of a log: a file, a gzip file of any number of members, or standard input.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "positions in a piece of text; bytes are counted as they are read, of which 2^63 cannot be read"
)]

mod table_file;

pub use self::table_file::{TableConverter, set_table_converter};

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use flate2::bufread::GzDecoder;
use sha2::{Digest, Sha256};

use self::table_file::TableText;
use super::error::TraceError;
use super::options::LogLimits;
use meshreplay_base::disk::hexadecimal;

/// Files that are no logs: magic bytes, kind and remedy.
const OTHERS: [(&[u8], &str, &str); 18] = [
    (
        b"PK\x03\x04",
        "a zip file, as Excel's workbooks (.xlsx) are",
        "save the sheet as CSV, or unzip the file",
    ),
    (b"\xd0\xcf\x11\xe0", "a workbook of an old Excel (.xls)", "save the sheet as CSV"),
    (b"PARE", "an encrypted Parquet file", "write the table as CSV"),
    (b"FEA1", "a file of the old format Feather 1", "write the table as CSV, Parquet or Arrow"),
    (b"ORC", "an ORC file", "write the table as CSV, Parquet or Arrow"),
    (b"\x89HDF", "an HDF5 file", "write the table as CSV, Parquet or Arrow"),
    (b"\x80\x04", "a pickle of Python", "write the table as CSV, Parquet or Arrow"),
    (b"\x80\x05", "a pickle of Python", "write the table as CSV, Parquet or Arrow"),
    (b"SQLite format 3", "a SQLite database", "write the table as CSV"),
    (b"%PDF", "a PDF file", "get the table as CSV"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd", "decompress it, as in zstd -dc FILE | meshreplay … -"),
    (b"\xfd7zXZ", "compressed by xz", "decompress it, as in xz -dc FILE | meshreplay … -"),
    (b"BZh", "compressed by bzip2", "decompress it, as in bzip2 -dc FILE | meshreplay … -"),
    // UTF-32 begins like UTF-16, and so comes first.
    (b"\xff\xfe\0\0", "text in UTF-32", "save it as UTF-8"),
    (b"\0\0\xfe\xff", "text in UTF-32", "save it as UTF-8"),
    (b"\xff\xfe", "text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "save it as UTF-8"),
    (b"<!", "a page of HTML or XML", "get the log itself; the page may be an error of a web server"),
];

/// Longest magic number, in bytes.
const MAGIC: u64 = 15;

/// Bytes read after the magic number when a log is opened, if available at once. Large, since formats are
/// recognised within the first chunk of text.
const FIRST: usize = 256 << 10;

/// The two bytes with which every gzip member begins (RFC 1952).
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The number of compressed bytes that are read at a time.
const COMPRESSED_CHUNK: usize = 64 << 10;

/// Reading ahead on a second thread starts after this many bytes of text; shorter logs are not worth a
/// thread.
const AHEAD_FROM: u64 = 1 << 20;

/// The bytes of logs that this process has read, compressed or not.
static BYTES_READ: AtomicU64 = AtomicU64::new(0);

/// Returns the bytes of logs that this process has read so far, as they are in files.
pub fn bytes_read() -> u64 {
    BYTES_READ.load(Ordering::Relaxed)
}

/// Counts the bytes that are read.
struct CountingReader<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        BYTES_READ.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Decompressor for all members of a gzip file. As in gzip, zero bytes after the last member are ignored;
/// tapes and some file systems pad blocks with them.
enum Members<R> {
    /// A member is being read.
    Inside(Box<GzDecoder<R>>),
    /// The end of the file was reached.
    End,
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Self::Inside(member) = self else { return Ok(0) };
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            // End of a member. The next member follows, or zeros up to the end of the file.
            let rest = member.get_mut();
            loop {
                let zeros = rest.fill_buf()?.iter().take_while(|&&byte| byte == 0).count();
                if zeros == 0 {
                    break;
                }
                rest.consume(zeros);
            }
            let is_end = rest.fill_buf()?.is_empty();
            let Self::Inside(member) = std::mem::replace(self, Self::End) else { return Ok(0) };
            if !is_end {
                *self = Self::Inside(Box::new(GzDecoder::new(member.into_inner())));
            }
        }
    }
}

/// Reads the available bytes into `buffer` and returns their number; 0 at the end.
fn read_some(stream: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// An open log. It gives the uncompressed text as a stream, and counts and hashes the bytes that pass.
pub(super) struct Source {
    path: PathBuf,
    text: TextSource,
    gzip: bool,
    /// Whether the text is that of a table in a binary file.
    is_table: bool,
    limits: LogLimits,
    /// Bytes of text read, and the threshold for reading ahead on a second thread.
    bytes: u64,
    ahead_from: u64,
}

/// The thread that reads the text.
enum TextSource {
    /// The parsing thread.
    ThisThread(Box<Text>),
    /// A second thread, ahead of the parser.
    ReadAhead(ReadAhead),
    /// In transit to the other thread.
    InTransit,
}

impl Source {
    /// Opens the file at `path`, or standard input for `-`. Compression is detected from the first bytes, not
    /// from the name.
    pub(super) fn open(path: &Path, limits: LogLimits) -> Result<Self, TraceError> {
        if path == Path::new("-") {
            return Self::new(PathBuf::from("standard input"), io::stdin(), limits);
        }
        let path = path.to_owned();
        match File::open(&path).and_then(|file| Ok((file.metadata()?.is_dir(), file))) {
            Ok((true, _)) => Err(TraceError::Directory(path)),
            Ok((false, file)) => match table_file::text_of(&file, &path, &limits)? {
                Some(table) => Ok(Self::of_table(path, table, limits)),
                None => Self::new(path, file, limits),
            },
            Err(source) => Err(match source.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                    let mut packed = path.clone().into_os_string();
                    packed.push(".gz");
                    if Path::new(&packed).is_file() {
                        TraceError::Packed(path)
                    } else {
                        TraceError::Missing(path)
                    }
                }
                _ => TraceError::Unreadable { path, source },
            }),
        }
    }

    /// Makes a source that reads `stream`, plain or compressed. Messages call it `path`.
    pub(super) fn new(
        path: PathBuf,
        mut stream: impl Read + Send + 'static,
        limits: LogLimits,
    ) -> Result<Self, TraceError> {
        let mut magic = Vec::new();
        let mut first = vec![0; FIRST];
        // A single read, since a pipe may block.
        let more = stream
            .by_ref()
            .take(MAGIC)
            .read_to_end(&mut magic)
            .and_then(|_| read_some(&mut stream, &mut first));
        match more {
            Ok(count) => magic.extend(&first[..count]),
            Err(source) => return Err(TraceError::Unreadable { path, source }),
        }
        if let Some(kind) = table_file::kind_of(&magic) {
            let table = table_file::spooled(&magic, stream, kind, &path, &limits)?;
            return Ok(Self::of_table(path, table, limits));
        }
        if let Some((_, kind, remedy)) = OTHERS.iter().find(|(begin, ..)| magic.starts_with(begin)) {
            return Err(TraceError::OtherKind { path, kind, remedy });
        }
        let gzip = magic.starts_with(&GZIP_MAGIC);
        // The bytes that were looked at go back in front of the rest, as a pipe cannot be read twice.
        let file_bytes = Arc::default();
        let whole =
            CountingReader { inner: Cursor::new(magic).chain(stream), count: Arc::clone(&file_bytes) };
        let inner: Box<dyn Read + Send> = if gzip {
            Box::new(Members::Inside(Box::new(GzDecoder::new(BufReader::with_capacity(
                COMPRESSED_CHUNK,
                whole,
            )))))
        } else {
            Box::new(whole)
        };
        Ok(Self { gzip, ..Self::of_text(path, inner, file_bytes, limits) })
    }

    /// Makes a source of a text. `file_bytes` counts the bytes of the file that were read.
    fn of_text(
        path: PathBuf,
        inner: Box<dyn Read + Send>,
        file_bytes: Arc<AtomicU64>,
        limits: LogLimits,
    ) -> Self {
        let text = TextSource::ThisThread(Box::new(Text { inner, file_bytes, hash: Sha256::new() }));
        Self { path, text, gzip: false, is_table: false, limits, bytes: 0, ahead_from: AHEAD_FROM }
    }

    /// Makes a source of the text of a table in a binary file.
    fn of_table(path: PathBuf, table: TableText, limits: LogLimits) -> Self {
        let file_bytes = Arc::new(AtomicU64::new(table.bytes));
        Self { is_table: true, ..Self::of_text(path, table.text, file_bytes, limits) }
    }

    /// Returns whether the text is that of a table in a binary file.
    pub(super) fn is_table(&self) -> bool {
        self.is_table
    }

    /// Returns the name of the log for messages: its path or `standard input`.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the greatest length of a line in bytes.
    pub(super) fn longest_line(&self) -> usize {
        self.limits.line_bytes
    }

    /// Returns the number of uncompressed bytes read.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the SHA-256 of the whole uncompressed text, in hexadecimal. The caller must have read up to
    /// its end.
    pub(super) fn sha256(&self) -> String {
        let hash = match &self.text {
            TextSource::ThisThread(text) => text.hash.clone(),
            TextSource::ReadAhead(ahead) => ahead.passed().map(|(hash, _)| hash.clone()).unwrap_or_default(),
            TextSource::InTransit => Sha256::new(),
        };
        hexadecimal(&hash.finalize())
    }

    /// Returns the number of file bytes read, compressed ones if `gzip`.
    fn file_bytes(&self) -> u64 {
        match &self.text {
            TextSource::ThisThread(text) => text.file_bytes.load(Ordering::Relaxed),
            TextSource::ReadAhead(ahead) => ahead.passed().map_or(0, |(_, file_bytes)| file_bytes),
            TextSource::InTransit => 0,
        }
    }

    /// Reads some uncompressed text into `buffer` and returns the number of bytes, which is 0 only at the end
    /// of the log. `lines` is the number of whole lines that were handed out before. Messages about damaged
    /// gzip data name it, so that the user knows how much of the file is sound.
    pub(super) fn read(&mut self, buffer: &mut [u8], lines: u64) -> Result<usize, TraceError> {
        if self.bytes >= self.ahead_from && matches!(self.text, TextSource::ThisThread(_)) {
            let here = std::mem::replace(&mut self.text, TextSource::InTransit);
            self.text = match here {
                TextSource::ThisThread(text) => {
                    ReadAhead::begin(text).map_or_else(TextSource::ThisThread, TextSource::ReadAhead)
                }
                other => other,
            };
            // If there was no thread, none is asked for again.
            self.ahead_from = u64::MAX;
        }
        let read = match &mut self.text {
            TextSource::ThisThread(text) => text.read(buffer),
            TextSource::ReadAhead(ahead) => ahead.read(buffer),
            TextSource::InTransit => Ok(0),
        };
        let count = read.map_err(|error| self.failure(error, lines))?;
        let chunk = &buffer[..count];
        // No text has a zero byte, so this is some other kind of file.
        if let Some(zero) = memchr::memchr(0, chunk) {
            return Err(TraceError::Binary { path: self.path.clone(), offset: self.bytes + zero as u64 });
        }
        self.bytes += count as u64;
        if (self.gzip || self.is_table) && self.limits.refuses(self.bytes, self.file_bytes(), self.is_table) {
            let (path, compressed) = (self.path.clone(), self.file_bytes());
            return Err(TraceError::Bomb { path, compressed, bytes: self.bytes });
        }
        Ok(count)
    }

    /// Returns the error of the log for an error of reading. In compressed data an early end and damage are
    /// told apart, since both ask the user for another copy of the file.
    fn failure(&self, source: io::Error, lines: u64) -> TraceError {
        let (path, bytes) = (self.path.clone(), self.bytes);
        match source.kind() {
            io::ErrorKind::UnexpectedEof if self.gzip => TraceError::TruncatedGzip { path, lines, bytes },
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData if self.gzip => {
                TraceError::CorruptGzip { path, lines, source }
            }
            _ => TraceError::Unreadable { path, source },
        }
    }
}

/// The number of bytes of a piece. Two of them stay in the second-level cache of a processor.
const PIECE: usize = 256 << 10;

/// The most pieces that are ready and wait to be parsed.
const READY: usize = 3;

/// The text of a log, with its byte count and hash.
struct Text {
    inner: Box<dyn Read + Send>,
    /// Bytes of the file read so far, compressed ones for a compressed file.
    file_bytes: Arc<AtomicU64>,
    hash: Sha256,
}

impl Text {
    /// Reads some text into `buffer` and returns the number of bytes, which is 0 only at the end.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
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
struct ReadAhead {
    pieces: Receiver<Piece>,
    /// Where the memory of pieces goes that were handed out.
    spent: Sender<Vec<u8>>,
    /// The piece that is handed out; `None` before the first one and after the end.
    piece: Option<Piece>,
    /// The number of bytes of it that were.
    at: usize,
}

impl ReadAhead {
    /// Starts a thread that reads ahead. Returns `text` if no thread can be started.
    fn begin(text: Box<Text>) -> Result<Self, Box<Text>> {
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
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
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

    /// Waits for the next piece. The last one is empty or has an error. Fails if the thread has died.
    fn next(&self) -> io::Result<Piece> {
        self.pieces.recv().map_err(|_| io::Error::other("the thread that reads it has ended"))
    }

    /// Returns the hash and the file bytes up to the end of the current piece, if any.
    fn passed(&self) -> Option<(&Sha256, u64)> {
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(text: &[u8]) -> io::Result<Vec<u8>> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text)?;
        encoder.finish()
    }

    fn drain(content: Vec<u8>) -> Result<(Vec<u8>, Source), TraceError> {
        let mut source = Source::new(PathBuf::from("log"), Cursor::new(content), LogLimits::default())?;
        let (mut text, mut buffer) = (Vec::new(), [0; 7]);
        loop {
            match source.read(&mut buffer, 0)? {
                0 => return Ok((text, source)),
                count => text.extend_from_slice(&buffer[..count]),
            }
        }
    }

    #[test]
    fn plain_and_compressed_text_are_the_same_log() -> Result<(), Box<dyn std::error::Error>> {
        let text = b"; MaxProcs: 4\n1 2 3\n";
        let mut members = gzip(&text[..9])?;
        members.extend(gzip(&text[9..])?);
        let mut padded = members.clone();
        padded.extend([0; 5000]);
        for content in [text.to_vec(), gzip(text)?, members, padded] {
            let (read, source) = drain(content)?;
            assert_eq!((read.as_slice(), source.bytes()), (&text[..], text.len() as u64));
            assert_eq!(source.sha256(), "6ca35a4ef01574eb4eb4382585bc41ad1e65063af7132fcbc575f4b0295c3f13");
        }
        Ok(())
    }

    /// [`drain`], with a second thread from `ahead_from` bytes on.
    fn drained(content: &[u8], ahead_from: u64, step: usize) -> Result<(Vec<u8>, String, u64), TraceError> {
        let mut source =
            Source::new(PathBuf::from("log"), Cursor::new(content.to_vec()), LogLimits::default())?;
        source.ahead_from = ahead_from;
        let (mut text, mut buffer) = (Vec::new(), vec![0; step]);
        loop {
            match source.read(&mut buffer, 0)? {
                0 => return Ok((text, source.sha256(), source.file_bytes())),
                count => text.extend_from_slice(&buffer[..count]),
            }
        }
    }

    /// Text that is read ahead is the same text, with the same hash, and ends in the same errors.
    #[test]
    fn reading_ahead_changes_nothing() -> Result<(), Box<dyn std::error::Error>> {
        // Four lengths of a piece that is read ahead, and some bytes.
        let text: Vec<u8> =
            (0..1_048_583_u32).map(|i| b"0123456789 \n"[(i.wrapping_mul(i >> 3) % 12) as usize]).collect();
        let whole = gzip(&text)?;
        let mut damaged = whole.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
        let mut binary = text.clone();
        binary[600_000] = 0;
        let cut = whole[..middle].to_vec();
        for content in [&text, &whole, &damaged, &cut, &binary] {
            for step in [100_000, 262_144, 300_000] {
                let here = drained(content, u64::MAX, step);
                for ahead_from in [0, 1, 262_144, 1_000_000] {
                    let ahead = drained(content, ahead_from, step);
                    match (&here, &ahead) {
                        (Ok(here), Ok(ahead)) => assert!(here == ahead, "{step} {ahead_from}"),
                        (Err(here), Err(ahead)) => assert_eq!(here.to_string(), ahead.to_string()),
                        _ => panic!("{here:?} {ahead:?}"),
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn damaged_data_are_told_apart() -> Result<(), Box<dyn std::error::Error>> {
        let whole = gzip(b"1 2 3\n4 5 6\n")?;
        for length in 2..whole.len() {
            let cut = drain(whole[..length].to_vec()).err();
            assert!(matches!(cut, Some(TraceError::TruncatedGzip { .. })), "{length}: {cut:?}");
        }
        let mut damaged = whole;
        let checksum = damaged.len() - 8;
        damaged[checksum] ^= 1;
        assert!(matches!(drain(damaged).err(), Some(TraceError::CorruptGzip { .. })));
        let mut followed = gzip(b"1 2 3\n")?;
        followed.extend(b"\0\0garbage that is no member");
        assert!(matches!(drain(followed).err(), Some(TraceError::CorruptGzip { .. })));
        let binary = drain(b"1 2 3\n\x004".to_vec()).err();
        assert!(matches!(binary, Some(TraceError::Binary { offset: 6, .. })), "{binary:?}");
        Ok(())
    }
}
