//! Records in the order of a key, of any number: they are sorted piece by piece, and the pieces are merged
//! (external sorting).
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "positions in bytes that are in memory, of records that were, and a number of pieces that are \
         files"
)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::mem;

use super::Scratch;

/// The number of bytes of a piece that is in memory, unless another number is asked for.
const PIECE: usize = 64 << 20;

/// The most pieces of one level that are files at once. As many become a piece of the next level, so that few
/// files are open however many records there are.
const MOST_PIECES: usize = 64;

/// A sort key: two numbers, of which the first one counts most.
type Key = (i64, u64);

/// Sorts records by a key. Records with one key keep the order in which they came.
#[derive(Debug)]
pub struct Sorter {
    piece: Piece,
    /// The pieces before it, which are sorted. Those of a level came before those of the levels before it.
    levels: Vec<Vec<Scratch>>,
    /// The number of bytes from which on a piece goes into a file.
    most: usize,
    most_pieces: usize,
}

/// The records that are in memory: their bytes, and of each the key, the begin and the end.
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
    /// Makes a sorter without records that has at most about this many bytes in memory.
    pub fn of_pieces(most: usize) -> Self {
        Self::of_levels(most, MOST_PIECES)
    }

    /// Makes a sorter without records, of which fewer than `most_pieces` pieces of a level are files.
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
        // A record counts its place in the list as well.
        if bytes.len() + size_of_val(&**records) < self.most { Ok(()) } else { self.spill() }
    }

    /// Writes the piece that is in memory to a file.
    fn spill(&mut self) -> io::Result<()> {
        let mut file = Writing::begin()?;
        self.piece.sort();
        let Piece { bytes, records } = &mut self.piece;
        records.iter().try_for_each(|&(key, begin, end)| file.add(key, &bytes[begin..end]))?;
        bytes.clear();
        records.clear();
        self.keep(0, file.end()?)
    }

    /// Keeps a piece of a level, and makes one of the next level of them if they are many.
    fn keep(&mut self, level: usize, piece: Scratch) -> io::Result<()> {
        self.levels.resize_with(self.levels.len().max(level + 1), Vec::new);
        self.levels[level].push(piece);
        if self.levels[level].len() < self.most_pieces {
            return Ok(());
        }
        let mut merged = Merge::of(mem::take(&mut self.levels[level]))?;
        let mut whole = Writing::begin()?;
        while let Some((key, record)) = merged.next()? {
            whole.add(key, record)?;
        }
        self.keep(level + 1, whole.end()?)
    }

    /// Returns all records in their order. O(n log n) for n records.
    pub fn sorted(mut self) -> io::Result<Sorted> {
        if self.levels.is_empty() {
            self.piece.sort();
            return Ok(Sorted(Order::Memory(self.piece, 0)));
        }
        self.spill()?;
        // The memory of the piece is free from here on.
        self.piece = Piece { bytes: Vec::new(), records: Vec::new() };
        Ok(Sorted(Order::Files(Merge::of(self.levels.into_iter().rev().flatten().collect())?)))
    }
}

impl Piece {
    /// Sorts the records. Those with one key keep their order.
    fn sort(&mut self) {
        self.records.sort_by_key(|&(key, ..)| key);
    }
}

/// Records that are in their order, as they are read.
pub struct Sorted(Order);

enum Order {
    /// All of them are in memory; the number is that of the next one.
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

/// A piece that is being written.
struct Writing(BufWriter<Scratch>);

impl Writing {
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

/// The records of sorted pieces in their order. Of those with one key, the ones of the earlier piece come
/// first.
struct Merge {
    pieces: Vec<BufReader<File>>,
    /// The next record of each piece, and its key with the number of the piece.
    records: Vec<Vec<u8>>,
    next: BinaryHeap<Reverse<(Key, usize)>>,
    /// The piece whose record was returned last; `None` before the first one.
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

    /// Reads the next record of a piece.
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

/// Reads the next record of a piece into `record`, and returns its key; `None` at the end of the piece.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The order is that of a stable sort, for pieces of any length.
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

    /// Pairs keep the order of pairs in files, too.
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
