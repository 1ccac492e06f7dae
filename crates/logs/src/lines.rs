//! Cuts a text that is read in chunks into lines.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "positions in a buffer of at most a line and a chunk; lines are counted, of which 2^64 cannot \
         be read"
)]

use memchr::memchr;

use super::error::TraceError;
use super::options::CHUNK;
use super::source::Source;

/// The lines of a source. Memory holds one chunk, or the longest line if that is longer.
pub(super) struct Lines {
    source: Source,
    buffer: Vec<u8>,
    /// The bytes that were read and not yet handed out are `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Byte that ends a line.
    separator: u8,
    /// Line feeds in the returned text.
    feeds: u64,
    /// Lines begun in the returned text.
    number: u64,
    terminated: bool,
    /// Whether the text began with a byte order mark, which is left out.
    has_mark: bool,
}

/// The byte order mark of UTF-8, which some programs put before a text.
const MARK: &[u8] = b"\xef\xbb\xbf";

impl Lines {
    /// Makes the lines of `source`. Nothing is read yet.
    pub(super) fn new(source: Source) -> Self {
        Self {
            source,
            buffer: vec![0; CHUNK],
            start: 0,
            end: 0,
            separator: b'\n',
            feeds: 0,
            number: 0,
            terminated: true,
            has_mark: false,
        }
    }

    /// Cuts the text behind each `separator` from now on. A line feed is left out of the lines; any other
    /// separator is their last byte.
    pub(super) fn cut_behind(&mut self, separator: u8) {
        self.separator = separator;
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    /// Returns true if every returned line ended in `\n`. Only the last line of a text may lack it.
    pub(super) fn terminated(&self) -> bool {
        self.terminated
    }

    /// Returns true if the text began with a byte order mark, once a line was read or peeked at.
    pub(super) fn has_mark(&self) -> bool {
        self.has_mark
    }

    /// Returns the first line in the first chunk that `is_wanted` accepts, if any. Consumes nothing. Call
    /// before [`Self::next_line`]. Only the first line is complete for sure; the last one may continue in the
    /// next chunk.
    pub(super) fn peek(
        &mut self,
        mut is_wanted: impl FnMut(&[u8]) -> bool,
    ) -> Result<Option<&[u8]>, TraceError> {
        self.refill(true)?;
        let unread = &self.buffer[self.start..self.end];
        Ok(unread.split(|&byte| byte == b'\n').find(|line| is_wanted(line)))
    }

    /// Returns the next line without its line feed, and the number of the text line where it ends, from 1;
    /// `None` at the end of the text.
    #[inline]
    pub(super) fn next_line(&mut self) -> Result<Option<(&[u8], u64)>, TraceError> {
        let unread = &self.buffer[self.start..self.end];
        let length = match memchr(self.separator, unread) {
            Some(length) => length,
            None => match self.refill(false)? {
                Some(length) => length,
                None => return Ok(None),
            },
        };
        let line = self.start..self.start + length;
        self.start = (line.end + 1).min(self.end);
        if self.separator == b'\n' {
            self.number += 1;
            return Ok(Some((&self.buffer[line], self.number)));
        }
        let piece = &self.buffer[line.start..self.start];
        self.feeds += memchr::memchr_iter(b'\n', piece).count() as u64;
        self.number = self.feeds + u64::from(piece.last() != Some(&b'\n'));
        Ok(Some((piece, self.number)))
    }

    /// Reads until the buffer holds a complete line, and returns the length of that line; `None` at the end
    /// of the text. With `is_peek`, half a chunk of an incomplete line is enough.
    #[cold]
    fn refill(&mut self, is_peek: bool) -> Result<Option<usize>, TraceError> {
        loop {
            // The beginning of an unfinished line moves to the front, so that the rest can follow it.
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if is_peek && self.end >= CHUNK / 2 {
                return Ok(Some(self.end));
            }
            let limit = self.source.longest_line();
            if self.end > limit {
                let path = self.source.path().to_owned();
                return Err(TraceError::LongLine { path, line: self.number + 1, limit });
            }
            // A long line fills the buffer, which then grows by one chunk at a time.
            if self.buffer.len() - self.end < CHUNK / 2 {
                self.buffer.resize(self.buffer.len() + CHUNK, 0);
            }
            let old = self.end;
            let count = self.source.read(&mut self.buffer[old..], self.number)?;
            self.end += count;
            if self.number == 0 && !self.has_mark && self.buffer[..self.end].starts_with(MARK) {
                self.has_mark = true;
                self.buffer.copy_within(MARK.len()..self.end, 0);
                self.end -= MARK.len();
                if let Some(length) = memchr(self.separator, &self.buffer[..self.end]) {
                    return Ok(Some(length));
                }
                continue;
            }
            if count == 0 {
                if self.source.bytes() == 0 {
                    return Err(TraceError::Empty(self.source.path().to_owned()));
                }
                // Bytes that are left at the end of the text are a last line without a line end.
                self.terminated &= self.end == 0 || self.buffer[self.end - 1] == b'\n';
                return Ok((self.end > 0).then_some(self.end));
            }
            if let Some(length) = memchr(self.separator, &self.buffer[old..self.end]) {
                return Ok(Some(old + length));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LogLimits;
    use std::io::{self, Read};
    use std::path::PathBuf;

    /// Hands out `text` in pieces of `step` bytes.
    struct Drip {
        text: Vec<u8>,
        at: usize,
        step: usize,
    }

    impl Read for Drip {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.step.min(buffer.len()).min(self.text.len() - self.at);
            buffer[..count].copy_from_slice(&self.text[self.at..self.at + count]);
            self.at += count;
            Ok(count)
        }
    }

    fn source(drip: Drip) -> Result<Source, TraceError> {
        Source::new(PathBuf::from("log"), drip, LogLimits::default())
    }

    fn lines(text: &[u8], step: usize) -> Result<(Vec<Vec<u8>>, bool), TraceError> {
        let drip = Drip { text: text.to_vec(), at: 0, step };
        let mut lines = Lines::new(source(drip)?);
        let mut all = Vec::new();
        while let Some((line, _)) = lines.next_line()? {
            all.push(line.to_vec());
        }
        Ok((all, lines.terminated()))
    }

    #[test]
    fn lines_do_not_depend_on_chunks() -> Result<(), TraceError> {
        let text = b"first\n\nthird\r\nlast";
        for step in 1..=text.len() {
            let (all, terminated) = lines(text, step)?;
            assert_eq!(all, [&b"first"[..], b"", b"third\r", b"last"]);
            assert!(!terminated);
        }
        assert_eq!(lines(b"a\nb\n", 3)?, (vec![b"a".to_vec(), b"b".to_vec()], true));
        Ok(())
    }

    #[test]
    fn pieces_end_behind_their_separator_and_lines_are_counted() -> Result<(), TraceError> {
        let text = b"{\n a}{b}\n\n";
        for step in 1..=text.len() {
            let mut lines = Lines::new(source(Drip { text: text.to_vec(), at: 0, step })?);
            assert_eq!(lines.peek(|line| !line.is_empty())?, Some(&b"{"[..]));
            lines.cut_behind(b'}');
            let mut found = Vec::new();
            while let Some((piece, line)) = lines.next_line()? {
                found.push((String::from_utf8_lossy(piece).into_owned(), line));
            }
            let expected = [("{\n a}", 2), ("{b}", 2), ("\n\n", 3)];
            assert_eq!(found, expected.map(|(piece, line)| (piece.to_owned(), line)), "{step}");
            assert!(lines.terminated());
        }
        Ok(())
    }

    #[test]
    fn long_lines_span_chunks_but_not_all_memory() -> Result<(), TraceError> {
        let mut text = vec![b'x'; 3 * CHUNK];
        text.push(b'\n');
        text.extend(vec![b'y'; CHUNK + 1]);
        let (all, _) = lines(&text, usize::MAX)?;
        assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), [3 * CHUNK, CHUNK + 1]);
        let limit = LogLimits::default().line_bytes;
        let endless = lines(&vec![b'x'; limit + CHUNK], usize::MAX).err();
        assert!(matches!(endless, Some(TraceError::LongLine { line: 1, .. })), "{endless:?}");
        Ok(())
    }

    #[test]
    fn a_byte_order_mark_is_left_out() -> Result<(), TraceError> {
        for step in 1..=9 {
            let drip = Drip { text: b"\xef\xbb\xbfa\n\xef\xbb\xbfb".to_vec(), at: 0, step };
            let mut lines = Lines::new(source(drip)?);
            assert_eq!(lines.next_line()?, Some((&b"a"[..], 1)), "{step}");
            assert!(lines.has_mark());
            assert_eq!(lines.next_line()?, Some((&b"\xef\xbb\xbfb"[..], 2)), "{step}");
        }
        Ok(())
    }

    #[test]
    fn an_empty_source_is_an_error() {
        assert!(matches!(lines(b"", 1), Err(TraceError::Empty(_))));
    }
}
