//! Splits the lines of a table into cells.
#![expect(clippy::arithmetic_side_effects, reason = "columns are positions in a line plus 1")]

use crate::error::Problem;

/// What separates the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delimiter {
    /// One byte, such as a comma.
    Byte(u8),
    /// Any number of spaces and tabs.
    Blanks,
}

/// Delimiters with their names in specs, in order of preference. The delimiter that gives the most cells
/// wins; blanks are the last resort.
pub(super) const DELIMITERS: [(&str, Delimiter); 5] = [
    ("tab", Delimiter::Byte(b'\t')),
    ("pipe", Delimiter::Byte(b'|')),
    ("semicolon", Delimiter::Byte(b';')),
    ("comma", Delimiter::Byte(b',')),
    ("blanks", Delimiter::Blanks),
];

/// A quote that is not closed, or that text follows: one of the two is a stray one then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QuoteFault {
    /// Position of the opening quote in the line, in bytes.
    pub(super) at: usize,
    /// Whether the quote is not closed. Its text may go on in the next line.
    pub(super) is_open: bool,
}

impl QuoteFault {
    /// Returns the problem of the cell behind `cells`, which has the fault. `remedy` follows what was
    /// expected of an open quote.
    pub(super) fn problem(self, cells: &Cells, line: &[u8], remedy: &str) -> Problem {
        let expected = if self.is_open {
            format!("a closing quote on the same line{remedy}")
        } else {
            "the end of the cell behind the closing quote; a quote within is written twice".to_owned()
        };
        let text = line.get(self.at..).unwrap_or_default();
        Problem::column(cells.count() + 1, "quoted text", text, &expected)
    }
}

/// The cells of one line. The memory is used again for the next line.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    text: Vec<u8>,
    /// The end of each cell in `text`.
    ends: Vec<usize>,
}

impl Cells {
    /// Splits a line. With `has_quotes`, a cell in double quotes may contain delimiters, and two double
    /// quotes stand for one. Fails at an unclosed quote, and at text behind a closing one; the cells before
    /// it are split.
    pub(super) fn split(
        &mut self,
        line: &[u8],
        delimiter: Delimiter,
        has_quotes: bool,
    ) -> Result<(), QuoteFault> {
        self.text.clear();
        self.ends.clear();
        let mut rest = line;
        loop {
            if delimiter == Delimiter::Blanks {
                rest = rest.trim_ascii_start();
                if rest.is_empty() {
                    return Ok(());
                }
            }
            let is_quoted = has_quotes && rest.first() == Some(&b'"');
            let at = line.len() - rest.len();
            let after = if is_quoted { self.quoted(rest) } else { Some(rest) };
            let Some(after) = after else { return Err(QuoteFault { at, is_open: true }) };
            let end = after.iter().position(|&byte| ends_cell(byte, delimiter));
            let (cell, next) = after.split_at(end.unwrap_or(after.len()));
            let cell = if delimiter == Delimiter::Blanks { cell } else { cell.trim_ascii() };
            if is_quoted && !cell.is_empty() {
                return Err(QuoteFault { at, is_open: false });
            }
            self.text.extend_from_slice(cell);
            self.ends.push(self.text.len());
            match next {
                [] => return Ok(()),
                [_, next @ ..] => rest = next,
            }
        }
    }

    /// Appends a quoted cell without its quotes, and returns the text after the closing quote; `None` without
    /// one.
    fn quoted<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let mut rest = &text[1..];
        loop {
            let quote = memchr::memchr(b'"', rest)?;
            self.text.extend_from_slice(&rest[..quote]);
            rest = &rest[quote + 1..];
            let [b'"', after @ ..] = rest else { return Some(rest) };
            self.text.push(b'"');
            rest = after;
        }
    }

    /// Replaces the cells.
    pub(super) fn set<'a>(&mut self, cells: impl Iterator<Item = &'a [u8]>) {
        self.text.clear();
        self.ends.clear();
        for cell in cells {
            self.text.extend_from_slice(cell);
            self.ends.push(self.text.len());
        }
    }

    /// Returns the number of cells.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// Returns the text of cell `column`, from 1; `None` if there are fewer.
    pub(super) fn get(&self, column: usize) -> Option<&[u8]> {
        let at = column.checked_sub(1)?;
        let end = *self.ends.get(at)?;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[start..end])
    }

    /// Returns the cells as text.
    pub(super) fn texts(&self) -> Vec<String> {
        let cells = (1..=self.count()).filter_map(|column| self.get(column));
        cells.map(|cell| String::from_utf8_lossy(cell).into_owned()).collect()
    }
}

/// Returns whether a cell ends at `byte`.
fn ends_cell(byte: u8, delimiter: Delimiter) -> bool {
    match delimiter {
        Delimiter::Byte(separator) => byte == separator,
        Delimiter::Blanks => byte == b' ' || byte == b'\t',
    }
}

/// Returns the possible delimiters of a line: bytes by descending number of cells, then blanks.
pub(super) fn candidates(line: &[u8]) -> Vec<Delimiter> {
    let mut cells = Cells::default();
    let mut found: Vec<(usize, Delimiter)> = Vec::new();
    for (_, delimiter) in DELIMITERS {
        // A line with a stray quote has the cells before it.
        let _ = cells.split(line, delimiter, true);
        if delimiter != Delimiter::Blanks && cells.count() > 1 {
            found.push((cells.count(), delimiter));
        }
    }
    // The sort is stable, so among equals the order of the table counts.
    found.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
    found.into_iter().map(|(_, delimiter)| delimiter).chain([Delimiter::Blanks]).collect()
}

/// Returns true if all quotes of a line within a quoted text stand for one in the text, so that none closes
/// it.
pub(super) fn has_pairs_only(line: &[u8]) -> bool {
    let mut rest = line;
    while let Some(quote) = memchr::memchr(b'"', rest) {
        match &rest[quote..] {
            [_, b'"', after @ ..] => rest = after,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str, delimiter: Delimiter) -> (Vec<String>, Result<(), QuoteFault>) {
        let mut cells = Cells::default();
        let split = cells.split(line.as_bytes(), delimiter, true);
        (cells.texts(), split)
    }

    #[test]
    fn cells_are_split_at_delimiters_outside_of_quotes() {
        let comma = Delimiter::Byte(b',');
        for (line, cells) in [
            ("a,b,c", vec!["a", "b", "c"]),
            ("a,,", vec!["a", "", ""]),
            ("", vec![""]),
            (" a , b ", vec!["a", "b"]),
            ("\"a,b\",\"c \"\"d\"\"\",\"\"", vec!["a,b", "c \"d\"", ""]),
            ("a \"b\",c", vec!["a \"b\"", "c"]),
            ("\"a\" ,c", vec!["a", "c"]),
        ] {
            assert_eq!(
                split(line, comma),
                (cells.iter().map(ToString::to_string).collect(), Ok(())),
                "{line}"
            );
        }
        assert_eq!(split("a,\"b", comma).1, Err(QuoteFault { at: 2, is_open: true }));
        assert_eq!(
            split("a,b,\"c\"d,e", comma),
            (vec!["a".to_owned(), "b".to_owned()], Err(QuoteFault { at: 4, is_open: false }))
        );
        assert_eq!(split("  a \t b  ", Delimiter::Blanks).0, ["a", "b"]);
        assert_eq!(split("\"a b\" c", Delimiter::Blanks).0, ["a b", "c"]);
        assert_eq!(split("a\t\tb", Delimiter::Byte(b'\t')).0, ["a", "", "b"]);
    }

    #[test]
    fn delimiters_are_guessed_by_the_number_of_cells() {
        for (line, first) in [
            ("a,b;c;d", Delimiter::Byte(b';')),
            ("a|b|c", Delimiter::Byte(b'|')),
            ("Submit Time,Start Time", Delimiter::Byte(b',')),
            ("\"a|b|c|d\",e", Delimiter::Byte(b',')),
            ("a b  c", Delimiter::Blanks),
            ("a\tb c", Delimiter::Byte(b'\t')),
        ] {
            assert_eq!(candidates(line.as_bytes())[0], first, "{line}");
        }
    }
}
