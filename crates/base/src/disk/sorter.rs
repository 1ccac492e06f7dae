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
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::mem;

use super::Scratch;

/// The number of bytes of a piece that is in memory, unless another number is asked for.
const PIECE: usize = 64 << 20;

/// The most pieces of one level that are files at once. As many become a piece of the next level, so that few
/// files are open however many records there are.
const MOST_PIECES: usize = 64;

/// A key by which records are sorted.
pub trait SortKey: Copy + Ord {
    /// The bytes of a key.
    type Bytes: AsRef<[u8]> + AsMut<[u8]> + Default;

    /// Returns the key as bytes.
    fn to_bytes(self) -> Self::Bytes;

    /// Returns the key of these bytes.
    fn of_bytes(bytes: Self::Bytes) -> Self;
}

impl SortKey for i64 {
    type Bytes = [u8; 8];

    fn to_bytes(self) -> Self::Bytes {
        self.to_le_bytes()
    }

    fn of_bytes(bytes: Self::Bytes) -> Self {
        Self::from_le_bytes(bytes)
    }
}

impl SortKey for u64 {
    type Bytes = [u8; 8];

    fn to_bytes(self) -> Self::Bytes {
        self.to_le_bytes()
    }

    fn of_bytes(bytes: Self::Bytes) -> Self {
        Self::from_le_bytes(bytes)
    }
}

/// Pairs are sorted by their first number and then by the second one.
impl<A: SortKey<Bytes = [u8; 8]>, B: SortKey<Bytes = [u8; 8]>> SortKey for (A, B) {
    type Bytes = [u8; 16];

    fn to_bytes(self) -> Self::Bytes {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.0.to_bytes());
        bytes[8..].copy_from_slice(&self.1.to_bytes());
        bytes
    }

    fn of_bytes(bytes: Self::Bytes) -> Self {
        let (mut first, mut second) = ([0; 8], [0; 8]);
        first.copy_from_slice(&bytes[..8]);
        second.copy_from_slice(&bytes[8..]);
        (A::of_bytes(first), B::of_bytes(second))
    }
}

/// Sorts records by a key. Records with one key keep the order in which they came.
#[derive(Debug)]
pub struct Sorter<K> {
    piece: Piece<K>,
    /// The pieces before it, which are sorted. Those of a level came before those of the levels before it.
    levels: Vec<Vec<Scratch>>,
    /// The number of bytes from which on a piece goes into a file.
    most: usize,
    most_pieces: usize,
}

/// The records that are in memory: their bytes, and of each the key, the begin and the end.
#[derive(Debug)]
struct Piece<K> {
    bytes: Vec<u8>,
    records: Vec<(K, usize, usize)>,
}

impl<K: SortKey> Default for Sorter<K> {
    fn default() -> Self {
        Self::of_pieces(PIECE)
    }
}

impl<K: SortKey> Sorter<K> {
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
    pub fn add(&mut self, key: K, record: &[u8]) -> io::Result<()> {
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
        let mut merged = Merge::<K>::of(mem::take(&mut self.levels[level]))?;
        let mut whole = Writing::begin()?;
        while let Some((key, record)) = merged.next()? {
            whole.add(key, record)?;
        }
        self.keep(level + 1, whole.end()?)
    }

    /// Returns all records in their order. O(n log n) for n records.
    pub fn sorted(mut self) -> io::Result<Sorted<K>> {
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

impl<K: SortKey> Piece<K> {
    /// Sorts the records. Those with one key keep their order.
    fn sort(&mut self) {
        self.records.sort_by_key(|&(key, ..)| key);
    }
}

/// Records that are in their order, as they are read.
pub struct Sorted<K>(Order<K>);

enum Order<K> {
    /// All of them are in memory; the number is that of the next one.
    Memory(Piece<K>, usize),
    Files(Merge<K>),
}

impl<K: SortKey> Sorted<K> {
    /// Returns the next record with its key; `None` at the end. Fails if a piece cannot be read.
    #[expect(clippy::should_implement_trait, reason = "what it returns is borrowed, which no iterator can")]
    pub fn next(&mut self) -> io::Result<Option<(K, &[u8])>> {
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

    fn add<K: SortKey>(&mut self, key: K, record: &[u8]) -> io::Result<()> {
        self.0.write_all(key.to_bytes().as_ref())?;
        self.0.write_all(&(record.len() as u64).to_le_bytes())?;
        self.0.write_all(record)
    }

    fn end(self) -> io::Result<Scratch> {
        self.0.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

/// The records of sorted pieces in their order. Of those with one key, the ones of the earlier piece come
/// first.
struct Merge<K> {
    pieces: Vec<BufReader<File>>,
    /// The next record of each piece, and its key with the number of the piece.
    records: Vec<Vec<u8>>,
    next: BinaryHeap<Reverse<(K, usize)>>,
    /// The piece whose record was returned last; `None` before the first one.
    last: Option<usize>,
}

impl<K: SortKey> Merge<K> {
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

    fn next(&mut self) -> io::Result<Option<(K, &[u8])>> {
        if let Some(last) = self.last.take() {
            self.read(last)?;
        }
        let Some(Reverse((key, at))) = self.next.pop() else { return Ok(None) };
        self.last = Some(at);
        Ok(Some((key, &self.records[at])))
    }
}

/// Reads the next record of a piece into `record`, and returns its key; `None` at the end of the piece.
fn read_record<K: SortKey>(piece: &mut impl Read, record: &mut Vec<u8>) -> io::Result<Option<K>> {
    let mut key = K::Bytes::default();
    let (first, rest) = key.as_mut().split_at_mut(1);
    if piece.read(first)? == 0 {
        return Ok(None);
    }
    piece.read_exact(rest)?;
    let mut length = [0; 8];
    piece.read_exact(&mut length)?;
    record.resize(u64::from_le_bytes(length) as usize, 0);
    piece.read_exact(record)?;
    Ok(Some(K::of_bytes(key)))
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
            lines.iter().try_for_each(|(key, line)| sorter.add(*key, line.as_bytes()))?;
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
