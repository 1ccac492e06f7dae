//! Lines in the order of a key, of any number: they are sorted piece by piece, and the pieces are merged (external sorting).
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "positions in a text that is in memory, of lines that were, and a number of pieces that are files"
)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::mem;

use crate::disk::Scratch;

/// The number of bytes of text in a piece, which is in memory.
const PIECE: usize = 64 << 20;

/// The most pieces of one level that are files at once. As many become a piece of the next level, so that few files are open
/// however long the log is.
const MOST_PIECES: usize = if cfg!(test) { 3 } else { 64 };

/// Sorts lines by a key. Lines with one key keep the order in which they came.
pub(super) struct Sorter {
    /// The text of the lines of the piece that is in memory, and for each line its key, its begin and its end.
    text: Vec<u8>,
    lines: Vec<(i64, usize, usize)>,
    /// The pieces before it, which are sorted. Those of a level came before those of the levels before it.
    levels: Vec<Vec<Scratch>>,
    /// The number of bytes from which on a piece goes into a file.
    most: usize,
}

impl Default for Sorter {
    fn default() -> Self {
        Self::of_pieces(PIECE)
    }
}

impl Sorter {
    /// Makes a sorter without lines that has at most about this many bytes of text in memory.
    fn of_pieces(most: usize) -> Self {
        Self { text: Vec::new(), lines: Vec::new(), levels: Vec::new(), most }
    }

    /// Adds a line. Fails if the temporary file of a piece cannot be written.
    pub(super) fn add(&mut self, key: i64, line: &[u8]) -> io::Result<()> {
        let begin = self.text.len();
        self.text.extend_from_slice(line);
        self.lines.push((key, begin, self.text.len()));
        // A line counts its place in the list as well.
        if self.text.len() + size_of_val(&*self.lines) < self.most { Ok(()) } else { self.spill() }
    }

    /// Writes the piece that is in memory to a file.
    fn spill(&mut self) -> io::Result<()> {
        let mut piece = Writing::begin()?;
        self.lines.sort_by_key(|&(key, ..)| key);
        self.lines.iter().try_for_each(|&(key, begin, end)| piece.add(key, &self.text[begin..end]))?;
        self.text.clear();
        self.lines.clear();
        self.keep(0, piece.end()?)
    }

    /// Keeps a piece of a level, and makes one of the next level of them if they are many.
    fn keep(&mut self, level: usize, piece: Scratch) -> io::Result<()> {
        self.levels.resize_with(self.levels.len().max(level + 1), Vec::new);
        self.levels[level].push(piece);
        if self.levels[level].len() < MOST_PIECES {
            return Ok(());
        }
        let mut whole = Writing::begin()?;
        merge(mem::take(&mut self.levels[level]), |key, line| whole.add(key, line))?;
        self.keep(level + 1, whole.end()?)
    }

    /// Passes all lines to `write` in their order. Fails if `write` does, or if a piece cannot be read. O(n log n) for n lines.
    pub(super) fn finish(mut self, mut write: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if self.levels.is_empty() {
            self.lines.sort_by_key(|&(key, ..)| key);
            return self.lines.iter().try_for_each(|&(_, begin, end)| write(&self.text[begin..end]));
        }
        self.spill()?;
        merge(self.levels.into_iter().rev().flatten().collect(), |_, line| write(line))
    }
}

/// A piece that is being written.
struct Writing(BufWriter<Scratch>);

impl Writing {
    fn begin() -> io::Result<Self> {
        Ok(Self(BufWriter::with_capacity(1 << 16, Scratch::create()?)))
    }

    fn add(&mut self, key: i64, line: &[u8]) -> io::Result<()> {
        self.0.write_all(&key.to_le_bytes())?;
        self.0.write_all(&(line.len() as u64).to_le_bytes())?;
        self.0.write_all(line)
    }

    fn end(self) -> io::Result<Scratch> {
        self.0.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

/// Passes the lines of sorted pieces to `write` in their order, each with its key. Of lines with one key, those of the earlier
/// piece come first.
fn merge(pieces: Vec<Scratch>, mut write: impl FnMut(i64, &[u8]) -> io::Result<()>) -> io::Result<()> {
    let open = |piece: Scratch| Ok(BufReader::with_capacity(1 << 16, piece.into_reader()?));
    let mut pieces: Vec<_> = pieces.into_iter().map(open).collect::<io::Result<_>>()?;
    // The next line of each piece.
    let (mut next, mut lines) = (BinaryHeap::new(), vec![Vec::new(); pieces.len()]);
    for at in 0..pieces.len() {
        next.extend(read_line(&mut pieces[at], &mut lines[at])?.map(|key| Reverse((key, at))));
    }
    while let Some(Reverse((key, at))) = next.pop() {
        write(key, &lines[at])?;
        next.extend(read_line(&mut pieces[at], &mut lines[at])?.map(|key| Reverse((key, at))));
    }
    Ok(())
}

/// Reads the next line of a piece into `line`, and returns its key; `None` at the end of the piece.
fn read_line(piece: &mut impl Read, line: &mut Vec<u8>) -> io::Result<Option<i64>> {
    let mut number = [0; 8];
    if piece.read(&mut number[..1])? == 0 {
        return Ok(None);
    }
    piece.read_exact(&mut number[1..])?;
    let key = i64::from_le_bytes(number);
    piece.read_exact(&mut number)?;
    line.resize(u64::from_le_bytes(number) as usize, 0);
    piece.read_exact(line)?;
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
            let mut sorter = Sorter::of_pieces(most);
            lines.iter().try_for_each(|(key, line)| sorter.add(*key, line.as_bytes()))?;
            let is_in_memory = sorter.levels.is_empty();
            assert_eq!(is_in_memory, most == PIECE);
            assert!(sorter.levels.iter().all(|pieces| pieces.len() < MOST_PIECES));
            assert!(most > 1 || sorter.levels.len() > 4);
            let mut found = Vec::new();
            sorter.finish(|line| {
                found.extend_from_slice(line);
                Ok(())
            })?;
            assert!(found == expected.as_bytes(), "{most}");
        }
        Ok(())
    }
}
