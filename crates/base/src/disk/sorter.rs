//! External merge sort: runs of up to 64 MiB are sorted in memory and spilled to temporary files, which are
//! merged.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "positions in bytes that are in memory, of records that were, and a number of pieces that are \
         files"
)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::mem;
use std::path::{Path, PathBuf};

use super::operations::{Operation, allowed, perform};

/// Default size of a run in memory, in bytes.
const PIECE: usize = 64 << 20;

/// Files per level before they are merged into one file of the next level. This bounds the number of open
/// files for any number of records.
const MOST_PIECES: usize = 64;

/// A sort key, compared lexicographically.
type Key = (i64, u64);

/// A stable sort of records by key.
#[derive(Debug)]
pub struct Sorter {
    piece: Piece,
    /// Sorted runs that were spilled, by level. Runs of higher levels come before those of lower levels in
    /// the input.
    levels: Vec<Vec<Scratch>>,
    /// Maximum size in bytes of the run in memory.
    most: usize,
    most_pieces: usize,
}

/// The run in memory: the bytes of the records, and for each record its key and its range of bytes.
#[derive(Debug)]
struct Piece {
    bytes: Vec<u8>,
    records: Vec<(Key, usize, usize)>,
}

impl Default for Sorter {
    fn default() -> Self {
        Self::of_pieces(PIECE)
    }
}

impl Sorter {
    /// Makes an empty sorter that keeps up to about `most` bytes in memory.
    pub fn of_pieces(most: usize) -> Self {
        Self::of_levels(most, MOST_PIECES)
    }

    /// Makes an empty sorter that merges `most_pieces` files of a level into one.
    fn of_levels(most: usize, most_pieces: usize) -> Self {
        let piece = Piece { bytes: Vec::new(), records: Vec::new() };
        Self { piece, levels: Vec::new(), most, most_pieces }
    }

    /// Adds a record. Fails if the temporary file of a piece cannot be written.
    pub fn add(&mut self, key: Key, record: &[u8]) -> io::Result<()> {
        let Piece { bytes, records } = &mut self.piece;
        let begin = bytes.len();
        bytes.extend_from_slice(record);
        records.push((key, begin, bytes.len()));
        // The list of records counts, too.
        if bytes.len() + size_of_val(&**records) < self.most { Ok(()) } else { self.spill() }
    }

    /// Sorts the run in memory and writes it to a file.
    fn spill(&mut self) -> io::Result<()> {
        let mut file = PieceWriter::begin()?;
        self.piece.sort();
        let Piece { bytes, records } = &mut self.piece;
        records.iter().try_for_each(|&(key, begin, end)| file.add(key, &bytes[begin..end]))?;
        bytes.clear();
        records.clear();
        self.keep(0, file.end()?)
    }

    /// Adds a file to a level, and merges the level into a file of the next one when it is full.
    fn keep(&mut self, level: usize, piece: Scratch) -> io::Result<()> {
        self.levels.resize_with(self.levels.len().max(level + 1), Vec::new);
        self.levels[level].push(piece);
        if self.levels[level].len() < self.most_pieces {
            return Ok(());
        }
        let mut merged = Merge::of(mem::take(&mut self.levels[level]))?;
        let mut whole = PieceWriter::begin()?;
        while let Some((key, record)) = merged.next()? {
            whole.add(key, record)?;
        }
        self.keep(level + 1, whole.end()?)
    }

    /// Returns all records in order. O(n log n) for n records.
    pub fn sorted(mut self) -> io::Result<Sorted> {
        if self.levels.is_empty() {
            self.piece.sort();
            return Ok(Sorted(Order::Memory(self.piece, 0)));
        }
        self.spill()?;
        // Frees the memory of the run.
        self.piece = Piece { bytes: Vec::new(), records: Vec::new() };
        Ok(Sorted(Order::Files(Merge::of(self.levels.into_iter().rev().flatten().collect())?)))
    }
}

impl Piece {
    /// Sorts the records, stably.
    fn sort(&mut self) {
        self.records.sort_by_key(|&(key, ..)| key);
    }
}

/// An iterator over sorted records.
pub struct Sorted(Order);

enum Order {
    /// All records are in memory; the number is the position of the next one.
    Memory(Piece, usize),
    Files(Merge),
}

impl Sorted {
    /// Returns the next record with its key; `None` at the end. Fails if a piece cannot be read.
    #[expect(clippy::should_implement_trait, reason = "what it returns is borrowed, which no iterator can")]
    pub fn next(&mut self) -> io::Result<Option<(Key, &[u8])>> {
        match &mut self.0 {
            Order::Files(merge) => merge.next(),
            Order::Memory(piece, at) => {
                let Some(&(key, begin, end)) = piece.records.get(*at) else { return Ok(None) };
                *at += 1;
                Ok(Some((key, &piece.bytes[begin..end])))
            }
        }
    }
}

/// Writes a run to a file.
struct PieceWriter(BufWriter<Scratch>);

impl PieceWriter {
    fn begin() -> io::Result<Self> {
        Ok(Self(BufWriter::with_capacity(1 << 16, Scratch::create()?)))
    }

    fn add(&mut self, key: Key, record: &[u8]) -> io::Result<()> {
        for number in [key.0.cast_unsigned(), key.1, record.len() as u64] {
            self.0.write_all(&number.to_le_bytes())?;
        }
        self.0.write_all(record)
    }

    fn end(self) -> io::Result<Scratch> {
        self.0.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

/// A k-way merge of sorted files. Of equal keys, the record of the earlier file comes first.
struct Merge {
    pieces: Vec<BufReader<File>>,
    /// The next record of each file, and its key with the number of the file.
    records: Vec<Vec<u8>>,
    next: BinaryHeap<Reverse<(Key, usize)>>,
    /// The file whose record was returned last; `None` before the first record.
    last: Option<usize>,
}

impl Merge {
    fn of(pieces: Vec<Scratch>) -> io::Result<Self> {
        let open = |piece: Scratch| Ok(BufReader::with_capacity(1 << 16, piece.into_reader()?));
        let pieces = pieces.into_iter().map(open).collect::<io::Result<Vec<_>>>()?;
        let records = vec![Vec::new(); pieces.len()];
        let mut merge = Self { pieces, records, next: BinaryHeap::new(), last: None };
        for at in 0..merge.pieces.len() {
            merge.read(at)?;
        }
        Ok(merge)
    }

    /// Reads the next record of file number `at`.
    fn read(&mut self, at: usize) -> io::Result<()> {
        let key = read_record(&mut self.pieces[at], &mut self.records[at])?;
        self.next.extend(key.map(|key| Reverse((key, at))));
        Ok(())
    }

    fn next(&mut self) -> io::Result<Option<(Key, &[u8])>> {
        if let Some(last) = self.last.take() {
            self.read(last)?;
        }
        let Some(Reverse((key, at))) = self.next.pop() else { return Ok(None) };
        self.last = Some(at);
        Ok(Some((key, &self.records[at])))
    }
}

/// Reads the next record of a file into `record`, and returns its key; `None` at the end of the file.
fn read_record(piece: &mut impl BufRead, record: &mut Vec<u8>) -> io::Result<Option<Key>> {
    if piece.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let mut number = || {
        let mut bytes = [0; 8];
        piece.read_exact(&mut bytes).map(|()| u64::from_le_bytes(bytes))
    };
    let (key, length) = ((number()?.cast_signed(), number()?), number()?);
    record.resize(length as usize, 0);
    piece.read_exact(record)?;
    Ok(Some(key))
}

// Unnamed temporary files, for data that may not fit in memory. The operating system removes them with the
// process.

/// An unnamed temporary file, which is written first and then read from its beginning.
#[derive(Debug)]
pub struct Scratch {
    file: File,
}

impl Scratch {
    /// The path of the file in errors.
    const PLACE: &str = "temporary file";

    /// Returns the directory of these files, for messages.
    pub fn folder() -> PathBuf {
        tempfile::env::temp_dir()
    }

    /// Makes an empty file.
    pub fn create() -> io::Result<Self> {
        let file = perform(Operation::Create, Path::new(Self::PLACE), tempfile::tempfile)?;
        Ok(Self { file })
    }

    /// Rewinds the file for reading.
    pub fn into_reader(mut self) -> io::Result<File> {
        perform(Operation::Open, Path::new(Self::PLACE), || self.file.seek(SeekFrom::Start(0)))?;
        Ok(self.file)
    }
}

impl Write for Scratch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = allowed(Operation::Write, Path::new(Self::PLACE), bytes.len())?;
        self.file.write(&bytes[..length])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of every length give the order of a stable sort.
    #[test]
    fn lines_are_in_the_order_of_a_stable_sort() -> io::Result<()> {
        let lines: Vec<(i64, String)> = (0..400_i64)
            .map(|i| (i * 7919 % 23 - 11, format!("line {i}\n").repeat(i as usize % 3)))
            .collect();
        let mut ordered = lines.clone();
        ordered.sort_by_key(|(key, _)| *key);
        let expected: String = ordered.into_iter().map(|(_, line)| line).collect();
        for most in [1, 100, 3_000, PIECE] {
            let mut sorter = Sorter::of_levels(most, 3);
            lines.iter().try_for_each(|(key, line)| sorter.add((*key, 0), line.as_bytes()))?;
            let is_in_memory = sorter.levels.is_empty();
            assert_eq!(is_in_memory, most == PIECE);
            assert!(sorter.levels.iter().all(|pieces| pieces.len() < 3));
            assert!(most > 1 || sorter.levels.len() > 4);
            let mut found = Vec::new();
            let mut lines = sorter.sorted()?;
            while let Some((_, line)) = lines.next()? {
                found.extend_from_slice(line);
            }
            assert!(found == expected.as_bytes(), "{most}");
        }
        Ok(())
    }

    /// Both numbers of a key count, in files as well.
    #[test]
    fn pairs_are_sorted_by_both_numbers() -> io::Result<()> {
        let mut pairs: Vec<(i64, u64)> = (0..200).map(|i| (i * 31 % 7 - 3, (i * 17 % 50) as u64)).collect();
        let mut sorter = Sorter::of_levels(300, 3);
        pairs.iter().try_for_each(|&pair| sorter.add(pair, &[]))?;
        assert!(!sorter.levels.is_empty());
        pairs.sort_unstable();
        let (mut keys, mut found) = (sorter.sorted()?, Vec::new());
        while let Some((pair, _)) = keys.next()? {
            found.push(pair);
        }
        assert_eq!(found, pairs);
        Ok(())
    }
}
