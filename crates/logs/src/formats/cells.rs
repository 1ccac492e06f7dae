//! Splits the lines of a table into cells.

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

/// The cells of one line. The memory is used again for the next line.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    text: Vec<u8>,
    /// The end of each cell in `text`.
    ends: Vec<usize>,
}

impl Cells {
    /// Splits a line. With `has_quotes`, a cell in double quotes may hold delimiters, and two double quotes
    /// in it stand for one. Returns whether the line is whole: a quote that is not closed goes on in the next
    /// line.
    pub(super) fn split(&mut self, line: &[u8], delimiter: Delimiter, has_quotes: bool) -> bool {
        self.text.clear();
        self.ends.clear();
        let mut rest = line;
        loop {
            if delimiter == Delimiter::Blanks {
                rest = rest.trim_ascii_start();
                if rest.is_empty() {
                    return true;
                }
            }
            let is_quoted = has_quotes && rest.first() == Some(&b'"');
            let after = if is_quoted { self.quoted(rest) } else { Some(rest) };
            let Some(after) = after else { return false };
            // What follows a closing quote before the delimiter belongs to the cell, too.
            let end = after.iter().position(|&byte| ends_cell(byte, delimiter));
            let (cell, next) = after.split_at(end.unwrap_or(after.len()));
            let cell = if delimiter == Delimiter::Blanks || is_quoted { cell } else { cell.trim_ascii() };
            self.text.extend_from_slice(cell);
            self.ends.push(self.text.len());
            match next {
                [] => return true,
                [_, next @ ..] => rest = next,
            }
        }
    }

    /// Appends the text of a cell that begins with a quote, without its quotes, and returns what follows the
    /// closing quote; `None` if there is none.
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

/// Returns the delimiters that a line may have, the likeliest first: the bytes that separate cells of it,
/// most cells first, and then blanks.
pub(super) fn candidates(line: &[u8]) -> Vec<Delimiter> {
    let mut cells = Cells::default();
    let mut found: Vec<(usize, Delimiter)> = Vec::new();
    for (_, delimiter) in DELIMITERS {
        cells.split(line, delimiter, true);
        if delimiter != Delimiter::Blanks && cells.count() > 1 {
            found.push((cells.count(), delimiter));
        }
    }
    // The sort is stable, so among equals the order of the table counts.
    found.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
    found.into_iter().map(|(_, delimiter)| delimiter).chain([Delimiter::Blanks]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str, delimiter: Delimiter) -> (Vec<String>, bool) {
        let mut cells = Cells::default();
        let is_whole = cells.split(line.as_bytes(), delimiter, true);
        (cells.texts(), is_whole)
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
            ("\"a\"b,c", vec!["ab", "c"]),
        ] {
            assert_eq!(split(line, comma), (cells.iter().map(ToString::to_string).collect(), true), "{line}");
        }
        assert!(!split("a,\"b", comma).1);
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
